"""The old place of `steer_env.game.config.observation`."""

from __future__ import annotations

import warnings

from steer_env.game.config.observation import *  # noqa: F403

warnings.warn(
    "steer_env.game.features is steer_env.game.config.observation now",
    DeprecationWarning,
    stacklevel=2,
)
