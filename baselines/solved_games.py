"""Solved games: the known values of states, starts in each region, and play from them.

Random starts are mostly in the easy regions of a solution, and an endless chase from a hard one
teaches little. So training begins as often in each region, cuts an episode soon, and has long
steps: exploration hides what a step of 1/30 s changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_integer, needing

with needing("baselines"):
    from scipy.spatial import KDTree

from steer_env.baselines.rollouts import (
    play_to_the_end,
    records_of_episodes,
    seeds_from,
    shares,
    start_games,
)
from steer_env.baselines.tasks import Task
from steer_env.fields import ranges
from steer_env.game.config import SIDES, AnyGame, Game, make_game
from steer_env.game.config.keywords import given_game
from steer_env.game.run.optimal import (
    OPTIMAL_GAMES,
    chauffeur_parameters,
    models_and_payoff,
    problem_with,
    speed_ratio,
)
from steer_env.players.player import AnyPlayer
from steer_env.players.resolver import resolve_pair
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.script import Script
from steer_env.solved import (
    chauffeur,
    drag,
    perimeter,
    reach_avoid,
    simple,
    two_cars,
    two_on_one,
)
from steer_env.steering.trigonometry import angle_of

PERFECT = "perfect play"
"""The name of the perfect opponent in results."""

STARTS = 2000  # training starts in each region
DT = 0.2  # the length of a training step, in seconds
HORIZON = 60  # steps after which training cuts an episode where a capture's time is the payoff
_AT_ONCE = 2**15  # random starts that are looked through together
_MOST_DRAWN = 2**22
_UNTIL_ABSENT = 2**18  # random starts without one in a region: none lies there
_TIMES_V = 3.0  # the least horizon, in times of the largest finite value
_TURN_OF_CARS = 5.0  # radians, after which two cars have been nearest if both play perfectly
_MOST_STEPS = int(ranges(Game)["horizon"].high)
# How perfect play begins in the regions of the homicidal chauffeur.
IN_WORDS = {"T": "turn", "D": "turn, drive", "S": "swerve first", "W": "drive away first"}
_OF_VALUE_0 = ("reach", "reached", "in time")
_LAWS = ("pursuit", "pursuit/full_force"), ("evade", "evade/full_force")

States: TypeAlias = NDArray[np.void]
Places: TypeAlias = NDArray[np.complex128]  # of all players, (N, players)
Found: TypeAlias = tuple[Any, Any, Any]  # of `KnownValues`, arrays (N,) or numbers for all


class KnownValues(NamedTuple):
    """The values of N states under perfect play, as arrays (N,).

    The value is the payoff, inf without a capture, minus a distance from a target. It also
    jumps at the equivocal line and at a tie between two courses.
    """

    value: NDArray[np.float64]
    region: NDArray[np.str_]  # the part of the solution, one of `regions_of`
    margin: NDArray[np.float64]  # meters to where the value jumps, or inf


def behavior_of_game(config: Game) -> str:
    """The optimal behavior that plays a game, or an InvalidValue if it is not solved."""
    kind = config.model("pursuer"), config.model("evader"), config.payoff
    for behavior, game in OPTIMAL_GAMES.items():
        is_team = (config.pursuers > 1) == (game.name == "two_on_one")
        if models_and_payoff(game) == kind and is_team:
            problem = problem_with(config, behavior)
            if problem:
                raise InvalidValue(f"this game is not solved; {problem}")
            return behavior

    known = ", ".join(game.name for game in OPTIMAL_GAMES.values())
    got = "{} against {}, payoff {!r}".format(*kind)
    raise InvalidValue(f"this game is not solved: {got}; solved are games such as {known}")


def regions_of(config: Game) -> tuple[str, ...]:
    """The regions of a solved game's states, the homicidal chauffeur's by its parameters."""
    behavior = behavior_of_game(config)
    if behavior == "optimal_chauffeur":
        nu, l, _ = chauffeur_parameters(config)  # noqa: E741
        return chauffeur.regions_of_game(nu, l)
    return _SOLUTIONS[behavior][1]


def in_words(region: str) -> str:
    """Returns a region's name with words, such as "turn (T)"."""
    return f"{IN_WORDS[region]} ({region})" if region in IN_WORDS else region


def known_values(config: Game, states: States) -> KnownValues:
    """The values of states (N,), as `Engine.get_state` returns them, under perfect play."""
    of_game, _ = _SOLUTIONS[behavior_of_game(config)]
    found = of_game(config, states, states["players"]["body"]["position"])
    return KnownValues(*np.broadcast_arrays(*found))


def _of_simple(config: Game, states: States, places: Places) -> Found:
    pursuer, evader = (config.vehicles(side)[0].max_speed for side in SIDES)
    distance = np.abs(places[:, 1] - places[:, 0])
    return simple.value(distance, pursuer, evader, config.capture_radius), "plane", np.inf


