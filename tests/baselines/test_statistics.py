"""Intervals of rates, means and differences, over episodes, pairs and training runs."""

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
from steer_env.baselines.training_runs import note_on_runs

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
    assert score_interval(np.array([10.0, LIMIT]), LIMIT) == pytest.approx(expected)
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
    assert nobody.tolist() == [(time, 1.0, wilson.low, 1.0) for time in (0.0, LIMIT)]
    everybody = survival_curve(np.arange(1.0, 41.0), [True] * 40)
    assert (everybody.share[-1], everybody.low[-1]) == (0.0, 0.0)
    assert everybody.low[0] == pytest.approx(wilson.low)
    assert everybody.high[-1] == pytest.approx(1.0 - wilson.low)
    for curve in (everybody, survival_curve([0.0, 0.0, 3.0], [True, True, False])):
        assert np.isfinite(curve.tolist()).all()
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


# Training runs.


def constant_runs(means, starts=3):
    """Returns runs with the same outcome from every start."""
    return np.repeat(np.array(means, float)[:, None], starts, axis=1)


def draw(generator, mean, of_runs, of_starts, of_episodes, shape):
    """Returns (runs, starts): the sum of an effect of the run, the start and the episode."""
    runs, starts = shape
    return (
        mean
        + generator.normal(0.0, of_runs, (runs, 1))
        + of_starts
        + generator.normal(0.0, of_episodes, (runs, starts))
    )


def test_equal_starts_give_the_intervals_of_student_and_welch():
    ours, theirs = np.array([1.0, 2.0, 4.0, 9.0]), np.array([2.0, 3.0])
    half = stats.t.ppf(0.975, 3) * ours.std(ddof=1) / 2.0
    assert mean_with_interval(constant_runs(ours)) == pytest.approx(
        (4.0, 4.0 - half, 4.0 + half)
    )
    fixed = paired_difference(constant_runs(ours), constant_runs([1.5]))
    assert fixed == pytest.approx((2.5, 2.5 - half, 2.5 + half))
    welch = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval()
    found = paired_difference(constant_runs(ours), constant_runs(theirs))
    assert found == pytest.approx((1.5, *welch))


def test_equal_runs_give_students_interval_over_the_starts():
    times = np.random.default_rng(0).exponential(5.0, 80)
    one = stats.ttest_1samp(times, 0.0).confidence_interval()
    assert mean_with_interval([times] * 5) == pytest.approx((times.mean(), *one))


def test_swapping_the_runs_mirrors_the_improvement():
    generator = np.random.default_rng(12)
    for runs in ((5, 5), (3, 10), (1, 5), (1, 1)):
        ours, theirs = (
            draw(generator, mean, 1.0, 0.0, 1.0, (n, 50)) for mean, n in zip((1.0, 0.0), runs)
        )
        there = probability_of_improvement(ours, theirs)
        back = probability_of_improvement(theirs, ours)
        assert there == pytest.approx((1.0 - back.estimate, 1.0 - back.high, 1.0 - back.low))
        assert there == probability_of_improvement(-ours, -theirs, lower_is_better=True)
        assert 0.0 < there.low < there.estimate < there.high < 1.0


def test_runs_that_always_win_are_as_good_as_so_many_coins():
    ours, theirs = np.full((5, 30), 2.0), np.full((7, 30), 1.0)
    assert probability_of_improvement(ours, theirs) == rate_with_interval([True] * 5)
    assert probability_of_improvement(theirs, ours) == rate_with_interval([False] * 5)
    assert probability_of_improvement(ours, theirs[:1]) == rate_with_interval([True] * 5)
    assert probability_of_improvement(ours[:1], theirs[:1]) == rate_with_interval([True] * 30)
    same = probability_of_improvement(ours, ours)
    assert same.estimate == 0.5
    assert same.low == pytest.approx(1.0 - same.high)


def test_rate_differences_have_some_length():
    ours, theirs = np.full((5, 200), True), np.full((3, 200), True)
    found = paired_rate_difference(ours, theirs)
    assert found.estimate == 0.0
    assert found.high == -found.low == pytest.approx(2.8 / 202, rel=0.01)
    assert paired_rate_difference(ours, ~theirs).estimate == 1.0
    with pytest.raises(ValueError, match="theirs: need bools"):
        paired_rate_difference(ours, theirs * 1.0)


