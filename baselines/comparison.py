"""Compares two policies, or two ways of training."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.evaluation import (
    CAPTURE_TIME,
    DISTANCE,
    EPISODE,
    METRICS,
    Evaluation,
    Payoff,
    game_of_opponent,
    metric_text,
)
from steer_env.baselines.paired import (
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
)
from steer_env.baselines.policies import NAMES
from steer_env.baselines.statistics import Interval, jsonable
from steer_env.baselines.tables import Table, Tabled
from steer_env.baselines.training_runs import (
    difference_of_runs,
    improvement_of_runs,
    mean_of_runs,
    note_on_runs,
    rate_difference_of_runs,
    rate_of_runs,
)
from steer_env.errors import InvalidType, InvalidValue, check_choice, got, shown
from steer_env.scripts.roster import ROSTER, short_name
from steer_env.sides import Side

Runs: TypeAlias = Evaluation | Sequence[Evaluation]


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

    @property
    def payoff(self) -> Payoff:
        """`CAPTURE_TIME` or `DISTANCE`."""
        return CAPTURE_TIME if self.distance is None else DISTANCE

    @property
    def difference(self) -> Interval:
        """The mean payoff of ours minus that of theirs: `capture_time`, or `distance`."""
        return self.capture_time if self.distance is None else self.distance

    @property
    def fixed(self) -> str | None:
        """The name of the one policy that training runs are compared with, or None."""
        if 1 not in self.runs or self.runs == (1, 1):
            return None
        return (self.ours, self.theirs)[self.runs.index(1)]

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
        return {**jsonable(numbers), "fixed": self.fixed, "verdict": self.verdict}

    def table(self) -> Table:
        """Returns a table of the differences, with the verdict."""
        units = f"{self.count:,} {self.units}"
        if self.runs != (1, 1):
            counts = (
                "one fixed policy" if n == 1 else f"{n:,} training runs" for n in self.runs
            )
            units = f"{' and '.join(counts)},"
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
    starts (see `training_runs.difference_of_runs`). Several runs against one evaluation take
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
    our_runs, their_runs = _runs("ours", ours), _runs("theirs", theirs)
    all_runs = [*our_runs, *their_runs]
    first, second = our_runs[0], their_runs[0]
    learner = _common_side(all_runs) if side is None else Side.named(side)
    _check_same_games(all_runs, str(getattr(first, learner.other.name)))
    names = [str(getattr(run, learner.name)) for run in (first, second)]
    opponents = [str(getattr(run, learner.other.name)) for run in all_runs]
    if len(set(opponents)) > 1:
        raise InvalidValue(
            f"{learner.name}s can be compared only against the same opponent, got "
            f"{sorted(set(opponents))}"
        )
    counts = len(our_runs), len(their_runs)
    payoff = first.payoff
    captured, times, payoffs = (
        [np.array([run[column] for run in runs]) for runs in (our_runs, their_runs)]
        for column in ("captured", "time", payoff.column)
    )
    is_less = {"lower_is_better": learner == Side.PURSUER}
    notes: list[str] = []
    if counts == (1, 1):
        units, count = "episodes", len(first)
        rate = paired_rate_difference(first["captured"], second["captured"])
        improvement = probability_of_improvement(first.payoffs, second.payoffs, **is_less)
    else:
        units, count = "training runs", counts[0] if counts[0] > 1 else counts[1]
        _check_several("ours", ours, names[0])
        _check_several("theirs", theirs, names[1])
        for name, matrix in zip(names, payoffs):
            if note := note_on_runs(matrix, payoff.unit):
                notes.append(f"of {name}, {note}")
        rate = rate_difference_of_runs(captured[0], captured[1])
        improvement = improvement_of_runs(payoffs[0], payoffs[1], **is_less)
    time = mean_difference(times[0], times[1], first.time_limit)
    distance = None
    if payoff is not CAPTURE_TIME:
        distance = mean_difference(payoffs[0], payoffs[1], None)
    about = names[0], names[1], opponents[0], learner.name, units, count
    return Comparison(*about, rate, time, improvement, counts, "; ".join(notes), distance)


def table_of(evaluations: Evaluation | Iterable[Runs], metrics: Iterable[str] = ()) -> Table:
    """Puts several players into one table, a row for each.

    Args:
        evaluations: of any players and games. A list of evaluations in it, one of each training
            run of a method, makes one row: the mean over runs and starts, with its interval.
        metrics: the columns, from `METRICS`; by default the capture rate and the mean capture
            time, or the mean distance where that is the payoff.

    A ValueError refuses a metric that one of them lacks, and runs of one row that are not of
    one game and from the same starts.

    Raises:
        TypeError: for anything but evaluations.
        ValueError: if there are none, for a metric that one of them lacks, or for runs of one
            row that are not of one game and from the same starts.
    """
    given = [evaluations] if isinstance(evaluations, Evaluation) else evaluations
    for what, one in {"evaluations": given, "metrics": metrics}.items():
        if not isinstance(one, Iterable):
            raise InvalidType(f"{what} must be a list, {got(one)}")
    methods = [_runs("evaluations", one) for one in given]
    if not methods:
        raise InvalidValue("evaluations must have at least one, got none")
    payoff, several = methods[0][0].payoff, max(map(len, methods)) > 1
    usual = ["capture_rate"] * (payoff is CAPTURE_TIME) + [payoff.mean]
    columns = ([metrics] if isinstance(metrics, str) else list(metrics)) or usual
    rows, notes = [], ["Mean over runs and starts where there are several runs."] * several
    for runs in methods:
        first, count = runs[0], (f"{len(runs)}",) * several
        texts = [metric_text(name, metric_of_runs(runs, name)) for name in columns]
        rows.append((first.pursuer, first.evader, *count, f"{len(first):,}", *texts))
        if note := note_on_runs([run.payoffs for run in runs], first.payoff.unit):
            notes.append(f"Of {first.pursuer} vs {first.evader}, {note}.")
    units = ("" if METRICS[name] == "%" else f" [{METRICS[name]}]" for name in columns)
    header = (f"{name.replace('_', ' ')}{unit}" for name, unit in zip(columns, units))
    games = [game_of_opponent(runs[0].config, sees_all=False) for runs in methods]
    if games.count(games[0]) < len(games):
        notes.insert(0, "The rows are not all of one game.")
    names = ("pursuer", "evader", *["runs"] * several, "episodes")
    return Table("Estimates [95% interval]", (*names, *header), rows, " ".join(notes))


def metric_of_runs(runs: Sequence[Evaluation], name: str) -> Interval:
    """Returns one of `METRICS` over training runs, all of one game and from the same starts.

    Of several runs it is the mean over runs and starts (`training_runs.mean_of_runs`), clipped
    to the possible values; they have no medians and interquartile means.
    """
    first = runs[0]
    known, about = first.metric_names, f"metric of {first.pursuer} vs {first.evader}"
    if len(runs) == 1:
        check_choice(about, name, known)
        return getattr(first, name)
    check_choice(f"{about} over several runs", name, [one for one in known if one in _COLUMNS])
    _check_same_games(runs, first.evader)
    values = np.array([run[_COLUMNS[name]] for run in runs])
    if name == "capture_rate":
        return rate_of_runs(values)
    highest = {"%": 1.0, "s": first.time_limit}.get(METRICS[name], np.inf)
    is_negative = name == "mean_distance" and first.config.payoff == "target_distance"
    return mean_of_runs(values).clipped(*((-np.inf, 0.0) if is_negative else (0.0, highest)))


_COLUMNS = {f"mean_{name}": name for name in EPISODE.names or ()} | {
    "capture_rate": "captured",
    "mean_capture_time": "time",
    "mean_closest_distance": "closest",
}


def mean_difference(
    ours: NDArray[np.float64], theirs: NDArray[np.float64], limit: float | None
) -> Interval:
    """The mean of ours - theirs, (runs, starts) each, that differ by the limit at most."""
    if len(ours) == len(theirs) == 1:
        return paired_difference(ours[0], theirs[0], limit=limit)
    found = difference_of_runs(ours, theirs)
    return found if limit is None else found.clipped(-limit, limit)


def _check_several(what: str, given: Any, name: str) -> None:
    if isinstance(given, list | tuple) and len(given) == 1 and name not in NAMES:
        raise InvalidValue(
            f"{what} is a list with one training run, {name!r}, which does not show how much "
            "its training varies: pass several runs to compare ways of training, or the "
            "evaluation itself, not in a list, to compare with that one fixed policy"
        )


def _runs(what: str, given: Any) -> list[Evaluation]:
    runs: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    for run in runs:
        if not isinstance(run, Evaluation):
            raise InvalidType(
                f"{what} must be what evaluate returned, or a list of that for several "
                f"training runs, {got(run)}"
            )
    if not runs:
        raise InvalidValue(f"{what} must not be an empty list: there is nothing to compare")
    return runs


def _check_same_games(evaluations: Sequence[Evaluation], opponent: str) -> None:
    first = evaluations[0]
    script = ROSTER.get(short_name(opponent))
    sees_all = script is not None and script.sees == "all"
    if len(first) < 2:
        raise InvalidValue("one episode has no interval: play at least two to compare")
    for other in evaluations[1:]:
        if other.version != first.version:
            raise InvalidValue(
                f"the evaluations are of steer_env {first.version} and {other.version}, "
                "in which the same policies may play differently: play them again"
            )
        ours, theirs = (_flat(game_of_opponent(e.config, sees_all)) for e in (first, other))
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
        if not np.array_equal(other["seed"], first["seed"]):
            raise InvalidValue(
                "the evaluations are not from the same starts: play both with equal seed and "
                f"episodes; got {first['seed'][0]} to {first['seed'][-1]} and "
                f"{other['seed'][0]} to {other['seed'][-1]}"
            )


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """The fields of a dataclass by their names, such as "target.radius"."""
    if not is_dataclass(value):
        return {name: value}
    found: dict[str, Any] = {}
    for field in fields(value):
        found |= _flat(getattr(value, field.name), f"{name}.{field.name}".lstrip("."))
    return found


def _common_side(runs: Sequence[Evaluation]) -> Side:
    """Returns the side on whose other side all names are the same."""
    found = [side for side in Side if len({getattr(run, side.other.name) for run in runs}) == 1]
    if len(found) != 1:
        raise InvalidValue(
            "the names of the players do not show which side is compared: pass side='pursuer' "
            "or side='evader'"
        )
    return found[0]
