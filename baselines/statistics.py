"""Estimates from episodes, each with its confidence interval.

Capture times are in seconds, with the time limit for a time-out. Values of one policy have the
shape (starts,); their interval is about that policy. Those of several training runs have the
shape (runs, starts); their interval is over runs and starts, about the way of training (see
`training_runs`). Two policies play from the same starts: the influence of these cancels in
differences, so the intervals are short.

All functions take the confidence of the interval, between 0 and 1, and raise a ValueError for
values that are not finite, have other shapes, or are too few.

References:
    Agarwal et al. (2021). Deep reinforcement learning at the edge of the statistical
        precipice. Advances in Neural Information Processing Systems 34.
    Bonett and Price (2012). Adjusted Wald confidence interval for a difference of binomial
        proportions based on paired data. J. of Educational and Behavioral Statistics 37.
    Hesterberg (2015). What teachers should know about the bootstrap. Am. Statistician 69.
    Kalbfleisch and Prentice (2002). The statistical analysis of failure time data. Wiley.
    Wilson (1927). Probable inference, the law of succession, and statistical inference.
        J. of the American Statistical Association 22.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.baselines.training_runs import crossed_mean
from steer_env.errors import (
    InvalidValue,
    check_array,
    check_flag,
    check_number,
    needing,
    number_text,
)

with needing("baselines"):
    from scipy import stats as stats

RESAMPLES = 2000  # bootstrap resamples behind each interval
MOST_CONFIDENCE = 0.999_999  # nearer to 1 the quantiles grow beyond all bounds
LARGEST = 1e100  # the largest size of a value: the squares of larger ones may not be finite
ROUNDING = 1e-9  # by which share of a limit rounded means of values at it may exceed it
_MANY = 1000  # pairs that show if differences are smooth
_SEED = 0  # fixed, so that the same episodes always give the same interval
_VALUES_AT_ONCE = 500_000  # resampled values in memory: 4 MB, and as many for their indices


class Interval(NamedTuple):
    """An estimate and its confidence interval.

    Example:
        >>> f"{Interval(4.231, 4.177, 4.284):.2f}"
        '4.23 [4.18, 4.28]'
    """

    estimate: float
    low: float
    high: float

    def __format__(self, specification: str) -> str:
        """Formats all three numbers by one specification, such as ``.2f``.

        With ``.1%`` only the estimate has the sign: 42.3% [41.8, 42.8].
        """
        estimate, low, high = (number_text(value, specification or ".3f") for value in self)
        return f"{estimate} [{low.rstrip('%')}, {high.rstrip('%')}]"

    def __str__(self) -> str:
        return format(self, "")

    def __float__(self) -> float:
        return float(self.estimate)

    def clipped(self, lowest: float, highest: float) -> Interval:
        """Returns the interval clipped to a valid range, beyond which Student's t may reach."""
        return self._replace(low=max(self.low, lowest), high=min(self.high, highest))

    def widened(self, other: Interval) -> Interval:
        """Returns the interval with the ends of both, and this estimate."""
        return self._replace(low=min(self.low, other.low), high=max(self.high, other.high))


def jsonable(found: Any) -> Any:
    """Returns results for JSON: each interval in them as a dict of its three numbers."""
    if isinstance(found, Mapping):
        return {name: jsonable(value) for name, value in found.items()}
    if isinstance(found, list):
        return [*map(jsonable, found)]
    return found._asdict() if isinstance(found, Interval) else found


Curve: TypeAlias = "np.recarray[Any, Any]"  # see `survival_curve`


def rate_with_interval(successes: ArrayLike, confidence: float = 0.95) -> Interval:
    """Returns the share of successes, bools, with the interval of Wilson (1927).

    Over several runs it is Student's t of the log odds or, if nothing varies, Wilson's over the
    starts.
    """
    outcomes = _values("successes", successes, 1, dtype=np.bool_)
    if outcomes.ndim == 1:
        return wilson_interval(float(outcomes.mean()), len(outcomes), confidence)
    return _share_over_runs(outcomes.astype(float)[:, None], confidence, outcomes.shape[1])


