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

FLOAT = np.dtype(np.float32)
"""The dtype of continuous actions. Comparing it with a type takes longer."""

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
    """Actions as a numpy array: from lists, tensors of torch, arrays of JAX, and so on."""
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
    actions: Any, action_type: str, shape: tuple[int, ...], what: str = "actions"
) -> NDArray[np.float32]:
    """Actions in the engine's form: float32, (*shape, 2), C-contiguous.

    Their shape is that of discrete ones: an entry for each player. Messages have ``what``.
    """
    is_continuous = action_type == "continuous"
    if is_continuous:
        shape = (*shape, 2)
        if (
            type(actions) is np.ndarray
            and actions.shape == shape
            and actions.dtype is FLOAT
            and actions.flags.carray
        ):
            return actions  # without what it costs to check others
    array = as_array(actions, what)
    if array.shape != shape:
        raise InvalidValue(f"{what} must have the shape {shape}, got {array.shape}")
    if array.dtype.kind not in ("fiu" if is_continuous else "iu"):
        kind = "real numbers" if is_continuous else f"integers from 0 to {len(DIRECTIONS) - 1}"
        raise InvalidType(f"{what} must be {kind}, got dtype {array.dtype}")
    if is_continuous:
        with np.errstate(over="ignore"):  # what is too large is infinite, and refused as such
            return np.require(array, np.float32, ["C", "W"])
    if array.size and (array.min() < 0 or array.max() >= len(DIRECTIONS)):
        raise InvalidValue(
            f"{what} must be from 0 to {len(DIRECTIONS) - 1}, got {array.min()} to "
            f"{array.max()}"
        )
    return DIRECTIONS[array]
