"""The vector environments are many single ones, step for step and bit for bit."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv

from .same import MIXTURE, assert_same, make_sync, play_all


def test_without_any_seed_all_games_differ():
    starts = [PursuitVectorEnv(20).reset()[0], PursuitVectorEnv(20).reset(seed=[None] * 20)[0]]
    assert len({row.tobytes() for start in starts for row in start}) == 40


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
@pytest.mark.parametrize("seed", [None, 11, [4, None, 6, 7]])
def test_a_mask_resets_the_games_that_it_names(mode, seed):
    ours = EvadeVectorEnv(4, autoreset_mode=mode, opponent="wander", **{"obstacles": 1})
    sync = make_sync("Evade-v0", 4, mode, opponent="wander", obstacles=1)
    ours.reset(seed=0), sync.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        mask = rng.random(4) < 0.5
        mask[rng.integers(4)] = True
        options = {"reset_mask": mask}
        actions = ours.action_space.sample()
        before = ours.step(actions)
        assert_same(before, sync.step(actions))
        after = ours.reset(seed=seed, options=options)
        assert options["reset_mask"] is mask  # nothing of the caller's is changed
        assert_same(after, sync.reset(seed=seed, options={"reset_mask": mask.copy()}))
        assert_same(after[0][~mask], before[0][~mask])
        assert (after[1]["_distance"] == mask).all()


def test_a_masked_reset_spares_a_game_its_own_restart():
    envs, other = (PursuitVectorEnv(2, max_episode_steps=3) for _ in range(2))
    actions = np.zeros((2, 2), np.float32)
    for each in (envs, other):
        each.reset(seed=[1, 2])
        for _ in range(3):
            result = each.step(actions)
    assert result[3].all()
    envs.reset(options={"reset_mask": np.array([True, False])})
    ours, theirs = envs.step(actions), other.step(actions)
    assert_same(ours[0][1], theirs[0][1])
    assert ours[0][0, 5] < 1.0 == theirs[0][0, 5]


@pytest.mark.weekly
def test_single_environments_run_in_processes():
    keywords = {"num_envs": 2, "max_episode_steps": 60, **MIXTURE}
    spawned = {"vectorization_mode": "async", "vector_kwargs": {"context": "spawn"}}
    ours = gym.make_vec("Pursuit-v0", **keywords)
    processes = gym.make_vec("Pursuit-v0", **spawned, **keywords)
    assert_same(processes.reset(seed=1), ours.reset(seed=1))
    assert_same(play_all(processes, 60), play_all(ours, 60))
    processes.close()
