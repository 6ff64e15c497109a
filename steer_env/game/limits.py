"""The ranges that the limits of every vehicle are drawn from when an episode begins."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, coerce, got
from steer_env.game.config import LIMITS, GameConfig, VehicleConfig
from steer_env.game.scales import largest_quantities
from steer_env.sides import Side


class Limits(NamedTuple):
    """Both are (players, 4): max_speed, max_force, mass and radius of each, in SI units."""

    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]


def limits_of(config: GameConfig) -> Limits:
    """The ranges of a game, a row for each player, pursuers first."""
    sides = [[config.limit_ranges(side.name, limit) for limit in LIMITS] for side in Side]
    ranges = np.concatenate([np.array(side, np.float64).swapaxes(0, 1) for side in sides])
    return Limits(ranges[:, :, 0].copy(), ranges[:, :, 1].copy())


def check_observable(config: GameConfig, space: GameConfig) -> None:
    """Checks that a game's observations fit into another game's observation space.

    Raises:
        InvalidValue: if a limit is larger than the largest there.
    """
    largest, most = largest_quantities(config), largest_quantities(space)
    for limit, quantity in _QUANTITIES.items():
        if largest[quantity] > most[quantity]:
            models = {config.model(side.name) for side in Side}
            if quantity == "acceleration" and "simple_motion" in models:
                limit = "acceleration (max_force / mass, or 2 max_speed / dt in simple motion)"
            raise InvalidValue(
                f"{limit} must be at most {most[quantity]:g}, the largest value that "
                f"observation_space covers, got {largest[quantity]:g}; make the environment "
                "with a larger one, in `pursuer`, `evader` or `randomize`, and narrow it then"
            )


_QUANTITIES = {
    "max_speed": "speed",
    "max_force": "force",
    "mass": "mass",
    "radius": "radius",
    "max_force / mass": "acceleration",
}


def with_limits(config: GameConfig, side: str, given: object) -> GameConfig:
    """A game in which some limits of a side's vehicles are others.

    Args:
        config: the game.
        side: "pursuer" or "evader".
        given: a dict of limits, each a number, or a pair (smallest, largest) that episodes
            draw from; or a list of dicts of numbers, or of `VehicleConfig`s, one for each
            vehicle. Limits that are not given stay as they are.

    Raises:
        InvalidType, InvalidValue: if it is neither, or no valid limits.
    """
    ranges: dict[str, dict[str, Any]] = {
        name: dict(limits) for name, limits in config.randomize.items()
    }
    vehicles = config.vehicles(side)
    if isinstance(given, VehicleConfig):
        given = dataclasses.asdict(given)
    if isinstance(given, list | tuple):
        if len(given) != len(vehicles):
            raise InvalidValue(
                f"limits of the {side}s must be a dict for all of them, or a list with those "
                f"of each of the {len(vehicles)}, got {len(given)}"
            )
        changed = [
            coerce(VehicleConfig, f"{side}[{number}]", one, vehicle)
            for number, (one, vehicle) in enumerate(zip(given, vehicles))
        ]
        for limit in LIMITS:
            if any(isinstance(one, VehicleConfig) or limit in one for one in given):
                ranges.get(side, {}).pop(limit, None)
    elif isinstance(given, Mapping):
        drawn = {name: pair for name, pair in given.items() if isinstance(pair, tuple | list)}
        fixed = {name: value for name, value in given.items() if name not in drawn}
        changed = [coerce(VehicleConfig, side, fixed, vehicle) for vehicle in vehicles]
        kept = {name: pair for name, pair in ranges.get(side, {}).items() if name not in fixed}
        ranges[side] = {**kept, **drawn}
    else:
        raise InvalidType(
            f"limits of the {side}s must be a dict such as {{'max_speed': 3.0}} or "
            f"{{'max_speed': (2.0, 4.0)}}, or a list with those of each, {got(given)}"
        )
    for what in ("model", "drag"):
        asked, is_now = getattr(changed[0], what), getattr(vehicles[0], what)
        if asked != is_now:
            raise InvalidValue(
                f"the {what} of the {side}s cannot change, got {asked!r}; it is {is_now!r}: "
                "make another environment"
            )
    changes: dict[str, Any] = {side: tuple(changed), "randomize": ranges}
    return dataclasses.replace(config, **changes)
