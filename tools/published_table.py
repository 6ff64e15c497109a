"""Makes the published results: tables, pictures, and a record of how they were made.

    PYTHONPATH=. python tools/published_table.py

writes `baselines/results/` and the table in `docs/opponents.md` anew; `--help` shows options.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from page_parts import both_themes, how_made, made_by, save_both

from steer_env.baselines.command_options import SampleOptions, show_progress
from steer_env.baselines.cross_play import (
    crossplay,
    pairs_table,
    save_pairs,
    tables_of_numbers,
)
from steer_env.baselines.rollouts import evaluate
from steer_env.baselines.tables import build_page, markdown
from steer_env.baselines.tasks import EVADERS, PURSUERS, at_both_forces
from steer_env.cli import print_written, run_command
from steer_env.drawing import THEMES
from steer_env.errors import InvalidValue
from steer_env.files import write_json, write_text
from steer_env.record.recorder import record

PAGE_PURSUERS = (
    "random",
    *at_both_forces("seek", "pursuit", "pursuit/reynolds", "pursuit/intercept", "navigation"),
)
PAGE_EVADERS = (
    *("wander", "flee", "evade", "evade/threatened", "escape"),
    *("evade/full_force", "escape/full_force"),
)

COMMAND = "python tools/published_table.py"

START, END = "<!-- baselines: begin -->", "<!-- baselines: end -->"
"""The lines around the table in docs/opponents.md."""

_EXAMPLE = 21  # the seed of a start from which the pursuers do differently


def report(
    out: Path,
    page: Path | None = None,
    episodes: int = 2000,
    seed: int = 0,
    progress: Callable[[int, int], Any] | None = None,
) -> list[Path]:
    """Plays the published pairs, and returns the tables and pictures that it wrote.

    They are crossplay.json, .csv and .md in the folder `out`, which is made if it is missing,
    the pictures of `save_pictures`, and the page, if it is not None, whose table between
    `START` and `END` is replaced. A page without a place for it is refused at once.
    """
    if page is not None:
        if not page.is_file():
            raise FileNotFoundError(
                f"there is no {page}: run this in a checkout, or pass page=None"
            )
        replace_table(page.read_text(encoding="utf-8"), "")  # fail early
    out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    found = crossplay(PURSUERS, EVADERS, episodes=episodes, seed=seed, progress=progress)
    seconds = time.perf_counter() - start
    command = f"--episodes {episodes} --seed {seed}"
    made = made_by(f"{COMMAND} {command}", seconds, seeds=[seed, seed + episodes - 1])
    numbers = found.to_dict() | {"made_by": made}
    paths = [out / f"crossplay.{ending}" for ending in ("json", "csv", "md")]
    write_json(paths[0], numbers, indent=1)
    save_pairs(numbers, paths[1])
    write_text(paths[2], crossplay_page(numbers))
    paths += save_pictures(out, numbers)
    if page is not None:
        text = replace_table(page.read_text(encoding="utf-8"), page_table(numbers))
        write_text(page, text)
        paths.append(page)
    return paths


def crossplay_page(numbers: Mapping[str, Any]) -> str:
    """Returns the page with all tables of the published cross-play."""
    made = numbers["made_by"]
    return build_page(
        "Every pursuer vs every evader",
        f"Default game, seeds {made['seeds'][0]} to {made['seeds'][1]} for every pair, 95% "
        "intervals. A time-out counts as the time limit. Best first on either side.",
        *tables_of_numbers(numbers),
        how_made(made),
    )


def page_table(numbers: Mapping[str, Any]) -> str:
    """Returns the table of docs/opponents.md: some pairs, from simple to elaborate."""
    return markdown(pairs_table(numbers, (PAGE_PURSUERS, PAGE_EVADERS)))


def replace_table(page: str, table: str) -> str:
    """Returns a page with another table between its lines `START` and `END`."""
    pattern = re.compile(f"({re.escape(START)}\n).*?({re.escape(END)})", re.DOTALL)
    if page.count(START) != 1 or page.count(END) != 1 or not pattern.search(page):
        raise InvalidValue(f"the page must hold the lines {START} and {END}, once each")
    return pattern.sub(lambda match: f"{match[1]}\n{table}\n{match[2]}", page)


def save_pictures(out: Path, numbers: Mapping[str, Any]) -> list[Path]:
    """Draws the heat map, survival curves and trajectories from one start, in both themes.

    The numbers are those of crossplay.json. What the other pictures show is played again, in
    some seconds.
    """
    from steer_env.baselines import plots

    chosen = ("seek", "pursuit", "pursuit/intercept", "navigation")
    sample = numbers["episodes"], numbers["first_seed"]
    curves = [
        evaluate(name, "evade", None, *sample) for name in (*chosen, "pursuit/full_force")
    ]
    paths = save_both(out / "crossplay.svg", lambda: plots.crossplay_figure(numbers))
    paths += save_both(out / "survival.svg", lambda: plots.survival_figure(curves))
    for theme, path in zip(THEMES, both_themes(out / "trajectories.svg")):
        record(chosen, "evade", seed=_EXAMPLE, out=path, drawing={"size": 300, "theme": theme})
        paths.append(path)
    return paths


def main(
    sample: SampleOptions = SampleOptions(episodes=2000),
    out: Path = Path("baselines/results"),
    page: Path | None = Path("docs/opponents.md"),
) -> None:
    """Makes the published tables and pictures, and the table in docs/opponents.md.

    Args:
        sample: The episodes.
        out: Folder to write to; made if it is missing.
        page: Page in which the table is replaced.
    """
    sample.check()
    with show_progress("pairs") as progress:
        print_written(*report(out, page, sample.episodes, sample.seed, progress))


if __name__ == "__main__":
    run_command(main, "published_table.py", sys.argv[1:])
