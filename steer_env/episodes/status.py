"""How an episode stands at a moment, or ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steer_env.game.config import GameConfig
from steer_env.game.state import OVER, UNSTARTED


@dataclass(frozen=True, eq=False)
class Status:
    """How an episode stands at a moment, or ended.

    Attributes:
        record: the record of the state at that moment, of `state_dtype`.
        config: the game.
    """

    record: np.void
    config: GameConfig

    @property
    def seconds(self) -> float:
        """How long the episode has lasted."""
        return float(self.record["game"]["steps"] * self.config.dt)

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return bool(self.record["game"]["phase"] == OVER)

    @property
    def is_captured(self) -> bool:
        """Whether all evaders are caught."""
        return bool(self.record["game"]["captured"] == self.config.evaders)

    @property
    def result(self) -> str:
        """The result so far in a few words, such as "caught after 4.2 s"."""
        game = self.record["game"]
        if game["phase"] == UNSTARTED:
            return "not begun"
        seconds = f"{self.seconds:.1f} s"
        if self.is_captured:
            return f"caught after {seconds}"
        how_far = f"got away for {seconds}" if self.is_over else f"free after {seconds}"
        evaders = self.config.evaders
        return how_far + (f", {game['captured']} of {evaders} caught" if evaders > 1 else "")
