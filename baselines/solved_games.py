"""Starts in the solved games: to measure from, to train from, to play from.

Random starts are mostly in the easy regions of a solution, and an endless chase from a hard one
teaches little. So training begins as often in each region, and cuts an episode soon, since a
truncated episode is bootstrapped from its last observation. Its steps are long: in the
homicidal chauffeur one step of 1/30 s changes the time to capture by less than 0.01 s, and
exploration hides that. Motion and the moment of capture are exact for any step, so the learned
policy is also good in short steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation import payoff_of
from baselines.known_value import behavior_of_game, known_values, regions_of
from baselines.rollouts import play_to_the_end, records_of_episodes, shares, start_games
from baselines.scenarios import BenchmarkScenario
from steer_env.errors import InvalidValue, check_integer
from steer_env.fields import ranges
from steer_env.game.config import AnyGame, GameConfig, game_config
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import Engine
from steer_env.policies.players import Player, controllers_of
from steer_env.policies.policy_player import Controller
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.script import Script

STARTS = 2000  # training starts in each region
DT = 0.2  # the length of a training step, in seconds
HORIZON = 60  # steps after which training cuts an episode where a capture's time is the payoff
_AT_ONCE = 2**15  # random starts that are looked through together
_MOST_DRAWN = 2**22
_UNTIL_ABSENT = 2**18  # random starts without one in a region: none lies there
_TIMES_V = 3.0  # the least horizon, in times of the largest finite value
_TURN_OF_CARS = 5.0  # radians, after which two cars have been nearest if both play perfectly
_MOST_STEPS = int(ranges(GameConfig)["horizon"].high)

_LAWS = ("pursuit", "pursuit/full_force"), ("evade", "evade/full_force")


def balanced_starts(
    game: AnyGame, starts: int = STARTS, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """Returns equally many starts of each region, for the keyword `start` of an environment.

    Args:
        game: a solved game, as `gap` takes it.
        starts: in each region.
        seed: of the first random start. `gap` measures from seed 1,000,000 on.

    Raises:
        TypeError, ValueError: for a game that is not solved, or numbers out of range.
    """
    config = given_game(game, "game", "starts")
    count = check_integer("starts", starts, 1)
    found = starts_by_region(config, count, 0.0, check_integer("seed", seed, 0))
    body = np.concatenate([states for states, _ in found.values()])["players"]["body"]
    is_car = [config.model(side) == "car" for side in ("pursuer", "evader")]
    return {
        side: {
            "position": np.stack([body["position"][:, i].real, body["position"][:, i].imag], 1),
            "heading": np.angle(body["heading"][:, i]),
            # A car always drives at its own speed.
            **({} if is_car[i] else {"speed": np.abs(body["velocity"][:, i])}),
        }
        for i, side in enumerate(("pursuer", "evader"))
    }


@cache
def solved_scenario(environment: str) -> BenchmarkScenario:
    """The scenario of training in a solved game: against perfect play, from balanced starts."""
    game, side, _ = ENVIRONMENTS[environment]
    config = game_config(game=game.name)
    # Where a distance is the payoff, the end of an episode is part of the game.
    horizon = HORIZON if config.payoff == "time" else round(config.horizon * config.dt / DT)
    training = {"start": balanced_starts(config), "dt": DT, "horizon": horizon}
    return BenchmarkScenario(
        name=f"{side.name}/{game.name}",
        environment=environment,
        side=side.name,
        training=MappingProxyType(training),
        opponents=(game.opponents[side],),
        held_out=(),
        references=(*_LAWS[side], game.opponents[side]),
    )


def starts_by_region(
    config: GameConfig, count: int, margin: float, seed: int
) -> dict[str, tuple[NDArray[np.void], NDArray[np.float64]]]:
    """Draws equally many starts of each region of a solved game, with their values.

    Regions in which no start lies are left out: not every game has all of them. The margin is
    the least distance from where the value jumps, in meters.

    Raises:
        ValueError: for a game that is not solved, and if too few starts lie in a region.
    """
    perfect = Script(behavior=behavior_of_game(config))
    found: dict[str, list[tuple[NDArray[np.void], NDArray[np.float64]]]]
    found = {region: [] for region in regions_of(config)}
    counts = dict.fromkeys(found, 0)
    drawn = 0
    for states, values, regions in _random_starts(config, perfect, seed, margin):
        drawn += _AT_ONCE
        for region, kept in found.items():
            chosen = np.flatnonzero(regions == region)[: count - counts[region]]
            kept.append((states[chosen], values[chosen]))
            counts[region] += len(chosen)
        numbers = {*counts.values()}
        if numbers == {count} or (drawn >= _UNTIL_ABSENT and numbers <= {0, count}):
            break
    few = {region: number for region, number in counts.items() if 0 < number < count}
    if few or not any(counts.values()):
        region, number = min(few.items(), key=lambda one: one[1], default=("", 0))
        where = f"in the region {region!r}" if few else "in any region of the solution"
        raise InvalidValue(
            f"of {drawn:,} random starts {number} are {where}, and "
            f"{margin:g} m away from where its value jumps; ask for fewer, or for other starts "
            "(arena_size, start) or a smaller margin"
        )
    return {
        region: (np.concatenate([s for s, _ in kept]), np.concatenate([v for _, v in kept]))
        for region, kept in found.items()
        if counts[region]
    }


def _random_starts(
    config: GameConfig, perfect: Script, seed: int, margin: float
) -> Iterator[tuple[NDArray[np.void], NDArray[np.float64], NDArray[np.str_]]]:
    """Yields starts of the game that are far enough from where the value jumps."""
    for first in range(seed, seed + _MOST_DRAWN, _AT_ONCE):
        engine, _ = start_games(config, perfect, perfect, first, _AT_ONCE)
        states = engine.get_state()
        engine.close()
        known = known_values(config, states)
        # A capture in the first step says nothing.
        is_open = (known.value > 0.0) | (known.region == "reach")
        kept = is_open & (known.margin >= margin)
        yield states[kept], known.value[kept], known.region[kept]


def with_horizon(config: GameConfig, values: NDArray[np.float64]) -> GameConfig:
    """Returns the game with a horizon that lets perfect play come to its end.

    That is three times the largest finite value where time is the payoff.
    """
    if config.payoff == "time" and np.isfinite(values).any():
        seconds = _TIMES_V * values[np.isfinite(values)].max()
    elif config.payoff == "closest_approach":
        car = config.vehicles("pursuer")[0]
        seconds = _TURN_OF_CARS * car.mass * car.max_speed / car.max_force
    else:
        return config
    least = np.ceil(seconds / config.dt - 1e-6)
    if least > _MOST_STEPS:
        raise InvalidValue(
            f"capture takes up to {seconds / _TIMES_V:.3g} s here, and three times that is "
            f"more than the {_MOST_STEPS:,} steps that a game may have"
        )
    return replace(config, horizon=max(config.horizon, int(least)))


def games_from(
    config: GameConfig, players: tuple[Player, Player], states: NDArray[np.void], seed: int = 0
) -> tuple[Engine, tuple[Controller, Controller]]:
    """Begins games in the given states, with the chance of that seed."""
    engine, sides = start_games(config, *players, seed, len(states))
    begun = engine.get_state()
    for entry in ("body", "wander_point"):
        begun["players"][entry] = states["players"][entry]
    begun["game"]["distance"] = states["game"]["distance"]
    engine.set_state(begun)
    return engine, sides


def payoffs_from(
    config: GameConfig, players: tuple[Player, Player], states: NDArray[np.void]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Plays from states, and returns payoffs and captures."""
    controllers, parts = controllers_of(*players), []
    for first, size in shares(config, controllers, len(states)):
        engine, sides = games_from(config, controllers, states[first : first + size], first)
        parts.append(records_of_episodes(engine, play_to_the_end(engine, sides)))
    episodes = np.concatenate(parts)
    return payoffs_of(config, episodes), episodes["captured"]


def payoffs_of(config: GameConfig, episodes: NDArray[np.void]) -> NDArray[np.float64]:
    """Returns J of episodes, given as records of `EPISODE`."""
    return np.asarray(episodes[payoff_of(config.payoff).column])
