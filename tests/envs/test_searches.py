"""Search from a state."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from envs.same import assert_same, play
from envs.test_state import GAME
from steer_env.actions import DIRECTIONS
from steer_env.envs.single import PursuitEnv
from steer_env.envs.vector import PursuitVectorEnv

pytestmark = pytest.mark.weekly


def test_a_vector_searches_all_branches_at_once():
    env, envs = PursuitEnv(opponent="evade"), PursuitVectorEnv(9, opponent="evade")
    env.reset(seed=2)
    play(env, 10)
    root = env.get_state()
    observations = envs.set_state(np.repeat(root, 9))
    assert_same(observations[4], env.set_state(root))
    for _ in range(20):
        results = envs.step(DIRECTIONS)
    for branch, action in enumerate(DIRECTIONS):
        env.set_state(root)
        for _ in range(20):
            observation, *_ = env.step(action)
        assert_same(observation, results[0][branch])


def test_equal_states_have_equal_bytes():
    states = []
    for _ in range(20):
        env = PursuitEnv(**GAME)
        env.reset(seed=5)
        env.step([1.0, 0.0])
        rubbish = [np.full(size, 0xAB, np.uint8) for size in range(100, 2000, 50)]
        del rubbish  # the allocator hands it out again, unless it is cleared
        states.append(env.get_state())
    assert len({state.tobytes() for state in states}) == 1
    assert len({pickle.dumps(state) for state in states}) == 1
    assert len({state.copy()[:1].tobytes() for state in states}) == 1
