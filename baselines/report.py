"""The published results: made by one command, with what made them written beside them."""

from __future__ import annotations

import json
import platform
import re
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import steer_env
from baselines.crossplay import CrossPlay, crossplay
from baselines.files import pairs_csv
from baselines.tables import crossplay_tables, markdown, pairs_table
from steer_env.errors import InvalidValue

PURSUERS = (
    "random",
    "seek",
    "arrive",
    "deviated_pursuit",
    "pursuit",
    "pursuit/reynolds",
    "pursuit/target_speed",
    "pursuit/own_speed",
    "pursuit/contained",
    "pursuit/intercept",
    "pursuit/turning",
    "constant_bearing",
    "navigation",
    "navigation/augmented",
    "offset_pursuit",
    "pursuit/full_force",
)
"""The pursuers of the published table."""

EVADERS = (
    "random",
    "wander",
    "flee",
    "evade",
    "evade/intercept",
    "evade/threatened",
    "evade/prioritized",
    "evade/dithered",
    "evade/chaotic",
    "hide",
)
"""The evaders of the published table."""

README_PURSUERS = (
    "random",
    "seek",
    "pursuit",
    "pursuit/reynolds",
    "pursuit/target_speed",
    "pursuit/intercept",
    "navigation",
    "pursuit/full_force",
)
README_EVADERS = ("wander", "flee", "evade", "evade/intercept", "evade/threatened")

START, END = "<!-- baselines: begin -->", "<!-- baselines: end -->"
"""Around the README's table."""

_EXAMPLE = 21  # the seed of an episode in which each of them does differently
_PACKAGES = ("gymnasium", "numpy", "numba", "scipy")


def report(
    out: Path,
    readme: Path | None = None,
    episodes: int = 2000,
    seed: int = 0,
    progress: Callable[[int, int], Any] | None = None,
) -> list[Path]:
    """Plays the published pairs and writes their tables and pictures.

    Args:
        out: folder for crossplay.json, .csv, .md and .png, survival.png, trajectories.png
            and start_map.png; made if it is not there.
        readme: whose table, between `START` and `END`, is replaced; None for none.
        episodes: of each pair.
        seed: of the first start.
        progress: see `crossplay`.

    Returns:
        The files written.

    Raises:
        ValueError: if the README has no place for the table.
    """
    if readme is not None:
        replace_table(readme.read_text(encoding="utf-8"), "")  # fails before the work is done
    out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    found = crossplay(PURSUERS, EVADERS, episodes=episodes, seed=seed, progress=progress)
    seconds = time.perf_counter() - start
    figures = found.to_dict() | {"made_by": made_by(episodes, seed, seconds)}
    written = {
        "crossplay.json": json.dumps(figures, indent=1) + "\n",
        "crossplay.csv": pairs_csv(figures),
        "crossplay.md": crossplay_page(figures),
    }
    for name, text in written.items():
        (out / name).write_text(text, encoding="utf-8")
    paths = [out / name for name in written] + save_pictures(out, found)
    if readme is not None:
        text = replace_table(readme.read_text(encoding="utf-8"), readme_table(figures))
        readme.write_text(text, encoding="utf-8")
        paths.append(readme)
    return paths


def made_by(episodes: int, seed: int, seconds: float) -> dict[str, Any]:
    """What made the results: command, seeds, versions, and how long it took."""
    return {
        "command": f"python -m baselines report --episodes {episodes} --seed {seed}",
        "seeds": [seed, seed + episodes - 1],
        "seconds": round(seconds, 1),
        "python": ".".join(map(str, sys.version_info[:3])),
        "machine": platform.machine(),
        "steer_env": steer_env.__version__,  # also where it is not installed
        **{name: version(name) for name in _PACKAGES},
    }


def crossplay_page(figures: Mapping[str, Any]) -> str:
    """The page with all tables of the published cross-play."""
    made = figures["made_by"]
    versions = ", ".join(f"{name} {made[name]}" for name in ("python", "steer_env", *_PACKAGES))
    parts = [
        "# Every pursuer against every evader\n",
        f"Default game, seeds {made['seeds'][0]} to {made['seeds'][1]} for every pair, 95 % "
        "intervals. A time-out counts as the time limit. Best first on either side.\n",
    ]
    for table in crossplay_tables(figures):
        parts += [f"## {table.title}\n", markdown(table), f"{table.caption}\n"]
    parts += [
        "## How it was made\n",
        f"```bash\n{made['command']}\n```\n",
        f"{made['seconds']:g} s of playing; {versions}.",
    ]
    return "\n".join(parts) + "\n"


def readme_table(figures: Mapping[str, Any]) -> str:
    """The README's table: some of the published pairs, from simple to elaborate."""
    some = {
        **figures,
        "ranking": {
            "pursuer": [{"name": name} for name in README_PURSUERS],
            "evader": [{"name": name} for name in README_EVADERS],
        },
    }
    return markdown(pairs_table(some))


def replace_table(page: str, table: str) -> str:
    """A page with another table between `START` and `END`.

    Raises:
        ValueError: if it does not have both, once and in that order.
    """
    pattern = re.compile(f"({re.escape(START)}\n).*?({re.escape(END)})", re.DOTALL)
    if page.count(START) != 1 or page.count(END) != 1 or not pattern.search(page):
        raise InvalidValue(f"the page must hold the lines {START} and {END}, once each")
    return pattern.sub(lambda match: f"{match[1]}\n{table}\n{match[2]}", page)


def save_pictures(out: Path, found: CrossPlay) -> list[Path]:
    """Draws the heat map, survival curves, paired trajectories and a map of starts."""
    from baselines import plots
    from baselines.trajectories import start_map, trajectory

    paths = [
        out / name
        for name in ("crossplay.png", "survival.png", "trajectories.png", "start_map.png")
    ]
    plots.save_crossplay_plot(paths[0], found)
    chasers = ("seek", "pursuit", "pursuit/intercept", "navigation", "pursuit/full_force")
    plots.save_survival_plot(paths[1], [found[name, "evade"] for name in chasers])
    chosen = ("seek", "pursuit", "pursuit/intercept", "navigation")
    plots.save_trajectory_plot(
        paths[2], [trajectory(name, "evade", seed=_EXAMPLE) for name in chosen]
    )
    maps = [start_map(name, "evade") for name in chosen]
    plots.save_start_map_plot(paths[3], maps)
    return paths
