"""Comparisons pair episodes by start, respect training runs, and find true differences."""

from __future__ import annotations

import numpy as np
import pytest
from test_comparison import (
    LIMIT,
    made_up,
    noisy,
    pair,  # noqa: F401
)

from steer_env.baselines import (
    compare,
)

pytestmark = pytest.mark.weekly

# Pairs.


# Sides.


# Training runs.


def test_more_episodes_do_not_make_up_for_few_runs():
    def width(episodes):
        generator = np.random.default_rng(2)
        runs = [noisy(mean, generator, episodes, pursuer="p") for mean in (4, 6, 8)]
        found = compare(runs, made_up(np.full(episodes, 10.0), "q")).capture_time
        return found.high - found.low

    assert width(10_000) > 0.8 * width(100)


# Power.


def outcomes(generator, rates, count):
    """Two policies on the same starts: half of what decides an episode is the start."""
    luck = generator.normal(size=(3, count))
    scores = [np.sqrt(0.5) * (luck[0] + own) for own in luck[1:]]
    ranks = [np.argsort(np.argsort(score)) / count for score in scores]
    return [
        made_up(np.where(rank < rate, 8.0 + 4.0 * rank, LIMIT), name, captured=rank < rate)
        for rank, rate, name in zip(ranks, rates, "ab")
    ]


def test_five_points_are_found_in_a_thousand_episodes():
    generator = np.random.default_rng(0)
    found = [compare(*outcomes(generator, (0.75, 0.70), 1000)) for _ in range(10)]
    for comparison in found:
        assert comparison.capture_rate.estimate == pytest.approx(0.05)
        assert comparison.capture_rate.low > 0.0
        assert comparison.capture_time.high < 0.0
        assert comparison.verdict.startswith("a is better than b: captures come")


def test_equal_policies_seldom_differ():
    generator = np.random.default_rng(1)
    found = 0
    for _ in range(40):
        draw = [noisy(8.0, generator, 300, pursuer=name) for name in "ab"]
        found += "no significant" not in compare(*draw).verdict
    assert found <= 6  # of 40; 2 are expected, and 7 or more once in 300 times


# Output.
