"""Evaluations side by side: their tables, and the differences of policies or of trainings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import CAPTURE_TIME, DISTANCE, Payoff, fields_of_game, unit_of
from steer_env.baselines.policies import NAMES
from steer_env.baselines.statistics import (
    Interval,
    jsonable,
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
)
from steer_env.baselines.tables import Table, Tabled
from steer_env.baselines.training_runs import note_on_runs
from steer_env.errors import InvalidType, InvalidValue, got, shown
from steer_env.game.config import ActionConfig, Game, ObservationConfig, RewardConfig
from steer_env.scripts.roster import ROSTER, short_name
from steer_env.sides import Side

Runs: TypeAlias = Episodes | Sequence[Episodes]


@dataclass(frozen=True)
class Comparison(Tabled):
    """Two policies of one side against the same opponent, from the same starts.

    Attributes:
        ours: the name of one policy.
        theirs: the name of the other.
        opponent: the name of the policy on the other side.
        side: "pursuer" or "evader", that of the two policies.
        units: of the intervals: "episodes", or "training runs" and their starts.
        count: of these units of ours (of theirs, if ours is one fixed policy).
        capture_rate: ours minus theirs.
        capture_time: ours minus theirs, in seconds with time-outs at the limit.
        improvement: the probability that ours does better than theirs; ties count as half.
        runs: numbers of evaluations of ours and of theirs.
        note: a reason for unreliable intervals (see `training_runs.note_on_runs`), or empty.
        distance: ours minus theirs, in meters, in a game about a distance; else None.
        fixed: the name of the one policy that training runs are compared with, or None.
    """

    ours: str
    theirs: str
    opponent: str
    side: str
    units: str
    count: int
    capture_rate: Interval
    capture_time: Interval
    improvement: Interval
    runs: tuple[int, int] = (1, 1)
    note: str = ""
    distance: Interval | None = None
    fixed: str | None = None

    @property
    def payoff(self) -> Payoff:
        """`CAPTURE_TIME` or `DISTANCE`."""
        return CAPTURE_TIME if self.distance is None else DISTANCE

    @property
    def difference(self) -> Interval:
        """The mean payoff of ours minus that of theirs: `capture_time`, or `distance`."""
        return self.capture_time if self.distance is None else self.distance

    @property
    def verdict(self) -> str:
        """One sentence: better, worse, or not known, by the interval of the difference."""
        is_less = self.difference.high < 0.0
        ours, theirs = (
            f"{name} (one fixed policy)" if self.fixed is not None and count == 1 else name
            for name, count in zip((self.ours, self.theirs), self.runs)
        )
        if not is_less and self.difference.low <= 0.0:
            return f"no significant difference between {ours} and {theirs}"
        is_better = is_less == (self.side == Side.PURSUER.name)
        word, opposite = ("better", "worse") if is_better else ("worse", "better")
        amount = f"{abs(self.difference.estimate):.2f} {self.payoff.unit}"
        if self.payoff is CAPTURE_TIME:
            how = f"captures come {amount} {'sooner' if is_less else 'later'}"
        else:
            how = f"the {self.payoff.words} is {amount} {'smaller' if is_less else 'larger'}"
        verdict = f"{ours} is {word} than {theirs}: {how}"
        if self.improvement.high < 0.5 if is_better else self.improvement.low > 0.5:
            verdict += f" on average, though from most starts it does {opposite}"
        return verdict

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers and the verdict, for JSON."""
        is_time = self.payoff is CAPTURE_TIME
        unused = {"distance"} if is_time else {"capture_rate", "capture_time"}
        numbers = {name: value for name, value in vars(self).items() if name not in unused}
        return {**jsonable(numbers), "verdict": self.verdict}

    def table(self) -> Table:
        """Returns a table of the differences, with the verdict."""
        fixed, several = "one fixed policy", "training runs"
        units = " and ".join(fixed if n == 1 else f"{n:,} {several}" for n in self.runs) + ","
        if self.runs == (1, 1):
            units = f"{self.count:,} {self.units}"
        caption = f"Verdict: {self.verdict}."
        if self.fixed is not None and self.fixed not in NAMES:
            caption += (
                f" The intervals are about {self.fixed} alone. To compare ways of training "
                "takes several runs of both."
            )
        caption += f" Note: {self.note}." if self.note else ""
        rows = [
            (f"mean {self.payoff.words}, {self.payoff.unit}", f"{self.difference:+.2f}"),
            ("probability of improvement", f"{self.improvement:.1%}"),
        ]
        if self.payoff is CAPTURE_TIME:
            points = Interval(*(100.0 * share for share in self.capture_rate))
            rows.insert(0, ("capture rate, percentage points", f"{points:+.1f}"))
        return Table(
            f"{self.ours} minus {self.theirs}, {self.side}s vs {self.opponent}, "
            f"{units} from the same starts",
            ("metric", "difference [95% interval]"),
            rows,
            caption,
        )


