"""Every known player of the solved games, measured against perfect play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import CAPTURE_TIME
from steer_env.baselines.optimality import (
    by_region,
    excess_of,
    gap,
    gap_metrics,
    mean_value,
)
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


def score_of(found: Episodes) -> float:
    """The mean score over all starts with a finite value, by which tables are sorted."""
    runs = [gap_metrics(by_region(run)["all"])["score"] for run in found.by("run").values()]
    return float(np.mean([0.0 if score is None else score.estimate for score in runs]))


def gaps_of_runs(found: Episodes) -> list[float | None]:
    """The estimate of the gap in each training run."""
    return [
        float(row.mean()) if row.size and np.isfinite(row).all() else None
        for row in np.atleast_2d(excess_of(found))
    ]


def measure_players(
    games: Sequence[str],
    starts: int,
    seed: int,
    progress: Callable[[int, int], Any] = lambda done, total: None,
) -> dict[tuple[str, Side], list[Episodes]]:
    """Measures the hand-written behaviors and the pretrained policies, the best player first.

    The progress is called with the numbers of games and sides done, and of all.
    """
    for game in games:
        check_choice("solved game", game, SOLVED)
    found: dict[tuple[str, Side], list[Episodes]] = {}
    for game, side in product(games, Side):
        progress(len(found), len(Side) * len(games))
        found[game, side] = _measured(SOLVED[game], side, starts, seed)
    return found


def _measured(game: Scenario, side: Side, starts: int, seed: int) -> list[Episodes]:
    # A vehicle of simple motion takes any velocity at once. A law at full force asks it for ten
    # times the change that it wants, so that it swings about that velocity and hardly moves.
    is_instant = make_game(game=game.name).model(side.name) == "simple_motion"
    laws = [n for n in _LAWS[side] if not (is_instant and n.endswith(AT_FULL_FORCE))]
    groups = {name: [name] for name in (*laws, game.opponents[side])}
    for name in pretrained.runs_of(game, side):
        method = "/".join(name.split("/")[:4])  # without the seed
        groups.setdefault(method, []).append(name)
    names = [name for group in groups.values() for name in group]
    found = gap(names, game.name, side.name, starts=starts, seed=seed).by(side.name)
    measured = [
        Episodes.joined([found[one] for one in group], range(len(group))).renamed(
            **{side.name: name}
        )
        for name, group in groups.items()
    ]
    return sorted(measured, key=lambda player: -score_of(player))


def numbers_of(
    found: Mapping[tuple[str, Side], Sequence[Episodes]],
) -> dict[str, dict[str, Any]]:
    """Returns the numbers of players by game and side, for JSON."""
    numbers: dict[str, dict[str, Any]] = {}
    for (game, side), players in found.items():
        numbers.setdefault(game, {})[side.name] = [_numbers(player, side) for player in players]
    return numbers


def _numbers(player: Episodes, side: Side) -> dict[str, Any]:
    regions = {}
    for name, found in by_region(player).items():
        metrics = gap_metrics(found)
        numbers = {one: metrics[one] for one in ("gap", "share", "never_caught")}
        regions[name] = {"value": mean_value(found), **jsonable(numbers)}
        regions[name]["gaps"] = gaps_of_runs(found)
    return {"name": player.names(side.name)[0], "score": score_of(player), "regions": regions}


def players_table(game: Scenario, side: Side, players: Sequence[Episodes]) -> Table:
    """A row for each player: gap over V and share never caught in each region."""
    first, regions = players[0], by_region(players[0])
    if len(regions) == 2:  # one region, and the same again
        del regions["all"]
    payoff, is_time = first.payoff, first.payoff is CAPTURE_TIME
    values = {name: mean_value(found) for name, found in regions.items()}
    header = ["player", "score"]
    for region, value in values.items():
        header.append(f"{region}: gap " + (f"[{payoff.unit}]" if value <= 0.0 else "/ V"))
        header += [f"{region}: never caught"] * is_time
    rows = []
    for player in players:
        runs = f" ({player.runs} runs)" if player.runs > 1 else ""
        cells = [f"`{player.names(side.name)[0]}`{runs}", f"{score_of(player):.3f}"]
        measured = by_region(player)
        for region, value in values.items():
            found = gap_metrics(measured[region])
            name, form = ("gap", ".3f") if value <= 0.0 else ("share", ".1%")
            cells.append(cell(found[name], form))
            cells += [cell(found["never_caught"], ".1%")] * is_time
        rows.append(tuple(cells))
    means = ", ".join(
        f"{in_words(name)} {value:.3g} {payoff.unit}" for name, value in values.items()
    )
    caption = f"Mean V: {means}."
    if is_time:
        caption += (
            " In the gap an episode without a capture counts as one at the horizon, "
            f"{first.time_limit:.3g} s."
        )
    title = f"{side.name.capitalize()}s in {game.environment(side)} vs `{game.opponents[side]}`"
    return Table(title, tuple(header), rows, caption)
