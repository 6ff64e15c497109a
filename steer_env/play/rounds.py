"""One round: a game in which a person's pushes are asked for, and recorded, at every step."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.episodes.duel import Duel
from steer_env.episodes.history import History
from steer_env.game.state import PURSUER
from steer_env.play.levels import Challenge


def action_of_push(push: complex, heading: complex) -> NDArray[np.float32]:
    """The action, forward and left, that pushes a vehicle in a direction of the arena.

    Args:
        push: in the arena, its length a share of all the force; cut to 1.
        heading: of the vehicle, a unit vector.

    Returns:
        (2,), which the engine turns back into a force along the push.
    """
    own = push / max(abs(push), 1.0) * heading.conjugate()
    return np.array([own.real, own.imag], np.float32)


class Round:
    """One episode that a person plays.

    Args:
        challenge: what the person faces.
        seed: of the start, and of all that chance does later.

    Attributes:
        challenge: as given.
        seed: as given.
        history: every moment so far.

    Raises:
        TypeError, ValueError: if the opponent cannot play; see `Duel`.
    """

    def __init__(self, challenge: Challenge, seed: int) -> None:
        self.challenge, self.seed = challenge, seed
        pursuer, evader = challenge.sides_with(None)
        self._duel = Duel(challenge.config, pursuer, evader, challenge.names)
        self.history = History(self._duel)
        self.history.start(seed)

    def push(self, push: complex) -> None:
        """Plays one step in which the person pushes in a direction of the arena."""
        self.act(action_of_push(push, complex(self.body["heading"])))

    def act(self, action: ArrayLike) -> None:
        """Plays one step with an action, forward and left in the own frame."""
        if self.challenge.side == PURSUER:
            self.history.step(pursuer_action=action)
        else:
            self.history.step(evader_action=action)

    @property
    def record(self) -> np.void:
        """The record of the state, live."""
        return self._duel.record

    @property
    def body(self) -> np.void:
        """The person's vehicle."""
        first = 0 if self.challenge.side == PURSUER else self.challenge.config.pursuers
        body: np.void = self.record["players"][first]["body"]
        return body

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self._duel.is_over

    @property
    def seconds(self) -> float:
        """How long it has lasted."""
        return self._duel.seconds

    @property
    def seconds_left(self) -> float:
        """How long it can still last."""
        config = self.challenge.config
        return config.horizon * config.dt - self.seconds

    @property
    def captured(self) -> bool:
        """Whether all evaders are caught."""
        return self._duel.captured

    @property
    def is_won(self) -> bool:
        """Whether the person has won: as pursuer caught all, as evader got away."""
        return self.is_over and self.captured == (self.challenge.side == PURSUER)

    @property
    def result(self) -> str:
        """How the round ended or stands, in a few words."""
        return self._duel.result
