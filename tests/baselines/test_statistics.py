"""Intervals of rates, means and differences, over episodes and pairs."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from steer_env.baselines.statistics import (
    Interval,
    interquartile_mean_with_interval,
    mean_with_interval,
    median_with_interval,
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
    rate_with_interval,
    score_interval,
    survival_curve,
    wilson_interval,
)

LIMIT = 20.0
ORACLE = json.loads((Path(__file__).parents[1] / "data" / "rliable.json").read_text())


def capture_times(generator, shape, mean=10.0):
    """Capture at a constant rate, so that means, medians, and shares have closed forms."""
    return np.minimum(generator.exponential(mean, shape), LIMIT)


def test_an_interval_is_written_as_its_three_numbers():
    interval = Interval(0.4231, 0.4177, 0.4284)
    assert str(interval) == f"{interval}" == "0.423 [0.418, 0.428]"
    assert f"{interval:.1%}" == "42.3% [41.8, 42.8]"


def test_rate_equals_the_formula_of_wilson():
    z = stats.norm.ppf(0.975)
    middle, half = (8 + z * z / 2) / (10 + z * z), np.sqrt(10 * 0.8 * 0.2 + z * z / 4)
    half *= z / (10 + z * z)
    expected = 0.8, middle - half, middle + half
    assert rate_with_interval(np.arange(10) < 8) == pytest.approx(expected)
    assert rate_with_interval([False] * 10) == pytest.approx((0.0, 0.0, z * z / (10 + z * z)))


def test_estimates_of_a_few_values_by_hand():
    values = [1.0, 2.0, 3.0, 5.0, 7.0, 20.0, 20.0, 20.0]
    assert mean_with_interval(values).estimate == 9.75
    assert median_with_interval(values).estimate == 6.0
    assert interquartile_mean_with_interval(values).estimate == (3 + 5 + 7 + 20) / 4
    assert paired_difference(values, values[::-1]).estimate == 0.0
    assert paired_difference([1.0, 5.0, 6.0], [0.0, 2.0, 1.0]).estimate == 3.0
    assert probability_of_improvement([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 4.0, 1.0])[0] == 0.625
    ours, theirs = [True, True, True, False], [True, False, False, True]
    assert paired_rate_difference(ours, theirs).estimate == 0.25


@pytest.mark.parametrize("count", [10, 40])
def test_the_mean_of_symmetric_values_has_nearly_the_interval_of_student(count, monkeypatch):
    values = stats.norm.ppf((np.arange(count) + 0.5) / count, 5.0, 2.0)
    monkeypatch.setattr("steer_env.baselines.statistics.RESAMPLES", 50_000)
    found = mean_with_interval(values, 0.9)
    expected = stats.t.interval(0.9, count - 1, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx(expected, abs=0.06 * stats.sem(values))


@pytest.mark.parametrize("case", ORACLE["cases"])
def test_estimates_equal_those_of_rliable(case):
    ours, theirs = case["ours"], case["theirs"]
    found = interquartile_mean_with_interval(ours).estimate
    assert found == pytest.approx(case["interquartile_mean"], rel=1e-12)
    for lower_is_better, arguments in ((False, (ours, theirs)), (True, (theirs, ours))):
        better = probability_of_improvement(*arguments, lower_is_better=lower_is_better)
        assert better.estimate == pytest.approx(case["probability_of_improvement"], rel=1e-12)


@pytest.mark.parametrize("captured", [0, 1, 13, 40])
def test_the_mean_of_zeros_and_limits_has_wilsons_interval(captured):
    times = np.where(np.arange(40) < captured, 0.0, LIMIT)
    rate = rate_with_interval(np.arange(40) < captured)
    expected = [LIMIT * (1.0 - share) for share in (rate.estimate, rate.high, rate.low)]
    assert score_interval(times, LIMIT) == pytest.approx(expected)


def test_the_score_interval_of_a_few_values_by_hand():
    """Distances to the limit of 0.5 and 0, as shares, and an event that was not seen yet."""
    scale = (0.25 + 1.0) / (0.5 + 1.0)
    rate = wilson_interval(0.25 / scale, 2)
    expected = 15.0, LIMIT * (1.0 - scale * rate.high), LIMIT * (1.0 - scale * rate.low)
    assert score_interval([10.0, LIMIT], LIMIT) == pytest.approx(expected)
    found = mean_with_interval([10.0, LIMIT], limit=LIMIT)
    assert found.low <= expected[1]
    assert found.high >= expected[2]


def test_a_rounded_mean_of_times_at_the_limit_is_within_it():
    rounded = LIMIT * (1.0 + 1e-15)
    assert mean_with_interval([rounded, 3.0], limit=LIMIT).estimate == pytest.approx(11.5)


def test_constant_values_give_intervals_of_no_length():
    for estimator in (mean_with_interval, median_with_interval):
        assert estimator([LIMIT] * 7) == (LIMIT, LIMIT, LIMIT)
    assert interquartile_mean_with_interval([LIMIT] * 7) == (LIMIT, LIMIT, LIMIT)
    assert paired_difference([2.0, 5.0], [1.0, 4.0]) == (1.0, 1.0, 1.0)


def test_a_survival_curve_by_hand():
    """Of 8, captures leave 7/8, then 5/8; after a time-out, one of the 4 left falls."""
    times = [1.0, 2.0, 2.0, 3.0, 4.0, LIMIT, LIMIT, LIMIT]
    captured = [True, True, True, False, True, False, False, False]
    found = survival_curve(times, captured)
    np.testing.assert_array_equal(found.times, [0.0, 1.0, 2.0, 3.0, 4.0, LIMIT])
    share = [1.0, 7 / 8, 5 / 8, 5 / 8, 5 / 8 * 3 / 4, 5 / 8 * 3 / 4]
    np.testing.assert_allclose(found.share, share)
    greenwood = 1 / (8 * 7) + 2 / (7 * 5)  # the relative variance after 2 s
    half = stats.norm.ppf(0.975) * np.sqrt(greenwood) / abs(np.log(5 / 8))
    assert found.low[2] == pytest.approx((5 / 8) ** np.exp(half))
    assert found.high[2] == pytest.approx((5 / 8) ** np.exp(-half))


def test_a_survival_curve_is_defined_where_all_or_none_are_free():
    wilson = stats.binomtest(40, 40).proportion_ci(method="wilson")
    nobody = survival_curve([LIMIT] * 40, [False] * 40)
    assert [list(row) for row in nobody] == [
        [0.0, LIMIT],
        [1.0] * 2,
        [wilson.low] * 2,
        [1.0] * 2,
    ]
    everybody = survival_curve(np.arange(1.0, 41.0), [True] * 40)
    assert (everybody.share[-1], everybody.low[-1]) == (0.0, 0.0)
    assert everybody.low[0] == pytest.approx(wilson.low)
    assert everybody.high[-1] == pytest.approx(1.0 - wilson.low)
    for curve in (everybody, survival_curve([0.0, 0.0, 3.0], [True, True, False])):
        assert np.isfinite(curve).all()
        assert (curve.low <= curve.share).all()
        assert (curve.share <= curve.high).all()


def test_less_confidence_gives_shorter_intervals_and_the_same_twice():
    generator = np.random.default_rng(10)
    ours, theirs = capture_times(generator, (2, 60))
    for values, estimator in (
        ((ours,), mean_with_interval),
        ((ours,), median_with_interval),
        ((ours,), interquartile_mean_with_interval),
        ((ours < LIMIT,), rate_with_interval),
        ((ours, theirs), paired_difference),
        ((ours < 7.0, theirs < 7.0), paired_rate_difference),
        ((ours, theirs), probability_of_improvement),
    ):
        wide, narrow = estimator(*values, confidence=0.99), estimator(*values, confidence=0.8)
        assert wide == estimator(*values, confidence=0.99)
        assert wide.low < narrow.low < wide.estimate < narrow.high < wide.high
        for confidence in (0.0, 1.0, 1 - 2**-53, 1 - 1e-13, -1.0, 95.0, np.nan):
            with pytest.raises(ValueError, match="confidence must be"):
                estimator(*values, confidence=confidence)
    with pytest.raises(ValueError, match="confidence must be"):
        survival_curve(ours, ours < LIMIT, 1.0)


@pytest.mark.parametrize(
    ("estimator", "given", "error", "words"),
    [
        *(
            (estimator, (values,) * count, ValueError, r"a list of at least|must be finite")
            for values in (
                *([1.0], [[1.0], [2.0]], [[[1.0, 2.0]]]),
                *([1.0, np.nan], [[1.0, np.nan]], [1e200, 1.0]),
            )
            for estimator, count in (
                *((mean_with_interval, 1), (median_with_interval, 1)),
                *((interquartile_mean_with_interval, 1), (paired_difference, 2)),
            )
        ),
        (interquartile_mean_with_interval, ([1.0, 2.0, 3.0],), ValueError, "at least 4"),
        (mean_with_interval, ([1.0, 2.0], "0.9"), TypeError, "confidence"),
        (mean_with_interval, ([[1.0, 2.0]], 95), ValueError, "confidence"),
        *(
            (rate_with_interval, (wrong,), ValueError, "bool")
            for wrong in ([0.5, 1.0], [0, 1], [], [[True]], True)
        ),
        (paired_difference, ([1.0, 2.0, 3.0], [1.0, 2.0]), ValueError, "same starts"),
        (paired_difference, ([[1.0, 2.0]], [[1.0, 2.0, 3.0]]), ValueError, "same starts"),
        (probability_of_improvement, ([1.0, 2.0], [1.0]), ValueError, "same starts"),
        (paired_rate_difference, ([True], [True, False]), ValueError, "same starts"),
        (survival_curve, ([1.0, 2.0], [True]), ValueError, "same starts"),
        (survival_curve, ([1.0, -2.0], [True, True]), ValueError, "negative"),
        *(
            (partial(mean_with_interval, limit=LIMIT), (wrong,), ValueError, "to the limit, 20")
            for wrong in ([1.0, 20.1], [-0.1, 3.0])
        ),
        (partial(mean_with_interval, limit="20"), ([0.0, 0.0],), TypeError, "limit must be a"),
        (
            partial(paired_difference, limit=LIMIT),
            ([0.0, 1.0], [1.0, 22.0]),
            ValueError,
            "differ by at most the limit, 20, got 21",
        ),
        *(
            (partial(estimator, limit=limit), given, ValueError, "finite and above 0")
            for limit in (0.0, -1.0, np.nan)
            for estimator, *given in (
                (mean_with_interval, [0.0, 0.0]),
                (paired_difference, [0.0, 1.0], [1.0, 2.0]),
            )
        ),
    ],
)
def test_what_does_not_fit_is_refused(estimator, given, error, words):
    with pytest.raises(error, match=words):
        estimator(*given)


def test_the_interval_has_some_length_even_if_all_pairs_agree():
    same = np.arange(200) < 120
    estimate, low, high = paired_rate_difference(same, same)
    assert estimate == 0.0
    assert -low == high == pytest.approx(stats.norm.ppf(0.975) * np.sqrt(2.0) / 202)
    bounded = paired_difference([LIMIT] * 200, [LIMIT] * 200, limit=LIMIT)
    assert bounded == pytest.approx([LIMIT * end for end in (estimate, low, high)])
    assert probability_of_improvement([1.0] * 200, [1.0] * 200).estimate == 0.5
    for sign, extreme in ((1.0, 1.0), (-1.0, 0.0)):
        found = probability_of_improvement(sign * np.ones(200), np.zeros(200))
        assert found.estimate == extreme
        assert 0.01 < found.high - found.low < 0.02
        assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0


def test_differences_have_the_interval_of_bonett_and_price():
    """Wald's, with two more pairs that differ by plus and minus the limit."""
    ours, theirs = np.array([3.0, 8.0, 20.0, 6.0]), np.array([5.0, 4.0, 20.0, 5.5])
    more = np.concatenate([ours - theirs, [LIMIT, -LIMIT]])
    half = stats.norm.ppf(0.95) * np.sqrt(more.var() / 6)
    found = paired_difference(ours, theirs, 0.9, limit=LIMIT)
    assert found == pytest.approx((0.625, more.mean() - half, more.mean() + half))
    assert paired_difference([3.0, 8.0], [5.0, 4.0]).estimate == 1.0  # the fewest pairs
    wins = np.array([-1.0, 1.0, 0.0, 1.0, 1.0, -1.0])  # as probabilities: 0, 1 and a half
    half = stats.norm.ppf(0.975) * np.sqrt(wins.var() / 6)
    better = probability_of_improvement(ours, theirs)
    ends = [0.5 + 0.5 * end for end in (wins.mean() - half, wins.mean() + half)]
    assert better == pytest.approx((0.625, *np.clip(ends, 0.0, 1.0)))
