"""Intervals of differences contain the truth often enough, and find relevant differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from studies import LIMIT, MEAN_TIME, capture_times, coverage

from steer_env.baselines.paired import (
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
)

pytestmark = pytest.mark.weekly

SIMULATIONS = 2000


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    """There is time for many simulations."""
    monkeypatch.setattr("steer_env.baselines.statistics.RESAMPLES", 500)


def found_share(intervals):
    """Returns how often a difference is found: its interval excludes 0."""
    return 1.0 - coverage(intervals, 0.0)


def outcome_pairs(generator, rates, correlation, shape):
    """Captured or not, of two policies whose outcomes correlate over starts."""
    ours, theirs = rates
    both = ours * theirs + correlation * np.sqrt(ours * (1 - ours) * theirs * (1 - theirs))
    drawn = generator.random(shape)
    return drawn < ours, (drawn < both) | ((drawn >= ours) & (drawn < ours + theirs - both))


def time_pairs(generator, difference, shape):
    """Times of the spread and correlation of two pursuers against the same evader."""
    common, own, other = generator.normal(0.0, 7.0 * np.sqrt(0.5), (3, *shape))
    return 10.0 + difference + common + own, 10.0 + common + other


def test_intervals_of_differences_hold():
    pairs = zip(*time_pairs(np.random.default_rng(2), 0.5, (SIMULATIONS, 200)))
    found = [paired_difference(*pair) for pair in pairs]
    assert 0.93 <= coverage(found, 0.5) <= 0.97, coverage(found, 0.5)


@pytest.mark.parametrize("episodes", [20, 200, 1000])
@pytest.mark.parametrize("events", [1, 3, 6])
def test_intervals_of_rare_differences_hold(episodes, events):
    """Where a few pairs differ at all; the bootstrap cannot resample what it has not seen."""
    generator = np.random.default_rng(21)
    rate = events / episodes
    differs = generator.random((800, episodes)) < rate
    pairs = np.where(differs, generator.uniform(0.0, 19.0, differs.shape), LIMIT)
    found = [paired_difference(times, np.full(episodes, LIMIT), limit=LIMIT) for times in pairs]
    truth = -rate * (LIMIT - 9.5)
    assert coverage(found, truth) >= 0.97, coverage(found, truth)
    if events == 1:
        found = [paired_difference(times, np.full(episodes, LIMIT)) for times in pairs[:300]]
        assert 0.5 < coverage(found, truth) < 0.7, coverage(found, truth)


def test_a_limit_costs_little_where_differences_are_common():
    generator = np.random.default_rng(22)
    for episodes, most in ((200, 1.08), (2000, 1.01)):
        pairs = generator.normal(0.5, LIMIT / 4.0, (400, episodes)).clip(-LIMIT, LIMIT)
        found = [paired_difference(pair, np.zeros(episodes), limit=LIMIT) for pair in pairs]
        assert 0.92 <= coverage(found, 0.5) <= 0.99
        needed = 2.0 * 1.96 * pairs.std(axis=1) / np.sqrt(episodes)
        assert 1.0 < np.mean([one.high - one.low for one in found] / needed) < most


@pytest.mark.parametrize(
    ("rates", "most"), [((0.75, 0.70), 0.97), ((0.5, 0.1), 0.97), ((0.98, 0.98), 1.0)]
)
def test_intervals_of_paired_rates_hold(rates, most):
    generator = np.random.default_rng(4)
    pairs = outcome_pairs(generator, rates, 0.3, (SIMULATIONS, 300))
    held = coverage(map(paired_rate_difference, *pairs), rates[0] - rates[1])
    assert 0.93 <= held <= most, held


@pytest.mark.parametrize(("mean", "most"), [(10.0, 0.97), (8.0, 0.97), (0.2, 1.0)])
def test_intervals_of_the_probability_of_improvement_hold(mean, most):
    generator = np.random.default_rng(5)
    ours = capture_times(generator, (SIMULATIONS, 300), mean)
    theirs = capture_times(generator, (SIMULATIONS, 300))
    both_time_out = np.exp(-LIMIT / mean - LIMIT / MEAN_TIME)
    first = MEAN_TIME / (mean + MEAN_TIME)  # of two constant rates, regardless of when
    truth = first * (1.0 - both_time_out) + 0.5 * both_time_out
    found = [probability_of_improvement(*p, lower_is_better=True) for p in zip(ours, theirs)]
    assert 0.93 <= coverage(found, truth) <= most, coverage(found, truth)


def test_a_difference_of_five_points_in_the_rate_is_found():
    generator = np.random.default_rng(8)
    pairs = outcome_pairs(generator, (0.75, 0.70), 0.5, (1000, 1000))
    assert found_share(map(paired_rate_difference, *pairs)) >= 0.9
    pairs = outcome_pairs(generator, (0.70, 0.70), 0.5, (1000, 1000))
    assert found_share(map(paired_rate_difference, *pairs)) <= 0.07


@pytest.mark.parametrize(("episodes", "power"), [(1000, 0.62), (2500, 0.945)])
def test_a_difference_of_five_percent_in_the_time_is_found(episodes, power):
    """Found as often as normal theory predicts; 1,000 episodes are too few."""
    deviation = 7.0 / np.sqrt(episodes)  # of the mean difference, at a correlation of 1/2
    assert stats.norm.cdf(0.5 / deviation - 1.96) == pytest.approx(power, abs=0.005)
    pairs = zip(*time_pairs(np.random.default_rng(9), 0.5, (500, episodes)))
    found = found_share(paired_difference(*pair) for pair in pairs)
    assert found == pytest.approx(power, abs=0.045)


def test_equal_times_seldom_differ():
    pairs = zip(*time_pairs(np.random.default_rng(12), 0.0, (SIMULATIONS, 300)))
    found = found_share(paired_difference(*pair) for pair in pairs)
    assert found <= 0.07
