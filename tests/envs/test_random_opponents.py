"""Random opponents follow the seed of the episode, however many games there are."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from envs.same import IDS, assert_same, play, play_all
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.policies.random_policy import RandomPolicy

pytestmark = pytest.mark.weekly


def episodes(envs, seed, steps=150):
    """What a reset with this seed and random actions of the learner, always the same, give."""
    run = play_all if hasattr(envs, "num_envs") else play
    return [envs.reset(seed=seed), *run(envs, steps)]


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


def test_a_policy_that_is_more_than_random_is_asked():
    class Coasting(RandomPolicy):
        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            return np.zeros((len(observation), 2), np.float32), state

    env, rest = EvadeEnv(opponent=Coasting(seed=None)), EvadeEnv(opponent="idle")
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
