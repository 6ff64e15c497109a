"""Measures what a step costs, against the number of vehicles in a game.

    PYTHONPATH=. python tools/cost_of_vehicles.py --out baselines/results

Half of the vehicles are pursuers that keep apart from their teammates, half are a herd. They
play on a torus that grows with them, so that everyone has as many neighbors in each game, and
nobody is ever caught. Every game is measured with the grids of `game.look.neighbors`, and
without, in turns. Prints a table; with --out, also writes it as cost_of_vehicles.json, and
draws it as cost_of_vehicles.svg.

The default takes half a minute on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from matplotlib.figure import Figure
from page_parts import save_both

from steer_env.baselines.plots import WIDTH, in_use, themed
from steer_env.bench import alternate
from steer_env.files import write_json
from steer_env.game.config import Game
from steer_env.game.engine import Engine
from steer_env.game.run import phases
from steer_env.scripts.roster import ROSTER, named_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER

VEHICLES = (2, 8, 32, 128, 512, 1024)
GAMES = (1, 16)

# Those of pursuit/pack also share out their quarries, which costs the third power.
APART = replace(ROSTER["pursuit/pack"], target="nearest")

_METERS = 2.0  # the side of the square that each vehicle has, on average
_STEPS_BEFORE = 60
_NEVER = 10**9


class Cost(NamedTuple):
    """One row of the table."""

    games: int  # at once
    vehicles: int  # in each game
    with_grids: float  # the time of a step of one game, in microseconds
    without: float  # the same, where every vehicle is compared with every other


def herd_game(vehicles: int) -> Game:
    """The game of so many vehicles."""
    return Game(
        pursuers=vehicles // 2,
        evaders=vehicles - vehicles // 2,
        arena="torus",
        arena_size=_METERS * max(vehicles, 4) ** 0.5,
        capture_radius=1e-9,
        horizon=10**9,
    )


def step_of_games(
    vehicles: int, games: int, has_grids: bool, pursuer: Script = APART
) -> Callable[[], object]:
    """Returns a call that steps games of so many vehicles."""
    sizes = [phases.FEWEST, phases.FEWEST_TO_SEARCH] if has_grids else [_NEVER, _NEVER]
    with mock.patch.multiple(phases, FEWEST=sizes[0], FEWEST_TO_SEARCH=sizes[1]):
        players = [pursuer], [ROSTER["evade/herd"]]
        engine = Engine(herd_game(vehicles), *players, games, num_threads=1)
        engine.seed([*range(games)])
        engine.start()
        actions = engine.no_actions(PURSUER), engine.no_actions(EVADER)
        step = partial(engine.step, *actions, PURSUER, restart=True, is_observed=False)
        for _ in range(_STEPS_BEFORE):
            step()
    return step


def measure(
    vehicles: Sequence[int], games: Sequence[int], repeats: int, pursuer: Script
) -> list[Cost]:
    """Measures the time of a step for all these numbers."""
    costs = []
    for count in games:
        for number in vehicles:
            steps = [step_of_games(number, count, has, pursuer) for has in (True, False)]
            seconds = alternate(steps, repeats)
            costs.append(Cost(count, number, *(1e6 * found / count for found in seconds)))
    return costs


def table(costs: Sequence[Cost]) -> str:
    """The costs as a Markdown table."""
    lines = [
        "| games | vehicles | a step [µs] | a vehicle [µs] | without grids: a step [µs] |",
        "|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {cost.games} | {cost.vehicles} | {cost.with_grids:.1f} "
        f"| {cost.with_grids / cost.vehicles:.2f} | {cost.without:.1f} |"
        for cost in costs
    ]
    return "\n".join(lines)


@themed()
def costs_figure(costs: Sequence[Cost]) -> Figure:
    """Draws the time of a step against the number of vehicles."""
    colors = in_use()
    figure = Figure((WIDTH, 3.6), layout="constrained")
    axes = figure.subplots()
    for color, games in zip(colors.lines, dict.fromkeys(cost.games for cost in costs)):
        rows = [cost for cost in costs if cost.games == games]
        vehicles = [cost.vehicles for cost in rows]
        what = "one game" if games == 1 else f"{games} games at once"
        line = {"color": color, "marker": "."}
        with_grids, without = ([cost[place] for cost in rows] for place in (2, 3))
        axes.plot(vehicles, without, linestyle=":", label=f"{what}, all compared", **line)
        axes.plot(vehicles, with_grids, label=f"{what}, with grids", **line)
    largest = max(costs, key=lambda cost: cost.vehicles)
    ends = [min(cost.vehicles for cost in costs), largest.vehicles]
    linear = [largest.with_grids * number / largest.vehicles for number in ends]
    axes.plot(ends, linear, color=colors.faint, lw=0.8, linestyle="--", label="linear")
    axes.set(xscale="log", yscale="log", xlabel="vehicles in a game")
    axes.set_ylabel("time of a step of one game [µs]")
    axes.set_xticks(sorted({cost.vehicles for cost in costs}))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set_title("Pursuers that keep apart, against a herd", loc="left")
    axes.legend(fontsize=8.0, frameon=False)
    return figure


def draw(folder: Path, rows: Sequence[dict[str, float]]) -> list[Path]:
    """Draws the rows of a cost_of_vehicles.json in both themes."""
    costs = [Cost(**row) for row in rows]
    return save_both(folder / "cost_of_vehicles.svg", lambda: costs_figure(costs))


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vehicles", type=int, nargs="+", default=VEHICLES)
    parser.add_argument("--games", type=int, nargs="+", default=GAMES)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--pursuer", help="a script, instead of pursuers that keep apart")
    parser.add_argument("--out", type=Path, help="a folder for the figure")
    given = parser.parse_args()
    if given.pursuer and given.out:
        parser.error("--out draws pursuers that keep apart: leave --pursuer out")
    pursuer = named_script(given.pursuer) if given.pursuer else APART
    costs = measure(given.vehicles, given.games, given.repeats, pursuer)
    print(table(costs))
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        rows = [cost._asdict() for cost in costs]
        write_json(given.out / "cost_of_vehicles.json", rows)
        draw(given.out, rows)


if __name__ == "__main__":
    main()
