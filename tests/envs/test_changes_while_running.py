"""Rarer changes of a running environment: pools that grow, files, solid bodies."""

from __future__ import annotations

import copy

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics

from envs.test_running import steps, vector
from steer_env import Script
from steer_env.errors import InvalidAttribute, InvalidValue
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.random_policy import RandomPolicy
from steer_env.steering import evade, norm, pursuit

pytestmark = pytest.mark.weekly


def test_a_pool_grows_and_old_opponents_are_forgotten():
    envs = vector(8, horizon=5)
    envs.reset(seed=0)
    for number in range(6):
        envs.set_opponent(
            [*envs.opponent, Script(behavior="evade", response_time=1.0 + number)]
        )
        steps(envs, 7)
    assert len(envs.opponent) == 7
    np.testing.assert_allclose(envs.opponent_weights, 1 / 7)


def test_a_file_that_was_written_anew_is_another_opponent(tmp_path):
    path = str(tmp_path / "policy.npz")
    for bias in (0.0, 1.0):
        network = NetworkPolicy(
            [np.zeros((2, 21))], [[bias, 0.0]], activation="tanh", head="box"
        )
        network.save(path)
        if bias == 0.0:
            envs = vector(2, opponent=path)
            envs.reset(seed=0)
            envs.set_opponent(path)
            assert envs.opponent_index.tolist() == [0, 0]
    envs.set_opponent(path)
    assert envs.opponent_index.tolist() == [-1, -1]


@pytest.mark.parametrize("env_id", ["Pursuit-v0", "Evade-v0"])
def test_a_state_fits_after_the_pool_has_grown(env_id):
    env = gym.make(env_id).unwrapped
    env.reset(seed=0)
    steps(env, 5)
    state = env.get_state()
    after = steps(env, 5)
    env.set_opponent([*env.opponent, "wander"])
    env.set_state(state)
    np.testing.assert_array_equal(steps(env, 5), after)


@pytest.mark.parametrize(
    "opponent",
    [
        "pretrained/evade/ppo",
        "random",
        RandomPolicy(seed=3),
        Script(behavior="evade", wander=1.0),
        lambda me, other: evade(me, other) if norm(me.velocity) < 3.0 else pursuit(me, other),
    ],
)
def test_every_kind_of_opponent_can_take_over(opponent):
    late, early = vector(), vector(opponent=copy.deepcopy(opponent))
    late.reset(seed=1)
    late.opponent = copy.deepcopy(opponent)
    for envs in (late, early):
        envs.reset(seed=1)
    np.testing.assert_array_equal(steps(late, 30), steps(early, 30))


def test_steering_goes_through_wrappers():
    env = RecordEpisodeStatistics(TimeLimit(gym.make("Pursuit-v0"), 50))
    env.get_wrapper_attr("set_opponent")("flee")
    assert env.unwrapped.opponent == ("flee",)
    env.set_wrapper_attr("opponent", ["evade", "flee"])
    assert env.unwrapped.opponent == ("evade", "flee")
    with pytest.raises(InvalidAttribute, match="horizon cannot change"):
        env.set_wrapper_attr("horizon", 50)
    env.reset(seed=0, options={"opponent": "idle"})
    assert env.unwrapped.opponent_index == -1

    sync = SyncVectorEnv([lambda: gym.make("Pursuit-v0")] * 3)
    native = RecordVectorStatistics(gym.make_vec("Pursuit-v0", 3))
    for envs in (sync, native.unwrapped):
        envs.reset(seed=0)
        envs.call("set_limits", evader={"max_speed": 2.0})
        envs.set_attr("opponent", "flee")
        assert envs.get_attr("opponent") == (("flee",),) * 3
        states = envs.call("get_state")
        assert [state.shape for state in states] == [(1,)] * 3
        assert envs.get_attr("opponent_index") == (-1, -1, -1)
        envs.reset(seed=1)
        bodies = [state["players"]["body"] for state in envs.call("get_state")]
        assert [body["max_speed"][0, 1] for body in bodies] == [2.0] * 3
        with pytest.raises(InvalidAttribute, match="arena cannot change"):
            envs.set_attr("arena", "torus")
    np.testing.assert_array_equal(steps(sync, 20), steps(native, 20))
    with pytest.raises(InvalidValue, match="call\\('set_opponent'"):
        native.unwrapped.set_attr("opponent", ["flee", "idle", "evade"])
    with pytest.raises(InvalidAttribute, match="'get_state'"):
        native.unwrapped.call("get_stat")
