"""The old place of `steer_env.policies.players`."""

from __future__ import annotations

import warnings

from steer_env.policies.players import *  # noqa: F403

warnings.warn(
    "steer_env.players is steer_env.policies.players now", DeprecationWarning, stacklevel=2
)
