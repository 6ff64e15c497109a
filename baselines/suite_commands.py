"""The commands about the games of the suite."""

from __future__ import annotations

import json as json_format
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.progress import TaskProgressColumn

from baselines.command_options import SampleOptions, check_different, show_progress
from baselines.pages import made_by
from baselines.protocol import benchmark
from baselines.scenarios import EPISODES, HELD_OUT_SEED, SCENARIOS
from baselines.standing_pages import suite_numbers, suite_table, write_pages
from baselines.standings import EPISODES as STANDING_EPISODES
from baselines.standings import standings
from baselines.tables import plain_text
from baselines.tuning import CHOICE_EPISODES
from baselines.tuning import tune as search
from steer_env.cli import print_written
from steer_env.errors import InvalidValue, check_choice
from steer_env.options import GameChoice
from steer_env.scripts.roster import ROSTER
from steer_env.suite import SUITE, suite_game


def suite(
    sample: SampleOptions = SampleOptions(STANDING_EPISODES, HELD_OUT_SEED),
    games: tuple[str, ...] = tuple(SUITE),
    json: bool = False,
    out: Path | None = None,
) -> None:
    """Shows the leading players of each game of the suite.

    It also shows whether a game fits the rule for games of the suite. All players of the
    protocol take part, every script at full force, and all pretrained policies.

    Args:
        games: Games of the suite; by default all.
        json: Print one JSON document.
        out: Folder for a page of each game, and if it is all games, README.md and suite.json;
            made if it is missing.
    """
    sample.check()
    check_different(games)
    if not games:
        raise InvalidValue("--games: give at least one, or leave it out for all")
    for game in games:
        suite_game(game)  # fail before the folder is made
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    with show_progress("work", TaskProgressColumn) as progress:
        found = standings(games, sample.episodes, sample.seed, progress)
    given = "" if set(games) == set(SUITE) else f" --games {' '.join(games)}"
    given += f" --out {out}" if out is not None else ""
    command = f"suite{given} --episodes {sample.episodes} --seed {sample.seed}"
    seeds = [sample.seed, sample.seed + sample.episodes - 1]
    made = made_by(command, time.perf_counter() - start, seeds=seeds)
    written: Sequence[Path] = ()
    if out is not None:
        written = write_pages(out, found, suite_numbers(found, made))
    if json:
        print(json_format.dumps(suite_numbers(found, made), indent=2))
    else:
        print(plain_text(suite_table(found)))
    print_written(*written, json=json)


def tune(
    game: GameChoice,
    sample: SampleOptions = SampleOptions(EPISODES, HELD_OUT_SEED),
    side: str | None = None,
    opponents: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    trials: int = 10_000,
    generations: int = 30,
    children: int = 240,
    search_seed: int = 0,
    choice_episodes: int = CHOICE_EPISODES,
    json: bool = False,
) -> None:
    """Searches for the strongest script, and measures it beside the known ones.

    The search uses training starts only, the measurement held-out ones.

    Args:
        side: Side of the script; by default that of --env, or else the pursuer.
        opponents: Scripts or policies to do well against, on average; by default the training
            opponents of the benchmark protocol.
        known: Names of scripts to begin with, besides random ones.
        trials: Random scripts to begin with.
        generations: Of mutants of the best.
        children: Mutants of each generation.
        search_seed: Seed of the search.
        choice_episodes: Episodes with which the winner is chosen and simplified.
        json: Print one JSON document.
    """
    sample.check()
    for names in (opponents, known):
        check_different(names)
    learner = game.side(side).name
    usual = SCENARIOS[f"{learner}/{suite_game(game.chosen).name}"]
    against = opponents or usual.opponents
    for name in known:
        check_choice("script", name, ROSTER)
    scripts = [ROSTER[name] for name in known]
    found = search(
        learner,
        against,
        usual.config,
        trials,
        generations,
        children,
        search_seed,
        scripts,
        choice_episodes,
        partial(print, file=sys.stderr) if sys.stderr.isatty() else None,
    ).script
    held_out = tuple(name for name in usual.held_out if name not in against)
    scenario = replace(usual, opponents=against, held_out=held_out)
    result = benchmark({"found": found}, scenario, sample.episodes, sample.seed)
    given = {"behavior": found.behavior, **found.changes}
    text = f"Script({', '.join(f'{name}={value!r}' for name, value in given.items())})"
    if json:
        print(json_format.dumps({"script": text, **result.to_dict()}, indent=2))
    else:
        print(f"{text}\n\n{result}")
