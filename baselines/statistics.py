"""Intervals for what was measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


class Interval(NamedTuple):
    """A mean and its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """The mean, and the interval in brackets."""
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def mean_with_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean of independent values, with Student's t interval.

    Raises:
        ValueError: for fewer than two values.
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(f"need a list of at least two values, got the shape {values.shape}")
    mean = float(values.mean())
    if np.ptp(values) == 0.0:
        return Interval(mean, mean, mean)
    found = stats.ttest_1samp(values, 0.0).confidence_interval(confidence)
    return Interval(mean, float(found.low), float(found.high))


def rate_with_interval(successes: ArrayLike, confidence: float = 0.95) -> Interval:
    """The share of successes, with Wilson's interval, which holds near 0 and 1 as well.

    Raises:
        ValueError: for anything but a list of True and False, at least one.
    """
    successes = np.asarray(successes)
    if successes.ndim != 1 or successes.dtype != np.bool_ or len(successes) == 0:
        raise ValueError(
            f"need a list of at least one bool, got {successes.dtype} {successes.shape}"
        )
    found = stats.binomtest(int(successes.sum()), len(successes)).proportion_ci(
        confidence, method="wilson"
    )
    return Interval(float(successes.mean()), float(found.low), float(found.high))


def paired_difference(ours: ArrayLike, theirs: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean of ours - theirs, pair by pair: both from the same starts.

    Raises:
        ValueError: if they are not equally many.
    """
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if ours.shape != theirs.shape:
        raise ValueError(f"pairs need equal shapes, got {ours.shape} and {theirs.shape}")
    return mean_with_interval(ours - theirs, confidence)
