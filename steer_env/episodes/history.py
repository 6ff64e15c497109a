"""An episode that keeps every moment while it is played."""

from __future__ import annotations

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from steer_env.episodes.duel import Duel
from steer_env.episodes.recording import Recording, running_corners
from steer_env.episodes.status import Status
from steer_env.errors import InvalidType
from steer_env.game.annotations import Annotations, annotations_of
from steer_env.game.config import GameConfig

_FIRST_MOMENTS = 64  # room at first; it doubles when it is full


class History:
    """An episode that is played as far as it is shown, and keeps every moment.

    Args:
        duel: plays the episode.

    Attributes:
        duel: as given.
        last: the last moment that has been played; 0 is the start.
    """

    def __init__(self, duel: Duel) -> None:
        self.duel = duel
        self.last = 0
        players = duel.config.pursuers + duel.config.evaders
        self._states = np.zeros(_FIRST_MOMENTS, duel.record.dtype)
        self._forces = np.zeros((_FIRST_MOMENTS, players), np.complex128)
        self._corners = np.zeros((_FIRST_MOMENTS, 2), np.complex128)
        self._cornered = 0  # moments whose corners are computed

    def start(self, seed: int) -> None:
        """Clears the history, and begins the episode of a seed."""
        self.duel.start(seed)
        self.last = self._cornered = 0
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

    def reach_end(self) -> None:
        """Plays to the end."""
        while not self.duel.status.is_over:
            self.step()

    def recording(self) -> Recording:
        """A copy of the episode so far.

        Raises:
            gymnasium.error.ResetNeeded: if no episode has begun.
        """
        if self.duel.seed is None:
            raise ResetNeeded("no episode has begun; call start(seed)")
        (pursuer,), (evader,) = self.duel.scripts
        return Recording(
            names=self.names,
            config=self.config,
            seed=self.duel.seed,
            scripts=(pursuer, evader),
            states=self._states[: self.last + 1].copy(),
            forces=self._forces[: self.last + 1].copy(),
        )

    def record(self, moment: int) -> np.void:
        """The record of the state at a moment, of `state_dtype`; the last one after the end."""
        return self._states[min(moment, self.last)]

    def forces_at(self, moment: int) -> NDArray[np.complex128]:
        """The steering forces of the step that led to a moment, (players,), in newtons."""
        return self._forces[min(moment, self.last)]

    @property
    def names(self) -> tuple[str, str]:
        """The names of the pursuer and the evader."""
        return self.duel.names

    @property
    def config(self) -> GameConfig:
        """The game."""
        return self.duel.config

    @property
    def positions(self) -> NDArray[np.complex128]:
        """The players' positions at each moment so far, (moments, players), in meters."""
        states = self._states[: self.last + 1]
        positions: NDArray[np.complex128] = states["players"]["body"]["position"]
        return positions

    def corners_until(self, moment: int) -> NDArray[np.complex128]:
        """Two opposite corners of the box around all positions until a moment, (2,)."""
        if self._cornered <= self.last:
            positions = self.positions[self._cornered :]
            if self._cornered > 0:
                before = self._corners[self._cornered - 1]
                before = np.broadcast_to(before, (len(positions), 2))
                positions = np.append(positions, before, axis=1)
            self._corners[self._cornered : self.last + 1] = running_corners(positions)
            self._cornered = self.last + 1
        return self._corners[min(moment, self.last)]

    def annotations(self, moment: int) -> list[Annotations]:
        """The annotations of each player; see `annotations_of`."""
        return annotations_of(self.record(moment), self.config, self.duel.scripts)

    def status(self, moment: int) -> Status:
        """How the episode stood at a moment."""
        return Status(self.record(moment), self.config)

    def _keep(self) -> None:
        if self.last == len(self._states):
            self._states = np.append(self._states, np.zeros_like(self._states))
            self._forces = np.append(self._forces, np.zeros_like(self._forces), axis=0)
            self._corners = np.append(self._corners, np.zeros_like(self._corners), axis=0)
        self._states[self.last] = self.duel.record
        self._forces[self.last] = self.duel.forces


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
            "a person plays a side, whose actions are not known here; use Duel.step, or a "
            "script or policy for each side"
        )
    history = History(duel)
    history.start(seed)
    history.reach_end()
    return history.recording()
