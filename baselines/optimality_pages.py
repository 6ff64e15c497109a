"""Every player of the solved games measured against perfect play: one page for all games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from baselines.optimality import OptimalityGap, RegionGap, gaps
from baselines.pages import how_made, write_page
from baselines.payoffs import CAPTURE_TIME, payoff_of
from baselines.pictures import markdown_picture
from baselines.scenarios import EVADERS, PURSUERS
from baselines.statistics import Interval, jsonable
from baselines.tables import Table, percent
from baselines.training_runs import mean_of_runs, rate_of_runs
from steer_env.files import write_json
from steer_env.game.config import game_config
from steer_env.policies import pretrained
from steer_env.scripts.roster import AT_FULL_FORCE
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import SOLVED, SuiteGame

GRIDS = "solve_by_grid.svg"
"""The figure of another method's errors, which the page shows if it is in its folder."""

_LAWS = {PURSUER: PURSUERS, EVADER: (*EVADERS, "escape/sidestep/full_force")}


@dataclass(frozen=True, eq=False)
class MeasuredPlayer:
    """A script, or the policies of several training runs, from the same starts.

    Attributes:
        name: of the player; of runs, that of the first.
        runs: one for a script, else one for each training run.
    """

    name: str
    runs: Sequence[OptimalityGap]

    @property
    def score(self) -> float:
        """The mean score over all starts with a finite value, by which tables are sorted."""
        scores = [run.overall.score for run in self.runs]
        return float(np.mean([0.0 if score is None else score.estimate for score in scores]))

    def regions(self) -> dict[str, list[RegionGap]]:
        """The regions and "all", each with what every run did there."""
        found = [{**run.regions, "all": run.overall} for run in self.runs]
        return {name: [one[name] for one in found] for name in found[0]}

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers, for JSON."""
        regions = {
            region: {
                "value": found[0].mean_value,
                **jsonable(
                    {
                        "gap": gap_of(found),
                        "share": share_of(found),
                        "never_caught": never_of(found),
                    }
                ),
                "gaps": [None if one.gap is None else one.gap.estimate for one in found],
            }
            for region, found in self.regions().items()
        }
        return {"name": self.name, "score": self.score, "regions": regions}


def gap_of(runs: Sequence[RegionGap]) -> Interval | None:
    """The gap from the starts of a region, over all training runs, in seconds or meters."""
    if len(runs) == 1 or runs[0].gap is None:
        return runs[0].gap
    return mean_of_runs([run.excess for run in runs])


def share_of(runs: Sequence[RegionGap]) -> Interval | None:
    """The gap over V from the starts of a region, over all training runs."""
    found, value = gap_of(runs), runs[0].mean_value
    if found is None or value <= 0.0:
        return None
    return Interval(*(number / value for number in found))


def never_of(runs: Sequence[RegionGap]) -> Interval | None:
    """The share of episodes without a capture, over all training runs."""
    if len(runs) == 1 or runs[0].never_caught is None:
        return runs[0].never_caught
    return rate_of_runs(np.array([~run.starts["captured"] for run in runs]))


def measure_players(
    game: SuiteGame, side: Side, starts: int, seed: int
) -> list[MeasuredPlayer]:
    """Measures the hand-written behaviors and the pretrained policies, the best first.

    Args:
        game: a solved game.
        side: that they play.
        starts: in each region.
        seed: of the starts.
    """
    groups = {name: [name] for name in (*_laws_for(game, side), game.opponents[side])}
    for name in pretrained.runs_of(game, side):
        method = "/".join(name.split("/")[:4])  # without the seed
        groups.setdefault(method, []).append(name)
    names = {name: name for group in groups.values() for name in group}
    measuring = gaps(names, game.name, side.name, starts=starts, seed=seed)
    found = {one.policy: one for one in measuring}
    measured = [
        MeasuredPlayer(name, [found[one] for one in group]) for name, group in groups.items()
    ]
    return sorted(measured, key=lambda player: -player.score)


def _laws_for(game: SuiteGame, side: Side) -> list[str]:
    """The hand-written behaviors that make sense in a game.

    A vehicle of simple motion takes any velocity at once. A law at full force asks it for ten
    times the change that it wants, so that it swings about that velocity and hardly moves.
    """
    is_instant = game_config(game=game.name).model(side.name) == "simple_motion"
    return [n for n in _LAWS[side] if not (is_instant and n.endswith(AT_FULL_FORCE))]


def players_table(game: SuiteGame, side: Side, players: Sequence[MeasuredPlayer]) -> Table:
    """A row for each player: gap over V and share never caught in each region."""
    regions = list(players[0].regions())
    if len(regions) == 2:  # one region, and the same again
        regions = regions[:1]
    first = players[0].runs[0]
    payoff = payoff_of(first.config.payoff)
    is_time = payoff is CAPTURE_TIME
    values = {name: found[0].mean_value for name, found in players[0].regions().items()}
    is_zero = {name: value <= 0.0 for name, value in values.items()}
    header = ["player", "score"]
    for region in regions:
        header.append(f"{region}: gap " + (f"[{payoff.unit}]" if is_zero[region] else "/ V"))
        header += [f"{region}: never caught"] if is_time else []
    rows = []
    for player in players:
        runs = f" ({len(player.runs)} runs)" if len(player.runs) > 1 else ""
        cells = [f"`{player.name}`{runs}", f"{player.score:.3f}"]
        for region, found in player.regions().items():
            if region in regions:
                gap, share, never = gap_of(found), share_of(found), never_of(found)
                if is_zero[region]:
                    cells.append("" if gap is None else f"{gap:.3f}")
                else:
                    cells.append("" if share is None else percent(share))
                cells += [] if never is None else [percent(never)]
        rows.append(tuple(cells))
    means = ", ".join(f"{name} {values[name]:.3g} {payoff.unit}" for name in regions)
    return Table(
        f"{side.name.capitalize()}s in {game.environment(side)} against "
        f"`{game.opponents[side]}`",
        tuple(header),
        rows,
        f"Mean V: {means}."
        + (
            " In the gap an episode without a capture counts as one at the horizon, "
            f"{first.config.horizon * first.config.dt:.3g} s."
            if is_time
            else ""
        ),
    )


def write_pages(
    out: Path,
    found: Mapping[tuple[str, Side], Sequence[MeasuredPlayer]],
    made: Mapping[str, Any],
) -> list[Path]:
    """Writes README.md and optimality.json into a folder, and returns their paths.

    Args:
        out: the folder.
        found: the players of each game and side.
        made: how, see `baselines.pages.made_by`.
    """
    numbers: dict[str, Any] = {"made_by": dict(made), "games": {}}
    tables = []
    for (game, side), players in found.items():
        numbers["games"].setdefault(game, {})[side.name] = [one.to_dict() for one in players]
        tables.append(players_table(SOLVED[game], side, players))
    paths = [out / "README.md", out / "optimality.json"]
    grids = _BY_GRIDS if (out / GRIDS).exists() else ""
    write_page(paths[0], "How far from perfect", _INTRODUCTION, *tables, grids, how_made(made))
    write_json(paths[1], numbers)
    return paths


_BY_GRIDS = f"""## The values by another method

`PYTHONPATH=. python tests/by_hand/solve_by_grid.py --out baselines/results/optimality` solves
the same games on grids, by value iteration that knows the rules and no formula. Its error
falls as the grids get finer (all numbers: [solve_by_grid.json](solve_by_grid.json)). Where a
barrier bounds a region, it does so more slowly than in the others.

{markdown_picture("Mean error of the grids by their spacing", GRIDS)}"""

_INTRODUCTION = """
This page compares the hand-written behaviors and the pretrained policies with perfect play,
in the games whose value V is known. All play against the perfect opponent, from the same
starts: equally many in each region of the solution, and none near a place where V jumps. J is
the time or distance that a player gets. Its gap is J - V for a pursuer and V - J for an
evader, a lower bound of how exploitable it is; where V is 0, it is shown in meters and not as
a share of V. The score is 1 for perfect play: a pursuer's is the mean of V / J, 0 without a
capture, and an evader's is the mean of J / V; of distances, the capture radius is added to
both. Intervals are 95 %, over starts, and over training runs if there are several. Laws at
full force are left out for vehicles of simple motion, which change their velocity at once.
"""
