"""One round: a game in which a person's pushes are asked for, and recorded, at every step."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.episodes.duel import Duel
from steer_env.episodes.recording import Recording
from steer_env.game.script import Script
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
        actions: of the person so far.

    Raises:
        TypeError, ValueError: if the opponent cannot play; see `Duel`.
    """

    def __init__(self, challenge: Challenge, seed: int) -> None:
        self.challenge, self.seed = challenge, seed
        pursuer, evader = challenge.sides_with(None)
        self._duel = Duel(challenge.config, pursuer, evader, challenge.names)
        self._duel.start(seed)
        self.actions: list[NDArray[np.float32]] = []
        self._states, self._forces = [self._duel.copy_of_state()], [self._duel.forces]

    def push(self, push: complex) -> None:
        """Plays one step in which the person pushes in a direction of the arena."""
        self.act(action_of_push(push, complex(self.body["heading"])))

    def act(self, action: ArrayLike) -> None:
        """Plays one step with an action, forward and left in the own frame."""
        given = np.array(action, np.float32)
        if self.challenge.side == PURSUER:
            self._duel.step(pursuer_action=given)
        else:
            self._duel.step(evader_action=given)
        self.actions.append(given)
        self._states.append(self._duel.copy_of_state())
        self._forces.append(self._duel.forces)

    @property
    def record(self) -> np.void:
        """The record of the state, live."""
        return self._duel.record

    @property
    def scripts(self) -> tuple[list[Script | None], list[Script | None]]:
        """Of the pursuers and of the evaders; None for the person, or a policy."""
        return self._duel.scripts

    @property
    def forces(self) -> NDArray[np.complex128]:
        """The players' steering forces in the last step, (players,)."""
        return self._forces[-1]

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

    def recording(self) -> Recording:
        """The round so far, moment by moment."""
        (pursuer,), (evader,) = self._duel.scripts
        return Recording(
            names=self.challenge.names,
            config=self.challenge.config,
            seed=self.seed,
            scripts=(pursuer, evader),
            states=np.array(self._states, self._states[0].dtype),
            forces=np.array(self._forces),
        )


def replayed(challenge: Challenge, seed: int, actions: Iterable[ArrayLike]) -> Recording:
    """The round that follows from a start and a person's actions: the same, bit for bit."""
    again = Round(challenge, seed)
    for action in actions:
        again.act(action)
    return again.recording()
