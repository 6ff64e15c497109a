"""One game, of which every moment so far can be looked at again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.episodes.duel import Duel
from steer_env.episodes.endings import is_captured, result_of, seconds_of
from steer_env.game.annotations import Marks, marks_of
from steer_env.game.config import GameConfig
from steer_env.game.state import OVER

_FIRST_MOMENTS = 64  # for so many there is room at first


class History:
    """An episode that is played as far as somebody looks, and kept.

    Args:
        duel: which plays it.

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

    def start(self, seed: int) -> None:
        """Forgets everything, and begins the episode of a seed."""
        self.duel.start(seed)
        self.last = 0
        self._keep()

    def reach(self, moment: int) -> None:
        """Plays until that moment, or to the end if it comes before."""
        while self.last < moment and not self.duel.is_over:
            self.duel.step()
            self.last += 1
            self._keep()

    def reach_end(self) -> None:
        """Plays to the end."""
        while not self.duel.is_over:
            self.reach(self.last + 1)

    def record(self, moment: int) -> np.void:
        """The state at a moment, of `state_dtype`; after the end, the end."""
        return self._states[min(moment, self.last)]

    def forces_at(self, moment: int) -> NDArray[np.complex128]:
        """The steering forces of the step that led to a moment, (players,), in newtons."""
        return self._forces[min(moment, self.last)]

    @property
    def names(self) -> tuple[str, str]:
        """Of the pursuers and of the evaders."""
        return self.duel.names

    @property
    def config(self) -> GameConfig:
        """The game."""
        return self.duel.config

    @property
    def positions(self) -> NDArray[np.complex128]:
        """Where the players were at each moment that has been played, (moments, players)."""
        states = self._states[: self.last + 1]
        positions: NDArray[np.complex128] = states["players"]["body"]["position"]
        return positions

    def marks(self, moment: int) -> list[Marks]:
        """What can be drawn beside each player; see `marks_of`."""
        return marks_of(self.record(moment), self.config, self.duel.scripts)

    def is_over(self, moment: int) -> bool:
        """Whether the episode has ended by a moment."""
        return bool(self.record(moment)["game"]["phase"] == OVER)

    def is_captured(self, moment: int) -> bool:
        """Whether all evaders are caught by a moment."""
        return is_captured(self.record(moment), self.config)

    def seconds(self, moment: int) -> float:
        """How long it had lasted by a moment."""
        return seconds_of(self.record(moment), self.config)

    def result(self, moment: int) -> str:
        """How it stands or ended, in a few words."""
        return result_of(self.record(moment), self.config)

    def _keep(self) -> None:
        if self.last == len(self._states):
            self._states = np.append(self._states, np.zeros_like(self._states))
            self._forces = np.append(self._forces, np.zeros_like(self._forces), axis=0)
        self._states[self.last] = self.duel.record
        self._forces[self.last] = self.duel.forces
