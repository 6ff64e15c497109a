"""An episode that keeps every moment while it is played."""

from __future__ import annotations

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike

from steer_env.episodes.duel import Duel
from steer_env.episodes.recording import Recording
from steer_env.episodes.status import Status
from steer_env.errors import InvalidType

_FIRST_MOMENTS = 64  # room at first; it doubles when it is full


class History:
    """An episode that is played only as far as it is shown; every moment is kept.

    Args:
        duel: plays the episode.

    Attributes:
        duel: as given.
        names: the names of the pursuer and the evader.
        config: the game.
        last: the last moment that has been played; 0 is the start.
    """

    def __init__(self, duel: Duel) -> None:
        self.duel, self.names, self.config = duel, duel.names, duel.config
        self.last = 0
        self._states = np.zeros(_FIRST_MOMENTS, duel.record.dtype)
        self._forces = np.zeros((_FIRST_MOMENTS, len(duel.forces)), np.complex128)
        self._recording: Recording | None = None  # of all moments so far, once it is needed

    def start(self, seed: int) -> None:
        """Clears the history, and begins the episode of a seed."""
        self.duel.start(seed)
        self.last = 0
        # Recordings keep the old arrays.
        self._states, self._forces = self._states.copy(), self._forces.copy()
        self._keep()

    def step(
        self, pursuer_action: ArrayLike | None = None, evader_action: ArrayLike | None = None
    ) -> None:
        """Plays a step; see `Duel.step`."""
        self.duel.step(pursuer_action, evader_action)
        self.last += 1
        self._keep()

    def reach(self, moment: int) -> None:
        """Plays until a moment, or to the end if that comes first."""
        while self.last < moment and not self.duel.status.is_over:
            self.step()

    def recording(self) -> Recording:
        """The episode so far, which later steps do not change.

        Raises:
            gymnasium.error.ResetNeeded: if no episode has begun.
        """
        if self.duel.seed is None:
            raise ResetNeeded("no episode has begun; call start(seed)")
        if self._recording is None:
            self._recording = Recording(
                names=self.names,
                config=self.config,
                seed=self.duel.seed,
                scripts=self.duel.scripts,
                states=self._states[: self.last + 1],
                forces=self._forces[: self.last + 1],
            )
        return self._recording

    def record(self, moment: int) -> np.void:
        """The record of the state at a moment, of `state_dtype`; the last one after the end."""
        return self._states[min(moment, self.last)]

    def status(self, moment: int) -> Status:
        """How the episode stood at a moment."""
        return Status(self.record(moment), self.config)

    def _keep(self) -> None:
        if self.last == len(self._states):
            self._states = np.append(self._states, np.zeros_like(self._states))
            self._forces = np.append(self._forces, np.zeros_like(self._forces), axis=0)
        self._states[self.last] = self.duel.record
        self._forces[self.last] = self.duel.forces
        self._recording = None


def record_episode(duel: Duel, seed: int) -> Recording:
    """Plays the episode of a seed to its end.

    Args:
        duel: a game of two scripts or policies; it stays at the end of the episode.
        seed: an integer from 0 to 2**64 - 1.

    Raises:
        TypeError: if a person plays a side.
        TypeError, ValueError, FaultyBehavior: as `Duel.start` and `Duel.step`.
    """
    if any(controller is None for controller in duel.controllers):
        raise InvalidType(
            "a person plays a side, and the person's actions are not known here; use "
            "Duel.step, or a script or policy for each side"
        )
    history = History(duel)
    history.start(seed)
    history.reach(duel.config.horizon)
    return history.recording()
