"""Compares two policies, or two ways of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from steer_env.baselines.episode_tables import check_same_games, runs_in
from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import CAPTURE_TIME, DISTANCE, Payoff
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
from steer_env.errors import InvalidValue
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
    our_runs, their_runs = runs_in("ours", ours), runs_in("theirs", theirs)
    all_runs = [*our_runs, *their_runs]
    first, second = our_runs[0], their_runs[0]
    learner = _common_side(all_runs) if side is None else Side.named(side)
    opponents = {name for run in all_runs for name in run.names(learner.other.name)}
    check_same_games(all_runs, first.names(learner.other.name)[0])
    if len(opponents) > 1:
        raise InvalidValue(
            f"{learner.name}s can be compared only against the same opponent, got "
            f"{sorted(opponents)}"
        )
    names = [run.names(learner.name)[0] for run in (first, second)]
    if max(counts := (len(our_runs), len(their_runs))) > 1:
        _check_several("ours", ours, names[0])
        _check_several("theirs", theirs, names[1])
    one, other = (Episodes.joined(runs, range(len(runs))) for runs in (our_runs, their_runs))
    payoff, is_pursuer = first.payoff, learner is Side.PURSUER
    payoffs = one.by_start(payoff.column), other.by_start(payoff.column)
    notes = [(name, note_on_runs(values, payoff.unit)) for name, values in zip(names, payoffs)]
    distance = None
    if payoff is not CAPTURE_TIME:
        distance = paired_difference(payoffs[0], payoffs[1])
    return Comparison(
        ours=names[0],
        theirs=names[1],
        opponent=opponents.pop(),
        side=learner.name,
        units="episodes" if counts == (1, 1) else "training runs",
        count=len(first) if counts == (1, 1) else next(n for n in counts if n > 1),
        capture_rate=paired_rate_difference(
            one.by_start("captured"), other.by_start("captured")
        ),
        capture_time=paired_difference(
            one.by_start("time"), other.by_start("time"), limit=first.time_limit
        ),
        improvement=probability_of_improvement(*payoffs, lower_is_better=is_pursuer),
        runs=counts,
        note="; ".join(f"of {name}, {note}" for name, note in notes if note),
        distance=distance,
    )


def _check_several(what: str, given: Any, name: str) -> None:
    if isinstance(given, list | tuple) and len(given) == 1 and name not in NAMES:
        raise InvalidValue(
            f"{what} is a list with one training run, {name!r}, which does not show how much "
            "its training varies: pass several runs to compare ways of training, or the "
            "evaluation itself, not in a list, to compare with that one fixed policy"
        )


def _common_side(runs: Sequence[Episodes]) -> Side:
    """Returns the side on whose other side all names are the same."""
    found = [side for side in Side if len({run.names(side.other.name) for run in runs}) == 1]
    if len(found) != 1:
        raise InvalidValue(
            "the names of the players do not show which side is compared: pass side='pursuer' "
            "or side='evader'"
        )
    return found[0]
