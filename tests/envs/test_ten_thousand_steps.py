"""Vector environments equal SyncVectorEnv over ten thousand steps."""

from __future__ import annotations

import gymnasium as gym
import pytest
from gymnasium.vector import AutoresetMode

from envs.test_check import MIXED
from steer_env.envs.check import check_vector_env

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("env_id", ["Pursuit-v0", "EvadeDiscrete-v0"])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_ten_thousand_steps_equal_sync_bit_for_bit(env_id, mode):
    keywords = {**MIXED, "opponent": "wander"}
    check_vector_env(
        lambda: gym.make(env_id, **keywords),
        lambda count, mode: gym.make_vec(
            env_id, num_envs=count, autoreset_mode=mode, **keywords
        ),
        num_envs=3,
        steps=10_000,
        modes=[mode],
    )
