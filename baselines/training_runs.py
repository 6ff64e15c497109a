"""Intervals for several training runs that all play from the same starts.

Results vary with the training runs, and with the starts. An interval has to cover both: the
runs of ours, the runs of theirs and the starts are crossed random factors, and each estimate is
a mean over all three. A list with one row is one fixed policy, such as a hand-written one: the
interval then covers the runs of the other list alone.

Values are (runs, starts), one for each episode, with at least two starts; those of ours and of
theirs are from the same starts. Confidence and errors are those of `statistics`.

**Runs that fail.** The intervals of means rest on runs that vary like normal numbers. If one
run in five fails (four captures at 4.3 s, one never), a third of all studies of five runs see
no failure, and the interval of the mean holds the true mean 70% of the time or less. No
interval mends that: if 52% of all runs fail, five runs show no failure one time in 40. Report
the runs, and robust numbers: the median, and the share of failed runs with its interval
(``scipy.stats.binomtest(failed, runs).proportion_ci()``). `note_on_runs` says when this shows.

References:
    Cameron, Gelbach and Miller (2011). Robust inference with multiway clustering. J. of
        Business & Economic Statistics 29.
    Hoeffding (1948). A class of statistics with asymptotically normal distribution. Annals of
        Mathematical Statistics 19.
    Satterthwaite (1946). An approximate distribution of estimates of variance components.
        Biometrics Bulletin 2.
    Shapiro and Wilk (1965). An analysis of variance test for normality. Biometrika 52.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.baselines.statistics import (
    Interval,
    bool_array,
    check_confidence,
    finite_array,
    finite_pair,
    stats,
    wilson_interval,
)
from steer_env.errors import check_flag

_FEW_RUNS = 20  # from here on, t intervals hold 92% of the time even if one run in five fails
_SURPRISE = 0.01  # the share of normal runs that would be called far from normal


class _CrossedMean(NamedTuple):
    """A mean over crossed factors, its variance, and the variance's degrees of freedom."""

    estimate: float
    variance: float
    freedom: float

    def student(self, confidence: float) -> Interval:
        """Returns Student's t interval."""
        half = self._quantile(confidence) * np.sqrt(self.variance)
        return Interval(self.estimate, float(self.estimate - half), float(self.estimate + half))

    def logit(self, confidence: float) -> Interval:
        """Returns Student's t interval of the log odds of a mean between 0 and 1."""
        share = self.estimate
        half = self._quantile(confidence) * np.sqrt(self.variance) / (share * (1.0 - share))
        odds = np.exp(np.minimum(half, 100.0)) * np.array([1.0 - share, share])
        return Interval(
            share, float(share / (share + odds[0])), float(odds[1] / (odds[1] + 1.0 - share))
        )

    def _quantile(self, confidence: float) -> float:
        return float(stats.t.ppf(0.5 + confidence / 2.0, self.freedom))


def difference_of_runs(
    ours: ArrayLike, theirs: ArrayLike, confidence: float = 0.95
) -> Interval:
    """Returns the difference of two means, with an interval over training runs and starts.

    The variance of the mean is the variance between runs, plus that between starts, minus that
    of single episodes, which both of these contain (Cameron, Gelbach and Miller 2011).
    Student's t has Satterthwaite's (1946) degrees of freedom. If the runs differ most, the
    interval holds the truth 95% of the time with 5 runs, 93% with 3 and 90% with 2 (the
    bootstrap 84% with 5). See the module for runs that fail.
    """
    first, second = finite_pair(ours, theirs, 1, 2)
    confidence = check_confidence(confidence)
    return _crossed_mean(first[:, None] - second).student(confidence)


