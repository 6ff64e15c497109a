"""Intervals over training runs, of means, rates and differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steer_env.baselines import (
    mean_with_interval,
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
    rate_with_interval,
)
from steer_env.baselines.training_runs import note_on_runs


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
