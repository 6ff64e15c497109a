"""The two kinds of actions, and how both become the engine's."""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_choice, shown

ACTION_TYPES = ("continuous", "discrete")

COASTING = 0
"""The discrete action that does nothing. 1 to 8 push, counter-clockwise from ahead."""

_A, _B = 1.0, math.sqrt(0.5)
_PUSHES = [(_A, 0), (_B, _B), (0, _A), (-_B, _B), (-_A, 0), (-_B, -_B), (0, -_A), (_B, -_B)]
DIRECTIONS = np.array([(0, 0), *_PUSHES], np.float32)
"""(forward, left) of each of the nine discrete actions."""


def check_action_type(action_type: str) -> str:
    """Returns the action type, or raises an InvalidValue if it is not in `ACTION_TYPES`."""
    check_choice("action_type", action_type, ACTION_TYPES)
    return action_type


def action_space(action_type: str, players: int) -> gym.Space[Any]:
    """The space of the actions of one side.

    Continuous: (2,), or (players, 2) for a team; discrete: Discrete(9), or MultiDiscrete.
    """
    if action_type == "discrete":
        if players == 1:
            return spaces.Discrete(len(DIRECTIONS))
        return spaces.MultiDiscrete([len(DIRECTIONS)] * players)
    shape = (2,) if players == 1 else (players, 2)
    return spaces.Box(-1.0, 1.0, shape, np.float32)


def as_array(actions: Any, what: str = "actions") -> NDArray[Any]:
    """Actions as a numpy array: from lists, tensors of torch, arrays of JAX, and so on.

    Raises:
        InvalidType: if they are not an array; for a tensor it says how to get one.
    """
    try:
        return np.asarray(actions)
    except Exception:  # whatever the objects in it raise
        if hasattr(actions, "detach"):
            raise InvalidType(
                f"{what} are a torch tensor that has a gradient or is not on the CPU, which "
                "numpy cannot read; return actions.detach().cpu().numpy()"
            ) from None
        raise InvalidType(f"{what} must be an array of numbers, got {shown(actions)}") from None


def engine_actions(
    actions: Any, action_type: str, num_games: int, players: int, batch: bool = True
) -> NDArray[np.float32]:
    """Actions in the engine's form: float32, (N, players, 2), C-contiguous.

    Without ``batch`` they are given without the first axis, as for a single environment.

    Raises:
        InvalidType, InvalidValue: for actions of another kind or shape.
    """
    shape: tuple[int, ...] = (num_games,) if batch else ()
    shape += () if players == 1 else (players,)
    array = as_array(actions)
    if action_type == "continuous":
        shape += (2,)
    if array.shape != shape:
        raise InvalidValue(f"actions must have the shape {shape}, got {array.shape}")
    if action_type == "continuous":
        if array.dtype.kind not in "fiu":
            raise InvalidType(f"actions must be real numbers, got dtype {array.dtype}")
        with np.errstate(over="ignore"):  # what is too large is infinite, and refused as such
            array = np.require(array, np.float32, ["C", "W"])
        return array.reshape(num_games, players, 2)
    if array.dtype.kind not in "iu":
        raise InvalidType(f"discrete actions must be integers, got dtype {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= len(DIRECTIONS)):
        raise InvalidValue(
            f"discrete actions go from 0 to {len(DIRECTIONS) - 1}, "
            f"got {array.min()} to {array.max()}"
        )
    return DIRECTIONS[array].reshape(num_games, players, 2)
