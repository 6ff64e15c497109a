"""Tables of evaluations, and which of them can stand beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import CAPTURE_TIME, METRICS, fields_of_game
from steer_env.baselines.statistics import Interval, jsonable
from steer_env.baselines.tables import Table
from steer_env.baselines.training_runs import note_on_runs
from steer_env.errors import InvalidType, InvalidValue, got, shown
from steer_env.game.config import ActionConfig, GameConfig, ObservationConfig, RewardConfig
from steer_env.scripts.roster import ROSTER, short_name


def numbers_of(found: Episodes) -> dict[str, Any]:
    """Returns everything but the episodes, for JSON."""
    return {
        **dict(zip(("version", "pursuer", "evader"), (found.version, *_labels(found)))),
        "config": fields_of_game(found.config),
        **{"episodes": len(found.seeds), "first_seed": int(found.seeds[0])},
        **({"runs": found.runs} if found.runs > 1 else {}),
        **jsonable(found.metrics()),
    }


def tables_of(found: Episodes) -> tuple[Table]:
    """Returns the table of the metrics, or one of a single row for several pairs or runs."""
    if len(found) > len(found.seeds):
        return (table_of([found]),)
    rows = [
        (name.replace("_", " "), metric_text(name, interval, with_unit=True))
        for name, interval in found.metrics().items()
    ]
    seeds, caption = f"seeds {found['seed'][0]} to {found['seed'][-1]}", ""
    if found.payoff is CAPTURE_TIME:
        caption = f"Episodes without a capture count as {found.time_limit:g} s."
    elif found.config.payoff == "target_distance":
        caption = "The distance is that from the target, with a minus: 0 if it was reached."
    title = f"{found.pursuer} vs {found.evader}, {len(found):,} episodes ({seeds})"
    return (Table(title, ("metric", "estimate [95% interval]"), rows, caption),)


def runs_in(what: str, given: Any) -> list[Episodes]:
    """Returns the training runs of a method, one or a list of what `evaluate` returned."""
    runs: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    for run in runs:
        if not isinstance(run, Episodes):
            raise InvalidType(
                f"{what} must be what evaluate returned, or a list of that for several "
                f"training runs, {got(run)}"
            )
    if not runs:
        raise InvalidValue(f"{what} must not be an empty list: there is nothing to compare")
    return [part for run in runs for part in run.by("run").values()]


def _labels(found: Episodes) -> tuple[str, str]:
    """The players of a row, by the name of the first run."""
    if len(found) == found.runs * len(found.seeds):
        return found.pursuer, found.evader
    labels = (
        names[0] if len(names) == 1 else f"{len(names)} {side}s"
        for side, names in (("pursuer", found.pursuers), ("evader", found.evaders))
    )
    return (next(labels), next(labels))


def _method(runs: Sequence[Episodes]) -> Episodes:
    if len(runs) > 1:
        check_same_games(runs, runs[0].evader)
    return Episodes.joined(runs, range(len(runs)))


def table_of(
    evaluations: Episodes | Iterable[Episodes | Sequence[Episodes]],
    metrics: str | Iterable[str] = (),
) -> Table:
    """Puts several players into one table, a row for each.

    Args:
        evaluations: of any players and games. A list of evaluations in it, one of each training
            run of a method, makes one row: the mean over runs and starts, with its interval.
        metrics: the columns, from `METRICS`; by default the capture rate and the mean capture
            time, or the mean distance where that is the payoff.

    Raises:
        TypeError: for anything but evaluations.
        ValueError: if there are none, for a metric that one of them lacks, or for runs of one
            row that are not of one game and from the same starts.
    """
    given = [evaluations] if isinstance(evaluations, Episodes) else evaluations
    for what, one in {"evaluations": given, "metrics": metrics}.items():
        if not isinstance(one, Iterable):
            raise InvalidType(f"{what} must be a list, {got(one)}")
    found = [_method(runs_in("evaluations", one)) for one in given]
    if not found:
        raise InvalidValue("evaluations must have at least one, got none")
    payoff, several = found[0].payoff, max(one.runs for one in found) > 1
    usual = ["capture_rate"] * (payoff is CAPTURE_TIME) + [payoff.mean]
    columns = ([metrics] if isinstance(metrics, str) else list(metrics)) or usual
    rows, notes = [], ["Mean over runs and starts where there are several runs."] * several
    for row in found:
        count, pair = (f"{row.runs}",) * several, _labels(row)
        texts = [metric_text(name, row.metric(name)) for name in columns]
        rows.append((*pair, *count, f"{len(row.seeds):,}", *texts))
        if note := note_on_runs(row.by_start(row.payoff.column), row.payoff.unit):
            notes.append(f"Of {row.pursuer} vs {row.evader}, {note}.")
    units = ("" if METRICS[name] == "%" else f" [{METRICS[name]}]" for name in columns)
    header = (f"{name.replace('_', ' ')}{unit}" for name, unit in zip(columns, units))
    if not are_of_one_game([one.config for one in found]):
        notes.insert(0, "The rows are not all of one game.")
    names = ("pursuer", "evader", *["runs"] * several, "episodes")
    return Table("Estimates [95% interval]", (*names, *header), rows, " ".join(notes))


def metric_text(name: str, interval: Interval, with_unit: bool = False) -> str:
    """Returns an estimate in percent, or with two digits."""
    if METRICS[name] == "%":
        return f"{interval:.1%}"
    return f"{interval:.2f}" + f" {METRICS[name]}" * with_unit


def check_same_games(played: Sequence[Episodes], opponent: str) -> None:
    """Raises an InvalidValue for episodes of other games or starts than those of the first.

    What the opponent does not depend on may differ: the other side's observation, actions and
    rewards.
    """
    first = played[0]
    script = ROSTER.get(short_name(opponent))
    sees_all = script is not None and script.sees == "all"
    if len(first.seeds) < 2:
        raise InvalidValue("one episode has no interval: play at least two to compare")
    for other in played[1:]:
        if other.version != first.version:
            raise InvalidValue(
                f"the evaluations are of steer_env {first.version} and {other.version}, "
                "in which the same policies may play differently: play them again"
            )
        ours, theirs = (
            _flat(_game_of_opponent(one.config, sees_all)) for one in (first, other)
        )
        differing = [
            f"{name} is {shown(ours.get(name))} and {shown(theirs.get(name))}"
            for name in {**ours, **theirs}
            if ours.get(name) != theirs.get(name)
        ]
        if differing:
            raise InvalidValue(
                f"the evaluations are of different games: {'; '.join(differing)}. Play both in "
                "one game: pass evaluate the same config"
            )
        if not np.array_equal(other.seeds, first.seeds):
            raise InvalidValue(
                "the evaluations are not from the same starts: play both with equal seed and "
                f"episodes; got {first.seeds[0]} to {first.seeds[-1]} and {other.seeds[0]} to "
                f"{other.seeds[-1]}"
            )


def are_of_one_game(configs: Sequence[GameConfig]) -> bool:
    """True if games differ in observations, actions and rewards at most."""
    games = [_game_of_opponent(config, sees_all=False) for config in configs]
    return games.count(games[0]) == len(games)


def _game_of_opponent(config: GameConfig, sees_all: bool) -> GameConfig:
    """A game without the other side's observation, actions and rewards."""
    seen = config.observation
    seen = ObservationConfig() if sees_all else replace(seen.exact, features=())
    return replace(config, observation=seen, action=ActionConfig(), reward=RewardConfig())


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """The fields of a dataclass by their names, such as "arena.size"."""
    if not is_dataclass(value):
        return {name: value}
    found: dict[str, Any] = {}
    for field in fields(value):
        found |= _flat(getattr(value, field.name), f"{name}.{field.name}".lstrip("."))
    return found
