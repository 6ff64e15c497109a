"""The ranges that the limits of every vehicle are drawn from when an episode begins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config import LIMITS, GameConfig
from steer_env.game.scales import largest_quantities
from steer_env.sides import Side


class Limits(NamedTuple):
    """Both are (players, 4): max_speed, max_force, mass and radius of each, in SI units."""

    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]


class KnownLimits(NamedTuple):
    """What an episode that is running may have: it keeps its limits when the ranges change."""

    lowest: NDArray[np.float64]  # as in `Limits`
    highest: NDArray[np.float64]
    obstacle_gap: float  # the least radius of a body that random obstacles leave room for

    @classmethod
    def of(cls, config: GameConfig) -> KnownLimits:
        """What episodes of a game have."""
        return cls(*limits_of(config), config.highest("radius"))

    def joined(self, other: KnownLimits) -> KnownLimits:
        """What episodes of either game have."""
        return KnownLimits(
            np.minimum(self.lowest, other.lowest),
            np.maximum(self.highest, other.highest),
            min(self.obstacle_gap, other.obstacle_gap),
        )


def limits_of(config: GameConfig) -> Limits:
    """The ranges of a game, a row for each player, pursuers first."""
    rows = [
        [config.limit_ranges(side.name, limit)[number] for limit in LIMITS]
        for side in Side
        for number in range(config.count(side.name))
    ]
    ranges = np.array(rows, np.float64)
    return Limits(ranges[:, :, 0].copy(), ranges[:, :, 1].copy())


def check_observable(config: GameConfig, space: GameConfig) -> None:
    """Checks that a game's observations fit into another game's observation space.

    Raises:
        InvalidValue: if a limit is larger than the largest there.
    """
    largest, most = largest_quantities(config), largest_quantities(space)
    for limit, quantity in _QUANTITIES.items():
        if largest[quantity] > most[quantity]:
            raise InvalidValue(
                f"{limit} must be at most {most[quantity]:g}, the largest value that "
                f"observation_space covers, got {largest[quantity]:g}; make the environment with "
                "a larger one, in `pursuer`, `evader` or `randomize`, and narrow it afterwards"
            )


_QUANTITIES = {
    "max_speed": "speed",
    "max_force": "force",
    "mass": "mass",
    "radius": "radius",
    "max_force / mass": "acceleration",
}