def _share_over_runs(values: NDArray[np.float64], confidence: float, coins: int) -> Interval:
    """A share with Student's t of its log odds, or as of tossed coins if nothing varies."""
    share, half = crossed_mean(values, check_confidence(confidence))
    if half == 0.0:
        return wilson_interval(share, coins, confidence)
    ratio = np.exp(np.minimum(half / (share * (1.0 - share)), 100.0))
    low, odds = share / (share + ratio * (1.0 - share)), ratio * share
    return Interval(share, float(low), float(odds / (odds + 1.0 - share)))


def _mean_over_runs(
    values: NDArray[np.float64], confidence: float, lowest: float, limit: float | None
) -> Interval:
    """A mean with Student's t, clipped if there is a limit."""
    mean, half = crossed_mean(values, check_confidence(confidence))
    found = Interval(mean, mean - half, mean + half)
    return found if limit is None else found.clipped(lowest, limit)


def wilson_interval(share: float, count: float, confidence: float = 0.95) -> Interval:
    """Returns Wilson's interval for a share, 0 to 1, of a count that need be no integer."""
    confidence = check_confidence(confidence)
    z = float(stats.norm.ppf(0.5 + confidence / 2.0))
    center = (share + z**2 / (2.0 * count)) / (1.0 + z**2 / count)
    half = z * np.sqrt(share * (1.0 - share) / count + (z / (2.0 * count)) ** 2)
    half /= 1.0 + z**2 / count
    low = float(center - half) if share > 0.0 else 0.0  # not 1e-18
    high = float(center + half) if share < 1.0 else 1.0
    return Interval(share, low, high)


def mean_with_interval(
    values: ArrayLike, confidence: float = 0.95, *, limit: float | None = None
) -> Interval:
    """Returns the mean of independent values, with a bootstrap interval.

    With a limit, the interval also contains that of `score_interval`: at rare events the
    bootstrap's holds the true mean only 57 to 95% of the time, this one 95 to 100%, from ten
    episodes on.

    The values are finite, of at least two starts. The limit is the largest value possible, such
    as the time limit for capture times; the least is 0. Over several runs the interval is
    Student's t, clipped to 0 and the limit.
    """
    array, limit = _values("values", values, 2), _checked_limit(limit)
    if array.ndim == 2:
        return _mean_over_runs(array[:, None], confidence, 0.0, limit)
    found = _bootstrap(array, np.mean, confidence)
    return found if limit is None else found.widened(score_interval(array, limit, confidence))


def score_interval(
    values: NDArray[np.float64], limit: float, confidence: float = 0.95
) -> Interval:
    """Returns the mean of values from 0 to a limit, with Wilson's interval for such means.

    The distances d to the limit are taken for outcomes 0 and c = sum(d^2) / sum(d), with one
    more distance of the whole limit for an unseen event; for values of 0 or the limit this is
    Wilson's (1927) interval for a rate.
    """
    if values.min() < 0.0 or values.max() > limit * (1.0 + ROUNDING):
        raise InvalidValue(
            f"values must be from 0 to the limit, {limit:g}, got {values.min():g} to "
            f"{values.max():g}"
        )
    shares = np.maximum(1.0 - values / limit, 0.0)
    scale = float(((shares**2).sum() + 1.0) / (shares.sum() + 1.0))
    share = min(float(shares.mean()) / scale, 1.0)
    found = wilson_interval(share, len(values), confidence)
    estimate = float(values.mean())
    low, high = (limit * (1.0 - scale * end) for end in (found.high, found.low))
    return Interval(estimate, min(low, estimate), max(high, estimate))


def median_with_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Returns the median, bootstrapped (with fewer than 8 values the interval is too short)."""
    return _bootstrap(_values("values", values, 2, axes=1), np.median, confidence)


def interquartile_mean_with_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Returns the mean of the middle half of the values (Agarwal et al. 2021), bootstrapped.

    A quarter of the values, rounded down, is cut off at each end. There must be at least four;
    with fewer than 8 the interval is too short.
    """
    statistic = partial(stats.trim_mean, proportiontocut=0.25)
    return _bootstrap(_values("values", values, 4, axes=1), statistic, confidence)


