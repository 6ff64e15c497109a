"""An episode that keeps every moment while it is played."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from steer_env.episodes.duel import Duel
from steer_env.episodes.recording import Recording
from steer_env.episodes.status import Status

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
        # Of the step that led to each moment, as the forces.
        self._actions = [
            None if one is None else np.zeros((_FIRST_MOMENTS, *one.shape), np.float32)
            for one in duel.actions
        ]
        self._recording: Recording | None = None  # of all moments so far, once it is needed

    def start(self, seed: int) -> None:
        """Clears the history, and begins the episode of a seed."""
        self.duel.start(seed)
        self.last = 0
        # Recordings keep the old arrays.
        self._states, self._forces = self._states.copy(), self._forces.copy()
        self._actions = [None if kept is None else kept.copy() for kept in self._actions]
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
            pursuers, evaders = (
                None if kept is None else kept[1 : self.last + 1] for kept in self._actions
            )
            self._recording = Recording(
                names=self.names,
                config=self.config,
                seed=self.duel.seed,
                scripts=self.duel.scripts,
                states=self._states[: self.last + 1],
                forces=self._forces[: self.last + 1],
                actions=(pursuers, evaders),
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
            self._states, self._forces = _doubled(self._states), _doubled(self._forces)
            self._actions = [None if kept is None else _doubled(kept) for kept in self._actions]
        self._states[self.last] = self.duel.record
        self._forces[self.last] = self.duel.forces
        for kept, actions in zip(self._actions, self.duel.actions):
            if kept is not None:
                kept[self.last] = actions
        self._recording = None


def _doubled(moments: NDArray[Any]) -> NDArray[Any]:
    """An array with room for twice as many moments."""
    return np.append(moments, np.zeros_like(moments), axis=0)


def record_episode(duel: Duel, seed: int) -> Recording:
    """Plays the episode of a seed to its end.

    Args:
        duel: a game of two scripts or policies; it stays at the end of the episode.
        seed: an integer from 0 to 2**64 - 1.

    Raises:
        TypeError, ValueError, FaultyBehavior: as `Duel.start` and `Duel.step`.
    """
    history = History(duel)
    history.start(seed)
    history.reach(duel.config.horizon)
    return history.recording()
