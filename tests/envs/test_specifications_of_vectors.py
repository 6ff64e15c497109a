"""What vector environments were made with makes the same games again."""

from __future__ import annotations

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from envs.same import assert_same, play_all
from envs.test_specification import KEYWORDS, again, is_plain
from steer_env.envs.single import PursuitEnv
from steer_env.policies.random_policy import RandomPolicy

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("keywords", KEYWORDS.values(), ids=KEYWORDS)
def test_so_are_vector_environments(keywords):
    mode = AutoresetMode.SAME_STEP
    envs = gym.make_vec("Evade-v0", num_envs=3, autoreset_mode=mode, **keywords)
    twins = gym.make_vec(again(envs.spec))
    assert is_plain(envs.spec.kwargs)
    assert twins.spec == envs.spec
    assert (twins.num_envs, twins.autoreset_mode) == (3, mode)
    assert_same(envs.reset(seed=3), twins.reset(seed=3))
    assert_same(play_all(envs, 50), play_all(twins, 50))


def test_what_the_caller_gave_is_left_alone():
    given = {"evader": {"max_speed": (2.0, 4.0)}}
    specification = EnvSpec("Own-v0", entry_point=PursuitEnv, kwargs={"randomize": given})
    env = gym.make(specification)
    assert specification.kwargs == {"randomize": {"evader": {"max_speed": (2.0, 4.0)}}}
    assert env.spec.kwargs == {"randomize": {"evader": {"max_speed": [2.0, 4.0]}}}


@pytest.mark.parametrize("opponent", [lambda me, other: 0j, RandomPolicy()], ids=["f", "p"])
def test_functions_and_policies_are_kept_and_json_refuses_them(opponent):
    env = gym.make("Pursuit-v0", opponent=["idle", opponent])
    assert env.unwrapped.spec.kwargs["opponent"][1] is opponent
    with pytest.raises(TypeError, match="not JSON serializable"):
        env.spec.to_json()
    assert gym.make(env.spec).unwrapped.config == env.unwrapped.config
