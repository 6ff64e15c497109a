"""Files of stable-baselines3 are loaded if they are trusted, and damaged ones are refused."""

from __future__ import annotations

import copy
import json
import sys
import zipfile

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

import steer_env  # noqa: F401
from baselines import evaluate, load
from steer_env.policies.stable_baselines import load_stable_baselines3

ALGORITHMS = ["PPO", "A2C", "SAC", "TD3", "DDPG", "DQN"]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """An untrained model of each algorithm, and its file."""
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    folder = tmp_path_factory.mktemp("models")
    saved = {}
    for name in ALGORITHMS:
        env = gym.make("PursuitDiscrete-v0" if name == "DQN" else "Pursuit-v0")
        keywords = {} if name in ("PPO", "A2C") else {"buffer_size": 10}
        model = getattr(stable_baselines3, name)(
            "MlpPolicy", env, policy_kwargs={"net_arch": [8]}, device="cpu", **keywords
        )
        path = folder / f"{name}.zip"
        model.save(path)
        saved[name] = (model, path)
    return saved


def description(**changes):
    """Returns the member 'data' of a PPO model."""
    policy = {"__module__": "stable_baselines3.common.policies", ":serialized:": "none"}
    return json.dumps({"policy_class": policy, "clip_range": 0.2, **changes})


def write_zip(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return path


def check_refused(path, message, **keywords):
    with pytest.raises(ValueError, match=message) as caught:
        load_stable_baselines3(path, trust=True, **keywords)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_loaded_model_plays_as_the_saved_one(name, models):
    model, path = models[name]
    loaded = load_stable_baselines3(path, trust=True)
    assert type(loaded).__name__ == ("TD3" if name == "DDPG" else name)
    assert str(loaded.device) == "cpu"
    shape = (50, *model.observation_space.shape)
    observations = np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)
    expected, _ = model.predict(observations, deterministic=True)
    actions, _ = loaded.predict(observations, deterministic=True)
    np.testing.assert_array_equal(actions, expected)


def test_the_algorithm_can_be_named(models):
    loaded = load_stable_baselines3(str(models["DDPG"][1]), trust=True, algorithm="DDPG")
    assert type(loaded).__name__ == "DDPG"


@pytest.mark.parametrize("trust", [False, 1, "yes"])
def test_without_trust_the_file_is_not_even_opened(trust, tmp_path):
    with pytest.raises(ValueError, match=r"runs code when it is loaded.*trust=True"):
        load_stable_baselines3(tmp_path / "none.zip", trust=trust)


def test_nothing_is_unpickled_to_find_the_algorithm(tmp_path, monkeypatch):
    """An unknown policy class is refused before any of its pickles is read."""
    pickle = pytest.importorskip("cloudpickle")

    def fail(*_, **__):
        raise AssertionError("something was unpickled")

    monkeypatch.setattr(pickle, "loads", fail)
    data = description(policy_class={"__module__": "my.policies", ":serialized:": "gASV"})
    path = write_zip(tmp_path / "model.zip", {"data": data})
    check_refused(path, "of the module 'my.policies'; pass algorithm= one of 'PPO', 'A2C'")


def test_without_stable_baselines3_it_says_what_to_install(tmp_path, monkeypatch):
    path = write_zip(tmp_path / "model.zip", {"data": description()})
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "steer-env\[agents\]"'):
        load_stable_baselines3(path, trust=True)


def test_an_unknown_algorithm_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"unknown algorithm 'PP0'\. Did you mean 'PPO'"):
        load_stable_baselines3(tmp_path / "model.zip", trust=True, algorithm="PP0")


def test_the_wrong_algorithm_is_refused(models):
    check_refused(models["PPO"][1], "cannot be loaded as a model of DQN", algorithm="DQN")


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_stable_baselines3(tmp_path / "none.zip", trust=True)
    check_refused(tmp_path, "is a folder; expected a .zip file")


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", b"a model, I swear"])
def test_a_file_that_is_not_an_archive_is_refused(content, tmp_path):
    path = tmp_path / "model.zip"
    path.write_bytes(content)
    check_refused(path, "is not a model.*not a zip file")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "no member 'data'"),
        ({"policy.pth": b""}, "no member 'data'"),
        ({"data": b"{"}, "is not a model"),
        ({"data": b"\xff\xff"}, "is not a model"),
        ({"data": b"[" * 200_000}, "is not a model"),
        ({"data": b"[1]"}, "is not a JSON object"),
        ({"data": b"{}"}, "of the module None"),
        ({"data": description(policy_class="PPO")}, "of the module None"),
        ({"data": description(policy_class={"__module__": ["a"]})}, "pass algorithm="),
        ({"data": description()}, "cannot be loaded as a model of PPO"),
    ],
)
def test_an_archive_without_a_model_is_refused(members, message, tmp_path):
    if message.startswith("cannot"):
        pytest.importorskip("stable_baselines3")
    check_refused(write_zip(tmp_path / "model.zip", members), message)


def test_too_long_a_description_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("steer_env.policies.stable_baselines.MAX_DATA_BYTES", 10)
    path = write_zip(tmp_path / "model.zip", {"data": description()})
    check_refused(path, "more than 10 bytes")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data", "{}")
        archive.writestr("policy.pth", bytes(10**7))
    with pytest.raises(ValueError, match="claim a size that they cannot have"):
        load_stable_baselines3(path, trust=True)


def test_damaged_files_are_refused(models, tmp_path):
    content = models["PPO"][1].read_bytes()
    path = tmp_path / "model.zip"
    path.write_bytes(content[: len(content) // 2])
    check_refused(path, "not a zip file")
    middle = content.index(b"policy.pth") + 2000  # in the weights
    flipped = bytearray(content)
    flipped[middle] ^= 0xFF
    path.write_bytes(flipped)
    check_refused(path, "'policy.pth' is damaged")


# ---- sb3-contrib and sbx -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "settings", "algorithm"),
    [
        ("stable_baselines3.common.policies", {"cg_max_steps": 15}, "TRPO"),
        ("sb3_contrib.tqc.policies", {}, "TQC"),
        ("sb3_contrib.common.recurrent.policies", {"clip_range": 0.2}, "RecurrentPPO"),
        ("sb3_contrib.common.maskable.policies", {"clip_range": 0.2}, "MaskablePPO"),
        ("sbx.ppo.policies", {"clip_range": 0.2}, "sbx.PPO"),
        ("sbx.crossq.policies", {}, "sbx.CrossQ"),
    ],
)
def test_a_missing_package_of_the_found_algorithm_is_named(
    module, settings, algorithm, tmp_path, monkeypatch
):
    data = json.dumps({"policy_class": {"__module__": module}, **settings})
    path = write_zip(tmp_path / "model.zip", {"data": data})
    package, install = ("sbx", "sbx-rl") if "sbx" in module else ("sb3_contrib", "sb3-contrib")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DependencyNotInstalled, match=rf"{algorithm} .*pip install {install}"):
        load_stable_baselines3(path, trust=True)
    with pytest.raises(DependencyNotInstalled, match=f"pip install {install}"):
        load_stable_baselines3(path, trust=True, algorithm=algorithm)


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
    for algorithm in (None, name):
        loaded = load(tmp_path / "model.zip", trust=True, algorithm=algorithm)
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
