"""Policies by name and from files, random ones, and plain functions."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import steer_env  # noqa: F401
from baselines import (
    FunctionPolicy,
    NetworkPolicy,
    RandomPolicy,
    ScriptedPolicy,
    load,
)


@pytest.mark.parametrize("env_id", ["Pursuit-v0", "EvadeDiscrete-v0"])
def test_a_random_policy_stays_in_the_action_space(env_id):
    env = gym.make(env_id)
    observation, _ = env.reset(seed=0)
    policy = load("random", env)
    for _ in range(20):
        action, _ = policy.predict(observation)
        assert env.action_space.contains(np.asarray(action)[()])
    assert len(policy.predict(np.stack([observation] * 7))[0]) == 7


def test_random_policies_repeat_with_their_seed():
    rows = np.zeros((4, 21), np.float32)
    one, other = RandomPolicy(seed=1), RandomPolicy(seed=1)
    np.testing.assert_array_equal(one.predict(rows)[0], other.predict(rows)[0])
    assert not np.array_equal(one.predict(rows)[0], RandomPolicy(seed=2).predict(rows)[0])


def test_a_random_policy_is_for_one_environment_of_many():
    envs = gym.make_vec("PursuitDiscrete-v0", num_envs=3)
    assert load("random", envs).action_space == envs.single_action_space
    assert load("random").action_space.shape == (2,)
    envs.close()


def test_files_load_by_their_path(tmp_path):
    layers = [np.eye(2, 21)], [np.zeros(2)]
    NetworkPolicy(*layers, activation="tanh", head="box").save(tmp_path / "mine.npz")
    rows = np.random.default_rng(0).uniform(-1, 1, (5, 21)).astype(np.float32)
    for path in (tmp_path / "mine.npz", str(tmp_path / "mine.npz")):
        np.testing.assert_array_equal(load(path).predict(rows)[0], rows[:, :2])
    (tmp_path / "model.zip").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="trust"):
        load(tmp_path / "model.zip")
    with pytest.raises(ValueError, match=r"model\.zip"):
        load(tmp_path / "model.zip", trust=True)
    with pytest.raises(FileNotFoundError):
        load("nowhere.npz")


def test_a_function_is_a_policy():
    policy = FunctionPolicy(lambda rows: rows[:, :2] * 2)
    rows = np.random.default_rng(0).uniform(-0.5, 0.5, (4, 21)).astype(np.float32)
    actions, state = policy.predict(rows, state="kept")
    assert state == "kept"
    np.testing.assert_array_equal(actions, rows[:, :2] * 2)
    np.testing.assert_array_equal(policy.predict(rows[0])[0], actions[0])
    with pytest.raises(TypeError, match="function"):
        FunctionPolicy("pursuit")


def test_hand_written_policies_play_in_an_environment():
    env = gym.make("Pursuit-v0")
    observation, _ = env.reset(seed=3)
    policy = load("pursuit/full_force", env)
    assert isinstance(policy, ScriptedPolicy)
    over, state = False, None
    while not over:
        action, state = policy.predict(observation, state)
        observation, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    assert terminated
