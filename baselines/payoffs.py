"""What a game is about: the number that its pursuer wants small and its evader large."""

from __future__ import annotations

from typing import NamedTuple

from steer_env.game.config import GameConfig


class Payoff(NamedTuple):
    """A number that the two sides fight over.

    Attributes:
        name: in results, "capture_time" or "distance".
        column: of `EPISODE`, the record of an episode.
        unit: "s" or "m".
    """

    name: str
    column: str
    unit: str

    @property
    def words(self) -> str:
        """The name in tables and figures."""
        return self.name.replace("_", " ")

    @property
    def mean(self) -> str:
        """The name of its mean in results, such as "mean_capture_time"."""
        return f"mean_{self.name}"

    @property
    def unit_name(self) -> str:
        """The unit in words, "seconds" or "meters"."""
        return {"s": "seconds", "m": "meters"}[self.unit]

    @property
    def label(self) -> str:
        """The mean and its unit, such as "mean capture time [s]"."""
        return f"mean {self.words} [{self.unit}]"


CAPTURE_TIME = Payoff("capture_time", "time", "s")
"""Of most games; a time-out counts as the time limit."""

DISTANCE = Payoff("distance", "distance", "m")
"""Of the games about the closest approach or about the final distance."""

_DISTANCES = ("closest_approach", "final_distance")


def payoff_of(kind: str) -> Payoff:
    """The payoff of a game; its `kind` is the field `payoff` of its `GameConfig`."""
    return DISTANCE if kind in _DISTANCES else CAPTURE_TIME


def largest_payoff(config: GameConfig) -> float | None:
    """The largest payoff of a game: the time limit; None for a distance, which has no limit."""
    is_time = payoff_of(config.payoff) is CAPTURE_TIME
    return config.horizon * config.dt if is_time else None
