"""Intervals over training runs cover the variance of the runs and of the starts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from studies import coverage

from baselines import (
    difference_of_runs,
    evaluate,
    improvement_of_runs,
    mean_of_runs,
    mean_with_interval,
    median_of_runs,
    rate_difference_of_runs,
    rate_of_failed_runs,
    rate_of_runs,
)
from baselines.statistics import Interval, rate_with_interval
from baselines.training_runs import note_on_runs

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


SPREADS = {  # of our runs, of their runs, of the starts, of the episodes
    "equal": (1.0, 1.0, 0.5, 1.0),
    "only ours": (1.0, 0.0, 0.5, 0.7),
    "only theirs": (0.0, 1.0, 0.5, 0.7),
    "only starts": (0.0, 0.0, 1.0, 0.5),
    "only runs": (1.0, 1.0, 0.0, 0.01),
}


def two_trainings(generator, runs, spreads, probability):
    """Returns both (runs, starts); a start favors one side for all runs of it."""
    of_ours, of_theirs, of_starts, of_episodes = spreads
    deviation = np.sqrt(of_ours**2 + of_theirs**2 + of_starts**2 + 2.0 * of_episodes**2)
    lead = stats.norm.ppf(probability) * deviation + generator.normal(0.0, of_starts, 50)
    ours = draw(generator, 0.0, of_ours, lead, of_episodes, (runs[0], 50))
    return ours, draw(generator, 0.0, of_theirs, 0.0, of_episodes, (runs[1], 50))


@pytest.mark.parametrize("spreads", SPREADS)
@pytest.mark.parametrize(
    ("runs", "probability"), [((5, 5), 0.5), ((5, 5), 0.8), ((2, 2), 0.5), ((3, 10), 0.8)]
)
def test_intervals_of_the_improvement_hold(spreads, runs, probability):
    """Whatever varies; with two runs, or where only runs matter, they err on the long side."""
    generator = np.random.default_rng(11)
    studies = [
        two_trainings(generator, runs, SPREADS[spreads], probability) for _ in range(1000)
    ]
    held = coverage((improvement_of_runs(*study) for study in studies), probability)
    most = 1.0 if spreads == "only runs" or runs == (2, 2) else 0.975
    assert 0.91 <= held <= most, held


def test_swapping_the_runs_mirrors_the_improvement():
    generator = np.random.default_rng(12)
    for runs in ((5, 5), (3, 10), (1, 5), (1, 1)):
        ours, theirs = two_trainings(generator, runs, SPREADS["equal"], 0.7)
        there, back = improvement_of_runs(ours, theirs), improvement_of_runs(theirs, ours)
        assert there == pytest.approx((1.0 - back.estimate, 1.0 - back.high, 1.0 - back.low))
        assert there == improvement_of_runs(-ours, -theirs, lower_is_better=True)
        assert 0.0 < there.low < there.estimate < there.high < 1.0


def test_runs_that_always_win_are_as_good_as_so_many_coins():
    ours, theirs = np.full((5, 30), 2.0), np.full((7, 30), 1.0)
    assert improvement_of_runs(ours, theirs) == rate_with_interval([True] * 5)
    assert improvement_of_runs(theirs, ours) == rate_with_interval([False] * 5)
    assert improvement_of_runs(ours, theirs[:1]) == rate_with_interval([True] * 5)
    assert improvement_of_runs(ours[:1], theirs[:1]) == rate_with_interval([True] * 30)
    same = improvement_of_runs(ours, ours)
    assert same.estimate == 0.5
    assert same.low == pytest.approx(1.0 - same.high)


@pytest.mark.parametrize(("runs", "least"), [(2, 0.87), (3, 0.91), (10, 0.93)])
def test_intervals_of_other_numbers_of_runs_hold(runs, least):
    """As the docstring says, they are a little too short for two and three runs."""
    generator = np.random.default_rng(17)
    of_starts = generator.normal(0.0, 1.0, (1000, 50))
    drawn = [draw(generator, 3.0, 1.0, starts, 1.0, (runs, 50)) for starts in of_starts]
    held = coverage(map(mean_of_runs, drawn), 3.0)
    assert least <= held <= 0.97, held


@pytest.mark.parametrize("of_runs", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
def test_intervals_of_the_rate_hold(of_runs, rate):
    generator = np.random.default_rng(13)
    threshold = -stats.norm.ppf(rate) * np.sqrt(2.0 + of_runs**2)
    found = []
    for _ in range(500):
        of_starts = generator.normal(0.0, 1.0, 100)
        drawn = draw(generator, 0.0, of_runs, of_starts, 1.0, (5, 100))
        found.append(rate_of_runs(drawn > threshold))
    least = 0.85 if (of_runs, rate) == (1.0, 0.95) else 0.91  # as its docstring says
    assert least <= coverage(found, rate) <= 0.985, coverage(found, rate)


@pytest.mark.parametrize("of_runs", [0.0, 0.5])
@pytest.mark.parametrize("rates", [(0.8, 0.9), (0.99, 0.99)])
def test_intervals_of_the_rate_difference_hold(of_runs, rates):
    generator = np.random.default_rng(18)
    thresholds = -stats.norm.ppf(rates) * np.sqrt(2.0 + of_runs**2)
    found = []
    for of_starts in generator.normal(0.0, 1.0, (500, 100)):
        drawn = [draw(generator, 0.0, of_runs, of_starts, 1.0, (5, 100)) for _ in rates]
        found.append(rate_difference_of_runs(*(x > t for x, t in zip(drawn, thresholds))))
    held = coverage(found, rates[0] - rates[1])
    assert held >= 0.92, held


def test_rate_differences_have_some_length():
    ours, theirs = np.full((5, 200), True), np.full((3, 200), True)
    found = rate_difference_of_runs(ours, theirs)
    assert found.estimate == 0.0
    assert found.high == -found.low == pytest.approx(2.8 / 202, rel=0.01)
    assert rate_difference_of_runs(ours, ~theirs).estimate == 1.0
    with pytest.raises(ValueError, match="theirs: need bools"):
        rate_difference_of_runs(ours, theirs * 1.0)


# Runs that fail.


def failing_runs(generator, share, runs=5):
    """Four captures at 4.3 s in five runs, say, and one that never captures."""
    fails = generator.random(runs) < share
    return np.where(fails[:, None], 20.0, generator.normal(4.3, 0.1, (runs, 20)))


def test_no_interval_of_the_mean_holds_if_a_run_in_five_fails():
    generator = np.random.default_rng(14)
    studies = [failing_runs(generator, 0.2) for _ in range(1000)]
    held = coverage((mean_of_runs(study) for study in studies), 0.2 * 20.0 + 0.8 * 4.3)
    assert held == pytest.approx(1.0 - 0.8**5, abs=0.04)
    # As the module says: at this share of failures, no failure in five is not yet surprising.
    unseen = 1.0 - 0.025 ** (1 / 5)
    assert unseen == pytest.approx(0.52, abs=0.005)
    assert unseen * 20.0 + (1.0 - unseen) * 4.3 == pytest.approx(12.5, abs=0.05)


def test_a_note_says_when_runs_have_failed():
    generator = np.random.default_rng(15)
    one_fails = np.where(np.arange(5)[:, None] == 1, 20.0, generator.normal(4.3, 0.1, (5, 20)))
    note = note_on_runs(one_fails, "s")
    assert note.startswith("the 5 runs (4.2") or note.startswith("the 5 runs (4.3")
    assert ", 20 s) are far from normal" in note
    two_fail = np.where(np.arange(5)[:, None] < 2, 20.0, generator.normal(4.3, 0.1, (5, 20)))
    assert "share of failed runs" in note_on_runs(two_fail)
    normal = [note_on_runs(constant_runs(generator.normal(size=5))) for _ in range(2000)]
    assert 0 < sum(map(bool, normal)) <= 40  # 20 are expected
    for quiet in (one_fails[:2], one_fails[[0, 2, 3]], np.full((5, 20), 4.3)):
        assert note_on_runs(quiet) == ""
    many = np.where(np.arange(40)[:, None] < 8, 20.0, 4.3) + np.zeros(20)
    assert note_on_runs(many) == ""


@pytest.mark.parametrize(("runs", "confidence"), [(5, 0.9375), (6, 0.96875), (9, 0.9609375)])
def test_the_median_of_runs_has_exactly_its_confidence(runs, confidence):
    generator = np.random.default_rng(16)
    studies = generator.exponential(1.0, (2000, runs, 1)).repeat(2, axis=2)
    found = [median_of_runs(study) for study in studies]
    assert found[0].confidence == pytest.approx(confidence)
    held = coverage((one.interval for one in found), np.log(2.0))
    assert held == pytest.approx(confidence, abs=0.02)


def test_the_median_of_runs_by_hand():
    found = median_of_runs(constant_runs([4.4, 20.0, 4.2, 4.3, 4.3]))
    assert found.interval == pytest.approx((4.3, 4.2, 20.0))
    nine = median_of_runs(constant_runs([9, 1, 8, 2, 7, 3, 6, 4, 5]))
    assert nine.interval == (5.0, 2.0, 8.0)
    assert median_of_runs(constant_runs(range(9)), 0.8).interval == (4.0, 2.0, 6.0)
    with pytest.raises(ValueError, match="at least two runs"):
        median_of_runs(constant_runs([1.0]))


def test_the_rate_of_failed_runs_holds_exactly():
    """By all outcomes of 5 runs, for many true rates."""
    rates = np.linspace(0.001, 0.999, 999)
    exact, wilson = (
        np.array([estimator(np.arange(5) < failed) for failed in range(6)])
        for estimator in (rate_of_failed_runs, rate_with_interval)
    )
    chances = stats.binom.pmf(np.arange(6)[:, None], 5, rates)

    def least(found):
        holds = (found[:, 1, None] <= rates) & (rates <= found[:, 2, None])
        return (chances * holds).sum(axis=0).min()

    assert least(exact) >= 0.95
    assert least(wilson) == pytest.approx(0.83, abs=0.01)
    assert exact[0, 2] == pytest.approx(0.52, abs=0.005)
    assert exact[1, 1:] == pytest.approx((0.005, 0.72), abs=0.005)


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
