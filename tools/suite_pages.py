"""Makes the pages of the suite's standings: one for each game, and one of all.

    PYTHONPATH=. python tools/suite_pages.py --episodes 300

writes `baselines/results/suite/`, in 15 to 25 minutes; `--help` shows options.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from open_questions import OPEN_QUESTIONS
from page_parts import bullets, how_made, made_by
from standings import EPISODES, Standing, standings, suite_table

from steer_env.baselines.command_options import SampleOptions, show_progress
from steer_env.baselines.cross_play import numbers_of, pairs_table
from steer_env.baselines.tables import Table, build_page
from steer_env.baselines.tasks import HELD_OUT_SEED
from steer_env.cli import print_written, run_command
from steer_env.files import write_json, write_text
from steer_env.players.pretrained import is_pretrained
from steer_env.scenarios.registry import DEFAULT_GAME, SUITE
from steer_env.sides import Side

COMMAND = "python tools/suite_pages.py"

FAIR = (0.1, 0.9)
"""The captured shares at the equilibrium between which both sides have a fair chance."""

LEAST_ROOM = 0.05
"""The headroom or shortfall that at least one side must have, as a share of the time limit."""

_BEST = 3  # players of each side on a game's page, besides those at the equilibrium


def write_pages(out: Path, found: Sequence[Standing], made: Mapping[str, Any]) -> list[Path]:
    """Writes a page for each game into a folder, and README.md and suite.json of all games."""
    pages = {out / f"{standing.game.name}.md": game_page(standing) for standing in found}
    pages[out / "README.md"] = suite_page(found, made)
    for path, text in pages.items():
        write_text(path, text)
    games = {
        standing.game.name: {
            **standing.to_dict(),
            "fits_rule": verdict(standing),
            "departures": departures(standing),
        }
        for standing in found
    }
    write_json(out / "suite.json", {"made_by": dict(made), "rule": rule(), "games": games})
    return [*pages, out / "suite.json"]


def suite_page(found: Sequence[Standing], made: Mapping[str, Any]) -> str:
    """Returns the page of all games, with links to their own pages."""
    table = suite_table(found)
    names = [standing.game.name for standing in found]
    rows = [
        (f"[`{name}`]({name}.md)", *row[1:], verdict(standing))
        for name, row, standing in zip(names, table.rows, found)
    ]
    unfit = [_misfit(standing) for standing in found if verdict(standing) == "no"]
    return build_page(
        table.title,
        f"Starts from the seeds {made['seeds'][0]} to {made['seeds'][1]} for every pair.",
        replace(table, title="", header=(*table.header, "fits the rule"), rows=rows),
        "## The rule",
        rule(),
        bullets(*unfit),
        how_made(made),
    )


def game_page(standing: Standing) -> str:
    """Returns the page of one game."""
    game, played = standing.game, standing.played
    keywords = ", ".join(f"{name}={value!r}" for name, value in game.keywords.items())
    main = {side.name: _main_players(standing, side) for side in Side}
    pairs = pairs_table(numbers_of(played.where(**main)))
    return build_page(
        f"The suite: `{game.name}`",
        f"What is hard: {game.challenge}.",
        f"Keywords: `{keywords}`." if keywords else "The default game, without keywords.",
        "## Leading players",
        f"At the equilibrium the mean capture time is {standing.value:.2f} s, and "
        f"{100.0 * standing.captured:.1f}% of the episodes end with a capture, among "
        f"{len(played.pursuers)} pursuers and {len(played.evaders)} evaders.",
        *(_players_table(standing, side) for side in Side),
        _misfit(standing) if verdict(standing) == "no" else "",
        "## Main pairs",
        f"{pairs.title}.",
        replace(pairs, title=""),
        "## What is open",
        OPEN_QUESTIONS[game.name],
    )


def rule() -> str:
    """Returns the rule by which games are chosen, in words."""
    low, high, least = (100.0 * share for share in (*FAIR, LEAST_ROOM))
    return (
        "A game belongs to the suite if both sides have a fair chance among the best known "
        f"players (from {low:g} to {high:g}% captured at the equilibrium), and if "
        "neither scripts nor learning have solved it: the headroom or the "
        f"shortfall of at least one side is at least {least:g}% of the time limit. The "
        "estimates decide, not their intervals. "
        f"`{DEFAULT_GAME}`, the game to begin with, is exempt."
    )


def verdict(standing: Standing) -> str:
    """The answer to "fits the rule": "yes", "no", or "exempt" for the default game."""
    if standing.game.name == DEFAULT_GAME:
        return "exempt"
    return "no" if departures(standing) else "yes"


def departures(standing: Standing) -> list[str]:
    """Returns why a game does not fit the rule; an empty list if it does."""
    both = (*standing.headroom.values(), *standing.shortfall.values())
    rooms = [room.estimate for room in both if room is not None]
    return reasons(standing.captured, rooms, standing.played.time_limit)


def reasons(captured: float, rooms: Sequence[float], time_limit: float) -> list[str]:
    """As `departures`, by the captured share, and the rooms of sides with a learned player."""
    low, high = FAIR
    least = LEAST_ROOM * time_limit
    found = []
    if not low <= captured <= high:
        found.append(
            f"{100.0 * captured:.1f}% of the episodes at the equilibrium end with a capture, "
            f"not {100.0 * low:g} to {100.0 * high:g}%"
        )
    if not rooms:
        found.append("neither side has a learned player yet, so nothing is known to be left")
    elif max(rooms) < least:
        found.append(
            f"the largest headroom or shortfall is {max(rooms):.2f} s, not at least {least:g} s"
        )
    return found


def _misfit(standing: Standing) -> str:
    why = "; ".join(departures(standing))
    return f"`{standing.game.name}` does not fit the rule of the suite: {why}."


def _main_players(standing: Standing, side: Side) -> list[str]:
    """The players at the equilibrium, the best single ones, and the best scripted one."""
    script = standing.guarantee(side, standing.scripts(side)).player
    best = standing.ranking(side)[:_BEST]
    return list(dict.fromkeys((*standing.mixtures[side], *best, script)))


def _players_table(standing: Standing, side: Side) -> Table:
    mixture, rows = standing.mixtures[side], []
    for name in _main_players(standing, side):
        kind = "learned" if is_pretrained(name) else "script"
        share = f"{mixture[name]:.1%}" if name in mixture else ""
        _, opponent, time = standing.guarantee(side, [name])
        rows.append((f"`{name}`", kind, share, f"{time:.2f}", f"`{opponent}`"))
    script = standing.guarantee(side, standing.scripts(side)).player
    return Table(
        "",
        (side.name, "kind", "in equilibrium", "worst mean capture time [s]", "vs"),
        rows,
        f"The best scripted {side.name} is `{script}`.",
    )


def main(
    sample: SampleOptions = SampleOptions(EPISODES, HELD_OUT_SEED),
    out: Path = Path("baselines/results/suite"),
) -> None:
    """Makes the pages of the suite.

    Args:
        sample: The episodes.
        out: Folder to write to; made if it is missing.
    """
    sample.check()
    out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    with show_progress("pairs") as progress:
        found = standings(tuple(SUITE), sample.episodes, sample.seed, progress)
    command = f"{COMMAND} --episodes {sample.episodes} --seed {sample.seed}"
    seeds = [sample.seed, sample.seed + sample.episodes - 1]
    made = made_by(command, time.perf_counter() - start, seeds=seeds)
    print_written(*write_pages(out, found, made))


if __name__ == "__main__":
    run_command(main, "suite_pages.py", sys.argv[1:])
