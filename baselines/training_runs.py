"""Intervals for several training runs that all play from the same starts.

Results vary with the training runs, and with the starts. An interval has to cover both: the
runs of ours, the runs of theirs and the starts are crossed random factors, and each estimate is
a mean over all three. With the values of one fixed policy, such as a hand-written one, it
covers the runs of the other list alone.

The variance of a mean is the variance between runs, plus that between starts, minus that of
single episodes, which both of these contain (Cameron, Gelbach and Miller 2011). Student's t has
Satterthwaite's (1946) degrees of freedom. If the runs differ most, the interval of a mean or of
a difference holds the truth 95% of the time with 5 runs, 93% with 3 and 90% with 2 (the
bootstrap 84% with 5). That of a share is of its log odds: with five runs it holds a rate 93 to
97% of the time, 88 to 99% for high rates that differ much, and the probability of improvement,
a U-statistic (Hoeffding 1948), 91 to 98% up to 0.8, and 75 to 97% from 0.9 on.

**Runs that fail.** The intervals of means rest on runs that vary like normal numbers. If one
run in five fails (four captures at 4.3 s, one never), a third of all studies of five runs see
no failure, and the interval of the mean holds the true mean 70% of the time or less. Report
the runs, their median, and the share of failed runs with its interval
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

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import needing

with needing("baselines"):
    from scipy import stats

_FEW_RUNS = 20  # from here on, t intervals hold 92% of the time even if one run in five fails
_SURPRISE = 0.01  # the share of normal runs that would be called far from normal
_FACTORS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))


def note_on_runs(values: NDArray[np.float64], unit: str = "") -> str:
    """Returns a sentence if an interval of the mean over the runs is unreliable, else "".

    That is, if there are fewer than 20 runs, their means differ by more than the starts
    explain, and are far from normal (Shapiro and Wilk 1965, at 1%), as with one failed run of
    five. The values are (runs, starts), or (starts,) of one.
    """
    matrix = np.atleast_2d(values)
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


def crossed_mean(values: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """The mean over all axes (our runs, their runs, starts), and half of its interval.

    Each axis is a random factor. The variance is the alternating sum of mean squares: single
    factors, less pairs, plus all three; at least that of the runs or the starts by themselves.
    """
    estimate, squares = float(values.mean()), dict[tuple[int, ...], float]()
    for factors in _FACTORS:
        others = tuple(axis for axis in range(values.ndim) if axis not in factors)
        effects = values.mean(axis=others, keepdims=True)
        freedom = float(np.prod([values.shape[axis] - 1 for axis in factors]))
        for axis in factors:
            effects = effects - effects.mean(axis=axis, keepdims=True)
        squares[factors] = float((effects**2).sum()) / max(freedom, 1.0) / effects.size
    ours, theirs, starts, runs = (squares[factors] for factors in ((0,), (1,), (2,), (0, 1)))
    variance = sum(
        -square if len(factors) == 2 else square for factors, square in squares.items()
    )
    variance = max(variance, ours + theirs - runs, ours, theirs, starts)
    if variance <= (1e-12 * float(abs(values).max())) ** 2:  # rounding
        return estimate, 0.0
    shares = sum(
        square**2 / (count - 1)
        for square, count in zip((ours, theirs, starts), values.shape)
        if count > 1
    )
    t = float(stats.t.ppf(0.5 + confidence / 2.0, variance**2 / shares))
    return estimate, float(t * np.sqrt(variance))