def _of_reach_avoid(config: Game, states: States, places: Places) -> Found:
    nu, radius, shape = speed_ratio(config), config.capture_radius, config.shapes[0]
    value = -reach_avoid.value(places[:, 1], places[:, 0], nu, radius, shape)
    return value, np.where(value < 0.0, "guarded", "reached"), np.inf


def _of_two_on_one(config: Game, states: States, places: Places) -> Found:
    nu, radius = speed_ratio(config), config.capture_radius
    speed, game = config.vehicles("pursuer")[0].max_speed, (places[:, -1], places[:, :-1])
    value = two_on_one.value(*game, nu, radius)
    alone = simple.value(np.abs(places[:, :-1] - places[:, -1:]), 1.0, nu, radius).min(axis=1)
    region = np.where(value < alone * (1.0 - 1e-9), "together", "alone")
    return value / speed, region, two_on_one.tie_margin(*game, nu, radius)


def _of_perimeter(config: Game, states: States, places: Places) -> Found:
    (target,) = config.shapes
    value = perimeter.value(places[:, 1], places[:, 0], speed_ratio(config), target.radius)
    opposite = np.abs(np.angle(-places[:, 1] / places[:, 0])) * target.radius
    return value, np.where(value > 0.0, "late", "in time"), opposite


def _of_chauffeur(config: Game, states: States, places: Places) -> Found:
    heading = states["players"]["body"]["heading"]
    seen = (places[:, 1] - places[:, 0]) * heading[:, 0].conj()
    nu, l, radius = chauffeur_parameters(config)  # noqa: E741
    right, ahead = -seen.imag / radius, seen.real / radius
    seconds = radius / config.vehicles("pursuer")[0].max_speed
    jumps = np.concatenate([chauffeur.barrier(nu, l, 400), chauffeur.equivocal_line(nu, l)])
    margin, _ = KDTree(jumps).query(np.stack([np.abs(right), ahead], axis=-1))
    value = chauffeur.value(right, ahead, nu, l) * seconds
    return value, chauffeur.region(right, ahead, nu, l), margin * radius


def _of_two_cars(config: Game, states: States, places: Places) -> Found:
    heading = states["players"]["body"]["heading"]
    frame = heading[:, 1].conj()
    place, apart = -(places[:, 1] - places[:, 0]) * frame, heading[:, 0] * frame
    psi = np.array([angle_of(one) for one in apart.tolist()])
    car = config.vehicles("pursuer")[0]
    rate = car.max_force / (car.mass * car.max_speed)
    game = place.real, place.imag, psi, car.max_speed, rate
    value = two_cars.value(*game, 0.0)
    beyond = value - config.capture_radius
    margin = np.minimum(np.abs(beyond), two_cars.tie_margin(*game))
    return value, np.where(beyond < 0.0, "inside", "outside"), margin


def _of_drag(config: Game, states: States, places: Places) -> Found:
    left = (config.horizon - states["game"]["steps"]) * config.dt
    velocities = states["players"]["body"]["velocity"]
    offset, velocity = (one[:, 1] - one[:, 0] for one in (places, velocities))
    pursuer, evader = (config.vehicles(side)[0] for side in SIDES)
    force, other_force = (vehicle.max_force / vehicle.mass for vehicle in (pursuer, evader))
    r, v = (np.stack([part.real, part.imag], axis=-1) for part in (offset, velocity))
    value = drag.miss(r, v, left, force, other_force, pursuer.drag)
    psi, integral = drag.coasting(left, pursuer.drag)
    margin = np.abs(np.abs(offset + velocity * psi) - (force - other_force) * integral)
    return value, np.where(value > 0.0, "miss", "reach"), margin


_SOLUTIONS: dict[str, tuple[Callable[[Game, States, Places], Found], tuple[str, ...]]] = {
    "optimal_simple": (_of_simple, ("plane",)),
    "optimal_chauffeur": (_of_chauffeur, ()),  # see `regions_of`
    "optimal_two_cars": (_of_two_cars, ("inside", "outside")),  # of the barrier
    "optimal_drag": (_of_drag, ("reach", "miss")),  # if the pursuer can come to the evader
    "optimal_reach_avoid": (_of_reach_avoid, ("reached", "guarded")),
    "optimal_two_on_one": (_of_two_on_one, ("alone", "together")),  # caught by one or by both
    "optimal_perimeter": (_of_perimeter, ("late", "in time")),
}


