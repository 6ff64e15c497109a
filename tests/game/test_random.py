"""The random numbers are SplitMix64's, and as random as they should be."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.random import (
    draw_uniform,
    gaussian_of_bits,
    key_of_seed,
    mix,
    next_key,
    random_actions,
    random_bits,
)
from steer_env.game.state import make_state

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15
MANY = 100_000


def mix_integer(bits):
    """The finalizer of SplitMix64 (Steele, Lea and Flood 2014) in unbounded integers."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def game_with_key(key):
    """The columns of one game, with this key."""
    game = make_state(1, 2, 0)
    game.key[0] = key
    return game


def some_integers(count=1000):
    drawn = np.random.default_rng(0).integers(2**64, size=count, dtype="u8")
    return [0, 1, GAMMA, MASK, *drawn]


def test_bits_and_keys_are_those_of_splitmix64():
    for number in some_integers():
        bits, one = int(number), np.uint64(number)
        mixed = mix_integer((bits + GAMMA) & MASK)
        assert int(mix(one)) == mix_integer(bits)
        assert int(key_of_seed(one)) == mix_integer(mixed ^ 0xD1B54A32D192ED03)
        assert int(next_key(one)) == mix_integer(bits ^ 0xD1B54A32D192ED03)
        for draw in (1, 2, 19):
            expected = mix_integer((bits + draw * GAMMA) & MASK)
            assert int(random_bits(one, np.uint64(draw))) == expected


def test_keys_of_neighboring_seeds_are_unrelated():
    keys = np.array([key_of_seed(np.uint64(seed)) for seed in range(5000)], "u8")
    following = np.array([next_key(key) for key in keys], "u8")
    assert len(np.unique(np.concatenate([keys, following]))) == 10_000
    for one, other in ((keys[:-1], keys[1:]), (keys, following)):
        differing = np.unpackbits((one ^ other).view(np.uint8).reshape(-1, 8), axis=1)
        share = differing.mean(axis=0)  # of seeds for which a bit differs
        assert abs(differing.mean() - 0.5) < 0.005
        assert abs(share - 0.5).max() < 0.05
    first = np.array([draw_uniform(game_with_key(key), 0.0, 1.0) for key in keys])
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 0.05


def test_uniform_numbers():
    game = game_with_key(key_of_seed(np.uint64(1)))
    drawn = np.array([draw_uniform(game, -2.0, 3.0) for _ in range(MANY)])
    assert drawn.min() >= -2.0
    assert drawn.max() < 3.0
    assert drawn.mean() == pytest.approx(0.5, abs=0.02)
    assert drawn.var() == pytest.approx(25 / 12, rel=0.02)
    counts, _ = np.histogram(drawn, 50, (-2.0, 3.0))
    expected = MANY / 50
    chi_squared = ((counts - expected) ** 2 / expected).sum()
    assert chi_squared < 95  # of 49 degrees of freedom: about 1 in 10,000 beyond
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.02


def test_gaussian_numbers():
    key = key_of_seed(np.uint64(3))
    drawn = gaussian_of_bits(random_bits(key, np.arange(1, MANY + 1, dtype="u8")))
    assert drawn.mean() == pytest.approx(0.0, abs=0.02)
    assert drawn.var() == pytest.approx(1.0, rel=0.02)
    assert abs(drawn).max() < 3.5
    assert (drawn**3).mean() == pytest.approx(0.0, abs=0.05)
    # As of a sum of four uniform numbers: 68% within one standard deviation.
    assert (abs(drawn) < 1.0).mean() == pytest.approx(0.68, abs=0.02)
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.02


def test_random_actions_are_uniform_and_unrelated():
    key = np.arange(1, 2001, dtype=np.uint64)
    actions = random_actions(key, np.full(2000, 7), players=3)
    assert actions.shape == (2000, 3, 2)
    assert actions.dtype == np.float32
    flat = actions.reshape(2000, 6).astype(np.float64)
    gaps = np.abs(np.sort(flat.ravel()) - np.linspace(-1, 1, flat.size))
    assert gaps.max() / 2 < 1.63 / flat.size**0.5  # Kolmogorov and Smirnov, at 1 %
    later = random_actions(key, np.full(2000, 8), players=3).reshape(2000, 6)
    correlations = np.corrcoef(np.hstack([flat, later]).T) - np.eye(12)
    assert np.abs(correlations).max() < 0.1
