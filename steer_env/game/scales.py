"""What a feature's 1 stands for, and the bounds of the features that follow from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from steer_env.game.config import ArenaConfig, GameConfig, VehicleConfig
from steer_env.game.features import Feature, observation_layout
from steer_env.sides import Side

_UNITS = {
    "position": "m",
    "offset": "m",
    "obstacle": "m",
    "speed": "m/s",
    "velocity": "m/s",
    "force": "N",
    "mass": "kg",
    "radius": "m",
    "acceleration": "m/s^2",
}
_ROUNDING = 1e-12  # share by which rounding may lead beyond the largest quantity


def scales_of_features(config: GameConfig) -> dict[str, float]:
    """The quantities that the features of an observation show as 1.

    Keys are the quantities of `Feature`; see `ObservationConfig` for where they come from.
    """
    chosen = config.observation.scales
    if chosen == "game":
        return largest_quantities(config)
    # The default game, of the same kind: offsets on a torus are half as long as between walls.
    default = GameConfig(
        pursuer=VehicleConfig(model=config.model("pursuer")),
        evader=VehicleConfig(model=config.model("evader")),
        arena=ArenaConfig(kind=config.arena.kind),
    )
    fixed = largest_quantities(default)
    if not isinstance(chosen, Mapping):
        return fixed
    lengths = _largest_lengths(config.arena.kind, chosen.get("length", default.arena.size))
    own = {name: value for name, value in chosen.items() if name in fixed}
    if "speed" in own:
        own["velocity"] = 2.0 * own["speed"]
    return {**fixed, **lengths, **own}


def largest_quantities(config: GameConfig) -> dict[str, float]:
    """The largest values that the quantities of `Feature` have in a game.

    Of vectors it is the largest component. An open arena has no largest position and offset.
    """
    return {
        **_largest_lengths(config.arena.kind, config.arena.size),
        "speed": config.highest("max_speed"),
        "velocity": 2.0 * config.highest("max_speed"),  # of one against the other
        "force": config.highest("max_force"),
        "mass": config.highest("mass"),
        "radius": config.highest("radius"),
        "acceleration": max(_largest_acceleration(config, side) for side in Side),
    }


def observed_features(config: GameConfig) -> tuple[Feature, ...]:
    """The features of a player's observation in a game: their bounds, and what 1 stands for."""
    players = config.pursuers + config.evaders
    return scaled(observation_layout(players, config.arena.num_obstacles), config)


def scaled(features: Iterable[Feature], config: GameConfig) -> tuple[Feature, ...]:
    """Features with the bounds that they have in a game, and what 1 stands for."""
    scales, largest = scales_of_features(config), largest_quantities(config)
    found = []
    for feature in features:
        quantity = feature.quantity
        if quantity is not None and scales[quantity] > 0.0:
            scale, unit = scales[quantity], _UNITS[quantity]
            if config.arena.kind == "open" and quantity == "position":
                share, meaning = 1.0, f"{feature.meaning}: 0, it looks the same everywhere"
            elif config.arena.kind == "open" and quantity == "offset":
                share, meaning = 1.0, f"{feature.meaning}: z / (|z| + {scale:g} {unit})"
            else:
                share = largest[quantity] / scale * (1.0 + _ROUNDING)
                meaning = f"{feature.meaning}; 1 is {scale:.4g} {unit}"
            bounds = share * feature.low, share * feature.high
            feature = replace(feature, low=bounds[0], high=bounds[1], meaning=meaning)
        found.append(feature)
    return tuple(found)


def _largest_lengths(arena: str, size: float) -> dict[str, float]:
    half_size = size / 2
    diagonal = math.sqrt(2.0) * half_size
    edges = {"walls": half_size, "torus": half_size, "open": size}
    offsets = {"walls": 2.0 * diagonal, "torus": diagonal, "open": size}
    return {"position": edges[arena], "offset": offsets[arena], "obstacle": half_size}


def _largest_acceleration(config: GameConfig, side: Side) -> float:
    if config.model(side.name) == "simple_motion":
        return 2.0 * config.limit_range(side.name, "max_speed")[1] / config.dt
    forces, masses = (config.limit_ranges(side.name, name) for name in ("max_force", "mass"))
    drag = config.drag(side.name) * config.limit_range(side.name, "max_speed")[1]
    return drag + max(force[1] / mass[0] for force, mass in zip(forces, masses))
