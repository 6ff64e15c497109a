"""The commands about the games of the suite."""

from __future__ import annotations

import json as json_format
import sys
from dataclasses import replace
from functools import partial
from typing import Literal

from baselines.command_options import Sample, SampleOptions
from baselines.protocol import benchmark
from baselines.scenarios import EPISODES, HELD_OUT_SEED, SCENARIOS
from baselines.tuning import tune as search
from steer_env.errors import check_choice
from steer_env.scripts.roster import named_script
from steer_env.suite import DEFAULT_GAME, SUITE


def tune(
    sample: Sample = SampleOptions(EPISODES, HELD_OUT_SEED),
    side: Literal["pursuer", "evader"] = "pursuer",
    game: str = DEFAULT_GAME,
    opponents: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    trials: int = 10_000,
    generations: int = 30,
    children: int = 240,
    search_seed: int = 0,
    json: bool = False,
) -> None:
    """Searches for the strongest script, and measures it beside the strongest one known.

    The search uses training starts only, the measurement held-out ones.

    Args:
        side: Side of the script.
        game: A game of the suite.
        opponents: Scripts or policies to do well against, on average; by default the training
            opponents of the benchmark protocol.
        known: Names of scripts to begin with, besides random ones.
        trials: Random scripts to begin with.
        generations: Of mutants of the best.
        children: Mutants of each generation.
        search_seed: Of what is drawn.
        json: Print one JSON document.
    """
    sample.check()
    check_choice("game", game, SUITE)
    usual = SCENARIOS[f"{side}/{game}"]
    against = opponents or usual.opponents
    scripts = [named_script(name) for name in known]
    found = search(
        side,
        against,
        usual.config,
        trials,
        generations,
        children,
        search_seed,
        scripts,
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
