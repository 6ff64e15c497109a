"""The adapters keep stable-baselines3's conventions, also with a row for each player."""

from __future__ import annotations

import copy

import gymnasium as gym
import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.envs.sb3 import PlayersVecEnv, StableBaselinesVecEnv, make_vec_env
from steer_env.errors import InvalidValue


def play(vec_env, steps, seed=0):
    vec_env.seed(seed)
    vec_env.reset()
    vec_env.action_space.seed(seed)
    for _ in range(steps):
        actions = np.array([vec_env.action_space.sample() for _ in range(vec_env.num_envs)])
        yield vec_env.step(actions)


def test_a_time_out_is_marked_and_its_last_observation_kept():
    vec_env = VecNormalize(make_vec_env("Pursuit-v0", 3, max_episode_steps=5), norm_obs=False)
    assert isinstance(vec_env.venv, VecMonitor)
    steps = list(play(vec_env, 5))
    for _, _, dones, infos in steps[:-1]:
        assert not dones.any()
        assert infos == [{}, {}, {}]
    observations, _, dones, infos = steps[-1]
    assert dones.all()
    for observation, info in zip(observations, infos, strict=True):
        assert info["TimeLimit.truncated"] is True
        assert info["is_success"] is False
        assert info["episode"]["l"] == 5
        assert info["terminal_observation"].shape == observation.shape
        assert not np.array_equal(info["terminal_observation"], observation)


@pytest.mark.parametrize("shared", [False, True])
def test_what_the_vector_environment_has_works_on_the_wrappers(shared):
    vec_env = VecNormalize(make_vec_env("Pursuit-v0", 3, seed=0, pursuers=2, shared=shared))
    vec_env.reset()
    vec_env.set_opponent(["flee", "evade"], weights=[1, 3])
    vec_env.set_limits(evader={"max_speed": 2.0})
    assert vec_env.opponent == ("flee", "evade")
    assert vec_env.config.evader.max_speed == 2.0
    vec_env.set_state(vec_env.get_state())
    with pytest.raises(AttributeError, match="set_opponent"):
        vec_env.set_oponent("flee")
    assert not hasattr(vec_env, "_no_such_name")
    copy.copy(vec_env.unwrapped)  # asks for names before there is a vector environment


@pytest.mark.parametrize(
    ("env_id", "opponent", "success"),
    [("Pursuit-v0", "idle", True), ("Evade-v0", "pursuit", False)],
)
def test_a_capture_is_no_time_out_and_success_is_the_learners(env_id, opponent, success):
    game = {"opponent": opponent, "capture_radius": 4.0, "evader": {"max_speed": 0.1}}
    vec_env = make_vec_env(env_id, 16, monitor=False, **game)
    ends = [info for *_, infos in play(vec_env, 200) for info in infos if info]
    captures = [info["is_success"] for info in ends if not info["TimeLimit.truncated"]]
    assert set(captures) == {success}


def test_a_capture_in_the_last_moment_is_no_time_out():
    def first_end(**keywords):
        keywords |= {"opponent": "pursuit", "evader": {"max_speed": 0.1}}
        envs = make_vec_env("Evade-v0", 1, monitor=False, seed=0, **keywords)
        envs.reset()
        for step in range(1, 600):
            _, _, dones, infos = envs.step(np.zeros((1, 2), np.float32))
            if dones[0]:
                return step, infos[0]["TimeLimit.truncated"]
        return None

    steps, _ = first_end()
    assert first_end(horizon=steps) == (steps, False)
    assert first_end(horizon=steps - 1) == (steps - 1, True)


def test_seeds_are_used_once():
    first, again = make_vec_env("Pursuit-v0", 4, seed=3), make_vec_env("Pursuit-v0", 4, seed=3)
    np.testing.assert_array_equal(first.reset(), again.reset())
    second = first.reset()
    assert not np.array_equal(second, make_vec_env("Pursuit-v0", 4, seed=3).reset())