def compare(ours: Runs, theirs: Runs, side: str | None = None) -> Comparison:
    """Compares two policies pair by pair, or ways of training run by run.

    For several evaluations on a side, one of each training run, the intervals are over runs and
    starts (see `training_runs`). Several runs against one evaluation take
    that one as a fixed policy: to find which training is better, train several runs of both.

    The observations of the policies (features, noise and delay), the noise and delay of their
    actions, and rewards may differ: neither the starts nor the opponent depend on them.

    Args:
        ours: from `evaluate`; a list with the evaluation of each of several training runs.
        theirs: the same for the other policy.
        side: whose policies differ; None to find it by the names.

    Raises:
        ValueError: if they did not play the same game from the same starts against the same
            opponent, if the side cannot be found, or for a list of one training run.
    """
    runs = runs_in("ours", ours), runs_in("theirs", theirs)
    played = [Episodes.joined(one, range(len(one))) for one in runs]
    both = Episodes.joined(played)
    learners = [one for one in Side if len(both.names(one.other.name)) == 1]
    if side is None and len(learners) != 1:
        raise InvalidValue(
            "the names of the players do not show which side is compared: pass side='pursuer' "
            "or side='evader'"
        )
    learner = learners[0] if side is None else Side.named(side)
    opponents = both.names(learner.other.name)
    check_same_games([*runs[0], *runs[1]], opponents[0])
    if len(opponents) > 1:
        raise InvalidValue(
            f"{learner.name}s can be compared only against the same opponent, got "
            f"{sorted(opponents)}"
        )
    names = [one.names(learner.name)[0] for one in played]
    counts = (played[0].runs, played[1].runs)
    for what, given, name in zip(("ours", "theirs"), (ours, theirs), names):
        is_listed = isinstance(given, list | tuple) and len(given) == 1
        if max(counts) > 1 and is_listed and name not in NAMES:
            raise InvalidValue(
                f"{what} is a list with one training run, {name!r}, which does not show how "
                "much its training varies: pass several runs to compare ways of training, or "
                "the evaluation itself, not in a list, to compare with that one fixed policy"
            )
    payoff, limit = played[0].payoff, played[0].time_limit
    columns = ("captured", "time", payoff.column)
    pairs: list[Any] = [[one.by_start(name) for one in played] for name in columns]
    rates, times, payoffs = pairs
    notes = [(name, note_on_runs(values, payoff.unit)) for name, values in zip(names, payoffs)]
    return Comparison(
        ours=names[0],
        theirs=names[1],
        opponent=opponents[0],
        side=learner.name,
        units="episodes" if counts == (1, 1) else "training runs",
        count=next((n for n in counts if n > 1), len(played[0])),
        capture_rate=paired_rate_difference(*rates),
        capture_time=paired_difference(*times, limit=limit),
        improvement=probability_of_improvement(
            *payoffs, lower_is_better=learner is Side.PURSUER
        ),
        runs=counts,
        note="; ".join(f"of {name}, {note}" for name, note in notes if note),
        distance=None if payoff is CAPTURE_TIME else paired_difference(*payoffs),
        fixed=names[counts.index(1)] if 1 in counts and max(counts) > 1 else None,
    )


def numbers_of(found: Episodes) -> dict[str, Any]:
    """Returns everything but the episodes, for JSON."""
    return {
        **dict(zip(("version", "pursuer", "evader"), (found.version, *found.labels))),
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
    found = list[Episodes]()
    for method in given:
        runs = runs_in("evaluations", method)
        if len(runs) > 1:
            check_same_games(runs, runs[0].evader)
        found.append(Episodes.joined(runs, range(len(runs))))
    if not found:
        raise InvalidValue("evaluations must have at least one, got none")
    payoff, several = found[0].payoff, max(one.runs for one in found) > 1
    usual = ["capture_rate"] * (payoff is CAPTURE_TIME) + [payoff.mean]
    columns = ([metrics] if isinstance(metrics, str) else list(metrics)) or usual
    rows, notes = [], ["Mean over runs and starts where there are several runs."] * several
    for row in found:
        texts = [metric_text(name, row.metric(name)) for name in columns]
        count = (f"{row.runs}",) * several
        rows.append((*row.labels, *count, f"{len(row.seeds):,}", *texts))
        if note := note_on_runs(row.by_start(row.payoff.column), row.payoff.unit):
            notes.append(f"Of {row.pursuer} vs {row.evader}, {note}.")
    units = ("" if unit_of(name) == "%" else f" [{unit_of(name)}]" for name in columns)
    header = (f"{name.replace('_', ' ')}{unit}" for name, unit in zip(columns, units))
    games = [_game_of_opponent(one.config, sees_all=False) for one in found]
    if games.count(games[0]) < len(games):
        notes.insert(0, "The rows are not all of one game.")
    names = ("pursuer", "evader", *["runs"] * several, "episodes")
    return Table("Estimates [95% interval]", (*names, *header), rows, " ".join(notes))


def metric_text(name: str, interval: Interval, with_unit: bool = False) -> str:
    """Returns an estimate in percent, or with two digits."""
    if unit_of(name) == "%":
        return f"{interval:.1%}"
    return f"{interval:.2f}" + f" {unit_of(name)}" * with_unit


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
        games = [_flat(_game_of_opponent(x.config, sees_all)) for x in (first, other)]
        pairs = {n: [game.get(n) for game in games] for n in {**games[0], **games[1]}}
        if differing := [
            f"{name} is {shown(ours)} and {shown(theirs)}"
            for name, (ours, theirs) in pairs.items()
            if ours != theirs
        ]:
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


def _game_of_opponent(config: Game, sees_all: bool) -> Game:
    """A game without the other side's observation, actions and rewards."""
    seen = config.observation
    seen = ObservationConfig() if sees_all else replace(seen.exact, features=())
    return replace(config, observation=seen, action=ActionConfig(), reward=RewardConfig())


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """The fields of a dataclass by their names, such as "target.radius"."""
    if not is_dataclass(value):
        return {name: value}
    found: dict[str, Any] = {}
    for field in fields(value):
        found |= _flat(getattr(value, field.name), f"{name}.{field.name}".lstrip("."))
    return found