def survival_curve(times: ArrayLike, captured: ArrayLike, confidence: float = 0.95) -> Curve:
    """Returns the share of evaders still free over time, estimated by Kaplan and Meier (1958).

    Time-outs are censored. Each point has the log-log interval of Kalbfleisch and Prentice
    (2002), with Greenwood's variance, or Wilson's where that is undefined, before the first
    capture and after the last one.

    The times, not negative, and the bools, False for a time-out, have the shape (episodes,).
    The curve has a row for each step: its ``times``, from 0 on, the ``share`` that is free from
    then on, falling from 1, and the ends of its interval, ``low`` and ``high``.
    """
    confidence = check_confidence(confidence)
    times = _values("times", times, 1, axes=1)
    captured = _values("captured", captured, 1, axes=1, dtype=np.bool_)
    _check_starts("times and captured", times, captured)
    if times.min() < 0.0:
        raise InvalidValue(f"times must not be negative, got {times.min()}")
    observed = stats.CensoredData(uncensored=times[captured], right=times[~captured])
    curve = stats.ecdf(observed).sf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # undefined ends are replaced below
        log_log = curve.confidence_interval(confidence, method="log-log")
    steps, share = np.append(0.0, curve.quantiles), np.append(1.0, curve.probabilities)
    low, high = (np.append(np.nan, one.probabilities) for one in (log_log.low, log_log.high))

    # Wilson's interval for n of n begins at n / (n + z^2); the one for 0 of n mirrors it.
    # Here n counts the episodes that had not timed out before.
    z_squared = stats.norm.ppf((1.0 + confidence) / 2.0) ** 2
    all_free, none_free = share == 1.0, share == 0.0
    watched = len(times) - np.searchsorted(np.sort(times), steps)
    low[all_free], high[all_free] = (watched / (watched + z_squared))[all_free], 1.0
    low[none_free], high[none_free] = 0.0, z_squared / (captured.sum() + z_squared)
    columns = [(name, np.float64) for name in ("times", "share", "low", "high")]
    return np.rec.fromarrays([steps, share, low, high], columns)


def paired_difference(
    ours: ArrayLike, theirs: ArrayLike, confidence: float = 0.95, *, limit: float | None = None
) -> Interval:
    """Returns the mean of ours - theirs, pair by pair, with its interval.

    With a limit, the largest difference possible, it is the interval of Bonett and Price (2012)
    with two more pairs that differ by plus and minus the limit: at rare differences it holds
    the truth 93 to 100% of the time, without a limit the bootstrap's 57 to 95%. From 1000 pairs
    on, most of which differ and none by a quarter of the limit, it is the bootstrap's, half as
    long: 94 to 96%. Over several runs it is Student's t, clipped to the limit.
    """
    (first, second), limit = _pair(ours, theirs, 2), _checked_limit(limit)
    if first.ndim == 2:
        return _mean_over_runs(first[:, None] - second, confidence, -(limit or 0.0), limit)
    differences = first - second
    if limit is None:
        return mean_with_interval(differences, confidence)
    most = np.abs(differences).max()
    if most > limit * (1.0 + ROUNDING):
        raise InvalidValue(
            f"ours and theirs must differ by at most the limit, {limit:g}, got {most:g}"
        )
    if len(differences) >= _MANY and (differences != 0.0).mean() > 0.5 and most < 0.25 * limit:
        return mean_with_interval(differences, confidence)
    return _bounded_difference(differences, limit, confidence)


def paired_rate_difference(
    ours: ArrayLike, theirs: ArrayLike, confidence: float = 0.95
) -> Interval:
    """Returns the rate of ours minus the rate of theirs, for bools, pair by pair.

    The interval is that of Bonett and Price (2012), which has some length even if both always
    agree. If only a handful of pairs differ, it errs on the long side. Over several runs it is
    that of `paired_difference` with two more starts, for the same reason.
    """
    first, second = (x.astype(float) for x in _pair(ours, theirs, 1, np.bool_))
    if first.ndim == 1:
        return _bounded_difference(first - second, 1.0, confidence)
    one, other = (
        np.hstack([matrix, np.tile(ends, (len(matrix), 1))])
        for matrix, ends in ((first, [1.0, 0.0]), (second, [0.0, 1.0]))
    )
    found = paired_difference(one, other, confidence, limit=1.0)
    estimate = float(first.mean() - second.mean())
    return Interval(estimate, estimate, estimate).widened(found)


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

    Over several runs it is the probability that a run of ours does better than a run of theirs,
    with Student's t of the log odds or, if nothing varies, Wilson's interval over the runs of
    the side that has fewer.
    """
    first, second = _pair(ours, theirs, 1)
    sign = -1.0 if check_flag("lower_is_better", lower_is_better) else 1.0
    if first.ndim == 2:
        runs = [len(one) for one in (first, second) if len(one) > 1]
        share = 0.5 + 0.5 * sign * np.sign(first[:, None] - second)
        return _share_over_runs(share, confidence, min(runs, default=first.shape[1]))
    difference = _bounded_difference(sign * np.sign(first - second), 1.0, confidence)
    return Interval(*(0.5 + 0.5 * value for value in difference))


def _bounded_difference(
    differences: NDArray[np.float64], limit: float, confidence: float
) -> Interval:
    """Wald's interval with two more pairs that differ by plus and minus the limit."""
    confidence = check_confidence(confidence)
    pairs = len(differences) + 2
    center = differences.sum() / pairs
    variance = ((differences**2).sum() + 2.0 * limit**2) / pairs - center**2
    low, high = stats.norm.interval(confidence, center, np.sqrt(variance / pairs))
    return Interval(float(differences.mean()), float(low), float(high)).clipped(-limit, limit)


