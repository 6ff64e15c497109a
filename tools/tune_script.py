"""Searches for the strongest script of a side: hand-written steering with tuned numbers.

    PYTHONPATH=. python tools/tune_script.py --side evader --game agile_torus

A learned policy that beats a textbook behavior may only beat the constants chosen for that
behavior. This searches the fields of a script that have an effect in the game, but for the
order and the chances of its parts: at random first, then by mutating the best (successive
halving, Karnin et al. 2013, and a (mu + lambda) evolution strategy, Beyer and Schwefel 2002).
Where a learner does not see everything, neither do the scripts. The search uses training starts
only, and a measurement by the benchmark protocol follows on held-out ones.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.command_options import show_progress
from steer_env.baselines.known_players import scripts_of
from steer_env.baselines.measures import CAPTURE_TIME, payoff_of
from steer_env.baselines.protocol import benchmark
from steer_env.baselines.rollouts import named, play_to_the_end, seeds_from
from steer_env.baselines.statistics import Interval, mean_with_interval
from steer_env.baselines.tasks import ALL_TASKS, CHOICE_EPISODES
from steer_env.cli import run_command
from steer_env.errors import InvalidValue, check_choice, check_integer
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import Engine
from steer_env.players.observed import seen_by
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.resolver import resolve
from steer_env.scripts.behaviors import (
    CHASING,
    GENERAL_BEHAVIORS,
    LOOKAHEADS,
    PATH_BEHAVIORS,
    PREDICTORS,
    TARGETS,
    TEAM_CHASING,
)
from steer_env.scripts.roster import name_of_script
from steer_env.scripts.script import Script
from steer_env.sides import Side
from steer_env.steering.blending import METHODS

SEARCH_SEED = 500_000  # the first seed of the starts to search on
CHOICE_SEED = 900_000  # the first seed of the starts that decide between the best candidates
_FIRST_GENERATION, _APART = 600_000, 3000  # seeds of the starts of each generation

# With more generations their starts would be those that choose, with more mutants those of the
# next generation.
_MOST_GENERATIONS, _MOST_CHILDREN = (CHOICE_SEED - _FIRST_GENERATION) // _APART, 524_288
_CHOICES_APART = 10_000  # seeds of the starts that choose, and of those that simplify
_SCRIPTS_AT_ONCE = 16  # each looks for its games in all blocks
_FIRST_GAMES, _MORE = 4, 4  # of a script in the first round of a race, and times so many
_LEFT, _KEPT = 1 / 8, 16  # the part of the scripts that goes on, and the least number
_MOST_DECIDE = 1024  # games between parents and mutants in later generations
_MOST = {"lead_angle": math.pi}  # the largest values; 1e6 for all others


class Search:
    """Plays many scripts of one side at once."""

    def __init__(self, side: Side, opponents: Mapping[str, Player], config: Game) -> None:
        self.side, self.opponents, self.config = side, dict(opponents), config

    def times(
        self, scripts: Sequence[Script], seeds: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        """Capture times in seconds, (scripts, opponents, episodes), time-outs at the limit."""
        parts = [
            scripts[first : first + _SCRIPTS_AT_ONCE]
            for first in range(0, len(scripts), _SCRIPTS_AT_ONCE)
        ]
        found = []
        with ThreadPoolExecutor(min(os.cpu_count() or 1, 16)) as threads:
            for one in self.opponents.values():
                # Policies may remember, or draw random numbers, in the order of their calls.
                play: Any = map if one.script is None else threads.map
                found.append(
                    np.concatenate([*play(self._play, parts, repeat(one), repeat(seeds))])
                )
        return np.stack(found, axis=1)

    def _play(
        self, scripts: Sequence[Script], opponent: Player, seeds: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        side, count = self.side, len(scripts) * len(seeds)
        own: list[Script | None] = list(scripts)
        config = seen_by([opponent.policy], self.config)
        engine = Engine(config, *side.ordered(own, [opponent.script]), count, num_threads=1)
        engine.seed(np.tile(seeds, len(scripts)).tolist())
        engine.start()
        engine.state.script[side] = np.repeat(np.arange(len(scripts)), len(seeds))
        play_to_the_end(engine, side.ordered(resolve(scripts[0], side), opponent))
        steps = engine.state.steps.reshape(len(scripts), len(seeds))
        return np.asarray(steps * self.config.dt, np.float64)

    def best(
        self, scripts: Sequence[Script], seeds: NDArray[np.uint64], count: int
    ) -> list[Script]:
        """The best of some scripts by their mean capture time, best first."""
        means = self.times(scripts, seeds).mean(axis=(1, 2))
        order = np.argsort(means if self.side is Side.PURSUER else -means, kind="stable")
        return [scripts[number] for number in order[:count]]

    def race(
        self, scripts: Sequence[Script], first: int, report: Callable[[str], Any]
    ) -> list[Script]:
        """The best of some scripts by successive halving, or all of them if they are few.

        Few episodes for many scripts, many for the few that are left, with starts from a seed
        on.
        """
        games = _FIRST_GAMES
        while len(scripts) > _KEPT:
            left = max(_KEPT, math.ceil(_LEFT * len(scripts)))
            scripts = self.best(scripts, self.starts(first, games), left)
            report(f"{left} scripts left, first {name_of_script(scripts[0])}")
            first, games = first + games, _MORE * games
        return list(scripts)

    def starts(self, first: int, games: int) -> NDArray[np.uint64]:
        """The seeds from one on, for a number of games against all opponents together."""
        return seeds_from(first, -(-games // len(self.opponents)))

    def loss(self, script: Script, other: Script, seeds: NDArray[np.uint64]) -> Interval:
        """The mean loss of a script against another in seconds, paired by start."""
        times = self.times([script, other], seeds).mean(axis=1)
        sign = 1.0 if self.side is Side.PURSUER else -1.0
        return mean_with_interval(sign * (times[0] - times[1]))


def tune(
    side: str,
    opponents: Mapping[str, AnyPlayer] | Sequence[AnyPlayer],
    config: AnyGame = None,
    trials: int = 10_000,
    generations: int = 30,
    children: int = 240,
    seed: int = 0,
    choice_episodes: int = CHOICE_EPISODES,
    progress: Callable[[str], Any] = lambda line: None,
) -> Script:
    """Returns the script of a side that does best against some opponents, on average.

    It starts from all known scripts and `trials` random ones. The progress is called with a
    line of text now and then.
    """
    role, game = Side.named(side), given_game(config, "config", "trials")
    if payoff_of(game.payoff) is not CAPTURE_TIME:
        raise InvalidValue("scripts are tuned by capture times, and this game has a distance")
    check_integer("trials", trials, 1)
    check_integer("generations", generations, 0, _MOST_GENERATIONS)
    check_integer("children", children, 1, _MOST_CHILDREN)
    players = {name: resolve(one, role.other) for name, one in named(opponents)}
    if not players:
        raise InvalidValue("nothing to tune for: no opponents")
    search, draw = Search(role, players, game), Draw(role, game, seed)
    begun = [*draw.known(), *(draw.script() for _ in range(trials))]
    best = search.race(begun, SEARCH_SEED, progress)
    for generation in range(generations):
        mutants = [draw.mutant(best[number % len(best)]) for number in range(children)]
        first = _FIRST_GENERATION + _APART * generation  # new starts for each generation
        mutants = search.race(mutants, first + _MOST_DECIDE, lambda line: None)
        starts = _MOST_DECIDE if generation >= 3 * generations // 4 else _MOST_DECIDE // 4
        best = search.best([*best, *mutants], search.starts(first, starts), _KEPT)
        progress(f"generation {generation + 1}: {name_of_script(best[0])}")
    choice, simplification = (
        seeds_from(first, choice_episodes)
        for first in (CHOICE_SEED, CHOICE_SEED + _CHOICES_APART)
    )
    return simplified(search, search.best(best, choice, 1)[0], simplification)


def simplified(search: Search, script: Script, seeds: NDArray[np.uint64]) -> Script:
    """The script with defaults or two digits where they lose at most 0.2% together."""
    found, most_lost = script, 0.002 * float(search.times([script], seeds).mean())
    for name in (one for one in script.changes if one != "sees"):
        value = getattr(script, name)
        default = getattr(Script(behavior=script.behavior), name)
        candidates = [default]
        if isinstance(value, float) and math.isfinite(value):
            candidates.append(float(f"{value:.2g}"))
        for candidate in candidates:
            simpler = replace(script, **{name: candidate})
            if search.loss(simpler, found, seeds).estimate <= most_lost:
                script = simpler
                break
    return script


class Draw:
    """Draws scripts for a side of a game, without fields that have no effect there."""

    def __init__(self, side: Side, config: Game, seed: int) -> None:
        self._random, self._side = np.random.default_rng(seed), side
        self._fields = dict(self._fields_for(side, config))
        self._sees = "observed" if config.observation.limits_sight else "all"

    def known(self) -> list[Script]:
        """The scripts of the roster that can see as a learner does."""
        known = scripts_of(self._side).values()
        if self._sees == "all":
            return [*known]
        return [replace(one, sees=self._sees) for one in known if not one.looks_at_team]

    def script(self) -> Script:
        """A random script: each of its optional fields is drawn half of the time."""
        fields: dict[str, Any] = {}
        for name, draw in self._fields.items():
            if name in ("behavior", "response_time") or self._random.random() < 0.5:
                fields[name] = draw()
        return _fitting(fields, self._sees)

    def mutant(self, script: Script) -> Script:
        """A script that differs in one to three fields: a nudge, a new draw, or the default."""
        changes: dict[str, Any] = {}
        names = list(self._fields)
        for name in self._random.choice(names, 1 + self._random.integers(3), replace=False):
            value, dice = getattr(script, name), self._random.random()
            is_number = isinstance(value, float) and math.isfinite(value) and value > 0.0
            if is_number and dice < 0.7:
                nudged = value * math.exp(0.3 * self._random.standard_normal())
                changes[name] = min(nudged, _MOST.get(name, 1e6))
            elif dice < 0.85 or name == "behavior":
                changes[name] = self._fields[name]()
            else:
                changes[name] = getattr(Script(behavior="idle"), name)
        return _fitting({**vars(script), **changes}, self._sees)

    def _fields_for(self, side: Side, config: Game) -> Iterator[tuple[str, Callable[[], Any]]]:
        has_obstacles = config.has_obstacles
        is_team = config.count(side.name) > 1
        looks_at_team = is_team and not config.observation.limits_sight
        yield "behavior", self._one_of(_behaviors(side, looks_at_team, config))
        if config.map:
            yield "paths", self._one_of((True, False))
        yield "response_time", self._log(0.02, 1.5)
        yield "lookahead", self._one_of(LOOKAHEADS)
        yield "predictor", self._one_of(PREDICTORS)
        yield "lookahead_seconds", self._log(0.05, 4.0)
        yield "lookahead_cap", self._log(0.1, 10.0)
        yield "facing_test", self._one_of((True, False))
        if side is Side.EVADER:
            yield "threat_range", self._log(1.0, 15.0)
            yield "agility", self._log(0.1, 3.0)
        else:
            yield "deceleration_time", self._log(0.05, 1.5)
            yield "offset", lambda: complex(*self._random.normal(0.0, 1.0, 2))
            yield "navigation_gain", self._log(1.0, 40.0)
            yield "lead_angle", lambda: float(self._random.uniform(0.0, 1.5))
            if looks_at_team:
                yield "target", self._one_of(TARGETS)
                yield "spread", self._log(0.02, 2.0)
        yield "wander", self._log(0.03, 6.0)
        yield "wander_rate", self._log(0.3, 20.0)
        if config.region.has_walls:
            yield "walls", self._log(0.5, 100.0)
            yield "feeler_length", self._log(0.3, 8.0)
            yield "containment", self._log(0.5, 100.0)
            yield "containment_seconds", self._log(0.1, 3.0)
        if has_obstacles:
            yield "hiding_margin", self._log(0.1, 3.0)
            yield "obstacles", self._log(1.0, 200.0)
            yield "obstacle_seconds", self._log(0.1, 3.0)
            yield "obstacle_margin", self._log(0.02, 1.0)
        if is_team:
            yield "separation", self._log(0.1, 20.0)
            yield "alignment", self._log(0.1, 10.0)
            yield "cohesion", self._log(0.1, 10.0)
            yield "collisions", self._log(0.1, 20.0)
            yield "collision_seconds", self._log(0.2, 5.0)
            yield "collision_margin", self._log(0.02, 1.0)
            yield "neighbor_distance", self._log(0.5, 15.0)
        yield "combination", self._one_of(METHODS)

    def _one_of(self, names: Sequence[Any]) -> Callable[[], Any]:
        return lambda: names[int(self._random.integers(len(names)))]

    def _log(self, low: float, high: float) -> Callable[[], float]:
        span = math.log(low), math.log(high)
        return lambda: float(math.exp(self._random.uniform(*span)))


def _fitting(fields: dict[str, Any], sees: str) -> Script:
    """The script of some fields, without paths where it cannot follow them."""
    paths = fields.get("paths", False) and fields["behavior"] in PATH_BEHAVIORS
    return Script(**{**fields, "sees": sees, "paths": paths, "description": ""})


def _behaviors(side: Side, is_team: bool, config: Game) -> list[str]:
    """The behaviors that differ from each other on a side of a game, without "idle"."""
    if side is Side.PURSUER and config.observation.limits_sight:
        return [*CHASING]  # the others look at a whole team, and see all
    if side is Side.PURSUER:
        return [*CHASING, *(TEAM_CHASING if is_team else ("voronoi",))]
    hides = config.has_obstacles or config.map
    useless = {*CHASING, "idle"} | (set() if hides else {"hide"})
    evading = [name for name in GENERAL_BEHAVIORS if name not in useless]
    return [*evading, "guard"] if is_team else evading


def main(
    game: str = "walls",
    side: str = "pursuer",
    opponents: tuple[str, ...] = (),
    trials: int = 10_000,
    generations: int = 30,
    children: int = 240,
) -> None:
    """Searches for the strongest script, and measures it beside the known ones.

    Args:
        game: Game of the suite or of teams.
        side: Side of the script.
        opponents: Scripts or policies to do well against, on average; by default the training
            opponents of the benchmark protocol.
        trials: Random scripts to begin with, besides all known ones.
        generations: Generations of mutation.
        children: Mutants of each generation.
    """
    check_choice("task", f"{side}/{game}", ALL_TASKS)
    usual = ALL_TASKS[f"{side}/{game}"]
    against = opponents or usual.opponents
    report = partial(print, file=sys.stderr)  # also into a log: it may take an hour
    size = trials, generations, children
    found = tune(side, against, usual.config, *size, progress=report)
    held_out = tuple(name for name in usual.held_out if name not in against)
    task = replace(usual, opponents=against, held_out=held_out)
    with show_progress("measured") as progress:
        result = benchmark({"found": found}, task, progress=progress)
    given = {"behavior": found.behavior, **found.changes}
    print(f"Script({', '.join(f'{name}={value!r}' for name, value in given.items())})")
    print(f"\n{result}")


if __name__ == "__main__":
    run_command(main, "tune_script.py", sys.argv[1:])
