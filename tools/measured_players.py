"""Every known player of the solved games, measured against perfect play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

import numpy as np

from steer_env.baselines.evaluation import CAPTURE_TIME, payoff_of
from steer_env.baselines.optimality import OptimalityGap, RegionGap, gaps
from steer_env.baselines.solved_games import in_words
from steer_env.baselines.statistics import jsonable
from steer_env.baselines.tables import Table, cell
from steer_env.baselines.tasks import EVADERS, PURSUERS
from steer_env.errors import check_choice
from steer_env.game.config import make_game
from steer_env.players import pretrained
from steer_env.scenarios.registry import SOLVED
from steer_env.scenarios.scenario import Scenario
from steer_env.scripts.roster import AT_FULL_FORCE
from steer_env.sides import EVADER, PURSUER, Side

_LAWS = {PURSUER: PURSUERS, EVADER: (*EVADERS, "escape/sidestep/full_force")}


@dataclass(frozen=True, eq=False)
class MeasuredPlayer:
    """A script, or the policies of several training runs, from the same starts."""

    name: str  # that of the first run
    runs: Sequence[OptimalityGap]  # one for a script, else one for each training run

    @property
    def score(self) -> float:
        """The mean score over all starts with a finite value, by which tables are sorted."""
        scores = [run.overall.score for run in self.runs]
        return float(np.mean([0.0 if score is None else score.estimate for score in scores]))

    def regions(self) -> dict[str, RegionGap]:
        """The regions and "all", each over all runs."""
        found = [{**run.regions, "all": run.overall} for run in self.runs]
        return {name: pooled([one[name] for one in found]) for name in found[0]}

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers, for JSON."""
        regions = {}
        for name, found in self.regions().items():
            numbers = {one: getattr(found, one) for one in ("gap", "share", "never_caught")}
            regions[name] = {"value": found.mean_value, **jsonable(numbers)}
            regions[name]["gaps"] = gaps_of_runs(found)
        return {"name": self.name, "score": self.score, "regions": regions}


def pooled(runs: Sequence[RegionGap]) -> RegionGap:
    """Puts the same starts of several training runs together, for intervals over both."""
    if len(runs) == 1:
        return runs[0]
    return replace(runs[0], starts=np.array([run.starts for run in runs]))


def gaps_of_runs(found: RegionGap) -> list[float | None]:
    """The estimate of the gap in each training run."""
    return [
        float(row.mean()) if row.size and np.isfinite(row).all() else None
        for row in np.atleast_2d(found.excess)
    ]


def measure_players(
    games: Sequence[str],
    starts: int,
    seed: int,
    progress: Callable[[int, int], Any] = lambda done, total: None,
) -> dict[tuple[str, Side], list[MeasuredPlayer]]:
    """Measures the hand-written behaviors and the pretrained policies, the best player first.

    The progress is called with the numbers of games and sides done, and of all.
    """
    for game in games:
        check_choice("solved game", game, SOLVED)
    found: dict[tuple[str, Side], list[MeasuredPlayer]] = {}
    for game, side in product(games, Side):
        progress(len(found), len(Side) * len(games))
        found[game, side] = _measured(SOLVED[game], side, starts, seed)
    return found


def _measured(game: Scenario, side: Side, starts: int, seed: int) -> list[MeasuredPlayer]:
    # A vehicle of simple motion takes any velocity at once. A law at full force asks it for ten
    # times the change that it wants, so that it swings about that velocity and hardly moves.
    is_instant = make_game(game=game.name).model(side.name) == "simple_motion"
    laws = [n for n in _LAWS[side] if not (is_instant and n.endswith(AT_FULL_FORCE))]
    groups = {name: [name] for name in (*laws, game.opponents[side])}
    for name in pretrained.runs_of(game, side):
        method = "/".join(name.split("/")[:4])  # without the seed
        groups.setdefault(method, []).append(name)
    names = {name: name for group in groups.values() for name in group}
    measuring = gaps(names, game.name, side.name, starts=starts, seed=seed)
    measured = [
        MeasuredPlayer(name, [*islice(measuring, len(group))]) for name, group in groups.items()
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
    first, regions = players[0].runs[0], players[0].regions()
    if len(regions) == 2:  # one region, and the same again
        del regions["all"]
    payoff = payoff_of(first.config.payoff)
    is_time = payoff is CAPTURE_TIME
    values = {name: found.mean_value for name, found in regions.items()}
    header = ["player", "score"]
    for region, value in values.items():
        header.append(f"{region}: gap " + (f"[{payoff.unit}]" if value <= 0.0 else "/ V"))
        header += [f"{region}: never caught"] * is_time
    rows = []
    for player in players:
        runs = f" ({len(player.runs)} runs)" if len(player.runs) > 1 else ""
        cells = [f"`{player.name}`{runs}", f"{player.score:.3f}"]
        measured = player.regions()
        for region, value in values.items():
            found = measured[region]
            cells.append(cell(found.gap, ".3f") if value <= 0.0 else cell(found.share, ".1%"))
            cells += [cell(found.never_caught, ".1%")] * is_time
        rows.append(tuple(cells))
    means = ", ".join(
        f"{in_words(name)} {value:.3g} {payoff.unit}" for name, value in values.items()
    )
    caption = f"Mean V: {means}."
    if is_time:
        caption += (
            " In the gap an episode without a capture counts as one at the horizon, "
            f"{first.config.horizon * first.config.dt:.3g} s."
        )
    title = f"{side.name.capitalize()}s in {game.environment(side)} vs `{game.opponents[side]}`"
    return Table(title, tuple(header), rows, caption)
