"""Intervals over training runs cover the variance of the runs and of the starts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from baselines import (
    difference_of_runs,
    evaluate,
    mean_of_runs,
    mean_with_interval,
    rate_of_runs,
)
from baselines.statistics import Interval, rate_with_interval

SIMULATIONS = 2000


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
    assert mean_of_runs(constant_runs(ours)) == pytest.approx((4.0, 4.0 - half, 4.0 + half))
    fixed = difference_of_runs(constant_runs(ours), constant_runs([1.5]))
    assert fixed == pytest.approx((2.5, 2.5 - half, 2.5 + half))
    welch = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval()
    found = difference_of_runs(constant_runs(ours), constant_runs(theirs))
    assert found == pytest.approx((1.5, *welch))


def test_equal_runs_give_students_interval_over_the_starts():
    times = np.random.default_rng(0).exponential(5.0, 80)
    found = mean_of_runs([times] * 5)
    one = stats.ttest_1samp(times, 0.0).confidence_interval()
    assert found == pytest.approx((times.mean(), *one))
    again = evaluate("pursuit", "evade", episodes=400)["time"]
    assert mean_of_runs([again] * 5) == pytest.approx(mean_with_interval(again), abs=0.05)


@pytest.mark.parametrize("of_runs", [0.02, 0.07, 0.3, 2.0])
def test_intervals_of_five_runs_hold(of_runs):
    """For runs that hardly differ, and for runs that differ far more than starts."""
    generator = np.random.default_rng(7)
    held = np.zeros(3)
    for _ in range(SIMULATIONS):
        of_starts = generator.normal(0.0, 1.0, 100)
        ours = draw(generator, 3.0, of_runs, of_starts, 1.0, (5, 100))
        fixed = draw(generator, 2.0, 0.0, of_starts, 1.0, (1, 100))
        theirs = draw(generator, 2.0, of_runs, of_starts, 1.0, (4, 100))
        truths = (3.0, 1.0, 1.0)
        found = (
            mean_of_runs(ours),
            difference_of_runs(ours, fixed),
            difference_of_runs(ours, theirs),
        )
        held += [
            interval.low <= truth <= interval.high for interval, truth in zip(found, truths)
        ]
    assert (held >= 0.93 * SIMULATIONS).all(), held
    # If runs of two ways of training hardly differ, it errs on the long side.
    assert (held <= [0.97 * SIMULATIONS, 0.97 * SIMULATIONS, 0.99 * SIMULATIONS]).all(), held


def test_the_bootstrap_of_five_runs_does_not_hold():
    generator = np.random.default_rng(8)
    runs = generator.normal(3.0, 1.0, (SIMULATIONS, 5))
    found = stats.bootstrap(
        (runs,), np.mean, axis=1, n_resamples=1000, method="percentile", random_state=generator
    ).confidence_interval
    held = np.mean((found.low <= 3.0) & (found.high >= 3.0))
    assert held == pytest.approx(0.84, abs=0.02)  # as the docstring says


def test_short_intervals_need_more_starts_and_more_runs():
    generator = np.random.default_rng(3)

    def length(runs, starts):
        of_starts = generator.normal(0.0, 1.0, starts)
        found = mean_of_runs(draw(generator, 0.0, 1.0, of_starts, 0.1, (runs, starts)))
        return found.high - found.low

    assert length(5, 5000) > 0.8
    assert length(500, 20) > 0.4
    assert length(500, 5000) < 0.25


def test_rates_of_all_or_none_have_wilsons_interval_over_the_starts():
    for outcome in (True, False):
        matrix = np.full((5, 50), outcome)
        assert rate_of_runs(matrix) == rate_with_interval(matrix[0])
    mixed = np.random.default_rng(0).random((5, 200)) < 0.99
    found = rate_of_runs(mixed)
    assert 0.0 <= found.low < found.estimate < found.high <= 1.0
    with pytest.raises(ValueError, match="bools"):
        rate_of_runs(np.ones((2, 3)))


def test_equal_runs_differ_by_nothing():
    matrix = np.random.default_rng(0).exponential(5.0, (1, 30))
    assert difference_of_runs(matrix, matrix) == (0.0, 0.0, 0.0)


def test_clipped():
    assert Interval(0.5, 0.2, 0.7).clipped(0.0, 1.0) == (0.5, 0.2, 0.7)
    assert Interval(0.9, -0.2, 1.7).clipped(0.0, 1.0) == (0.9, 0.0, 1.0)


@pytest.mark.parametrize(
    ("ours", "theirs", "match"),
    [
        ([1.0, 2.0], [[1.0, 2.0]], "shape"),
        ([[1.0], [2.0]], [[1.0]], "shape"),
        ([[1.0, np.nan]], [[1.0, 2.0]], "finite"),
        ([[1.0, 2.0]], [[1.0, 2.0, 3.0]], "same starts"),
    ],
)
def test_what_does_not_fit_is_refused(ours, theirs, match):
    with pytest.raises(ValueError, match=match):
        difference_of_runs(ours, theirs)
    with pytest.raises(ValueError, match="confidence"):
        mean_of_runs([[1.0, 2.0]], confidence=95)
