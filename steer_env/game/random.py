"""Counter-based random numbers: SplitMix64 of an episode's key and a counter.

A game's chance depends on its own seed only. Source: Steele, Lea and Flood 2014, "Fast
splittable pseudorandom number generators".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.actions import DIRECTIONS
from steer_env.game.run.block import Games
from steer_env.machine_code.marking import compiled_modular
from steer_env.steering.compilation import compiled

_GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)
_NEXT_EPISODE = np.uint64(0xD1B54A32D192ED03)
_RANDOM_PLAYER = np.uint64(0x8CB92BA72F3D8DD7)  # so that it draws other numbers than the game
OF_SENSORS = np.uint64(0xA0761D6478BD642F)
OF_ACTUATORS = np.uint64(0xE7037ED1A0B428DB)
_ONE, _THREE, _ELEVEN, _SIXTEEN = np.uint64(1), np.uint64(3), np.uint64(11), np.uint64(16)
_TWENTY_SEVEN, _THIRTY, _THIRTY_ONE = np.uint64(27), np.uint64(30), np.uint64(31)
_LOW_SIXTEEN = np.uint64(0xFFFF)

_TO_UNIT_INTERVAL = 1.0 / (1 << 53)


@compiled_modular
def mix(bits: Any) -> Any:
    """Scrambles 64 bits, one to one (the finalizer of SplitMix64)."""
    bits = (bits ^ (bits >> _THIRTY)) * _FIRST_MULTIPLIER
    bits = (bits ^ (bits >> _TWENTY_SEVEN)) * _SECOND_MULTIPLIER
    return bits ^ (bits >> _THIRTY_ONE)


@compiled_modular
def key_of_seed(seed: Any) -> Any:
    """The key of the first episode, or keys for an array of seeds, unrelated to neighbors'."""
    return mix(mix(seed + _GOLDEN_GAMMA) ^ _NEXT_EPISODE)


@compiled_modular
def next_key(key: np.uint64) -> np.uint64:
    """The key of the episode after the one with this key."""
    return mix(key ^ _NEXT_EPISODE)


@compiled_modular
def random_bits(key: Any, draw: Any) -> Any:
    """The 64 random bits of a draw, counted from 1, in the episode with this key."""
    return mix(key + draw * _GOLDEN_GAMMA)


@compiled
def draw_uniform(game: Games, low: float, high: float) -> float:
    """A uniform number from [low, high), of the first of these games' chance."""
    game.draws[0] += _ONE
    bits = random_bits(game.key[0], game.draws[0])
    share = np.float64(bits >> _ELEVEN) * _TO_UNIT_INTERVAL
    return low + (high - low) * share


def random_actions(
    key: NDArray[np.uint64], steps: NDArray[np.int64], players: int, is_discrete: bool = False
) -> NDArray[np.float32]:
    """Uniform random (or discrete) actions, (N, players, 2), by each game's key and step."""
    size = players if is_discrete else 2 * players
    draws = (steps[:, None] * size + np.arange(1, size + 1)).astype(np.uint64)
    keys: Any = mix(key ^ _RANDOM_PLAYER)
    bits: Any = random_bits(keys[:, None], draws)
    if is_discrete:
        return DIRECTIONS[(bits % np.uint64(len(DIRECTIONS))).astype(np.intp)]
    shares = (bits >> _ELEVEN) * _TO_UNIT_INTERVAL
    return (2.0 * shares - 1.0).astype(np.float32).reshape(len(key), players, 2)


@compiled_modular
def gaussian_of_bits(bits: np.uint64) -> float:
    """A nearly normal number of mean 0, variance 1, below 3.5: the sum of four uniform ones."""
    total = bits & _LOW_SIXTEEN
    total += (bits >> _SIXTEEN) & _LOW_SIXTEEN
    total += (bits >> (_SIXTEEN + _SIXTEEN)) & _LOW_SIXTEEN
    total += bits >> (_SIXTEEN + _SIXTEEN + _SIXTEEN)
    # Four uniform numbers on 0..65535: mean 4 * 65535 / 2, variance 4 * (65536^2 - 1) / 12.
    return (np.float64(total) - 131070.0) * _GAUSSIAN_SCALE


_GAUSSIAN_SCALE = math.sqrt(12.0 / (4.0 * (65536.0**2 - 1.0)))


LARGEST_NOISE = 6.0 * (1.0 + 1e-12)
"""No noise is farther from its mean, in standard deviations."""


@compiled_modular
def noise(key: np.uint64, stream: np.uint64, draw: np.uint64) -> float:
    """Nearly normal noise of a stream, of mean 0 and variance 1, by twelve uniform numbers."""
    key = mix(key ^ stream)
    first = draw * _THREE + _ONE
    total = gaussian_of_bits(random_bits(key, first))
    total += gaussian_of_bits(random_bits(key, first + _ONE))
    total += gaussian_of_bits(random_bits(key, first + _ONE + _ONE))
    return total * _THIRD_ROOT


_THIRD_ROOT = math.sqrt(1.0 / 3.0)
