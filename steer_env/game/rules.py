"""A game's configuration as numbers for the compiled loop: scales, limits and rules."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, coerce, got
from steer_env.game.config import LIMITS, PAYOFFS, SOLID, Game, VehicleConfig
from steer_env.game.config.features import Feature, observation_layout
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.config.target import MOST_TARGETS
from steer_env.game.dynamics import MODELS, drag_of_step
from steer_env.game.region import Region
from steer_env.machine_code.marking import record_dtype
from steer_env.scenarios.scenario import MOST_OUTCOMES
from steer_env.sides import Side
from steer_env.steering.compilation import compiled
from steer_env.steering.targets import Target, offset_to_target
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import norm

_UNITS = {
    **dict.fromkeys(("position", "offset", "obstacle", "radius"), "m"),
    **dict.fromkeys(("speed", "velocity"), "m/s"),
    **{"force": "N", "mass": "kg", "acceleration": "m/s^2"},
}
_ROUNDING = 1e-12  # share by which rounding may lead beyond the largest quantity


def scales_of_features(config: Game) -> dict[str, float]:
    """The quantities of `Feature` that an observation shows as 1, see `ObservationConfig`."""
    chosen = config.observation.scales
    if chosen == "game":
        return largest_quantities(config)
    # The default game, of the same kind: offsets on a torus are half as long as between walls.
    default = Game(
        pursuer=VehicleConfig(model=config.model("pursuer")),
        evader=VehicleConfig(model=config.model("evader")),
        arena=config.arena,
    )
    fixed = largest_quantities(default)
    if not isinstance(chosen, Mapping):
        return fixed
    size = chosen.get("length", default.arena_size)
    lengths = Region(config.region.kind, size / 2).largest_lengths
    own = {name: value for name, value in chosen.items() if name in fixed}
    if "speed" in own:
        own["velocity"] = 2.0 * own["speed"]
    return {**fixed, **lengths, **own}


def largest_quantities(config: Game) -> dict[str, float]:
    """The largest values that the quantities of `Feature`, or components, have in a game."""
    return {
        **config.region.largest_lengths,
        "speed": config.highest("max_speed"),
        "velocity": 2.0 * config.highest("max_speed"),  # of one against the other
        "force": config.highest("max_force"),
        "mass": config.highest("mass"),
        "radius": config.highest("radius"),
        "acceleration": max(_largest_acceleration(config, side) for side in Side),
    }


def unscaled_features(config: Game) -> tuple[Feature, ...]:
    """The features of a player's observation in a game, one for each number."""
    return observation_layout(config.pursuers + config.evaders, config.num_obstacles)


def observed_features(config: Game) -> tuple[Feature, ...]:
    """The features of a player's observation in a game, with bounds and scales."""
    return scaled(unscaled_features(config), config)


def scaled(features: Iterable[Feature], config: Game) -> tuple[Feature, ...]:
    """Features with the bounds and scales that they have in a game."""
    scales, largest = scales_of_features(config), largest_quantities(config)
    found = []
    for feature in features:
        quantity = feature.quantity
        if quantity is not None and scales[quantity] > 0.0:
            scale, unit = scales[quantity], _UNITS[quantity]
            is_open = not config.region.is_bounded
            if is_open and quantity == "position" and not config.targets:
                share, meaning = 1.0, f"{feature.meaning}: 0, it looks the same everywhere"
            elif is_open and quantity in ("position", "offset"):
                share, meaning = 1.0, f"{feature.meaning}: z / (|z| + {scale:g} {unit})"
            else:
                share = largest[quantity] / scale * (1.0 + _ROUNDING)
                meaning = f"{feature.meaning}; 1 is {scale:.4g} {unit}"
            low = feature.low
            if config.has_rule("motion") and (feature.block, feature.name) == ("own", "speed"):
                low = -1.0  # along the heading, which need not be that of the velocity
            bounds = share * low, share * feature.high
            feature = replace(feature, low=bounds[0], high=bounds[1], meaning=meaning)
        found.append(feature)
    return tuple(found)


def _largest_acceleration(config: Game, side: Side) -> float:
    if config.model(side.name) == "simple_motion":
        return 2.0 * config.limit_range(side.name, "max_speed")[1] / config.dt
    forces, masses = (config.limit_ranges(side.name, name) for name in ("max_force", "mass"))
    drag = config.drag(side.name) * config.limit_range(side.name, "max_speed")[1]
    return drag + max(force[1] / mass[0] for force, mass in zip(forces, masses))


