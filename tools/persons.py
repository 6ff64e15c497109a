"""Stand-ins for a person: late, in eight directions, with full force.

There are three for each side: one that pushes straight, one that looks ahead, and a hasty one,
which looks ahead but is later, and errs in the direction. The last is the most like people.
"""

from __future__ import annotations

import numpy as np

DELAY = 6  # steps, 0.2 s: how fast a person reacts who expects what comes
LONG_DELAY = 8  # steps, 0.27 s: how fast one reacts who does not
ERROR = 0.7  # radians: standard deviation of a hasty person's direction
ERROR_STEPS = 15  # 0.5 s: how long an error lasts
DIRECTIONS = np.exp(0.25j * np.pi * np.arange(8))  # what four arrow keys can say


class Person:
    """Pushes where `wish` says, in the nearest of eight directions on the screen.

    Args:
        config: the game.
    """

    delay = DELAY

    def __init__(self, config):
        self.config = config
        self.top_speed = max(config.pursuer.max_speed, config.evader.max_speed)

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        """Pushes as wished `delay` steps ago; the state is what was wished since."""
        seen = np.atleast_2d(observation).astype(float)
        heading = seen[:, 3] + 1j * seen[:, 4]
        half = self.config.region.half_size
        self.place = (seen[:, 1] + 1j * seen[:, 2]) * half
        self.velocity = seen[:, 0] * heading * self.top_speed
        self.offset = (seen[:, 11] + 1j * seen[:, 12]) * heading * half * np.sqrt(8)
        relative = (seen[:, 13] + 1j * seen[:, 14]) * heading * 2 * self.top_speed
        self.other_velocity = relative + self.velocity
        fit = (np.conj(DIRECTIONS) * self.wish()[:, None]).real
        wishes = state or [np.zeros(len(seen), complex)] * self.delay
        wishes = [*wishes, DIRECTIONS[np.argmax(fit, axis=1)]]
        action = wishes[0] * np.conj(heading)
        return np.stack([action.real, action.imag], -1).astype(np.float32), wishes[1:]


class Chaser(Person):
    """Pushes straight at its quarry."""

    def wish(self):
        return self.offset


class LeadingChaser(Person):
    """Pushes so that it will meet its quarry, and does not overshoot it."""

    def wish(self):
        seconds = np.abs(self.offset) / (4.0 + np.abs(self.velocity))
        meeting = self.offset + self.other_velocity * seconds
        wanted = meeting / np.maximum(np.abs(meeting), 1e-9) * self.config.pursuer.max_speed
        return wanted - self.velocity


class Runner(Person):
    """Pushes straight away from its menace, and off walls that are near."""

    def wish(self):
        away = -self.offset / np.maximum(np.abs(self.offset), 1e-9)
        ahead, room = self.place + 0.5 * self.velocity, self.config.region.half_size - 2.0
        x = np.sign(ahead.real) * np.maximum(np.abs(ahead.real) - room, 0)
        y = np.sign(ahead.imag) * np.maximum(np.abs(ahead.imag) - room, 0)
        return away - x - 1j * y


class LookingRunner(Person):
    """Looks where each direction would lead it: far from its menace, and off walls."""

    def wish(self):
        ahead = (self.place + 0.4 * self.velocity)[:, None] + 2.5 * DIRECTIONS
        room = self.config.region.half_size - 1.0
        outside = np.maximum(np.abs(ahead.real) - room, 0)
        outside += np.maximum(np.abs(ahead.imag) - room, 0)
        distance = np.abs(ahead - (self.place + self.offset)[:, None])
        return DIRECTIONS[np.argmax(distance - 2.0 * outside, axis=1)]


class Hasty(Person):
    """Reacts later, and pushes beside what it wishes, by an angle that wanders."""

    delay = LONG_DELAY

    def __init__(self, config):
        super().__init__(config)
        self.random, self.error = np.random.default_rng(0), 0.0

    def wish(self):
        """The wish of the class that follows, turned by the error."""
        kept = 1.0 - 1.0 / ERROR_STEPS
        shock = ERROR * np.sqrt(1.0 - kept**2) * self.random.standard_normal(len(self.offset))
        self.error = kept * self.error + shock
        return super().wish() * np.exp(1j * self.error)


class HastyChaser(Hasty, LeadingChaser):
    """A hasty person that leads its quarry."""


class HastyRunner(Hasty, LookingRunner):
    """A hasty person that looks ahead of itself."""


PERSONS = (
    {"straight": Chaser, "ahead": LeadingChaser, "hasty": HastyChaser},
    {"straight": Runner, "ahead": LookingRunner, "hasty": HastyRunner},
)
"""The stand-ins of each side by their names."""
