"""A policy of uniform random actions: the lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from steer_env.actions import DIRECTIONS, action_space
from steer_env.errors import InvalidType, check_integer, shown

_ONE_PLAYER = action_space("continuous", players=1)


class RandomPolicy:
    """Uniform random actions.

    Args:
        action_space: of one environment (`single_action_space` of a vector environment); None
            for one player's continuous actions.
        seed: of its choices, one integer or several. None for an unpredictable one; but as an
            opponent in an environment it then draws from each game's chance, and in a
            `LiveGame` from the episode's seed and its side.
    """

    def __init__(
        self, action_space: gym.Space[Any] | None = None, seed: int | Sequence[int] | None = 0
    ) -> None:
        self.action_space = _ONE_PLAYER if action_space is None else action_space
        if not isinstance(self.action_space, gym.Space):
            raise InvalidType(
                "action_space must be a space of Gymnasium, as env.action_space, or None, got "
                f"{shown(action_space)} ({type(action_space).__name__})"
            )
        self.seed = seed
        if isinstance(seed, list | tuple) and seed:
            seed = [check_integer("seed", part, 0) for part in seed]
        elif seed is not None:
            check_integer("seed", seed, 0)
        self._generator = np.random.default_rng(seed)

    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], Any]:
        """Draws actions for (features,) or (N, features) observations."""
        batch = np.shape(observation)[:-1] if np.ndim(observation) > 1 else ()
        space = self.action_space
        if isinstance(space, gym.spaces.Box):
            shape = (*batch, *space.shape) if len(batch) < 2 else (*batch, 2)
            return self._generator.uniform(-1.0, 1.0, shape).astype(np.float32), state
        return self._generator.integers(0, len(DIRECTIONS), batch), state