class Limits(NamedTuple):
    """Both are (players, 4): max_speed, max_force, mass and radius of each, in SI units."""

    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]


def limits_of(config: Game) -> Limits:
    """The ranges of a game, a row for each player, pursuers first."""
    sides = [[config.limit_ranges(side.name, limit) for limit in LIMITS] for side in Side]
    ranges = np.concatenate([np.array(side, np.float64).swapaxes(0, 1) for side in sides])
    return Limits(ranges[:, :, 0].copy(), ranges[:, :, 1].copy())


def check_observable(config: Game, space: Game) -> None:
    """Raises an InvalidValue if a limit is larger than a game's observation space covers."""
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
    **{"max_speed": "speed", "max_force": "force", "mass": "mass", "radius": "radius"},
    "max_force / mass": "acceleration",
}


def with_limits(config: Game, side: str, given: object) -> Game:
    """A game in which some limits of a side's vehicles are others.

    They are a dict of numbers and pairs (smallest, largest) that episodes draw from, or a list
    of dicts of numbers or `VehicleConfig`s, one for each vehicle. Anything else is an
    InvalidType or InvalidValue.
    """
    vehicles, drawn = config.vehicles(side), {}
    if isinstance(given, VehicleConfig):
        given = dataclasses.asdict(given)
    if isinstance(given, Mapping):
        drawn = {name: pair for name, pair in given.items() if isinstance(pair, tuple | list)}
        fixed = {name: value for name, value in given.items() if name not in drawn}
        each: list[tuple[str, Any]] = [(side, fixed)] * len(vehicles)
    elif not isinstance(given, list | tuple):
        raise InvalidType(
            f"limits of the {side}s must be a dict such as {{'max_speed': 3.0}} or "
            f"{{'max_speed': (2.0, 4.0)}}, or a list with those of each, {got(given)}"
        )
    elif len(given) != len(vehicles):
        raise InvalidValue(
            f"limits of the {side}s must be a dict for all of them, or a list with those of "
            f"each of the {len(vehicles)}, got {len(given)}"
        )
    else:
        each = [(f"{side}[{number}]", one) for number, one in enumerate(given)]
    changed = [coerce(VehicleConfig, *pair, vehicle) for pair, vehicle in zip(each, vehicles)]
    kept = {
        name: span
        for name, span in config.randomize.get(side, {}).items()
        if not any(isinstance(one, VehicleConfig) or name in one for _, one in each)
    }
    for what in ("model", "drag"):
        wanted, is_now = getattr(changed[0], what), getattr(vehicles[0], what)
        if wanted != is_now:
            raise InvalidValue(
                f"the {what} of the {side}s cannot change, got {wanted!r}; it is {is_now!r}: "
                "make another environment"
            )
    randomize = {**config.randomize, side: {**kept, **drawn}}
    changes: dict[str, Any] = {side: tuple(changed), "randomize": randomize}
    return replace(config, **changes)


PURSUER, EVADER = int(Side.PURSUER), int(Side.EVADER)
"""The sides as plain numbers, for compiled code: numba before 0.61 cannot index by an enum."""

CAPTURE, TIME, CLOSEST_APPROACH, FINAL_DISTANCE, TARGET_DISTANCE, BREACH_DISTANCE = range(
    len(PAYOFFS)
)

_EDGE = 1e-12


