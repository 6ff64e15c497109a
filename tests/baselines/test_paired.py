"""Intervals of differences contain the truth often enough, and find relevant differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from studies import LIMIT

from baselines.paired import (
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
)


def test_the_interval_has_some_length_even_if_all_pairs_agree():
    same = np.arange(200) < 120
    estimate, low, high = paired_rate_difference(same, same)
    assert estimate == 0.0
    assert -low == high == pytest.approx(stats.norm.ppf(0.975) * np.sqrt(2.0) / 202)
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
    wins = np.array([-1.0, 1.0, 0.0, 1.0, 1.0, -1.0])  # as probabilities: 0, 1 and a half
    half = stats.norm.ppf(0.975) * np.sqrt(wins.var() / 6)
    better = probability_of_improvement(ours, theirs)
    ends = [0.5 + 0.5 * end for end in (wins.mean() - half, wins.mean() + half)]
    assert better == pytest.approx((0.625, *np.clip(ends, 0.0, 1.0)))


def test_a_difference_beyond_the_limit_is_refused():
    with pytest.raises(ValueError, match=r"differ by at most the limit, 20, got 21"):
        paired_difference([0.0, 1.0], [1.0, 22.0], limit=LIMIT)
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="limit must be finite and above 0"):
            paired_difference([0.0, 1.0], [1.0, 2.0], limit=wrong)
    same = paired_difference([LIMIT] * 50, [LIMIT] * 50, limit=LIMIT)
    assert same.estimate == 0.0
    assert -same.low == same.high == pytest.approx(stats.norm.ppf(0.975) * LIMIT * 2**0.5 / 52)
