"""The rules of a game as numbers: everything that the compiled loop knows of a `GameConfig`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import ARENAS
from steer_env.game.config import LIMITS, SOLID, GameConfig, VehicleConfig
from steer_env.game.dynamics import MODELS
from steer_env.sides import Side
from steer_env.steering.compilation import record_dtype

PURSUER, EVADER = int(Side.PURSUER), int(Side.EVADER)
"""The sides as plain numbers, for compiled code: numba before 0.61 cannot index by an enum."""

RULES = record_dtype(
    [
        ("arena", np.int64),
        ("half_size", np.float64),
        ("dt", np.float64),
        ("capture_radius", np.float64),
        ("max_episode_steps", np.int64),
        ("pursuers", np.int64),
        ("steps_per_second", np.float64),
        ("capture_reward", np.float64),  # for one evader
        ("time_reward", np.float64),  # for one step
        ("closing_reward", np.float64),  # for one meter
        ("discount", np.float64),
        ("start_distance", np.float64),
        ("solid", np.int64),  # index of config.SOLID
        ("random_obstacles", np.bool_),
        ("obstacle_radius", np.float64, (2,)),  # smallest, largest
        ("models", np.int64, (2,)),  # of pursuers, of evaders
        ("lowest", np.float64, (2, len(LIMITS))),
        ("highest", np.float64, (2, len(LIMITS))),
        ("first_script", np.int64, (2,)),  # each side's rows in the table of scripts
        ("num_scripts", np.int64, (2,)),
        # The factors from quantities to the features of an observation:
        ("position_scale", np.float64),
        ("offset_scale", np.float64),
        ("speed_scale", np.float64),
        ("force_scale", np.float64),
        ("mass_scale", np.float64),
        ("radius_scale", np.float64),
        ("acceleration_scale", np.float64),
        ("obstacle_scale", np.float64),
        ("time_scale", np.float64),
    ]
)


def game_rules(
    config: GameConfig, num_scripts: tuple[int, int], max_episode_steps: int | None = None
) -> NDArray[np.void]:
    """The rules of a game, as an array of one `RULES` record.

    Args:
        config: the game.
        num_scripts: scripts of the pursuers and of the evaders, in the table in that order.
        max_episode_steps: the length of an episode; None for the horizon.
    """
    rules = np.zeros(1, RULES)
    rules["arena"] = ARENAS.index(config.arena.kind)
    rules["half_size"] = config.arena.half_size
    rules["dt"] = config.dt
    rules["capture_radius"] = config.capture_radius
    rules["max_episode_steps"] = max_episode_steps or config.horizon
    rules["pursuers"] = config.pursuers
    rules["steps_per_second"] = 1.0 / config.dt
    rules["capture_reward"] = config.reward.capture / config.evaders
    rules["time_reward"] = config.reward.time / config.horizon
    rules["closing_reward"] = config.reward.closing / (math.sqrt(2.0) * config.arena.size)
    rules["discount"] = config.reward.discount
    rules["start_distance"] = config.start_distance * config.arena.size
    rules["solid"] = SOLID.index(config.solid)
    rules["random_obstacles"] = isinstance(config.arena.obstacles, int)
    rules["obstacle_radius"] = config.arena.obstacle_radius
    for side in Side:
        rules["models"][0, side] = MODELS.index(getattr(config, side.name).model)
        ranges = [config.limit_range(side.name, limit) for limit in LIMITS]
        rules["lowest"][0, side], rules["highest"][0, side] = zip(*ranges)
    rules["first_script"] = (0, num_scripts[0])
    rules["num_scripts"] = num_scripts
    for name, largest in _largest_quantities(config).items():
        rules[f"{name}_scale"] = 1.0 / largest if largest > 0.0 else 0.0
    return rules


def _largest_quantities(config: GameConfig) -> dict[str, float]:
    """The quantities that the features of an observation show as 1."""
    half_size, size = config.arena.half_size, config.arena.size
    diagonal = math.sqrt(2.0) * half_size
    edges = {"walls": half_size, "torus": half_size, "open": size}
    offsets = {"walls": 2.0 * diagonal, "torus": diagonal, "open": size}
    return {
        "position": edges[config.arena.kind],
        "offset": offsets[config.arena.kind],
        "speed": config.highest("max_speed"),
        "force": config.highest("max_force"),
        "mass": config.highest("mass"),
        "radius": config.highest("radius"),
        "acceleration": max(_largest_acceleration(config, side) for side in Side),
        "obstacle": half_size,
        "time": float(config.horizon),
    }


def _largest_acceleration(config: GameConfig, side: Side) -> float:
    vehicle: VehicleConfig = getattr(config, side.name)
    if vehicle.model == "simple_motion":
        return 2.0 * config.limit_range(side.name, "max_speed")[1] / config.dt
    forces, masses = (config.limit_range(side.name, name) for name in ("max_force", "mass"))
    return forces[1] / masses[0]
