"""RLlib with the examples' env runner of batches and their environment for both sides."""

from __future__ import annotations

import clients
import gymnasium as gym
import numpy as np
import pytest

pytestmark = [pytest.mark.weekly, pytest.mark.filterwarnings("default")]  # RLlib's own


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    pytest.importorskip("ray.rllib")
    monkeypatch.syspath_prepend(clients.EXAMPLES)


GAMES = 8


def runner_of(config):
    from rllib_batches import BatchedEnvRunner

    return BatchedEnvRunner(config=config)


def config_of(env="steer_env:Pursuit-v0"):
    from ray.rllib.algorithms.ppo import PPOConfig
    from rllib_batches import BatchedEnvRunner

    return (
        PPOConfig()
        .environment(env, env_config={"opponent": "evade", "max_episode_steps": 20})
        .env_runners(
            env_runner_cls=BatchedEnvRunner,
            num_env_runners=0,
            num_envs_per_env_runner=GAMES,
            rollout_fragment_length=16,
        )
        .debugging(seed=3)
    )


@pytest.mark.parametrize(
    ("env", "explore"),
    [("steer_env:Pursuit-v0", True), ("steer_env:PursuitDiscrete-v0", False)],
)
def test_episodes_hold_what_the_games_were(env, explore):
    runner = runner_of(config_of(env))
    parts = {}
    for count in (160, 43, 160):
        found = runner.sample(num_timesteps=count, explore=explore)
        assert count <= sum(map(len, found)) < count + GAMES
        for episode in found:
            parts.setdefault(episode.id_, []).append(episode)
    ended = 0
    games = gym.make_vec(env, 1, opponent="evade", max_episode_steps=20)
    first = [episodes for episodes in parts.values() if episodes[0].t_started == 0][:GAMES]
    for number, episodes in enumerate(first):
        observation, _ = games.reset(seed=3 + number)
        t = 0
        for episode in episodes:
            assert episode.t_started == t
            np.testing.assert_array_equal(episode.get_observations(0), observation[0])
            for step in range(len(episode)):
                action = episode.get_actions(step)
                given = action if env.endswith("Discrete-v0") else np.clip(action, -1.0, 1.0)
                observation, reward, terminated, truncated, _ = games.step(given[None])
                assert episode.get_rewards(step) == reward[0]
                expected = observation[0]
                np.testing.assert_array_equal(episode.get_observations(step + 1), expected)
            t += len(episode)
            is_last = episode is episodes[-1]
            assert episode.is_terminated == (is_last and terminated[0])
            assert episode.is_truncated == (is_last and truncated[0])
            ended += episode.is_done
    assert len(first) == GAMES
    assert ended >= GAMES - 1
    assert runner.get_metrics()["num_env_steps_sampled_lifetime"].peek() >= 363


def test_what_the_runner_would_ignore_is_refused():
    from ray.rllib.callbacks.callbacks import RLlibCallback

    class Callbacks(RLlibCallback):
        pass

    with pytest.raises(ValueError, match="callbacks"):
        runner_of(config_of().callbacks(Callbacks))
    for env in ("CartPole-v1", lambda config: None):
        with pytest.raises(TypeError, match="environment of steer_env"):
            runner_of(config_of().environment(env, env_config={}))
