"""The learner's sensors and actuators: chosen features, noise and delay."""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from steer_env.baselines import evaluate, load
from steer_env.errors import InvalidValue
from steer_env.game.config import game_config
from steer_env.game.config.observation import NAMED, FeatureFunction

pytestmark = pytest.mark.weekly

EVERYTHING = list(NAMED)


def gap(me, other):
    return abs(other.position.real - me.position.real) / 100.0


def make(env_id="Pursuit-v0", **keywords):
    return gym.make(env_id, **keywords).unwrapped


class Chaser:
    """Steers to where the chosen features show the evader."""

    def __init__(self, env):
        self.observation_space, self.action_space = env.observation_space, env.action_space

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        assert observation.shape[1:] == self.observation_space.shape
        return observation[:, :2].astype(np.float32), None


@pytest.mark.parametrize("extra", [[], EVERYTHING[:19]])
def test_a_policy_made_for_chosen_features_is_evaluated_with_them(extra):
    chosen = ["other.bearing_forward", "other.bearing_left", *extra]
    keywords = {"observation": {"features": chosen, "noise": 0.2, "delay": 5}}
    policy = Chaser(make(**keywords))
    config = game_config(**keywords)
    found = evaluate(policy, "flee", config, episodes=60)
    standard = evaluate("seek", "flee", episodes=60)
    assert found.capture_rate.estimate > standard.capture_rate.estimate - 0.2
    assert found.config == game_config(observation={"features": chosen})
    assert json.dumps(found.to_dict())
    own = FeatureFunction(gap)
    functions = game_config(observation={"features": [own]}, action={"delay": 3})
    assert evaluate("seek", "idle", functions, episodes=2).config == game_config()
    with pytest.raises(InvalidValue, match=r"made for observations .*or for chosen features"):
        evaluate(Chaser(make()), "flee", game_config(pursuers=2, **keywords), episodes=2)
    assert isinstance(policy.observation_space, spaces.Box)


def test_a_learner_is_evaluated_with_the_noise_and_the_delays_of_the_game():
    keywords = {
        "observation": {"noise": 0.05, "delay": 4},
        "action": {"noise": 0.3, "delay": 2},
    }
    policy = load("pretrained/pursuit/ppo")
    found = evaluate(policy, "evade", keywords, 20, seed=3, learner="pursuer")
    assert found.config == game_config(**keywords)
    exact = evaluate(policy, "evade", keywords, 20, seed=3)
    assert exact.config == game_config()
    assert found["time"].mean() > exact["time"].mean() + 0.1
    env = gym.make("Pursuit-v0", opponent="evade", **keywords).unwrapped
    for episode in range(3):
        observation, _ = env.reset(seed=3 + episode)
        steps, is_over = 0, False
        while not is_over:
            action, _ = policy.predict(observation, deterministic=True)
            observation, _, terminated, truncated, _ = env.step(action)
            steps, is_over = steps + 1, terminated or truncated
        assert found["time"][episode] == pytest.approx(steps / 30, abs=0.2)
    with pytest.raises(InvalidValue, match="pursuit is a script"):
        evaluate("pursuit", "evade", keywords, 4, learner="pursuer")