def mean_of_runs(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Returns the mean over training runs and starts, as in `difference_of_runs`."""
    confidence = check_confidence(confidence)
    return _crossed_mean(finite_array("values", values, 1, 2)[:, None]).student(confidence)


def rate_of_runs(successes: ArrayLike, confidence: float = 0.95) -> Interval:
    """Returns the share of successes, given as bools, over training runs and starts.

    The interval is Student's t of the log odds, as in `difference_of_runs`: with five runs it
    holds the truth 93 to 97% of the time, 88 to 99% for high rates that differ much. If nothing
    varies, it is Wilson's over the starts.
    """
    matrix = finite_array("successes", bool_array("successes", successes, 2), 1, 2)
    confidence = check_confidence(confidence)
    found = _crossed_mean(matrix[:, None])
    if found.variance == 0.0:
        return wilson_interval(found.estimate, matrix.shape[1], confidence)
    return found.logit(confidence)


def rate_difference_of_runs(
    ours: ArrayLike, theirs: ArrayLike, confidence: float = 0.95
) -> Interval:
    """Returns the difference of two rates, of bools, over training runs and starts.

    It is that of `difference_of_runs` with two more starts, as in `paired_rate_difference`, so
    it has some length even if all episodes succeed.
    """
    outcomes = bool_array("ours", ours, 2), bool_array("theirs", theirs, 2)
    matrices = finite_pair(*outcomes, 1, 2)
    first, second = (
        np.hstack([matrix, np.tile(more, (len(matrix), 1))])
        for matrix, more in zip(matrices, ([1.0, 0.0], [0.0, 1.0]))
    )
    estimate = float(matrices[0].mean() - matrices[1].mean())
    found = difference_of_runs(first, second, confidence).clipped(-1.0, 1.0)
    return Interval(estimate, min(found.low, estimate), max(found.high, estimate))


def improvement_of_runs(
    ours: ArrayLike,
    theirs: ArrayLike,
    confidence: float = 0.95,
    *,
    lower_is_better: bool = False,
) -> Interval:
    """Returns the probability that a run of ours does better than a run of theirs.

    Both play from the same start; ties count as half. The estimate is the mean over all pairs
    of runs and all starts, a U-statistic (Hoeffding 1948). The interval is Student's t of the
    log odds; if nothing varies, it is Wilson's over the runs of the side that has fewer.
    ``lower_is_better`` is True for the capture times of pursuers, for example.

    In simulations, 95% intervals hold the truth 91 to 98% of the time for probabilities up to
    0.8, and 75 to 97% from 0.9 on.
    """
    first, second = finite_pair(ours, theirs, 1, 2)
    confidence = check_confidence(confidence)
    check_flag("lower_is_better", lower_is_better)
    ahead = np.sign(first[:, None] - second)
    found = _crossed_mean(0.5 - 0.5 * ahead if lower_is_better else 0.5 + 0.5 * ahead)
    if found.variance == 0.0:
        runs = [len(one) for one in (first, second) if len(one) > 1]
        return wilson_interval(found.estimate, min(runs, default=first.shape[1]), confidence)
    return found.logit(confidence)


def note_on_runs(values: ArrayLike, unit: str = "") -> str:
    """Returns a sentence if an interval of the mean over the runs is unreliable, else "".

    That is, if there are fewer than 20 runs, their means differ by more than the starts
    explain, and are far from normal (Shapiro and Wilk 1965, at 1%), as with one failed run of
    five.
    """
    matrix = finite_array("values", values, 1, 2)
    means = np.sort(matrix.mean(axis=1))
    if not 3 <= len(means) < _FEW_RUNS:
        return ""
    of_starts = matrix.mean(axis=0).var(ddof=1) / matrix.shape[1]
    if means.var(ddof=1) / len(means) <= max(of_starts, (1e-9 * abs(means).max()) ** 2):
        return ""
    if stats.shapiro(means).pvalue >= _SURPRISE:
        return ""
    listed = ", ".join(f"{mean:.3g}" for mean in means)
    return (
        f"the {len(means)} runs ({listed}{' ' * bool(unit)}{unit}) are far from normal, as if "
        "some had failed, so intervals of their mean are unreliable: report every run, their "
        "median or the share of failed runs"
    )


def _crossed_mean(values: NDArray[np.float64]) -> _CrossedMean:
    """The mean over all axes (our runs, their runs, starts), each a random factor.

    Its variance is the alternating sum of mean squares: single factors, less pairs, plus all
    three; at least that of the runs or the starts by themselves.
    """
    estimate = float(values.mean())
    squares = {factors: _mean_square(values, factors) for factors in _FACTORS}
    ours, theirs, starts, runs = (squares[factors] for factors in ((0,), (1,), (2,), (0, 1)))
    variance = sum(
        -square if len(factors) == 2 else square for factors, square in squares.items()
    )
    variance = max(variance, ours + theirs - runs, ours, theirs, starts)
    if variance <= (1e-12 * float(abs(values).max())) ** 2:  # rounding
        return _CrossedMean(estimate, 0.0, 1.0)
    shares = sum(
        square**2 / (count - 1)
        for square, count in zip((ours, theirs, starts), values.shape)
        if count > 1
    )
    return _CrossedMean(estimate, variance, variance**2 / shares)


_FACTORS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))


def _mean_square(values: NDArray[np.float64], factors: tuple[int, ...]) -> float:
    """The mean square of the effects of some factors, over the number of all values."""
    freedom = float(np.prod([values.shape[axis] - 1 for axis in factors]))
    if freedom == 0.0:
        return 0.0
    others = tuple(axis for axis in range(values.ndim) if axis not in factors)
    effects = values.mean(axis=others, keepdims=True)
    for axis in factors:
        effects = effects - effects.mean(axis=axis, keepdims=True)
    return float((effects**2).sum()) / freedom / effects.size
