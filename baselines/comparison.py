"""Is one policy better than another, by how much, and how sure is that?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation import Evaluation
from baselines.statistics import (
    Interval,
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
)
from baselines.tables import Table, percent, plain_text
from baselines.training_runs import clipped, difference_of_runs, mean_of_runs
from steer_env.errors import InvalidType, InvalidValue, check_choice


@dataclass(frozen=True)
class Comparison:
    """Two policies of one side against the same opponent, from the same starts.

    Attributes:
        ours: name of the first policy.
        theirs: name of the second.
        opponent: name of who plays the other side.
        side: "pursuer" or "evader", whose policies are compared.
        units: what the intervals count: "episodes", or "training runs" and the starts.
        count: how many pairs of episodes, or training runs of ours.
        capture_rate: ours minus theirs.
        capture_time: ours minus theirs, in seconds; time-outs at the limit.
        improvement: the probability that ours does better than theirs: captures sooner as a
            pursuer, is free for longer as an evader; ties count as half.
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
        sign = -1.0 if self.side == "pursuer" else 1.0
        low, high = sorted(sign * bound for bound in self.capture_time[1:])
        speed = "sooner" if self.capture_time.estimate < 0.0 else "later"
        if low <= 0.0 <= high:
            return f"no significant difference between {self.ours} and {self.theirs}"
        word = "better" if low > 0.0 else "worse"
        seconds = abs(self.capture_time.estimate)
        verdict = (
            f"{self.ours} is {word} than {self.theirs}: captures come {seconds:.2f} s {speed}"
        )
        if low > 0.0 and self.improvement.high < 0.5:
            verdict += " on average, though from most starts it does worse"
        if high < 0.0 and self.improvement.low > 0.5:
            verdict += " on average, though from most starts it does better"
        return verdict

    def to_dict(self) -> dict[str, Any]:
        """The figures and the verdict, for JSON."""
        figures = {
            name: value._asdict() if isinstance(value, Interval) else value
            for name, value in vars(self).items()
        }
        return {**figures, "verdict": self.verdict}

    def table(self) -> Table:
        """The differences, and the verdict."""
        in_points = Interval(*(100.0 * share for share in self.capture_rate))
        return Table(
            f"{self.ours} minus {self.theirs}, {self.side}s against {self.opponent}, "
            f"{self.count:,} {self.units} from the same starts",
            ("metric", "difference [95 % interval]"),
            [
                ("capture rate, percentage points", f"{in_points:+.1f}"),
                ("mean capture time, s", f"{self.capture_time:+.2f}"),
                ("probability of improvement", percent(self.improvement)),
            ],
            f"Verdict: {self.verdict}.",
        )

    def __str__(self) -> str:
        """The table."""
        return plain_text(self.table())


def compare(
    ours: Evaluation | Sequence[Evaluation],
    theirs: Evaluation | Sequence[Evaluation],
    side: str | None = None,
) -> Comparison:
    """Compares two policies, pair by pair, or run by run.

    One evaluation on each side is compared episode by episode. Of several evaluations, one of
    each training run, the intervals allow for the luck of the runs as well as for that of the
    starts (`training_runs.difference_of_runs`): the episodes of a run share one policy.

    Args:
        ours: what `evaluate` returned; a list of at least two for several training runs.
        theirs: the same for the other policy.
        side: "pursuer" or "evader", whose policies differ; None to see it from the names.

    Raises:
        TypeError: if they are no evaluations.
        ValueError: if they did not play the same game from the same starts against the same
            opponent, or the side cannot be seen.
    """
    our_runs = [ours] if isinstance(ours, Evaluation) else list(ours)
    their_runs = [theirs] if isinstance(theirs, Evaluation) else list(theirs)
    if not our_runs or not their_runs:
        raise InvalidValue("nothing to compare: an empty list of evaluations")
    all_runs = [*our_runs, *their_runs]
    _check_same_games(all_runs)
    first, second = our_runs[0], their_runs[0]
    side = _side(our_runs, their_runs) if side is None else side
    check_choice("side", side, ("pursuer", "evader"))
    opponents = {run.evader if side == "pursuer" else run.pursuer for run in all_runs}
    if len(opponents) > 1:
        raise InvalidValue(
            f"{side}s can be compared only against the same opponent, got {sorted(opponents)}"
        )
    (opponent,) = opponents
    sooner_is_better = side == "pursuer"
    names = [getattr(evaluation, side) for evaluation in (first, second)]
    if len(our_runs) == len(their_runs) == 1:
        return Comparison(
            names[0],
            names[1],
            opponent,
            side,
            "episodes",
            len(first),
            paired_rate_difference(first["captured"], second["captured"]),
            paired_difference(first["time"], second["time"]),
            probability_of_improvement(
                first["time"], second["time"], lower_is_better=sooner_is_better
            ),
        )
    if len(our_runs) == 1:
        raise InvalidValue(
            "one evaluation against several training runs: pass the several ones first"
        )
    captured = _matrix(our_runs, "captured"), _matrix(their_runs, "captured")
    times = _matrix(our_runs, "time"), _matrix(their_runs, "time")
    return Comparison(
        names[0],
        names[1],
        opponent,
        side,
        "training runs",
        len(our_runs),
        clipped(difference_of_runs(*captured), -1.0, 1.0),
        clipped(difference_of_runs(*times), -first.time_limit, first.time_limit),
        _improvement_of_runs(*times, sooner_is_better),
    )


def _matrix(runs: Sequence[Evaluation], column: str) -> NDArray[np.float64]:
    return np.array([run[column] for run in runs], np.float64)


def _improvement_of_runs(
    ours: NDArray[np.float64], theirs: NDArray[np.float64], lower_is_better: bool
) -> Interval:
    sign = -1.0 if lower_is_better else 1.0
    # (our runs, starts): the share of their runs that ours beats from a start.
    shares = np.mean([0.5 + 0.5 * np.sign(sign * (ours - other)) for other in theirs], axis=0)
    return clipped(mean_of_runs(shares), 0.0, 1.0)


def _check_same_games(evaluations: Sequence[Evaluation]) -> None:
    for given in evaluations:
        if not isinstance(given, Evaluation):
            raise InvalidType(f"compare needs what evaluate returned, got {given!r}")
    first = evaluations[0]
    if len(first) < 2:
        raise InvalidValue("one episode has no interval: play at least two to compare")
    for other in evaluations[1:]:
        if other.version != first.version:
            raise InvalidValue(
                f"the evaluations are of steer_env {first.version} and {other.version}, "
                "in which the same policies may play differently: play them anew"
            )
        if other.config != first.config:
            raise InvalidValue("the evaluations are of different games: their configs differ")
        if not np.array_equal(other["seed"], first["seed"]):
            raise InvalidValue(
                "the evaluations are not from the same starts: play both with equal seed and "
                f"episodes; got {first['seed'][0]} to {first['seed'][-1]} and "
                f"{other['seed'][0]} to {other['seed'][-1]}"
            )


def _side(ours: Sequence[Evaluation], theirs: Sequence[Evaluation]) -> str:
    runs = [*ours, *theirs]
    same = {
        side: len({getattr(run, side) for run in runs}) == 1 for side in ("pursuer", "evader")
    }
    if same["pursuer"] == same["evader"]:
        raise InvalidValue(
            "which side is compared cannot be seen from the names of who played: pass "
            "side='pursuer' or side='evader'"
        )
    return "pursuer" if same["evader"] else "evader"
