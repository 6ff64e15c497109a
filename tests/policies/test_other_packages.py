"""Files of stable-baselines3 are loaded if they are trusted, and damaged ones are refused."""

from __future__ import annotations

import copy

import gymnasium as gym
import numpy as np
import pytest

import steer_env  # noqa: F401
from policies.test_stable_baselines import (
    models,  # noqa: F401
)
from steer_env.baselines import evaluate, load

pytestmark = pytest.mark.weekly

# ---- sb3-contrib and sbx -------------------------------------------------------------------


SHORT = {"policy_kwargs": {"net_arch": [8]}, "seed": 0}
REPLAY = {**SHORT, "buffer_size": 100, "learning_starts": 1000}
ROLLOUT = {**SHORT, "n_steps": 16, "batch_size": 16}
OTHERS = {
    "TQC": REPLAY,
    "QRDQN": REPLAY,
    "CrossQ": REPLAY,
    "ARS": {"seed": 0, "n_delta": 2},
    "TRPO": ROLLOUT,
    "MaskablePPO": ROLLOUT,
    "sbx.PPO": ROLLOUT,
    "sbx.SAC": REPLAY,
}


@pytest.mark.parametrize("name", OTHERS)
def test_models_of_other_packages_play_as_the_saved_ones(name, tmp_path):
    package = pytest.importorskip("sbx" if name.startswith("sbx.") else "sb3_contrib")
    discrete = name in ("QRDQN", "MaskablePPO")
    env = gym.make("PursuitDiscrete-v0" if discrete else "Pursuit-v0")
    make = getattr(package, name.removeprefix("sbx."))
    model = make("MlpPolicy", env, **copy.deepcopy(OTHERS[name]))
    model.save(tmp_path / "model.zip")
    expected = evaluate(model, "evade", {"horizon": 30}, 10).episodes
    loaded = load(f"{name}:{tmp_path}/model.zip", trust=True)
    assert type(loaded) is type(model)
    found = evaluate(loaded, "evade", {"horizon": 30}, 10).episodes
    np.testing.assert_array_equal(found, expected)


def test_a_recurrent_model_keeps_its_state_through_an_episode():
    package = pytest.importorskip("sb3_contrib")
    env = gym.make("Pursuit-v0", horizon=40)
    keywords = {"n_steps": 16, "batch_size": 16, "policy_kwargs": {"lstm_hidden_size": 8}}
    model = package.RecurrentPPO("MlpLstmPolicy", env, seed=0, **keywords)
    for weights in model.policy.lstm_actor.parameters():
        weights.data *= 5.0  # so that its memory matters
    measured = evaluate(model, "evade", {"horizon": 40}, 5)["distance"]
    forgetful = []
    for seed in range(5):
        for remembers in (True, False):
            observation, _ = env.reset(seed=seed)
            state, is_first, done = None, True, False
            while not done:
                start = np.array([is_first or not remembers])
                action, state = model.predict(observation, state, start, deterministic=True)
                is_first = False
                observation, _, terminated, truncated, info = env.step(action)
                done = terminated or truncated
            if remembers:
                assert measured[seed] == pytest.approx(info["distance"], rel=1e-4)
            else:
                forgetful.append(info["distance"])
    assert (abs(np.array(forgetful) - measured) > 1e-3).any()
