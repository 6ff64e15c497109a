"""Checks the keywords of environments, and seeds."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_integer,
    got,
)
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED


def check_fair(config: GameConfig) -> None:
    """Raises an InvalidValue for what only a side that learns alone can have."""
    observation, action = config.observation, config.action
    if observation.noise or observation.delay or action.noise or action.delay:
        raise InvalidValue("where both sides learn, noise and delays are not possible")
    if config.reward.terms:
        raise InvalidValue("where both sides learn, a zero-sum game, reward terms are refused")


def check_seed(seed: Any) -> int | None:
    """Returns a seed as an int from 0 to 2**64 - 1, or None."""
    return None if seed is None else check_integer("seed", seed, 0, LARGEST_SEED)


def check_seeds(seed: Any, num_envs: int) -> list[int | None]:
    """Returns the seeds of N games.

    Args:
        seed: None; an integer s, for the seeds s, s + 1, ...; or a list or a one-dimensional
            array of N integers and Nones.
        num_envs: N.

    Raises:
        InvalidType: if it is of another type.
        InvalidValue: if a seed is negative or has more than 64 bits, or there are not N.
    """
    if seed is None:
        return [None] * num_envs
    if isinstance(seed, Integral):
        first = check_integer("seed", seed, 0, LARGEST_SEED - num_envs + 1)
        return list(range(first, first + num_envs))
    is_list = isinstance(seed, Sequence) and not isinstance(seed, str)
    if not is_list and not (isinstance(seed, np.ndarray) and seed.ndim == 1):
        raise InvalidType(f"seed must be an integer, a list of them, or None, {got(seed)}")
    if len(seed) != num_envs:
        raise InvalidValue(f"seed must have num_envs={num_envs} entries, got {len(seed)}")
    return [check_seed(one) for one in seed]
