"""Every pursuer plays every evader; rankings and equilibria agree with those by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steer_env.baselines import EPISODE, crossplay
from steer_env.baselines.cross_play import CrossPlay
from steer_env.game.config import game_config

pytestmark = pytest.mark.weekly


def made_up(times, captured=None, config=None):
    """Returns a cross-play with episodes of the given lengths."""
    times = np.asarray(times, np.float64)
    episodes = np.zeros(times.shape, EPISODE)
    episodes["seed"] = np.arange(times.shape[-1])
    episodes["time"] = times
    episodes["captured"] = times < 20.0 if captured is None else captured
    names = [tuple(f"{side}{n}" for n in range(size)) for side, size in zip("pe", times.shape)]
    return CrossPlay(*names, config or game_config(), episodes)


@pytest.fixture(scope="module")
def found():
    return crossplay(["seek", "pursuit", "random"], ["flee", "evade"], episodes=40, seed=5)


# Matrix games.


# Cross-play.


@pytest.mark.parametrize("shape", [(1, 10), (3, 3)])
def test_the_value_of_equal_policies_holds(shape):
    """Though each side picks who was lucky, so that the estimate of the value is biased."""
    generator = np.random.default_rng(7)
    held, estimates = [], []
    for _ in range(80):
        of_starts = generator.normal(0.0, 2.0, 100)
        times = 8.0 + of_starts + generator.normal(0.0, 2.0, (*shape, 100))
        value = made_up(times.clip(0.0, 20.0)).equilibrium.value
        held.append(value.low <= 8.0 <= value.high)
        estimates.append(value.estimate)
    assert np.mean(held) >= 0.91, np.mean(held)
    if shape == (1, 10):
        assert np.mean(estimates) > 8.2


def test_intervals_of_a_ranking_hold():
    """Over the starts: outcomes against the opponents correlate within each."""
    generator = np.random.default_rng(8)
    rates = np.array([0.99, 0.95, 0.9, 1.0])
    held = np.zeros(2)
    for _ in range(200):
        luck = generator.normal(0.0, 0.6, 100) + generator.normal(0.0, 0.8, (4, 100))
        captured = luck < stats.norm.ppf(rates)[:, None]
        (rank,) = made_up(np.where(captured, 5.0, 20.0)[None]).ranking("pursuer")
        for place, (found, truth) in enumerate(
            ((rank.capture_rate, rates.mean()), (rank.payoff, 20.0 - 15.0 * rates.mean()))
        ):
            held[place] += found.low <= truth <= found.high
    assert (held >= 0.92 * 200).all(), held


@pytest.mark.parametrize(
    ("seed", "shape"), [(0, (2, 12, 8)), (1, (1, 40, 30)), (1, (1, 30, 12))]
)
def test_the_interval_of_the_value_contains_it(seed, shape):
    """Even if all evaders are equally good, and resamples favor the luckiest."""
    times = np.random.default_rng(seed).uniform(0.0, 20.0, shape)
    value = made_up(times).equilibrium.value
    assert value.low <= value.estimate <= value.high
    assert value.low < value.high


# Names.


# Output.
