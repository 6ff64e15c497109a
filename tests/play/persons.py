"""Stand-ins for a person: late, in eight directions, with full force."""

from __future__ import annotations

import numpy as np

DELAY = 6  # steps, 0.2 s: how fast a person reacts
DIRECTIONS = np.exp(0.25j * np.pi * np.arange(8))  # what four arrow keys can say


class Person:
    """Pushes where `wish` says, in the nearest of eight directions on the screen.

    Args:
        config: the game.
    """

    def __init__(self, config):
        self.config = config
        half = config.arena.half_size
        self.reach = half * np.sqrt(8 if config.arena.kind == "walls" else 2)
        self.top_speed = max(config.pursuer.max_speed, config.evader.max_speed)

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        """Pushes as wished a fifth of a second ago; the state is what was wished since."""
        seen = np.atleast_2d(observation).astype(float)
        heading = seen[:, 3] + 1j * seen[:, 4]
        place = (seen[:, 1] + 1j * seen[:, 2]) * self.config.arena.half_size
        velocity = seen[:, 0] * heading * self.top_speed
        offset = (seen[:, 11] + 1j * seen[:, 12]) * heading * self.reach
        wish = self.wish(place, velocity, offset)
        choice = np.argmax((np.conj(DIRECTIONS) * wish[:, None]).real, axis=1)
        wishes = [*(state or [np.zeros(len(seen), complex)] * DELAY), DIRECTIONS[choice]]
        action = wishes[0] * np.conj(heading)
        return np.stack([action.real, action.imag], -1).astype(np.float32), wishes[1:]


class Chaser(Person):
    """Pushes straight at its quarry."""

    def wish(self, place, velocity, offset):
        """Where to push, as a vector of any length."""
        return offset


class Runner(Person):
    """Pushes away from its menace, and along walls where they are near."""

    def wish(self, place, velocity, offset):
        """Where to push, as a vector of any length."""
        ahead = place[:, None] + velocity[:, None] * 0.4 + 2.5 * DIRECTIONS
        room = self.config.arena.half_size - 1.0
        outside = np.maximum(np.abs(ahead.real) - room, 0) + np.maximum(
            np.abs(ahead.imag) - room, 0
        )
        distance = np.abs(ahead - (place + offset)[:, None])
        return DIRECTIONS[np.argmax(distance - 2.0 * outside, axis=1)]


class SkilledChaser(Person):
    """Pushes so that it will meet its quarry, and does not overshoot it."""

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        """As `Person`, but knows how fast the quarry is."""
        seen = np.atleast_2d(observation).astype(float)
        heading = seen[:, 3] + 1j * seen[:, 4]
        self.relative = (seen[:, 13] + 1j * seen[:, 14]) * heading * 2 * self.top_speed
        return super().predict(observation, state)

    def wish(self, place, velocity, offset):
        """Where to push, as a vector of any length."""
        closing = 4.0 + np.abs(velocity)
        meeting = offset + (self.relative + velocity) * (np.abs(offset) / closing)[:]
        wanted = meeting / np.maximum(np.abs(meeting), 1e-9) * self.config.pursuer.max_speed
        return wanted - velocity


class PlainRunner(Person):
    """Pushes straight away from its menace, and off walls that are near."""

    def wish(self, place, velocity, offset):
        """Where to push, as a vector of any length."""
        away = -offset / np.maximum(np.abs(offset), 1e-9)
        room = self.config.arena.half_size - 2.0
        ahead = place + 0.5 * velocity
        inward = -np.sign(ahead.real) * np.maximum(np.abs(ahead.real) - room, 0)
        return (
            away + inward - 1j * np.sign(ahead.imag) * np.maximum(np.abs(ahead.imag) - room, 0)
        )