def _bootstrap(
    values: NDArray[np.float64], statistic: Callable[..., Any], confidence: float
) -> Interval:
    """A statistic with its expanded percentile interval (Hesterberg 2015), as good as BCa."""
    confidence = check_confidence(confidence)
    count, estimate = len(values), float(statistic(values))
    if np.ptp(values) == 0.0:
        return Interval(estimate, estimate, estimate)
    found = stats.bootstrap(
        (values,),
        statistic,
        n_resamples=RESAMPLES,
        batch=max(1, _VALUES_AT_ONCE // count),
        vectorized=True,
        confidence_level=expanded(confidence, count),
        method="percentile",
        random_state=np.random.default_rng(_SEED),
    ).confidence_interval
    return Interval(estimate, float(found.low), float(found.high))


def expanded(confidence: float, count: int) -> float:
    """The level at which percentile intervals, else too short, are as long as Student's t."""
    t = stats.t.ppf((1.0 - confidence) / 2.0, count - 1)
    level = 1.0 - 2.0 * stats.norm.cdf(np.sqrt(count / (count - 1)) * t)
    return float(min(level, np.nextafter(1.0, 0.0)))  # rounds to 1 for two values


def _values(
    what: str, values: ArrayLike, least: int, axes: int = 2, dtype: Any = np.float64
) -> NDArray[Any]:
    """Finite numbers, or bools, of one policy from `least` starts on, or of several runs."""
    are_bools = dtype is np.bool_
    array = check_array(what, values, None if are_bools else dtype)
    fewest = least if array.ndim == 1 else 2
    fits = 1 <= array.ndim <= axes and array.shape[-1] >= fewest and array.size > 0
    if not fits or array.dtype != dtype:
        runs = ", or (runs, starts) of at least 1 and 2" * (axes == 2)
        raise InvalidValue(
            f"{what}: need {'bools, ' * are_bools}a list of at least {least}{runs}, got "
            f"{array.dtype} of the shape {array.shape}"
        )
    if not (np.abs(array) <= LARGEST).all():
        raise InvalidValue(
            f"{what} must be finite and at most {LARGEST:g} in size, and some are not"
        )
    return array


def _pair(
    ours: ArrayLike, theirs: ArrayLike, least: int, dtype: Any = np.float64
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Values from the same starts, both (starts,) or both (runs, starts)."""
    first = _values("ours", ours, least, dtype=dtype)
    second = _values("theirs", theirs, least, dtype=dtype)
    _check_starts("ours and theirs", first, second)
    if first.ndim == second.ndim:
        return first, second
    return np.atleast_2d(first), np.atleast_2d(second)


def _check_starts(what: str, first: NDArray[Any], second: NDArray[Any]) -> None:
    if first.shape[-1] != second.shape[-1]:
        raise InvalidValue(
            f"{what} need the same starts, got {first.shape[-1]} and {second.shape[-1]} of them"
        )


def _checked_limit(limit: float | None) -> float | None:
    return None if limit is None else check_number("limit", limit, 0.0, LARGEST, above=True)


def check_confidence(confidence: float) -> float:
    """Returns a confidence, after checking that it is above 0 and at most `MOST_CONFIDENCE`."""
    return check_number("confidence", confidence, 0.0, MOST_CONFIDENCE, above=True)
