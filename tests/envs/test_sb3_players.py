"""One policy for all players of a team, as rows of a VecEnv."""

from __future__ import annotations

import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecNormalize

from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.envs.sb3 import PlayersVecEnv, make_vec_env
from steer_env.errors import InvalidType, InvalidValue

GAME = {"capture_radius": 2.0, "arena_size": 12.0, "horizon": 150}


def test_rows_are_the_players_of_the_games_in_order():
    rows = make_vec_env("Pursuit-v0", 5, seed=3, shared=True, pursuers=3, evaders=2, **GAME)
    games = ParallelVectorEnv(
        5, learner="pursuer", autoreset_mode="SameStep", pursuers=3, evaders=2, **GAME
    )
    assert rows.num_envs == 15
    wanted, _ = games.reset(seed=3)
    assert (rows.reset() == wanted["pursuer"].reshape(15, -1)).all()
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(300):
        actions = rng.uniform(-1, 1, (15, 2)).astype(np.float32)
        observations, rewards, dones, infos = rows.step(actions)
        wanted, reward, ended, cut, info = games.step({"pursuer": actions.reshape(5, 3, 2)})
        assert (observations == wanted["pursuer"].reshape(15, -1)).all()
        assert (rewards == reward["pursuer"].reshape(15).astype(np.float32)).all()
        assert (dones == (ended["pursuer"] | cut["pursuer"]).reshape(15)).all()
        for row in np.flatnonzero(dones):
            last = info["final_obs"]["pursuer"].reshape(15, -1)[row]
            assert (infos[row]["terminal_observation"] == last).all()
            assert infos[row]["is_success"] is bool(ended["pursuer"].reshape(15)[row])
            assert infos[row]["TimeLimit.truncated"] is bool(cut["pursuer"].reshape(15)[row])
        ends += dones.sum()
    assert ends > 3


def test_attributes_are_those_of_a_rows_game():
    rows = make_vec_env("Pursuit-v0", 2, seed=0, shared=True, pursuers=2)
    rows.reset()
    assert len(rows.get_attr("config")) == 4
    states = rows.env_method("get_state", indices=[0, 3])
    assert states[0]["players"]["body"]["position"].shape == (1, 3)
    assert rows.env_is_wrapped(VecNormalize) == [False] * 4
    with pytest.raises(InvalidValue, match="all of them"):
        rows.env_method("set_opponent", "flee", indices=[0])
    rows.env_method("set_opponent", "flee")
    assert rows.envs.opponent == ("flee",)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidValue, match="one side"):
        PlayersVecEnv(ParallelVectorEnv(2, autoreset_mode="SameStep"))
    with pytest.raises(InvalidValue, match="SameStep"):
        PlayersVecEnv(ParallelVectorEnv(2, learner="pursuer"))
    with pytest.raises(InvalidType, match="shared"):
        make_vec_env("Pursuit-v0", 2, shared="yes")
    with pytest.raises(InvalidValue, match="Pursuit-v0"):
        make_vec_env("Persuit-v0", 2, shared=True)


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