def test_a_note_says_when_runs_have_failed():
    generator = np.random.default_rng(15)
    one_fails = np.where(np.arange(5)[:, None] == 1, 20.0, generator.normal(4.3, 0.1, (5, 20)))
    note = note_on_runs(one_fails, "s")
    assert note.startswith("the 5 runs (4.2") or note.startswith("the 5 runs (4.3")
    assert ", 20 s) are far from normal" in note
    two_fail = np.where(np.arange(5)[:, None] < 2, 20.0, generator.normal(4.3, 0.1, (5, 20)))
    assert "share of failed runs" in note_on_runs(two_fail)
    normal = [note_on_runs(constant_runs(generator.normal(size=5))) for _ in range(1000)]
    assert 0 < sum(map(bool, normal)) <= 20  # 10 are expected
    for quiet in (one_fails[:2], one_fails[[0, 2, 3]], np.full((5, 20), 4.3)):
        assert note_on_runs(quiet) == ""
    many = np.where(np.arange(40)[:, None] < 8, 20.0, 4.3) + np.zeros(20)
    assert note_on_runs(many) == ""


def crossed(matrix):
    """The variance of a mean over runs and starts, and Satterthwaite's degrees of freedom."""
    runs, starts = matrix.shape
    of_runs, of_starts = matrix.mean(axis=1), matrix.mean(axis=0)
    rest = matrix - of_runs[:, None] - of_starts + matrix.mean()
    parts = of_runs.var(ddof=1) / runs, of_starts.var(ddof=1) / starts
    rest = (rest**2).sum() / ((runs - 1) * (starts - 1)) / matrix.size
    variance = max(sum(parts) - rest, *parts)
    return variance, variance**2 / sum(
        part**2 / (n - 1) for part, n in zip(parts, matrix.shape)
    )


@pytest.mark.parametrize("of_runs", [0.3, 3.0])
def test_runs_and_starts_are_crossed_factors(of_runs):
    generator = np.random.default_rng(8)
    times = draw(generator, 9.0, of_runs, generator.normal(0.0, 2.0, 7), 1.0, (4, 7))
    variance, freedom = crossed(times)
    half = stats.t.ppf(0.95, freedom) * np.sqrt(variance)
    mean = times.mean()
    assert mean_with_interval(times, 0.9) == pytest.approx((mean, mean - half, mean + half))
    caught = times < 9.0
    variance, freedom = crossed(caught)
    share = caught.mean()
    half = stats.t.ppf(0.975, freedom) * np.sqrt(variance) / (share * (1.0 - share))
    odds = np.log(share / (1.0 - share))
    ends = [1.0 / (1.0 + np.exp(-(odds + sign * half))) for sign in (-1.0, 1.0)]
    assert rate_with_interval(caught) == pytest.approx((share, *ends))


def test_rates_of_all_or_none_have_wilsons_interval_over_the_starts():
    for outcome in (True, False):
        matrix = np.full((5, 50), outcome)
        assert rate_with_interval(matrix) == rate_with_interval(matrix[0])
    mixed = np.random.default_rng(0).random((5, 200)) < 0.99
    found = rate_with_interval(mixed)
    assert 0.0 <= found.low < found.estimate < found.high <= 1.0
    with pytest.raises(ValueError, match="bools"):
        rate_with_interval(np.ones((2, 3)))


def smooth_pairs(generator, jumps=0.0, pairs=1000):
    """Pairs that differ by 0.1 on average, smoothly but for jumps of half the limit."""
    theirs, jumped = generator.uniform(0.0, 5.0, pairs), generator.random(pairs) < jumps
    return theirs + generator.normal(0.1 - 10.0 * jumps, 0.43, pairs) + 10.0 * jumped, theirs


def test_smooth_differences_have_the_interval_of_the_bootstrap():
    ours, theirs = smooth_pairs(np.random.default_rng(0))
    found = paired_difference(ours, theirs, limit=LIMIT)
    assert found == mean_with_interval(ours - theirs)
    assert found.high - found.low == pytest.approx(0.053, abs=0.003)
    ours[0] = theirs[0] + 0.25 * LIMIT  # then it is that of rare differences
    one_jump = paired_difference(ours, theirs, limit=LIMIT)
    assert one_jump.high - one_jump.low == pytest.approx(0.123, abs=0.005)
    assert paired_difference(ours[1:], theirs[1:], limit=LIMIT).high > found.high  # 999


@pytest.mark.weekly
@pytest.mark.parametrize("jumps", [0.0, 0.0003, 0.001, 0.003, 0.01])
def test_intervals_of_paired_differences_hold_the_truth(jumps):
    generator, held = np.random.default_rng(1), 0
    for _ in range(400):
        _, low, high = paired_difference(*smooth_pairs(generator, jumps), limit=LIMIT)
        held += low <= 0.1 <= high
    assert 0.92 * 400 <= held <= 400
