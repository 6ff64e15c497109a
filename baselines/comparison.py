"""Compares two policies: is one better than the other, by how much, and how sure is that?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baselines.evaluation import Evaluation
from baselines.statistics import (
    Interval,
    jsonable,
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
)
from baselines.tables import Table, percent, plain_text
from baselines.training_runs import difference_of_runs, mean_of_runs
from steer_env.errors import InvalidType, InvalidValue, got
from steer_env.sides import Side


@dataclass(frozen=True)
class Comparison:
    """Two policies of one side against the same opponent, from the same starts.

    Attributes:
        ours: name of the first policy.
        theirs: name of the second.
        opponent: name of the policy on the other side.
        side: "pursuer" or "evader", the side of the two policies.
        units: what the intervals are over: "episodes", or "training runs" and their starts.
        count: how many pairs of episodes, or training runs of ours.
        capture_rate: ours minus theirs.
        capture_time: ours minus theirs, in seconds; time-outs at the limit.
        improvement: the probability that ours does better than theirs: captures sooner as a
            pursuer, stays free for longer as an evader; ties count as half.
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

    @property
    def verdict(self) -> str:
        """One sentence: better, worse, or not known, by the interval of the capture time."""
        sooner = self.capture_time.high < 0.0
        if not sooner and self.capture_time.low <= 0.0:
            return f"no significant difference between {self.ours} and {self.theirs}"
        is_better = sooner == (self.side == Side.PURSUER.name)
        word, opposite = ("better", "worse") if is_better else ("worse", "better")
        seconds, speed = abs(self.capture_time.estimate), "sooner" if sooner else "later"
        verdict = (
            f"{self.ours} is {word} than {self.theirs}: captures come {seconds:.2f} s {speed}"
        )
        if self.improvement.high < 0.5 if is_better else self.improvement.low > 0.5:
            verdict += f" on average, though from most starts it does {opposite}"
        return verdict

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers and the verdict, for JSON."""
        return {**jsonable(vars(self)), "verdict": self.verdict}

    def table(self) -> Table:
        """Returns a table of the differences, with the verdict."""
        points = Interval(*(100.0 * share for share in self.capture_rate))
        return Table(
            f"{self.ours} minus {self.theirs}, {self.side}s against {self.opponent}, "
            f"{self.count:,} {self.units} from the same starts",
            ("metric", "difference [95 % interval]"),
            [
                ("capture rate, percentage points", f"{points:+.1f}"),
                ("mean capture time, s", f"{self.capture_time:+.2f}"),
                ("probability of improvement", percent(self.improvement)),
            ],
            f"Verdict: {self.verdict}.",
        )

    def __str__(self) -> str:
        """Returns the table as text."""
        return plain_text(self.table())


def compare(
    ours: Evaluation | Sequence[Evaluation],
    theirs: Evaluation | Sequence[Evaluation],
    side: str | None = None,
) -> Comparison:
    """Compares two policies pair by pair, or two ways of training run by run.

    One evaluation on each side is compared episode by episode. For several evaluations, one of
    each training run, the intervals are over runs and starts (see
    `training_runs.difference_of_runs`), since the episodes of a run share one policy.

    Args:
        ours: from `evaluate`; a list of at least two for several training runs.
        theirs: the same for the other policy.
        side: "pursuer" or "evader", the side whose policies differ; None to find it by the
            names.

    Raises:
        TypeError: if they are not evaluations.
        ValueError: if they did not play the same game from the same starts against the same
            opponent, or the side cannot be found.
    """
    our_runs, their_runs = _runs("ours", ours), _runs("theirs", theirs)
    all_runs = [*our_runs, *their_runs]
    _check_same_games(all_runs)
    first, second = our_runs[0], their_runs[0]
    learner = _common_side(all_runs) if side is None else Side.named(side)
    names, opponents = (
        [str(getattr(run, role.name)) for run in all_runs] for role in (learner, learner.other)
    )
    if len(set(opponents)) > 1:
        raise InvalidValue(
            f"{learner.name}s can be compared only against the same opponent, got "
            f"{sorted(set(opponents))}"
        )
    lower_is_better = learner == Side.PURSUER
    if len(all_runs) == 2:
        units, count = "episodes", len(first)
        capture_rate = paired_rate_difference(first["captured"], second["captured"])
        capture_time = paired_difference(first["time"], second["time"])
        improvement = probability_of_improvement(
            first["time"], second["time"], lower_is_better=lower_is_better
        )
    elif len(our_runs) == 1:
        raise InvalidValue(
            "one evaluation against several training runs: pass the several ones first"
        )
    else:
        units, count, limit = "training runs", len(our_runs), first.time_limit
        captured, times = (
            [np.array([run[column] for run in runs]) for runs in (our_runs, their_runs)]
            for column in ("captured", "time")
        )
        capture_rate = difference_of_runs(captured[0], captured[1]).clipped(-1.0, 1.0)
        capture_time = difference_of_runs(times[0], times[1]).clipped(-limit, limit)
        sign = -0.5 if lower_is_better else 0.5
        # (our runs, starts): the share of their runs that ours beats from a start.
        shares = np.mean([0.5 + sign * np.sign(times[0] - other) for other in times[1]], axis=0)
        improvement = mean_of_runs(shares).clipped(0.0, 1.0)
    players = names[0], names[len(our_runs)], opponents[0], learner.name
    return Comparison(*players, units, count, capture_rate, capture_time, improvement)


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


def _check_same_games(evaluations: Sequence[Evaluation]) -> None:
    first = evaluations[0]
    if len(first) < 2:
        raise InvalidValue("one episode has no interval: play at least two to compare")
    for other in evaluations[1:]:
        if other.version != first.version:
            raise InvalidValue(
                f"the evaluations are of steer_env {first.version} and {other.version}, "
                "in which the same policies may play differently: play them again"
            )
        if other.config != first.config:
            raise InvalidValue("the evaluations are of different games: their configs differ")
        if not np.array_equal(other["seed"], first["seed"]):
            raise InvalidValue(
                "the evaluations are not from the same starts: play both with equal seed and "
                f"episodes; got {first['seed'][0]} to {first['seed'][-1]} and "
                f"{other['seed'][0]} to {other['seed'][-1]}"
            )


def _common_side(runs: Sequence[Evaluation]) -> Side:
    """Returns the side whose policies differ: on the other side, all names are the same."""
    found = [side for side in Side if len({getattr(run, side.other.name) for run in runs}) == 1]
    if len(found) != 1:
        raise InvalidValue(
            "the names of the players do not show which side is compared: pass side='pursuer' "
            "or side='evader'"
        )
    return found[0]
