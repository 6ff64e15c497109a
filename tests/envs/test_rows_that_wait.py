"""Rows of a VecEnv of players wait after they are caught."""

from __future__ import annotations

import numpy as np
import pytest

from envs.test_sb3_players import GAME
from steer_env.envs.sb3 import make_vec_env

pytestmark = pytest.mark.weekly


def test_an_evader_that_is_caught_early_ends_alone_and_waits():
    rows = make_vec_env("Evade-v0", 6, seed=0, shared=True, evaders=3, **GAME)
    rows.reset()
    rng = np.random.default_rng(0)
    returns, lengths = np.zeros(18), np.zeros(18, int)
    alone = episodes = 0
    for _ in range(600):
        before = rows.unwrapped.alive if hasattr(rows, "unwrapped") else rows.alive
        actions = rng.uniform(-1, 1, (18, 2)).astype(np.float32)
        observations, rewards, dones, infos = rows.step(actions)
        returns += rewards
        lengths += 1
        assert not rewards[~before].any()
        assert not observations[~rows.alive].any()
        assert observations[rows.alive].any(axis=1).all()
        for row in np.flatnonzero(dones):
            game = slice(row // 3 * 3, row // 3 * 3 + 3)
            if before[row]:
                episode = infos[row]["episode"]
                assert episode["r"] == pytest.approx(returns[row], abs=1e-4)
                assert episode["l"] == lengths[row]
                assert infos[row]["terminal_observation"].any()
                assert infos[row]["is_success"] is infos[row]["TimeLimit.truncated"]
                episodes += 1
            else:
                assert "episode" not in infos[row]
                assert dones[game].all()
            alone += not dones[game].all()
            returns[row] = lengths[row] = 0
    assert alone > 3
    assert episodes > 20
