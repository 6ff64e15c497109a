"""Gymnasium's autoreset modes, which the native vector environments need.

The single environments work with Gymnasium 0.29, too, on which older programs depend.
"""

from __future__ import annotations

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

__all__ = ["AutoresetMode"]
