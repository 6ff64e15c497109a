"""The commands of ``python -m baselines`` that are about the suite of games."""

from __future__ import annotations

import json as json_format
import time
from pathlib import Path

from rich.progress import TaskProgressColumn

from baselines import protocol
from baselines.command_options import Sample, SampleOptions, check_different, show_progress
from baselines.report import made_by
from baselines.standing_pages import suite_numbers, suite_table, write_pages
from baselines.standings import EPISODES, standings
from baselines.tables import plain_text
from steer_env.suite import SUITE, suite_game


def suite(
    sample: Sample = SampleOptions(EPISODES, protocol.HELD_OUT_SEED),
    games: tuple[str, ...] = tuple(SUITE),
    json: bool = False,
    out: Path | None = None,
) -> None:
    """Shows the leading players of each game of the suite, and whether it fits the rule.

    All known players take part: those of the protocol, and all pretrained policies.

    Args:
        games: Games of the suite; by default all.
        json: Print one JSON document.
        out: Folder for README.md, a page of each game, and suite.json; made if it is missing.
    """
    sample.check()
    check_different(games)
    for game in games:
        suite_game(game)  # fail before the folder is made
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    with show_progress("work", TaskProgressColumn) as progress:
        found = standings(games, sample.episodes, sample.seed, progress)
    command = f"suite --games {' '.join(games)}"
    made = made_by(command, sample.episodes, sample.seed, time.perf_counter() - start)
    if out is not None:
        written = write_pages(out, found, suite_numbers(found, made))
    if json:
        print(json_format.dumps(suite_numbers(found, made), indent=2))
        return
    print(plain_text(suite_table(found)))
    if out is not None:
        print("wrote " + ", ".join(map(str, written)))
