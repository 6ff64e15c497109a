"""Gymnasium's autoreset modes for the native vector environments.

The single environments work with Gymnasium 0.29, too, on which older programs depend.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import DependencyNotInstalled

try:
    from gymnasium.vector import AutoresetMode
except ImportError as error:
    raise DependencyNotInstalled(
        f"the native vector environments need gymnasium>=1.1, and {gym.__version__} is "
        'installed; run: pip install "gymnasium>=1.1" (gym.make and Gymnasium\'s own '
        "SyncVectorEnv and AsyncVectorEnv work with 0.29, too)"
    ) from error

from numpy.typing import NDArray

from steer_env.errors import check_choice

__all__ = ["AutoresetMode", "check_autoreset_mode", "ends_of_games"]


def check_autoreset_mode(given: Any) -> AutoresetMode:
    """Returns an autoreset mode, given itself or by its name (else an InvalidValue)."""
    if isinstance(given, AutoresetMode):
        return given
    check_choice("autoreset_mode", given, [mode.value for mode in AutoresetMode])
    return AutoresetMode(given)


def ends_of_games(
    terminations: Mapping[str, NDArray[np.bool_]],
    truncations: Mapping[str, NDArray[np.bool_]],
    info: Mapping[str, Any],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Terminated and truncated flags, each (N,), of the games of a `ParallelVectorEnv`."""
    # All players of a side are out of play only when the game is over.
    side, *_ = terminations
    truncated = np.any(truncations[side], axis=1)
    out_of_play = terminations[side] | ~info["alive"][side]
    return np.all(out_of_play, axis=1) & ~truncated, truncated
