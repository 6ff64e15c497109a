"""Gymnasium's autoreset modes, which the native vector environments need.

The single environments work with Gymnasium 0.29, too, on which older programs depend.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.error import DependencyNotInstalled

try:
    from gymnasium.vector import AutoresetMode
except ImportError as error:
    raise DependencyNotInstalled(
        f"the native vector environments need gymnasium>=1.1, and {gym.__version__} is "
        'installed; run: pip install "gymnasium>=1.1" (gym.make and Gymnasium\'s own '
        "SyncVectorEnv and AsyncVectorEnv work with 0.29, too)"
    ) from error

from steer_env.errors import check_choice

__all__ = ["AutoresetMode", "check_autoreset_mode"]


def check_autoreset_mode(given: Any) -> AutoresetMode:
    """Returns an autoreset mode, given itself or by its name.

    Raises:
        InvalidValue: if there is no such mode; the message has the nearest match.
    """
    if isinstance(given, AutoresetMode):
        return given
    check_choice("autoreset_mode", given, [mode.value for mode in AutoresetMode])
    return AutoresetMode(given)