def test_attributes_and_methods_of_the_games():
    vec_env = make_vec_env("Pursuit-v0", 3, monitor=False)
    vec_env.reset()
    assert vec_env.get_attr("max_episode_steps") == [600] * 3
    assert vec_env.get_attr("render_mode", indices=[0]) == [None]
    whole = vec_env.envs.unwrapped.get_state()
    for indices in (0, [2, 1], None):
        chosen = range(3) if indices is None else np.ravel(indices)
        states = vec_env.env_method("get_state", indices=indices)
        expected = [whole[k : k + 1].tobytes() for k in chosen]
        assert [state.tobytes() for state in states] == expected
    assert vec_env.env_is_wrapped(gym.Wrapper) == [False] * 3
    for wrong in ("note", "horizon", "max_episode_steps"):
        with pytest.raises(AttributeError, match=wrong):
            vec_env.set_attr(wrong, 5)
    vec_env.set_attr("opponent", "flee")
    assert vec_env.get_attr("opponent") == [("flee",)] * 3
    vec_env.env_method("set_opponent", ["flee", "evade"], [3, 1])
    assert vec_env.get_attr("opponent_weights", 1)[0].tolist() == [0.75, 0.25]
    for change in (vec_env.set_attr, vec_env.env_method):
        with pytest.raises(ValueError, match="the games share 'opponent_weights'"):
            change("opponent_weights", [1, 0], indices=[0])
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


def test_wrong_arguments_are_named():
    for games in (ParallelVectorEnv(2, learner="pursuer"), gym.make_vec("Pursuit-v0", 2)):
        kind = PlayersVecEnv if isinstance(games, ParallelVectorEnv) else StableBaselinesVecEnv
        with pytest.raises(InvalidValue, match="SameStep"):
            kind(games)
    with pytest.raises(InvalidValue, match="one side"):
        PlayersVecEnv(ParallelVectorEnv(2, autoreset_mode="SameStep"))
    with pytest.raises(InvalidValue, match="Pursuit-v0"):
        make_vec_env("Persuit-v0", 2, shared=True)
    envs = make_vec_env("Pursuit-v0", 3, monitor=False)
    for wrong in (3, -1, "0", [0, 7], 0.5, np.array(1.5)):
        with pytest.raises((TypeError, ValueError), match="indices"):
            envs.get_attr("side", wrong)
    for unknown in (envs.env_method, lambda name, indices: envs.set_attr(name, 1, indices)):
        with pytest.raises(AttributeError, match="'set_opponents'"):
            unknown("set_opponents", indices=[0])
    with pytest.raises(TypeError, match="'weight'"):
        envs.env_method("set_opponent", "flee", weight=1)
    for wrong in ({"seed": "1"}, {"monitor": "no"}, {"shared": "yes"}):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            make_vec_env("Pursuit-v0", **wrong)


def test_a_new_render_mode_is_the_wrappers_alone():
    envs = make_vec_env("Pursuit-v0", num_envs=2, render_mode="rgb_array")
    envs.set_attr("render_mode", None)
    assert envs.get_attr("render_mode") == [None, None]
    assert envs.envs.render_mode == "rgb_array"
    envs.close()


def test_options_are_those_of_all_games_and_are_used_once():
    vec_env = VecNormalize(make_vec_env("Pursuit-v0", 3, seed=0), norm_obs=False)
    place = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    vec_env.set_options({"start": {"evader": {"position": place}}, "opponent": "idle"})
    vec_env.reset()
    states = np.concatenate(vec_env.env_method("get_state"))
    found = states["players"]["body"]["position"][:, 1]
    np.testing.assert_array_equal(found, place[:, 0] + 1j * place[:, 1])
    assert vec_env.get_attr("opponent_index") == [-1, -1, -1]
    vec_env.reset()
    assert vec_env.get_attr("opponent_index") == [0, 0, 0]
    with pytest.raises(InvalidValue, match="the same for all games"):
        vec_env.set_options([{"opponent": "idle"}, {}, {}])


# ---- Players as rows ----------------------------------------------------------------------

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
