"""SuperSuit's wrappers take the PettingZoo environment, where no agent leaves early."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import steer_env

pytestmark = [pytest.mark.weekly, pytest.mark.filterwarnings("default")]  # SuperSuit's own
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    supersuit = pytest.importorskip("supersuit")

TEAM = {"pursuers": 3, "opponent": "evade", "horizon": 30}


def test_a_vector_environment_has_a_row_for_each_pursuer():
    vec_env = supersuit.pettingzoo_env_to_vec_env_v1(steer_env.parallel_env(**TEAM))
    envs = supersuit.concat_vec_envs_v1(vec_env, 4)
    observations, _ = envs.reset()
    assert observations.shape == (12, 43)
    games = observations.reshape(4, -1)
    assert len(np.unique(games, axis=0)) == 4  # the copies play different episodes
    ends = 0
    for _ in range(70):
        actions = np.stack([envs.action_space.sample() for _ in range(12)])
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        assert observations.shape == (12, 43)
        assert rewards.shape == (12,)
        over = (terminated | truncated).reshape(4, 3).astype(bool)
        assert (over.any(axis=1) == over.all(axis=1)).all()
        ends += over[:, 0].sum()
    assert ends >= 8
