"""How the learner's observations are made: a frozen dataclass, checked when made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steer_env.bounds import SCALE, check_within
from steer_env.errors import InvalidType, check_choice, got, unknown

SCALES = ("fixed", "game")

QUANTITIES = ("length", "speed", "force", "mass", "radius", "acceleration")
"""What features measure, in SI units; see `ObservationConfig`."""


@dataclass(frozen=True, kw_only=True)
class ObservationConfig:
    """What a feature's 1 stands for.

    Attributes:
        scales: "fixed": the largest values of the default game, whatever this game's are: an
            arena of 20 m, 4 m/s, 12 N, 1 kg, a radius of 0.3 m and 12 m/s^2. One and the same
            state has the same observation in every game, and policies carry over. Features
            leave [-1, 1] where a game's limits are larger; the observation space has the exact
            bounds. "game": the largest values of this game, so that all features are within
            [-1, 1]. Or a dict of your own values, in meters, m/s, N, kg, meters and m/s^2, e.g.
            ``{"length": 40.0, "speed": 8.0}``, from 1e-6 to 1e6; the others are fixed.
    """

    scales: str | Mapping[str, float] = "fixed"

    def __post_init__(self) -> None:
        if isinstance(self.scales, str):
            check_choice("scales", self.scales, SCALES)
            return
        if not isinstance(self.scales, Mapping):
            raise InvalidType(
                "scales must be 'fixed', 'game' or a dict such as {'speed': 8.0}, "
                f"{got(self.scales)}"
            )
        for name in self.scales:
            if name not in QUANTITIES:
                raise InvalidType(unknown("quantity in scales", name, QUANTITIES))
        checked = {
            name: check_within(SCALE, f"scales[{name!r}]", value)
            for name, value in self.scales.items()
        }
        object.__setattr__(self, "scales", checked)
