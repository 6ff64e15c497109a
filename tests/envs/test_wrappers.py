"""Gymnasium's wrappers work around our environments as they do around its own."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.wrappers import vector as vector_wrappers

from envs.same import MIXTURE, assert_same, make_sync, play_all

SHORT = {**MIXTURE, "max_episode_steps": 60}
WIDE = np.float32(-2.0), np.float32(2.0)


VECTOR_WRAPPERS = {
    "NormalizeObservation": vector_wrappers.NormalizeObservation,
    "NormalizeReward": vector_wrappers.NormalizeReward,
    "RescaleAction": lambda envs: vector_wrappers.RescaleAction(envs, *WIDE),
    "RescaleObservation": lambda envs: vector_wrappers.RescaleObservation(envs, *WIDE),
    "DictInfoToList": vector_wrappers.DictInfoToList,
}


@pytest.mark.parametrize("wrap", VECTOR_WRAPPERS.values(), ids=VECTOR_WRAPPERS)
def test_vector_wrappers(wrap):
    ours = wrap(gym.make_vec("Pursuit-v0", num_envs=4, **SHORT))
    sync = wrap(make_sync("Pursuit-v0", 4, **SHORT))
    assert_same(ours.reset(seed=1), sync.reset(seed=1))
    assert_same(play_all(ours, 150), play_all(sync, 150))
    assert ours.observation_space == sync.observation_space


def test_time_aware_observation():
    env = gym.make("Pursuit-v0", max_episode_steps=20, capture_radius=1e-9)
    env = wrappers.TimeAwareObservation(env, flatten=True, normalize_time=True)
    observation, _ = env.reset(seed=0)
    assert observation.shape == (22,)
    times = [env.step(env.action_space.sample())[0][-1] for _ in range(20)]
    assert np.allclose(times, np.arange(1, 21) / 20)
