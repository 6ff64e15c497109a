"""Compares the closed forms of `steer_env.solved` with the same games solved on grids.

    PYTHONPATH=. python tools/solve_by_grid.py --out runs/grids

The grids (`grids.py`) know the rules of a game and no solution of it. Each game is solved on
grids of half the spacing each time; the errors against the closed form must shrink. Prints
their means and maxima by region, and the values of some states, extrapolated to the spacing 0.
With --out, also writes them as solve_by_grid.json, and draws solve_by_grid.svg.

The default, three grids for each game, takes about three minutes on one core, a fourth about
half an hour. `tests/solved/test_all_games.py` is a short form.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from grid_games import GAMES, REGIONS, Game
from grids import Numbers
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from optimality_pages import GRIDS
from page_parts import save_both

from steer_env.baselines import plots
from steer_env.baselines.plots import WIDTH, in_use
from steer_env.baselines.solved_games import in_words
from steer_env.files import write_json

# ---- The comparison -----------------------------------------------------------------------


def compare(game: Game, count: int) -> dict[str, Any]:
    """The errors of a game's grids, each of half the spacing of the one before, for JSON.

    `grids` has spacing, step and seconds; `errors` a row for each estimate and region, with the
    mean and the largest error of every grid, and the order at which the mean shrinks; `values`
    a row for each estimate and state that is shown, with the value on every grid, extrapolated
    to the step 0, and by the closed form.
    """
    spacings = [game.coarsest / 2**n for n in range(count)]
    steps = [game.step(spacing) for spacing in spacings]
    solved, used = [], []
    for spacing, step in zip(spacings, steps):
        began = time.perf_counter()
        solved.append(game.solve(spacing, step))
        used.append(round(time.perf_counter() - began, 1))
        print(f"{game.name}: spacing {spacing:g}, {used[-1]:g} s", flush=True)
    numbers = zip(spacings, steps, used)
    errors, values = [], []
    for estimate in solved[0]:
        found = np.array([solution[estimate] for solution in solved])
        with np.errstate(invalid="ignore"):
            off = np.where(found == game.exact, 0.0, np.abs(found - game.exact))
        for region in sorted(set(game.regions) - {""}, key=REGIONS.index):
            of_region = off[:, np.array(game.regions) == region]
            means = of_region.mean(axis=1)
            errors.append(
                {
                    "estimate": estimate,
                    "region": region,
                    "states": of_region.shape[1],
                    "mean": as_json(means),
                    "largest": as_json(of_region.max(axis=1)),
                    "order": order(spacings, means),
                }
            )
        for k in game.shown:
            values.append(
                {
                    "estimate": estimate,
                    "state": as_json(game.states[k]),
                    "values": as_json(found[:, k]),
                    "extrapolated": extrapolated(steps, found[:, k]),
                    "closed form": float(game.exact[k]),
                }
            )
    return {
        "game": game.name,
        "unit": game.unit,
        "grids": [dict(zip(("spacing", "step", "seconds"), row)) for row in numbers],
        "errors": errors,
        "values": values,
    }


def as_json(numbers: Numbers) -> list[float | None]:
    """The numbers, with None for infinity."""
    return [float(number) if np.isfinite(number) else None for number in numbers]


def order(spacings: Sequence[float], errors: Numbers) -> float | None:
    """The power of the spacing that the errors follow, by least squares of the logarithms."""
    fits = (errors > 0.0) & np.isfinite(errors)
    if fits.sum() < 2:
        return None
    return float(np.polyfit(np.log(spacings)[fits], np.log(errors[fits]), 1)[0])


def extrapolated(steps: Sequence[float], values: Numbers) -> float | None:
    """The value at the step 0, if the error of the last two grids is proportional to it."""
    if len(values) < 2 or not np.isfinite(values[-2:]).all():
        return None
    return float(values[-1] + (values[-1] - values[-2]) / (steps[-2] / steps[-1] - 1.0))


def report(found: dict[str, Any]) -> str:
    """The tables of a comparison."""
    spacings = [f"{grid['spacing']:g}" for grid in found["grids"]]
    lines = [f"\n{found['game']}: errors [{found['unit']}] by spacing"]
    lines.append(row("region", "states", "", *spacings, "order"))
    for errors in found["errors"]:
        name = f"{errors['region']} {errors['estimate']}"
        lines.append(row(name, errors["states"], "mean", *errors["mean"], errors["order"]))
        lines.append(row("", "", "max", *errors["largest"]))
    if found["values"]:
        lines += ["", row("value at", "", "", *spacings, "limit", "formula")]
    for values in found["values"]:
        state = ", ".join(f"{number:.4g}" for number in values["state"])
        numbers = [*values["values"], values["extrapolated"], values["closed form"]]
        lines.append(row(f"({state})", "", values["estimate"], *numbers))
    return "\n".join(lines)


def row(name: str, *cells: str | float | None) -> str:
    texts = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells]
    return f"{name:24}" + "".join(f"{text:>10}" for text in texts).replace("None", "   -")


@plots.themed()
def errors_figure(comparisons: Sequence[dict[str, Any]]) -> Figure:
    """Draws the mean errors against the spacing, a panel for each game."""
    columns = min(2, len(comparisons))
    rows = math.ceil(len(comparisons) / columns)
    figure = Figure((WIDTH * columns / 2.0, 3.1 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, found in zip(panels, comparisons):
        draw_errors(axes, found)
    for axes in panels[len(comparisons) :]:
        axes.set_axis_off()
    return figure


def draw_errors(axes: Axes, found: dict[str, Any]) -> None:
    """Draws the mean errors of one game; errors of 0 have no place on the axis."""
    spacings = [grid["spacing"] for grid in found["grids"]]
    means = [[mean or math.nan for mean in errors["mean"]] for errors in found["errors"]]
    colors = in_use()
    regions = list(dict.fromkeys(errors["region"] for errors in found["errors"]))
    estimates = list(dict.fromkeys(errors["estimate"] for errors in found["errors"]))
    for errors, line in zip(found["errors"], means):
        if np.isfinite(line).any():
            axes.plot(
                spacings,
                line,
                color=colors.lines[regions.index(errors["region"])],
                linestyle=("-", "--")[estimates.index(errors["estimate"])],
                marker=".",
                label=f"{_in_words(errors['region'])} {errors['estimate']}",
            )
    highest = np.nanmax(means)
    slope = [highest * spacing / spacings[0] for spacing in spacings]
    axes.plot(spacings, slope, color=colors.faint, lw=0.8, linestyle=":", label="order 1")
    axes.set(xscale="log", yscale="log", xlabel="spacing")
    axes.set_ylabel(f"mean error [{found['unit']}]")
    axes.set_title(found["game"].replace(", ", "\n", 1), loc="left", size=8.0)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xticks(spacings, [f"{spacing:g}" for spacing in spacings])
    axes.minorticks_off()
    place = (0.45, -0.2)  # below the axis
    axes.legend(loc="upper center", bbox_to_anchor=place, ncols=2, fontsize=7.5, frameon=False)


def _in_words(region: str) -> str:
    return in_words(region).replace("V", "value")


def draw(folder: Path, comparisons: Sequence[dict[str, Any]]) -> list[Path]:
    """Draws the contents of a solve_by_grid.json in both themes."""
    return save_both(folder / GRIDS, lambda: errors_figure(comparisons))


def main() -> None:
    """Solves the games that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=GAMES, help="all of them by default")
    parser.add_argument("--finest", type=int, default=3, help="how many grids of each game")
    parser.add_argument("--out", type=Path, help="a folder for the tables and the figure")
    given = parser.parse_args()
    if given.finest < 1:
        parser.error("--finest must be at least 1")
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
    comparisons = []
    for name in [given.game] if given.game else GAMES:
        comparisons.append(compare(GAMES[name](), given.finest))
        print(report(comparisons[-1]), flush=True)
    if given.out:
        write_json(given.out / "solve_by_grid.json", comparisons)
        draw(given.out, comparisons)


if __name__ == "__main__":
    main()
