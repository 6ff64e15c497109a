"""The old place of `steer_env.scenarios.registry`."""

from __future__ import annotations

import warnings

from steer_env.scenarios.registry import *  # noqa: F403
from steer_env.scenarios.scenario import Scenario as SuiteGame  # noqa: F401

warnings.warn(
    "steer_env.suite is steer_env.scenarios.registry now", DeprecationWarning, stacklevel=2
)
