"""Models bring their VecNormalize, and the observation that they were trained with."""

from __future__ import annotations

import copy
import json
import pickle

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import (
    FunctionPolicy,
    NetworkPolicy,
    compare,
    crossplay,
    evaluate,
    gap,
    load,
)
from steer_env.cli import main
from steer_env.players.resolver import resolve
from steer_env.players.stable_baselines import NormalizedModel
from steer_env.record import record
from steer_env.scenarios.registry import SOLVED
from steer_env.sides import Side

pytest.importorskip("stable_baselines3")
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

from steer_env.envs.sb3 import make_vec_env

FEATURES = 21


@pytest.fixture(scope="module")
def model():
    """A model with statistics that matter, which it got after its beginning."""
    venv = make_vec_env("Pursuit-v0", 8, seed=0)
    network = {"policy_kwargs": {"net_arch": [8]}}
    model = PPO("MlpPolicy", venv, 3e-4, 16, 64, seed=0, device="cpu", **network)
    assert resolve(model, 0).policy is model
    model.set_env(VecNormalize(venv))
    assert isinstance(resolve(model, 0).policy, NormalizedModel)
    statistics = model.get_vec_normalize_env().obs_rms
    statistics.mean = np.linspace(-0.5, 0.5, FEATURES)
    statistics.var = np.linspace(0.1, 0.01, FEATURES)
    return model


@pytest.fixture
def saved(model, tmp_path):
    """The files of the model and of its VecNormalize."""
    model.save(tmp_path / "model.zip")
    model.get_vec_normalize_env().save(str(tmp_path / "statistics.pkl"))
    return f"PPO:{tmp_path}/model.zip", tmp_path / "statistics.pkl"


def by_hand(model):
    """The model, normalized here."""
    normalization = model.get_vec_normalize_env()

    def act(observations):
        normalized = normalization.normalize_obs(observations)
        return model.predict(normalized, deterministic=True)[0]

    return FunctionPolicy(act)


def episodes(player):
    return evaluate(player, "evade", {"horizon": 40}, 8).episodes.tobytes()


def test_a_model_in_training_is_measured_through_its_statistics(model):
    normalization = model.get_vec_normalize_env()
    before = copy.deepcopy(normalization.obs_rms.__dict__)
    measured = evaluate(model, "evade", {"horizon": 40}, 8)
    assert measured.episodes.tobytes() == episodes(by_hand(model))
    raw = FunctionPolicy(lambda rows: model.predict(rows, deterministic=True)[0])
    assert measured.episodes.tobytes() != episodes(raw)
    assert measured.pursuer == "PPO"
    assert normalization.obs_rms.__dict__.keys() == before.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(normalization.obs_rms, name), value)


def test_copies_of_an_opponent_from_files_go_on_as_it(saved):
    path, statistics = saved
    env = gym.make("Evade-v0", opponent=load(path, trust=True, normalization=statistics))
    env.reset(seed=3)
    copied, pickled = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    again = copy.deepcopy(pickled)
    for _ in range(20):
        steps = [each.step(np.float32([1, 0])) for each in (env, copied, pickled, again)]
        for step in steps[1:]:
            np.testing.assert_array_equal(steps[0][0], step[0])


def test_a_model_in_a_file_plays_with_the_file_of_its_statistics(model, saved):
    path, statistics = saved
    loaded = load(path, trust=True, normalization=statistics)
    assert episodes(loaded) == episodes(model)
    bare = load(path, trust=True)
    for normalization in (str(statistics), model.get_vec_normalize_env()):
        again = load(bare, trust=True, normalization=normalization)
        assert episodes(again) == episodes(model)


def test_wrong_normalizations_are_refused(model, saved, tmp_path):
    path, statistics = saved
    with pytest.raises(ValueError, match="trust=True"):
        load(model, normalization=statistics)
    with pytest.raises(FileNotFoundError):
        load(path, trust=True, normalization=tmp_path / "none.pkl")
    wrong = tmp_path / "wrong.pkl"
    wrong.write_bytes(b"no pickle")
    with pytest.raises(ValueError, match=r"wrong\.pkl"):
        load(path, trust=True, normalization=wrong)
    wrong.write_bytes(pickle.dumps([1]))
    with pytest.raises(TypeError, match=r"wrong\.pkl"):
        load(path, trust=True, normalization=wrong)
    with pytest.raises(TypeError, match="pursuit"):
        load("pursuit", normalization=statistics, trust=True)
    team = VecNormalize(make_vec_env("Pursuit-v0", 2, pursuers=2))
    with pytest.raises(ValueError, match="shape"):
        load(path, trust=True, normalization=team)


SEEN = {"features": ["other.offset_forward", "other.distance"], "noise": 0.1}
OWN = {"observation": SEEN}


@pytest.fixture(scope="module")
def short_sighted():
    return PPO("MlpPolicy", make_vec_env("Pursuit-v0", 2, **OWN), 8, 32, device="cpu", seed=0)


@pytest.fixture
def path(short_sighted, tmp_path):
    """Of a model that a user's own program saved: the model does not say what it observes."""
    short_sighted.save(tmp_path / "model.zip")
    return tmp_path / "model.zip"


def network(**observation):
    """Drives at what the first feature shows."""
    weights, biases = [np.array([[1.0, 0.0], [0.0, 0.0]])], [np.zeros(2)]
    metadata = {"observation": observation} if observation else None
    return NetworkPolicy(weights, biases, activation="tanh", head="squashed", metadata=metadata)


def test_a_model_keeps_what_its_attribute_says(path, short_sighted, capsys):
    model = short_sighted
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


def test_a_network_keeps_it_in_its_metadata(tmp_path):
    network(**SEEN).save(tmp_path / "mine.npz")
    mine, plain = tmp_path / "mine.npz", network()
    expected = evaluate(plain, "evade", OWN, 8)
    assert evaluate(mine, "evade", episodes=8).episodes.tobytes() == expected.episodes.tobytes()
    assert evaluate("seek", mine, episodes=8).config == expected.config
    assert compare(evaluate(mine, "evade", episodes=8), evaluate("seek", "evade", episodes=8))
    found = crossplay([mine, "seek"], ["evade"], episodes=8)
    alone = found.where(pursuer=found.pursuers[0])
    assert alone.episodes.tobytes() == expected.episodes.tobytes()
    assert found.config == evaluate("seek", "evade", episodes=8).config
    assert len(gap(mine, "simple_plane", starts=4)) == 4
    record([str(mine)], ["evade"], out=tmp_path / "drawn.png")


def test_the_games_own_observation_comes_first():
    other = {"observation": {"features": ["other.distance", "other.offset_forward"]}}
    found = evaluate(network(**SEEN), "evade", other, 4)
    assert found.config.observation.features == tuple(other["observation"]["features"])


@pytest.mark.parametrize("side", Side, ids=lambda side: side.name)
def test_it_stands_in_for_what_a_games_learner_observes(side):
    seen = SOLVED["perimeter_defense"].reduced_observation(side)
    weights, biases = [np.ones((2, len(seen["features"])))], [np.zeros(2)]
    given = {"activation": "tanh", "head": "box", "metadata": {"observation": seen}}
    reduced, game = NetworkPolicy(weights, biases, **given), {"game": "perimeter_defense"}
    asked = gap(reduced, {**game, "observation": seen}, side.name, starts=4)
    found = gap(reduced, game, side.name, starts=4)
    assert found.episodes.tobytes() == asked.episodes.tobytes()


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
