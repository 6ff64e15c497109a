"""Evaluation is paired, exact about time-outs, and refuses what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from baselines import (
    evaluate,
    mean_with_interval,
    paired_difference,
    rate_with_interval,
)
from steer_env.envs.keywords import game_config


class Still:
    """A policy that never moves, and remembers what it was asked."""

    def __init__(self):
        self.first = []

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        self.first.append(episode_start.all())
        assert deterministic
        return np.zeros((len(observation), 2), np.float32), (state or 0) + 1


def test_the_same_seed_gives_the_same_episodes_whoever_plays():
    both = evaluate("pursuit", "evade", episodes=50), evaluate("pursuit", "evade", episodes=50)
    np.testing.assert_array_equal(*both)
    later = evaluate("pursuit", "evade", episodes=20, seed=30)
    np.testing.assert_array_equal(later, both[0][30:])


def test_a_time_out_counts_as_the_limit():
    config = game_config(horizon=30)
    episodes = evaluate(Still(), "evade", config, episodes=20)
    assert not episodes["captured"].any()
    np.testing.assert_allclose(episodes["time"], 30 * config.dt)
    assert (episodes["distance"] > config.capture_radius).all()
    np.testing.assert_array_equal(episodes["seed"], np.arange(20))


def test_a_policy_is_told_when_its_episode_begins():
    policy = Still()
    evaluate(policy, "rest", game_config(horizon=5), episodes=2)
    assert policy.first == [True, False, False, False, False]


def test_pursuit_of_a_vehicle_at_rest_takes_the_time_to_get_there():
    config = game_config(evader={"max_speed": 1e-3})
    episodes = evaluate("seek", "rest", config, episodes=50)
    assert episodes["captured"].all()
    assert (episodes["time"] > 4.0 / config.pursuer.max_speed).all()
    assert (episodes["distance"] <= 0.5 + config.pursuer.max_speed * config.dt).all()


@pytest.mark.parametrize(
    ("ours", "error", "match"),
    [
        ("persuit", ValueError, "Did you mean 'pursuit"),
        (3, TypeError, "predict"),
    ],
)
def test_what_is_no_policy_is_refused(ours, error, match):
    with pytest.raises(error, match=match):
        evaluate(ours, "evade", episodes=2)


def test_actions_of_the_wrong_shape_are_refused():
    class Wrong:
        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            return np.zeros(3, np.float32), None

    with pytest.raises(ValueError, match="shape"):
        evaluate(Wrong(), "evade", episodes=2)


def test_the_field_is_in_order():
    """Pursuit beats seek, intercept beats pursuit, evade lives longer than flee."""
    times = {
        name: evaluate(name, "evade", episodes=1000)["time"] for name in ("seek", "pursuit")
    }
    intercept = evaluate("pursuit/intercept", "evade", episodes=1000)["time"]
    assert paired_difference(times["pursuit"], times["seek"]).high < 0.0
    assert paired_difference(intercept, times["pursuit"]).high < 0.0
    flee = evaluate("pursuit", "flee", episodes=1000)["time"]
    assert paired_difference(times["pursuit"], flee).low > 0.0


def test_intervals_against_known_formulas():
    values = np.array([1.0, 2.0, 4.0, 9.0])
    found = mean_with_interval(values)
    half = stats.t.ppf(0.975, 3) * values.std(ddof=1) / 2.0
    assert found == pytest.approx((4.0, 4.0 - half, 4.0 + half))
    assert paired_difference(values + 1.0, values) == (1.0, 1.0, 1.0)
    z = stats.norm.ppf(0.975)
    center = (8 + z * z / 2) / (10 + z * z)
    rate = rate_with_interval(np.arange(10) < 8)
    assert rate.mean == 0.8
    assert (rate.low + rate.high) / 2 == pytest.approx(center)
    assert rate_with_interval(np.ones(100, bool)).low > 0.95


def test_the_interval_holds_as_often_as_it_says():
    generator = np.random.default_rng(0)
    hits = 0
    for _ in range(1000):
        found = mean_with_interval(generator.exponential(1.0, 200))
        hits += found.low <= 1.0 <= found.high
    assert 925 <= hits <= 970


@pytest.mark.parametrize("values", [[], [1.0], [[1.0, 2.0]]])
def test_too_few_values_are_refused(values):
    with pytest.raises(ValueError, match="at least two"):
        mean_with_interval(values)


def test_rates_and_pairs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="bool"):
        rate_with_interval([0.5, 1.0])
    with pytest.raises(ValueError, match="equal shapes"):
        paired_difference([1.0, 2.0], [1.0])


def test_a_mixture_is_refused():
    with pytest.raises(TypeError, match="one pursuer against one evader"):
        evaluate(["seek", "pursuit"], "evade", episodes=2)