def _numbers_of(
    config: Game, num_scripts: tuple[int, int], max_episode_steps: int | None
) -> dict[str, Any]:
    """The fields of `RULES`, as a game has them."""
    region, reward, targets = config.region, config.reward, config.targets
    ends_by_capture = config.payoff in ("capture", "time", "target_distance")
    drags = [drag_of_step(config.drag(side.name), config.dt) for side in Side]
    scales, diagonal = scales_of_features(config), math.sqrt(2.0) * config.arena_size
    factors = {name: 1.0 / scale if scale > 0.0 else 0.0 for name, scale in scales.items()}
    acceleration = largest_quantities(config)["acceleration"]
    shapes = (*config.shapes, *[Target(0j, 0j, 0.0, 0.0, False)] * MOST_TARGETS)[:MOST_TARGETS]
    wins = [1.0 if winner is Side.PURSUER else -1.0 for winner in config.outcomes.values()]
    worths = [0.0, *(reward.capture * win for win in wins), *[0.0] * MOST_OUTCOMES]
    reach, approach = (targets[0].reach, targets[0].approach) if targets else (0.0, 0.0)
    return {
        "arena": region.kind,
        "half_size": region.half_size,
        "dt": config.dt,
        "capture_radius": config.capture_radius,
        "capture_distance": config.capture_radius if ends_by_capture else 0.0,
        "captors_needed": config.captors_needed,  # pursuers within it in one step
        "payoff": PAYOFFS.index(config.payoff),
        # The fastest that two opponents can come nearer:
        "closing_speed": sum(config.limit_range(side.name, "max_speed")[1] for side in Side),
        "horizon": config.horizon,
        "max_episode_steps": max_episode_steps or config.horizon,
        "pursuers": config.pursuers,
        "steps_per_second": 1.0 / config.dt,
        "capture_reward": reward.capture / config.evaders,  # for one evader
        "time_reward": reward.time / config.horizon,  # for one step
        "closing_reward": reward.closing / diagonal,  # for one meter
        "discount": reward.discount,
        "start_distance": config.start_distance * config.arena_size,
        "start_speed": config.start_speed,
        "steps_of_head_start": -math.floor(_EDGE - config.head_start / config.dt),
        "solid": SOLID.index(config.solid),
        "random_obstacles": isinstance(config.obstacles, int),
        "obstacle_radius": config.obstacle_radius,  # smallest, largest
        "models": tuple(MODELS.index(config.model(side.name)) for side in Side),
        **dict(zip(("coasting", "push_seconds", "push_meters"), zip(*drags))),
        "widest_radius": config.highest("radius"),  # of a body of either side
        "first_script": (0, num_scripts[0]),  # each side's rows in the table of scripts
        "num_scripts": num_scripts,
        # The factors from quantities to the features of an observation:
        **{f"{name}_scale": factors[name] for name in _UNITS},
        "time_scale": 1.0 / config.horizon,
        "acceleration_limit": acceleration / scales["acceleration"],  # where it is cut
        **sight_limits(config.observation),
        "walls_hide": len(config.map) > 0 and config.observation.is_partial,
        "num_targets": len(targets),
        **{f"target_{name}": parts for name, parts in zip(Target._fields, zip(*shapes))},
        "target_is_half_plane": tuple(int(shape.is_half_plane) for shape in shapes),
        "target_on_rim": any(target.on_rim for target in targets),
        # what outcomes of a scenario are worth to the pursuers, by their numbers
        "outcome_worth": tuple(worths[:MOST_OUTCOMES]),
        "reach_reward": reach / config.evaders,  # of the evaders, for one that gets there
        "approach_reward": approach / diagonal / config.evaders,  # for one meter toward it
    }


def sight_limits(observation: ObservationConfig) -> dict[str, float]:
    """The fields of `RULES` that limit what is seen."""
    return {
        "sight_range": math.inf if observation.range is None else observation.range,
        # Rounding must not hide what is on the edge of the field of view, or exactly behind.
        "cos_field_of_view": direction(observation.field_of_view).real - _EDGE,
        "occlusion": observation.occlusion,
        "nearest": observation.nearest or 0,
    }


_KINDS = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}

RULES = record_dtype(
    [
        (name, _KINDS[type(value[0] if isinstance(value, tuple) else value)], np.shape(value))
        for name, value in _numbers_of(Game(), (1, 1), None).items()
    ]
)
"""The rules of a game, with the rows of its scripts. Pairs are the pursuers' and evaders'."""


def game_rules(
    config: Game, num_scripts: tuple[int, int], max_episode_steps: int | None = None
) -> NDArray[np.void]:
    """The rules of a game with each side's number of scripts, as an array of one `RULES`."""
    rules = np.zeros(1, RULES)
    for name, value in _numbers_of(config, num_scripts, max_episode_steps).items():
        rules[name] = value
    return rules


@compiled
def region_of(rules: np.record) -> Region:
    """The region of a game."""
    return Region(rules.arena, rules.half_size)


@compiled
def target_of(rules: np.record, number: int) -> Target:
    """A target of a game, by its number."""
    return Target(
        rules.target_center[number],
        rules.target_direction[number],
        rules.target_half_length[number],
        rules.target_radius[number],
        rules.target_is_half_plane[number] != 0,
    )


@compiled
def number_of_target(rules: np.record, place: complex) -> int:
    """The number of the target, at its nearest image, that is nearest to a place."""
    nearest, least = 0, math.inf
    for number in range(rules.num_targets if rules.num_targets > 1 else 0):
        image = region_of(rules).image(rules.target_center[number], place)
        distance = norm(offset_to_target(target_of(rules, number), image))
        if distance < least:
            nearest, least = number, distance
    return nearest
