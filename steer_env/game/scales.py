"""The old place of `steer_env.game.rules.observed_features`."""

from __future__ import annotations

import warnings

from steer_env.game.rules import observed_features as observed_features

warnings.warn(
    "steer_env.game.scales is steer_env.game.rules now", DeprecationWarning, stacklevel=2
)
