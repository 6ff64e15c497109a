"""Makes the page of all players against perfect play, in the games with a known value.

    PYTHONPATH=. python tools/optimality_pages.py

writes `baselines/results/optimality/`, in ten minutes; `--help` shows options.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measured_players import measure_players, numbers_of, players_table
from page_parts import how_made, made_by, markdown_picture

from steer_env.baselines.command_options import show_progress
from steer_env.baselines.episodes import Episodes
from steer_env.baselines.tables import build_page
from steer_env.baselines.tasks import HELD_OUT_SEED, REGION_STARTS
from steer_env.cli import print_written, run_command
from steer_env.files import write_json, write_text
from steer_env.scenarios.registry import SOLVED
from steer_env.sides import Side

COMMAND = "python tools/optimality_pages.py"

GRIDS = "solve_by_grid.svg"
"""The figure of another method's errors, which the page shows if it is in its folder."""


def write_pages(
    out: Path,
    found: Mapping[tuple[str, Side], Sequence[Episodes]],
    made: Mapping[str, Any],
) -> list[Path]:
    """Writes README.md and optimality.json into a folder, and returns their paths."""
    numbers = {"made_by": dict(made), "games": numbers_of(found)}
    tables = [
        players_table(SOLVED[game], side, players) for (game, side), players in found.items()
    ]
    paths = [out / "README.md", out / "optimality.json"]
    grids = _BY_GRIDS if (out / GRIDS).exists() else ""
    parts = _INTRODUCTION, *tables, grids, how_made(made)
    write_text(paths[0], build_page("How far from perfect", *parts))
    write_json(paths[1], numbers, indent=None)
    return paths


_BY_GRIDS = f"""## The values by another method

`PYTHONPATH=. python tools/solve_by_grid.py --out baselines/results/optimality` solves
the same games on grids, by value iteration that knows the rules and no formula. Its error
falls as the grids get finer (all numbers: [solve_by_grid.json](solve_by_grid.json)). Where a
barrier bounds a region, it does so more slowly than in the others.

{markdown_picture("Mean error of the grids by their spacing", GRIDS)}"""

_INTRODUCTION = """
This page compares the scripts and the pretrained policies with perfect play, in the games whose
value V is known. All play against the perfect opponent, from the same initial states: equally
many in each region of the solution, and none near a place where V jumps. J is the time or
distance that a player gets. Its gap is J - V for a pursuer and V - J for an evader, a lower
bound of how exploitable it is; where V is 0, it is shown in meters and not as a share of V. The
score is 1 for perfect play: a pursuer's is the mean of V / J, 0 without a capture, and an
evader's is the mean of J / V; of distances, the capture radius is added to both. Intervals are
95%, over initial states, and over training runs if there are several. Those of times allow for
failures that have not been seen: among 2,000 games, one failure in 500 can be missed, and if it
costs 35 s, it costs 0.07 s on average. Laws at full force are left out for vehicles of simple
motion, which change their velocity at once.
"""


def main(
    games: tuple[str, ...] = tuple(SOLVED),
    starts: int = REGION_STARTS,
    seed: int = HELD_OUT_SEED,
    out: Path = Path("baselines/results/optimality"),
) -> None:
    """Makes the page of the solved games.

    Args:
        games: Solved games; by default all.
        starts: Starts in each region of a solution.
        seed: Seed of the first start.
        out: Folder to write to; made if it is missing.
    """
    out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    with show_progress("games and sides") as progress:
        found = measure_players(games, starts, seed, progress)
    given = "" if games == tuple(SOLVED) else f" --games {' '.join(games)}"
    command = f"{COMMAND}{given} --starts {starts} --seed {seed}"
    made = made_by(command, time.perf_counter() - start)
    print_written(*write_pages(out, found, made))


if __name__ == "__main__":
    run_command(main, "optimality_pages.py", sys.argv[1:])
