"""Policies bring the observation that they were trained with into every game."""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np
import pytest
from stable_baselines3 import PPO

from steer_env.baselines import NetworkPolicy, collect, compare, crossplay, evaluate, gap, load
from steer_env.cli import main
from steer_env.envs.sb3 import make_vec_env
from steer_env.record import record

SEEN = {"features": ["other.offset_forward", "other.distance"], "noise": 0.1}
OWN = {"observation": SEEN}


@pytest.fixture(scope="module")
def model():
    return PPO("MlpPolicy", make_vec_env("Pursuit-v0", 2, **OWN), 8, 32, device="cpu", seed=0)


@pytest.fixture
def path(model, tmp_path):
    """Of a model that a user's own program saved: the model does not say what it observes."""
    model.save(tmp_path / "model.zip")
    return tmp_path / "model.zip"


def network(**observation):
    """Drives at what the first feature shows."""
    weights, biases = [np.array([[1.0, 0.0], [0.0, 0.0]])], [np.zeros(2)]
    metadata = {"observation": observation} if observation else None
    return NetworkPolicy(weights, biases, activation="tanh", head="squashed", metadata=metadata)


def test_a_model_keeps_what_its_attribute_says(path, model, capsys):
    expected = evaluate(model, "evade", OWN, 8)
    model.observation_config = SEEN
    try:
        model.save(path)
    finally:
        del model.observation_config
    name = f"PPO:{path}"
    found = evaluate(load(name, trust=True), "evade", episodes=8)
    assert found.config == expected.config
    assert found.episodes.tobytes() == expected.episodes.tobytes()
    main(["evaluate", "--pursuer", name, "--trust", "--episodes", "8", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["capture_rate"] == expected.to_dict()["capture_rate"]
    noisy = evaluate(load(name, trust=True), "evade", episodes=8, learner="pursuer")
    assert noisy.config.observation.noise == 0.1
    both = "--pursuer", name, "seek", "--evader", "evade", "--trust", "--episodes", "8"
    main(["compare", *both])
    main(["crossplay", *both])


def test_a_network_keeps_it_in_its_metadata(tmp_path):
    network(**SEEN).save(tmp_path / "mine.npz")
    mine, plain = tmp_path / "mine.npz", network()
    expected = evaluate(plain, "evade", OWN, 8)
    assert evaluate(mine, "evade", episodes=8).episodes.tobytes() == expected.episodes.tobytes()
    assert evaluate("seek", mine, episodes=8).config == expected.config
    assert compare(evaluate(mine, "evade", episodes=8), evaluate("seek", "evade", episodes=8))
    found = crossplay([mine, "seek"], ["evade"], episodes=8)
    assert found[found.pursuers[0], "evade"].episodes.tobytes() == expected.episodes.tobytes()
    assert found.config == evaluate("seek", "evade", episodes=8).config
    assert gap(mine, "simple_plane", starts=4).starts["payoff"].shape == (4,)
    assert collect(mine, "evade", episodes=2).observations.shape[1] == 2
    record([str(mine)], ["evade"], png=tmp_path / "drawn.png")


def test_the_games_own_observation_comes_first():
    other = {"observation": {"features": ["other.distance", "other.offset_forward"]}}
    found = evaluate(network(**SEEN), "evade", other, 4)
    assert found.config.observation.features == tuple(other["observation"]["features"])


def test_two_policies_with_different_observations_are_refused():
    other = network(features=["other.distance", "other.offset_forward"])
    with pytest.raises(ValueError, match="trained with different observations"):
        evaluate(network(**SEEN), other, episodes=4)
    assert len(evaluate(network(**SEEN), network(**SEEN), episodes=4)) == 4


def test_a_policy_that_does_not_fit_is_refused_with_a_cure(path):
    with pytest.raises(ValueError, match=r"model.observation_config = "):
        evaluate(load(f"PPO:{path}", trust=True), "evade", episodes=4)
    with pytest.raises(ValueError, match="opponents in environments observe all features"):
        gym.make("Evade-v0", opponent=network(**SEEN))


def test_a_policy_that_looks_at_pictures_is_refused_with_a_cure():
    class Looks:
        observation_space = gym.spaces.Box(0, 255, (3, 64, 64), np.uint8)

        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            raise AssertionError

    with pytest.raises(ValueError, match=r"pictures.*evaluate_policy"):
        evaluate(Looks(), "evade", episodes=4)
