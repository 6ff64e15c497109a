"""Every known player of the solved games, measured against perfect play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baselines.evaluation import CAPTURE_TIME, payoff_of
from baselines.optimality import OptimalityGap, RegionGap, gaps
from baselines.scenarios import EVADERS, PURSUERS
from baselines.statistics import Interval, jsonable
from baselines.tables import Table, cell, percent
from baselines.training_runs import mean_of_runs, rate_of_runs
from steer_env.errors import check_choice
from steer_env.game.config import game_config
from steer_env.policies import pretrained
from steer_env.scenarios.registry import SOLVED
from steer_env.scenarios.scenario import Scenario
from steer_env.scripts.roster import AT_FULL_FORCE
from steer_env.sides import EVADER, PURSUER, Side

_LAWS = {PURSUER: PURSUERS, EVADER: (*EVADERS, "escape/sidestep/full_force")}


@dataclass(frozen=True, eq=False)
class MeasuredPlayer:
    """A script, or the policies of several training runs, from the same starts.

    There is one gap for a script, else one for each training run. The name is that of the
    first.
    """

    name: str
    runs: Sequence[OptimalityGap]

    @property
    def score(self) -> float:
        """The mean score over all starts with a finite value, by which tables are sorted."""
        scores = [run.overall.score for run in self.runs]
        return float(np.mean([0.0 if score is None else score.estimate for score in scores]))

    def regions(self) -> dict[str, list[RegionGap]]:
        """The regions and "all", each with the results of every run."""
        found = [{**run.regions, "all": run.overall} for run in self.runs]
        return {name: [one[name] for one in found] for name in found[0]}

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers, for JSON."""
        regions = {}
        for region, found in self.regions().items():
            numbers = {
                "value": found[0].mean_value,
                "gap": gap_of(found),
                "share": share_of(found),
                "never_caught": never_of(found),
                "gaps": [None if one.gap is None else one.gap.estimate for one in found],
            }
            regions[region] = jsonable(numbers)
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
    games: Sequence[str],
    starts: int,
    seed: int,
    progress: Callable[[int, int], Any] = lambda done, total: None,
) -> dict[tuple[str, Side], list[MeasuredPlayer]]:
    """Measures the hand-written behaviors and the pretrained policies of each game and side.

    The best player comes first. The progress is called with the numbers of games and sides
    done, and of all.
    """
    for game in games:
        check_choice("solved game", game, SOLVED)
    pairs = [(game, side) for game in games for side in Side]
    found = {}
    for number, (game, side) in enumerate(pairs):
        progress(number, len(pairs))
        found[game, side] = _measured(SOLVED[game], side, starts, seed)
    return found


def _measured(game: Scenario, side: Side, starts: int, seed: int) -> list[MeasuredPlayer]:
    # A vehicle of simple motion takes any velocity at once. A law at full force asks it for ten
    # times the change that it wants, so that it swings about that velocity and hardly moves.
    is_instant = game_config(game=game.name).model(side.name) == "simple_motion"
    laws = [n for n in _LAWS[side] if not (is_instant and n.endswith(AT_FULL_FORCE))]
    groups = {name: [name] for name in (*laws, game.opponents[side])}
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


def numbers_of(
    found: Mapping[tuple[str, Side], Sequence[MeasuredPlayer]],
) -> dict[str, dict[str, Any]]:
    """Returns the numbers of players by game and side, for JSON."""
    numbers: dict[str, dict[str, Any]] = {}
    for (game, side), players in found.items():
        numbers.setdefault(game, {})[side.name] = [player.to_dict() for player in players]
    return numbers


def players_table(game: Scenario, side: Side, players: Sequence[MeasuredPlayer]) -> Table:
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
        measured = player.regions()
        for region in regions:
            found = measured[region]
            is_gap = is_zero[region]
            cells.append(cell(gap_of(found), ".3f") if is_gap else percent(share_of(found)))
            cells += [percent(never_of(found))] if is_time else []
        rows.append(tuple(cells))
    means = ", ".join(f"{name} {values[name]:.3g} {payoff.unit}" for name in regions)
    caption = f"Mean V: {means}."
    if is_time:
        caption += (
            " In the gap an episode without a capture counts as one at the horizon, "
            f"{first.config.horizon * first.config.dt:.3g} s."
        )
    title = (
        f"{side.name.capitalize()}s in {game.environment(side)} against "
        f"`{game.opponents[side]}`"
    )
    return Table(title, tuple(header), rows, caption)
