"""Intervals contain the truth as often as they should, and find relevant differences."""

from __future__ import annotations

import numpy as np
import pytest
from studies import LIMIT, MEAN_TIME, capture_times, coverage

from steer_env.baselines.optimality import START, RegionGap
from steer_env.baselines.statistics import (
    interquartile_mean_with_interval,
    mean_with_interval,
    median_with_interval,
    rate_with_interval,
    survival_curve,
)

pytestmark = pytest.mark.weekly

SIMULATIONS = 2000


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    """There is time for many simulations."""
    monkeypatch.setattr("steer_env.baselines.statistics.RESAMPLES", 500)


def rare_captures(generator, shape, rate):
    """All but a few episodes time out; the others end at any time."""
    times = np.where(
        generator.random(shape) < rate, generator.uniform(0.0, LIMIT, shape), LIMIT
    )
    return times, LIMIT * (1.0 - 0.5 * rate)


def rare_time_outs(generator, shape, rate):
    """All but a few episodes are captured soon."""
    times = np.where(generator.random(shape) < rate, LIMIT, generator.uniform(3.0, 5.0, shape))
    return times, LIMIT * rate + 4.0 * (1.0 - rate)


@pytest.mark.parametrize("draw", [rare_captures, rare_time_outs])
@pytest.mark.parametrize(("episodes", "events"), [(20, 1), (20, 3), (200, 1), (200, 3)])
def test_the_mean_holds_at_rare_events(draw, episodes, events):
    """A time limit tells what the bootstrap cannot see: events that did not happen yet."""
    samples, truth = draw(np.random.default_rng(20), (400, episodes), events / episodes)
    found = [mean_with_interval(sample, limit=LIMIT) for sample in samples]
    assert coverage(found, truth) >= 0.94, coverage(found, truth)
    if events == 1:
        found = [mean_with_interval(sample) for sample in samples]
        assert coverage(found, truth) <= 0.85, coverage(found, truth)


def test_a_limit_hardly_matters_for_common_events():
    times = capture_times(np.random.default_rng(23), 2000)
    without, found = mean_with_interval(times), mean_with_interval(times, limit=LIMIT)
    assert found.estimate == without.estimate
    assert found.low <= without.low < without.high <= found.high
    assert found.high - found.low < 1.05 * (without.high - without.low)


@pytest.mark.parametrize(
    ("estimator", "truth"),
    [
        (mean_with_interval, MEAN_TIME * -np.expm1(-LIMIT / MEAN_TIME)),
        (median_with_interval, MEAN_TIME * np.log(2.0)),
        # the mean of the quantiles from 1/4 to 3/4, by the integral of -log(1 - p)
        (
            interquartile_mean_with_interval,
            MEAN_TIME * (1.0 + np.log(4.0) - 0.75 * np.log(3.0) * 2),
        ),
    ],
)
def test_intervals_of_capture_times_hold(estimator, truth):
    samples = capture_times(np.random.default_rng(0), (SIMULATIONS, 200))
    held = coverage((estimator(sample) for sample in samples), truth)
    assert 0.93 <= held <= 0.97, held


def test_intervals_of_other_values_hold():
    samples = np.random.default_rng(1).beta(2.0, 5.0, (SIMULATIONS, 200))
    found = [mean_with_interval(sample) for sample in samples]
    assert 0.93 <= coverage(found, 2 / 7) <= 0.97, coverage(found, 2 / 7)


@pytest.mark.parametrize("rate", [0.02, 0.5, 0.98])
def test_intervals_of_rates_hold(rate):
    samples = np.random.default_rng(3).random((SIMULATIONS, 800)) < rate
    held = coverage(map(rate_with_interval, samples), rate)
    assert 0.93 <= held <= 0.97, held


def test_intervals_of_survival_hold_at_any_time():
    instants = np.array([0.5, 2.0, 7.0, 15.0, 19.9])
    samples = capture_times(np.random.default_rng(6), (SIMULATIONS, 200))
    held = np.zeros(len(instants))
    for sample in samples:
        curve = survival_curve(sample, sample < LIMIT)
        step = np.searchsorted(curve.times, instants, side="right") - 1
        truth = np.exp(-instants / MEAN_TIME)
        held += (curve.low[step] <= truth) & (truth <= curve.high[step])
    assert (held >= 0.93 * SIMULATIONS).all(), held
    assert (held <= 0.97 * SIMULATIONS).all(), held


@pytest.mark.parametrize("failures", [1, 3, 10])
def test_gaps_hold_although_failures_are_rare(failures):
    """A pursuer that is 1% late, and never catches the evader from a few of 2,000 starts."""
    generator, count, horizon = np.random.default_rng(29), 2000, 35.0
    value = generator.uniform(1.0, 11.0, count)
    starts = np.zeros((400, count), START)
    starts["value"] = value
    fails = generator.random((400, count)) < failures / count
    late = value * (1.0 + generator.exponential(0.01, fails.shape))
    starts["payoff"], starts["captured"] = np.where(fails, horizon, late), ~fails
    share = failures / count
    truth = 0.01 * value.mean() * (1.0 - share) + (horizon - value.mean()) * share
    with_limit = [RegionGap("D", one, 1.0, 0.0, horizon).gap for one in starts]
    assert coverage(with_limit, truth) >= 0.94
    if failures == 1:
        without = [RegionGap("D", one, 1.0, 0.0, None).gap for one in starts]
        assert coverage(without, truth) <= 0.8
