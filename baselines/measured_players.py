"""Players of solved games, each over its training runs, in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baselines.evaluation import CAPTURE_TIME, payoff_of
from baselines.optimality import OptimalityGap, RegionGap, pooled
from baselines.solved_games import in_words
from baselines.statistics import jsonable
from baselines.tables import Table, cell
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side


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
            names = ("gap", "share", "never_caught", "gaps")
            numbers = {one: getattr(found, one) for one in names}
            regions[name] = {"value": found.mean_value, **jsonable(numbers)}
        return {"name": self.name, "score": self.score, "regions": regions}


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
