"""A mixture draws a member for every episode, plays like it, and comes out of its file."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import evaluate
from steer_env.game.config.observation import observation_layout
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.pretrained import load_network
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.weekly

FEATURES_OF_GAME = observation_layout(2, 0)
LEFT, RIGHT = (0.0, 0.5), (0.0, -0.5)


def test_a_mixture_plays_by_its_path(tmp_path):
    features = gym.make("Evade-v0").observation_space.shape[0]
    ahead, rest = (
        NetworkPolicy(
            [np.zeros((2, features))],
            [[push, 0.0]],
            activation="tanh",
            head="box",
            metadata={"environment": "Evade-v0"},
        )
        for push in (1.0, 0.0)
    )
    path = str(tmp_path / "evader.npz")
    MixturePolicy([ahead, rest]).save(path)
    found = evaluate("pursuit", path, episodes=200, seed=5)
    again = evaluate("pursuit", path, episodes=200, seed=5)
    np.testing.assert_array_equal(found.episodes, again.episodes)
    assert 0.35 < (found["evader_effort"] == 0.0).mean() < 0.65  # the rest push all the time
    assert set(found["evader_effort"].round(12)) == {0.0, 1.0}  # a mean over the steps
    envs = gym.make_vec("Pursuit-v0", num_envs=4, opponent=path)
    envs.reset(seed=1)
    envs.step(np.zeros((4, 2), np.float32))
    # Another file of the same name is another opponent.
    assert envs.unwrapped.opponent == (path,)
    MixturePolicy([rest]).save(path)
    envs.set_opponent(path)
    assert envs.unwrapped.opponent == (path,)
    envs.reset(seed=1)
    for _ in range(5):
        observations = envs.step(np.zeros((4, 2), np.float32))[0]
    speed = [f.name for f in FEATURES_OF_GAME].index("velocity_forward")
    np.testing.assert_array_equal(observations[:, [speed, speed + 1]], 0.0)
    with pytest.raises(ValueError, match="made for the evader"):
        load_network(path, side=PURSUER)
    assert load_network(path, side=EVADER).name == path
