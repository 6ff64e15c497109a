"""The rules of a game as numbers: everything that the compiled loop knows of a `GameConfig`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import ARENAS
from steer_env.game.config import PAYOFFS, SOLID, GameConfig
from steer_env.game.dynamics import MODELS, drag_of_step
from steer_env.game.observation_config import ObservationConfig
from steer_env.game.scales import largest_quantities, scales_of_features
from steer_env.machine_code.marking import record_dtype
from steer_env.sides import Side
from steer_env.steering.trigonometry import direction

PURSUER, EVADER = int(Side.PURSUER), int(Side.EVADER)
"""The sides as plain numbers, for compiled code: numba before 0.61 cannot index by an enum."""

CAPTURE, TIME, CLOSEST_APPROACH, FINAL_DISTANCE = range(len(PAYOFFS))

_EDGE = 1e-12

RULES = record_dtype(
    [
        ("arena", np.int64),
        ("half_size", np.float64),
        ("dt", np.float64),
        ("capture_radius", np.float64),
        ("caught_within", np.float64),  # the same where captures end the game, otherwise 0
        ("captors_needed", np.int64),  # pursuers within it in one step, for a capture
        ("payoff", np.int64),  # index of config.PAYOFFS
        ("closing_speed", np.float64),  # the fastest that two opponents can come nearer
        ("horizon", np.int64),
        ("max_episode_steps", np.int64),
        ("pursuers", np.int64),
        ("steps_per_second", np.float64),
        ("capture_reward", np.float64),  # for one evader
        ("time_reward", np.float64),  # for one step
        ("closing_reward", np.float64),  # for one meter
        ("discount", np.float64),
        ("start_distance", np.float64),
        ("start_speed", np.float64),
        ("solid", np.int64),  # index of config.SOLID
        ("random_obstacles", np.bool_),
        ("obstacle_radius", np.float64, (2,)),  # smallest, largest
        ("models", np.int64, (2,)),  # of pursuers, of evaders
        ("coasting", np.float64, (2,)),  # see `dynamics.drag_of_step`
        ("push_seconds", np.float64, (2,)),
        ("push_meters", np.float64, (2,)),
        ("widest_radius", np.float64),  # of a body of either side
        ("first_script", np.int64, (2,)),  # each side's rows in the table of scripts
        ("num_scripts", np.int64, (2,)),
        # The factors from quantities to the features of an observation:
        ("position_scale", np.float64),
        ("offset_scale", np.float64),
        ("speed_scale", np.float64),
        ("velocity_scale", np.float64),
        ("force_scale", np.float64),
        ("mass_scale", np.float64),
        ("radius_scale", np.float64),
        ("acceleration_scale", np.float64),
        ("obstacle_scale", np.float64),
        ("time_scale", np.float64),
        ("acceleration_limit", np.float64),  # where that feature is cut
        # The limits of what is seen, see `ObservationConfig`:
        ("sight_range", np.float64),
        ("cos_field_of_view", np.float64),
        ("occlusion", np.bool_),
        ("nearest", np.int64),  # 0 for all
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
    ends_by_capture = config.payoff in ("capture", "time")
    rules["caught_within"] = config.capture_radius if ends_by_capture else 0.0
    rules["captors_needed"] = config.captors_needed
    rules["payoff"] = PAYOFFS.index(config.payoff)
    rules["closing_speed"] = sum(config.limit_range(side.name, "max_speed")[1] for side in Side)
    rules["horizon"] = config.horizon
    rules["max_episode_steps"] = max_episode_steps or config.horizon
    rules["pursuers"] = config.pursuers
    rules["steps_per_second"] = 1.0 / config.dt
    rules["capture_reward"] = config.reward.capture / config.evaders
    rules["time_reward"] = config.reward.time / config.horizon
    rules["closing_reward"] = config.reward.closing / (math.sqrt(2.0) * config.arena.size)
    rules["discount"] = config.reward.discount
    rules["start_distance"] = config.start_distance * config.arena.size
    rules["start_speed"] = config.start_speed
    rules["solid"] = SOLID.index(config.solid)
    rules["random_obstacles"] = isinstance(config.arena.obstacles, int)
    rules["obstacle_radius"] = config.arena.obstacle_radius
    for side in Side:
        rules["models"][0, side] = MODELS.index(config.model(side.name))
        step = drag_of_step(config.drag(side.name), config.dt)
        for name, number in zip(("coasting", "push_seconds", "push_meters"), step):
            rules[name][0, side] = number
    rules["widest_radius"] = config.highest("radius")
    set_script_rows(rules, num_scripts)
    for name, number in sight_limits(config.observation).items():
        rules[name] = number
    scales = scales_of_features(config)
    for name, scale in scales.items():
        rules[f"{name}_scale"] = 1.0 / scale if scale > 0.0 else 0.0
    rules["time_scale"] = 1.0 / config.horizon
    rules["acceleration_limit"] = (
        largest_quantities(config)["acceleration"] / scales["acceleration"]
    )
    return rules


def sight_limits(observation: ObservationConfig) -> dict[str, float]:
    """The fields of `RULES` that limit what is seen."""
    return {
        "sight_range": math.inf if observation.range is None else observation.range,
        # Rounding must not hide what is on the edge of the field of view, or exactly behind.
        "cos_field_of_view": direction(observation.field_of_view).real - _EDGE,
        "occlusion": observation.occlusion,
        "nearest": observation.nearest or 0,
    }


def set_script_rows(rules: NDArray[np.void], num_scripts: tuple[int, int]) -> None:
    """Writes where each side's scripts stand in the table."""
    rules["first_script"] = (0, num_scripts[0])
    rules["num_scripts"] = num_scripts
