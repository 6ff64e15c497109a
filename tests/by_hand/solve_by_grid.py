"""Compares the closed forms of `steer_env.solved` with the same games solved on grids.

    PYTHONPATH=. python tests/by_hand/solve_by_grid.py --out runs/grids

The grids (`grids.py`) know the rules of a game and no solution of it. Each game is solved on
grids of half the spacing each time; the errors against the closed form must shrink. Prints
their means and maxima by region, and the values of some states, extrapolated to the spacing 0.
With --out, also writes them as solve_by_grid.json, and draws solve_by_grid.svg.

The default, three grids for each game, takes about three minutes on one core, a fourth about
half an hour. `tests/thorough/solved/test_by_all_grids.py` is a short form.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import grids
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from optimality_pages import GRIDS
from page_parts import save_both

from baselines import figure_style
from baselines.figure_style import WIDTH, in_use
from baselines.solved_games import in_words
from steer_env.files import write_json
from steer_env.solved import chauffeur, drag, simple, two_cars

Numbers = grids.Numbers


class Game(NamedTuple):
    """A game, its states and their closed form."""

    name: str
    unit: str  # of the value
    states: Numbers  # (n, ...)
    exact: Numbers  # (n,)
    regions: Sequence[str]  # (n,): "" if the state's error does not count
    shown: Sequence[int]  # states whose values are printed
    coarsest: float  # the spacing of the first grid
    step: Callable[[float], float]  # the time step for a spacing
    solve: Callable[[float, float], dict[str, Numbers]]  # by spacing and step: (n,) by name


# ---- The games ----------------------------------------------------------------------------


def simple_game() -> Game:
    speed, radius, size = 0.6, 0.5, 5.0
    states = lattice(0.2, (0.0, 3.0), (-3.0, 3.0))
    distances = np.hypot(*states.T)
    regions = np.where((distances > radius) & (distances < 3.0), "all", "").tolist()

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        game = grids.MOVES_AT_WILL, speed, radius, size, spacing, step, 8.0
        return {"": of_place(grids.times_to_capture(*game), states, size, spacing)}

    exact = simple.value(distances, 1.0, speed, radius)
    title = f"simple motion, evader's speed {speed:g}, capture radius {radius:g}"
    return Game(title, "s", states, exact, regions, [], 0.2, lambda spacing: 2 * spacing, solve)


def chauffeur_game(
    nu: float, radius: float, size: float, seconds: float, around: float, margin: float
) -> Game:
    """The homicidal chauffeur.

    Args:
        nu: the evader's speed.
        radius: the capture radius.
        size: of the grid.
        seconds: longer than any finite value.
        around: states are as far away, at places whose coordinates are multiples of a 30th.
        margin: states that are nearer to the barrier or the capture circle do not count.
    """
    states = lattice(around / 30.0, (0.0, around), (-around, around))
    few = np.array(SHOWN_OF_CHAUFFEUR) if around >= 3.0 else np.empty((0, 2))
    states = np.concatenate([few, states])
    right, ahead = states.T
    exact = chauffeur.value(right, ahead, nu, radius)
    distances = np.hypot(right, ahead)
    counts = (distances > radius + margin) & (distances < around)
    counts &= to_barrier(states, nu, radius) > margin
    regions = np.where(counts, chauffeur.region(right, ahead, nu, radius), "").tolist()

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        game = grids.moves_of_car(step), nu, radius, size, spacing, step, seconds
        return {"": of_place(grids.times_to_capture(*game), states, size, spacing)}

    return Game(
        f"chauffeur, evader's speed {nu:g}, capture radius {radius:g}",
        "turning radius / speed",
        states,
        exact,
        regions,
        range(len(few)),
        around / 30.0,
        lambda spacing: 1.2 * spacing ** (2.0 / 3.0),
        solve,
    )


SHOWN_OF_CHAUFFEUR = (
    *((0.0, 1.0), (0.3, 0.6), (1.0, 2.0), (3.0, 0.0), (2.0, 0.0)),
    *((0.6, 0.0), (2.0, -1.0), (0.3, -0.6), (0.0, -1.5), (0.0, -2.8)),
)


def to_barrier(states: Numbers, nu: float, radius: float) -> Numbers:
    """The distance of each state from the barrier."""
    line = chauffeur.barrier(nu, radius, 1000)
    return np.array([np.hypot(*(line - state).T).min() for state in states])


def two_cars_game() -> Game:
    box, seconds = (-7.0, 18.0, 12.0), 3.2  # no turn takes longer than half a circle
    states = lattice(1.0, (-1.0, 15.0), (-4.0, 4.0), count=7)
    states = np.concatenate([SHOWN_OF_TWO_CARS, states])
    exact = two_cars.value(*states.T)
    names = np.array(["V < -4", "-4 < V < 0", "0 < V < 2", ""])
    regions = names[np.searchsorted([-4.0, 0.0, 2.0], exact, side="right")].tolist()

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        headings = round(12 / spacing)
        x, y, psi = states.T
        mirrored = psi > math.pi
        places = np.stack(
            [
                1.0 + np.where(mirrored, 2.0 * math.pi - psi, psi) * headings / math.pi,
                1.0 + (x - box[0]) / spacing,
                1.0 + (np.where(mirrored, -y, y) + box[2]) / spacing,
            ],
            axis=-1,
        )
        found = {}
        for name, evader_knows in (("upper", True), ("lower", False)):
            values = grids.least_distances(box, headings, spacing, step, seconds, evader_knows)
            found[name] = grids.at_places(values, places)
        return found

    shown = range(len(SHOWN_OF_TWO_CARS))
    return Game("two cars", "m", states, exact, regions, shown, 1.0, lambda dx: 0.4 * dx, solve)


SHOWN_OF_TWO_CARS = (
    *((8.0, 0.0, math.pi), (12.0, 0.0, math.pi), (15.0, 0.0, math.pi)),
    *((6.0, 0.0, math.pi / 2), (7.0, -4.0, math.pi / 2), (7.0, 4.0, math.pi / 2)),
    *((5.0, 5.0, 3 * math.pi / 2), (10.0, -3.0, 2.5), (6.0, -4.0, 1.0), (3.0, -6.0, 1.5)),
    (0.0, 6.0, math.pi),
)


def drag_game() -> Game:
    k, seconds, farthest, fastest = 0.3, 3.0, 12.0, 4.0
    forces = {"stronger pursuer": (1.0, 0.6), "stronger evader": (0.6, 1.0)}
    ahead, along, across = np.meshgrid(np.arange(7.0), np.arange(-2.0, 3.0), np.arange(3.0))
    states = np.stack([ahead.ravel(), along.ravel(), across.ravel()], axis=-1)
    places = np.stack([states[:, 0], 0.0 * states[:, 0]], axis=-1)

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        distance, along, across = states.T
        nodes = 1.0 + np.stack([distance, across, along + fastest], axis=-1) / spacing
        size = farthest, fastest, spacing, step, seconds
        solved = [grids.last_distances(k, *pair, *size) for pair in forces.values()]
        return {"": np.concatenate([grids.at_places(values, nodes) for values in solved])}

    misses = [drag.miss(places, states[:, 1:], seconds, *pair, k) for pair in forces.values()]
    regions = [name for name in forces for _ in states]
    both, exact = np.concatenate([states, states]), np.concatenate(misses)
    return Game("drag", "m", both, exact, regions, [], 1.0, lambda spacing: spacing / 2, solve)


def lattice(
    spacing: float, first: tuple[float, float], second: tuple[float, float], count: int = 0
) -> Numbers:
    """States at multiples of a spacing; with a count also of headings, from 0 to pi."""
    ends = [(round(low / spacing), round(high / spacing) + 1) for low, high in (first, second)]
    axes = [spacing * np.arange(*pair) for pair in ends]
    if count:
        axes.append(np.linspace(0.0, math.pi, count))
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=-1)


def of_place(times: Numbers, states: Numbers, size: float, spacing: float) -> Numbers:
    """The times of states that are nodes of the grid."""
    rows = np.rint(states[:, 0] / spacing).astype(int) + 1
    columns = np.rint((states[:, 1] + size) / spacing).astype(int) + 1
    return times[rows, columns]


GAMES: dict[str, Callable[[], Game]] = {
    "simple": simple_game,
    "chauffeur-0.1": lambda: chauffeur_game(0.1, 0.5, 4.5, 8.5, around=2.7, margin=0.1),
    "chauffeur-0.3": lambda: chauffeur_game(0.3, 0.3, 5.5, 12.0, around=3.0, margin=0.1),
    "chauffeur-0.5": lambda: chauffeur_game(0.5, 0.5, 6.0, 19.0, around=3.0, margin=0.1),
    "chauffeur-0.7": lambda: chauffeur_game(0.7, 0.25, 1.5, 3.0, around=0.6, margin=0.04),
    "two_cars": two_cars_game,
    "drag": drag_game,
}
"""The first chauffeur catches from the outer side of its line while it turns, and the last
cannot force a capture from everywhere."""

REGIONS = (
    *("all", "T", "D", "S", "W", "free", "V < -4", "-4 < V < 0", "0 < V < 2"),
    *("stronger pursuer", "stronger evader"),
)
"""In the order of the tables."""


# ---- The comparison -----------------------------------------------------------------------


def compare(game: Game, count: int) -> dict[str, Any]:
    """The errors of a game's grids, by estimate and region.

    Args:
        game: from `GAMES`.
        count: how many grids, each of half the spacing of the one before.

    Returns:
        A JSON document: `grids` (spacing, step, seconds), `errors` (a row for each estimate and
        region, with the mean and the largest error of every grid, and the order at which the
        mean shrinks), and `values` (a row for each estimate and state that is shown, with the
        value on every grid, extrapolated to the step 0, and by the closed form).
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


@figure_style.styled
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
