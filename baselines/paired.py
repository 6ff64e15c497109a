"""Differences between two policies that play from the same starts, pair by pair.

The influence of the common starts cancels, so the intervals are short. Each function is about
two given policies; for ways of training, see `training_runs`. The values of both
policies have the shape (pairs,), in the same order; confidence and errors are those of
`statistics`.

References:
    Agarwal et al. (2021). Deep reinforcement learning at the edge of the statistical
        precipice. Advances in Neural Information Processing Systems 34.
    Bonett and Price (2012). Adjusted Wald confidence interval for a difference of binomial
        proportions based on paired data. J. of Educational and Behavioral Statistics 37.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.baselines.statistics import (
    LARGEST,
    ROUNDING,
    Interval,
    bool_array,
    check_confidence,
    check_pairs,
    finite_pair,
    mean_with_interval,
    stats,
)
from steer_env.errors import InvalidValue, check_flag, check_number


def paired_difference(
    ours: ArrayLike, theirs: ArrayLike, confidence: float = 0.95, *, limit: float | None = None
) -> Interval:
    """Returns the mean of ours - theirs, pair by pair, with its interval.

    With a limit, the largest difference possible, it is the interval of Bonett and Price (2012)
    with two more pairs that differ by plus and minus the limit: at rare differences it holds
    the truth 93 to 100% of the time. Without a limit it is the bootstrap's, 57 to 95% there.
    """
    first, second = finite_pair(ours, theirs, 2)
    differences = first - second
    if limit is None:
        return mean_with_interval(differences, confidence)
    limit = check_number("limit", limit, 0.0, LARGEST, above=True)
    most = np.abs(differences).max()
    if most > limit * (1.0 + ROUNDING):
        raise InvalidValue(
            f"ours and theirs must differ by at most the limit, {limit:g}, got {most:g}"
        )
    return _bounded_difference(differences, limit, confidence)


def paired_rate_difference(
    ours: ArrayLike, theirs: ArrayLike, confidence: float = 0.95
) -> Interval:
    """Returns the rate of ours minus the rate of theirs, for bools, pair by pair.

    The interval is that of Bonett and Price (2012), which has some length even if both always
    agree. If only a handful of pairs differ, it errs on the long side.
    """
    first, second = bool_array("ours", ours), bool_array("theirs", theirs)
    check_pairs("ours and theirs", first, second)
    return _bounded_difference(first.astype(float) - second, 1.0, confidence)


def probability_of_improvement(
    ours: ArrayLike,
    theirs: ArrayLike,
    confidence: float = 0.95,
    *,
    lower_is_better: bool = False,
) -> Interval:
    """Returns the share of pairs in which ours is better, with half of the ties.

    As in Agarwal et al. (2021), but within pairs. It is half of 1 + wins - losses (as shares),
    so its interval follows from that of `paired_rate_difference`. ``lower_is_better`` is True
    for the capture times of pursuers, for example.
    """
    first, second = finite_pair(ours, theirs, 1)
    check_flag("lower_is_better", lower_is_better)
    wins = np.sign(second - first) if lower_is_better else np.sign(first - second)
    difference = _bounded_difference(wins, 1.0, confidence)
    return Interval(*(0.5 + 0.5 * value for value in difference))


def _bounded_difference(
    differences: NDArray[np.float64], limit: float, confidence: float
) -> Interval:
    """Wald's interval with two more pairs that differ by plus and minus the limit.

    For differences -1, 0 and 1, it is the interval of Bonett and Price (2012).
    """
    confidence = check_confidence(confidence)
    pairs = len(differences) + 2
    center = differences.sum() / pairs
    variance = ((differences**2).sum() + 2.0 * limit**2) / pairs - center**2
    low, high = stats.norm.interval(confidence, center, np.sqrt(variance / pairs))
    return Interval(float(differences.mean()), float(low), float(high)).clipped(-limit, limit)
