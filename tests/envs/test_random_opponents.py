"""Random opponents follow the seed of the episode, however many games there are."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from steer_env.actions import DIRECTIONS
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import PursuitVectorEnv
from steer_env.errors import InvalidValue
from steer_env.policies.random import RandomPolicy

from .same import IDS, assert_same, make_sync, play, play_all

MODES = list(AutoresetMode)


def episodes(envs, seed, steps=150):
    """What a reset with this seed and random actions of the learner, always the same, give."""
    run = play_all if hasattr(envs, "num_envs") else play
    return [envs.reset(seed=seed), *run(envs, steps)]


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasiums_checker_is_content_with_a_random_opponent(env_id):
    for opponent in ("random", ["random", "wander"]):
        env = gym.make(env_id, opponent=opponent)
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("opponent", ["random", ["random", "wander"]], ids=["alone", "mixed"])
@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize(
    "make",
    [
        gym.make,
        lambda *args, **keywords: gym.make_vec(*args, num_envs=3, **keywords),
        lambda *args, **keywords: gym.make_vec(
            *args, num_envs=3, vectorization_mode="sync", **keywords
        ),
    ],
    ids=["single", "vector", "sync"],
)
def test_a_random_opponent_follows_the_seed_of_reset(make, env_id, opponent):
    keywords = {"opponent": opponent, "max_episode_steps": 40}
    env, other = make(env_id, **keywords), make(env_id, **keywords)
    expected = episodes(env, seed=5)
    assert_same(episodes(other, seed=5), expected)
    different = episodes(other, seed=6)
    assert not np.array_equal(different[-1][0], expected[-1][0])
    assert_same(episodes(other, seed=5), expected)  # also after other episodes


@pytest.mark.parametrize("mode", MODES)
def test_a_random_opponent_follows_the_seed_in_every_mode(mode):
    keywords = {"opponent": "random", "max_episode_steps": 20, "capture_radius": 2.5}
    envs, other = (
        gym.make_vec("Pursuit-v0", num_envs=4, autoreset_mode=mode, **keywords)
        for _ in range(2)
    )
    assert_same(episodes(envs, seed=1), episodes(other, seed=1))


@pytest.mark.parametrize("make", [PursuitEnv, EvadeEnv, lambda **k: PursuitVectorEnv(3, **k)])
def test_a_state_restarts_a_random_opponent_too(make):
    env = make(opponent="random")
    env.reset(seed=0)
    run = play_all if hasattr(env, "num_envs") else play
    run(env, 5)
    state = env.get_state()
    expected = run(env, 10)
    env.reset(seed=1)
    env.set_state(state)
    assert_same(run(env, 10), expected)


@pytest.mark.parametrize("opponent", ["random", ["random", "wander"]], ids=["alone", "mixed"])
@pytest.mark.parametrize("mode", MODES)
def test_a_random_opponent_is_the_same_in_one_game_and_in_many(opponent, mode):
    keywords = {"opponent": opponent, "capture_radius": 2.5}
    envs = gym.make_vec("Evade-v0", num_envs=5, autoreset_mode=mode, **keywords)
    sync = make_sync("Evade-v0", 5, mode, **keywords)
    assert_same(episodes(envs, seed=3), episodes(sync, seed=3))


@pytest.mark.parametrize("space", [None, Discrete(9)], ids=["continuous", "discrete"])
@pytest.mark.parametrize("mode", MODES)
def test_a_random_policy_without_a_seed_is_the_same_in_one_game_and_in_many(space, mode):
    keywords = {"opponent": RandomPolicy(space, seed=None), "capture_radius": 2.5}
    envs = gym.make_vec("Evade-v0", num_envs=3, autoreset_mode=mode, **keywords)
    sync = make_sync("Evade-v0", 3, mode, **keywords)
    assert_same(episodes(envs, seed=3), episodes(sync, seed=3))


def test_a_discrete_random_policy_draws_discrete_actions():
    env = EvadeEnv(opponent=RandomPolicy(Discrete(9), seed=None))
    env.reset(seed=0)
    drawn = set()
    for _ in range(100):
        env.step(np.zeros(2, np.float32))
        drawn.add(tuple(env._match.opponent_actions[0, 0].tolist()))
    assert drawn == set(map(tuple, DIRECTIONS.tolist()))


def test_a_random_policy_for_another_game_is_refused():
    with pytest.raises(InvalidValue, match=r"was made for actions of Discrete\(4\)"):
        EvadeEnv(opponent=RandomPolicy(Discrete(4), seed=None))


def test_a_policy_that_is_more_than_random_is_asked():
    class Coasting(RandomPolicy):
        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            return np.zeros((len(observation), 2), np.float32), state

    env, rest = EvadeEnv(opponent=Coasting(seed=None)), EvadeEnv(opponent="rest")
    for each in (env, rest):
        each.reset(seed=0)
    assert_same(play(env, 20), play(rest, 20))


def test_random_players_with_seeds_of_their_own_ignore_that_of_the_game():
    def drawn(seed, own):
        env = PursuitEnv(opponent=RandomPolicy(seed=own))
        env.reset(seed=0)
        state = env.get_state()
        env.reset(seed=seed)
        env.set_state(state)
        return play(env, 10)

    assert_same(drawn(seed=5, own=1), drawn(seed=6, own=1))
    assert not np.array_equal(drawn(5, own=1)[-1][0], drawn(5, own=2)[-1][0])
