"""Draws the published charts again, in both themes, from the numbers that are kept beside them.

    PYTHONPATH=. python tools/draw_charts.py

Needs no training and no measurement. What is not kept is played again: some scripts against
each other. Takes a few minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import cost_of_vehicles
import solve_by_grid
from pretrained_collections import COLLECTIONS
from pretrained_measuring import PRETRAINED, draw_learning_curve
from pretrained_pages import write_page
from published_table import save_pictures

from steer_env.files import read_json

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "baselines" / "results"


def baselines() -> Iterator[Path]:
    """Draws the pictures of `published_table.py`, and those of two measurements."""
    yield from save_pictures(RESULTS, read_json(RESULTS / "crossplay.json"))
    optimality = RESULTS / "optimality"
    yield from solve_by_grid.draw(optimality, read_json(optimality / "solve_by_grid.json"))
    costs = RESULTS / "cost_of_vehicles.json"
    if costs.exists():  # since the last measurement
        yield from cost_of_vehicles.draw(RESULTS, read_json(costs))


def pretrained() -> Iterator[Path]:
    """Draws the learning curves of the pretrained policies."""
    for collection in COLLECTIONS:
        yield from draw_learning_curve(collection)
    write_page()
    yield PRETRAINED / "README.md"


PARTS = {found.__name__: found for found in (baselines, pretrained)}


def main() -> None:
    """Draws the parts that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)}; all by default")
    for part in parser.parse_args().parts or PARTS:
        for path in PARTS[part]():
            print(path.relative_to(ROOT), f"{path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