def balanced_starts(
    game: AnyGame, starts: int = STARTS, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """Returns equally many starts of each region, for the keyword `start` of an environment.

    Args:
        game: a solved game, as `gap` takes it.
        starts: in each region.
        seed: of the first start. `gap` measures from seed 1,000,000 on.

    Raises:
        TypeError, ValueError: for a game that is not solved, or numbers out of range.
    """
    config = given_game(game, "game", "starts")
    count = check_integer("starts", starts, 1)
    found = starts_by_region(config, count, 0.0, check_integer("seed", seed, 0))
    body = np.concatenate([states for states, *_ in found.values()])["players"]["body"]
    chosen: dict[str, dict[str, Any]] = {}
    for side, one in zip(SIDES, np.split(body, [config.pursuers], axis=1)):
        one = one[:, 0] if config.count(side) == 1 else one
        place = one["position"]
        chosen[side] = {
            "position": np.stack([place.real, place.imag], axis=-1),
            "heading": np.angle(one["heading"]),
        }
        if config.model(side) != "car":  # which always drives at its own speed
            chosen[side]["speed"] = np.abs(one["velocity"])
    return chosen


@cache
def solved_task(environment: str) -> Task:
    """The task of training in a solved game: against perfect play, from balanced starts."""
    game, side, _ = ENVIRONMENTS[environment]
    config = make_game(game=game.name)
    # Where a distance is the payoff, the end of an episode is part of the game.
    horizon = HORIZON if config.payoff == "time" else round(config.horizon * config.dt / DT)
    training = {"start": balanced_starts(config), "dt": DT, "horizon": horizon}
    return Task(
        name=f"{side.name}/{game.name}",
        environment=environment,
        side=side.name,
        training=MappingProxyType(training),
        opponents=(game.opponents[side],),
        held_out=(),
        references=(*_LAWS[side], game.opponents[side]),
    )


def starts_by_region(
    config: Game, count: int, margin: float, seed: int
) -> dict[str, tuple[States, NDArray[np.float64], NDArray[np.uint64]]]:
    """Draws equally many starts of each region that has any, with values and seeds.

    See `gap`.
    """
    script = Script(behavior=behavior_of_game(config))
    perfect = resolve_pair(script, script)
    found = {region: list[tuple[NDArray[Any], ...]]() for region in regions_of(config)}
    counts = dict.fromkeys(found, 0)
    for drawn in range(_AT_ONCE, _MOST_DRAWN + 1, _AT_ONCE):
        seeds = seeds_from(seed + drawn - _AT_ONCE, _AT_ONCE)
        engine = start_games(config, perfect, int(seeds[0]), _AT_ONCE)
        states = engine.get_state()
        engine.close()
        value, regions, margins = known_values(config, states)
        # A capture in the first step says nothing.
        is_usable = (value != 0.0) | np.isin(regions, _OF_VALUE_0)
        is_usable &= margins >= margin
        for region, kept in found.items():
            is_there = is_usable & (regions == region)
            chosen = np.flatnonzero(is_there)[: count - counts[region]]
            kept.append((states[chosen], value[chosen], seeds[chosen]))
            counts[region] += len(chosen)
        numbers = {*counts.values()}
        if numbers == {count} or (drawn >= _UNTIL_ABSENT and numbers <= {0, count}):
            break
    few = {region: number for region, number in counts.items() if 0 < number < count}
    if few or not any(counts.values()):
        region, number = min(few.items(), key=lambda one: one[1], default=("", 0))
        where = f"in the region {region!r}" if few else "in any region of the solution"
        raise InvalidValue(
            f"of {drawn:,} random starts {number} are {where}, and {margin:g} m away from "
            "where its value jumps; ask for fewer, or for other starts (arena_size, start) or "
            "a smaller margin"
        )
    return {
        region: tuple(map(np.concatenate, zip(*kept)))  # type: ignore[misc]
        for region, kept in found.items()
        if counts[region]
    }


def with_horizon(config: Game, values: NDArray[np.float64]) -> Game:
    """Returns the game with a horizon that lets perfect play come to its end."""
    if config.payoff == "time" and np.isfinite(values).any():
        seconds = _TIMES_V * values[np.isfinite(values)].max()
    elif config.payoff == "closest_approach":
        car = config.vehicles("pursuer")[0]
        seconds = _TURN_OF_CARS * car.mass * car.max_speed / car.max_force
    elif config.target is not None:
        seconds = math.sqrt(2.0) * config.arena_size / config.vehicles("evader")[0].max_speed
    else:
        return config
    least = np.ceil(seconds / config.dt - 1e-6)
    if least > _MOST_STEPS:
        raise InvalidValue(
            f"capture takes up to {seconds / _TIMES_V:.3g} s here, and three times that is "
            f"more than the {_MOST_STEPS:,} steps that a game may have"
        )
    return replace(config, horizon=max(config.horizon, int(least)))


def records_from(
    config: Game, players: tuple[AnyPlayer, AnyPlayer], states: NDArray[np.void], seed: int = 0
) -> NDArray[np.void]:
    """Plays from states, and returns the records of the episodes, without their seeds.

    The seed is that of the first episode's chance.
    """
    pair, parts = resolve_pair(*players), []
    for first, size in shares(config, pair, len(states)):
        engine = start_games(config, pair, seed + first, size)
        begun, given = engine.get_state(), states[first : first + size]
        for entry in ("body", "wander_point"):
            begun["players"][entry] = given["players"][entry]
        begun["game"]["distance"] = given["game"]["distance"]
        engine.set_state(begun)
        parts.append(records_of_episodes(engine, play_to_the_end(engine, pair)))
    return np.concatenate(parts)
