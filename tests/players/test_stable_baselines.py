"""Files of stable-baselines3 are loaded if they are trusted, and damaged ones are refused."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

from players.networks import write_zip
from steer_env.baselines import evaluate, load
from steer_env.players.stable_baselines import load_stable_baselines3, split_model

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


def check_refused(path, message, algorithm="PPO"):
    with pytest.raises(ValueError, match=message) as caught:
        load_stable_baselines3(f"{algorithm}:{path}", trust=True)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_loaded_model_plays_as_the_saved_one(name, models):
    model, path = models[name]
    loaded = load_stable_baselines3(Path(f"{name}:{path}"), trust=True)
    assert type(loaded).__name__ == name
    assert str(loaded.device) == "cpu"
    shape = (50, *model.observation_space.shape)
    observations = np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)
    expected, _ = model.predict(observations, deterministic=True)
    actions, _ = loaded.predict(observations, deterministic=True)
    np.testing.assert_array_equal(actions, expected)


@pytest.mark.parametrize("trust", [False, 1, "yes"])
def test_without_trust_the_file_is_not_even_opened(trust, tmp_path):
    with pytest.raises(ValueError, match=r"runs code when it is loaded.*trust=True"):
        load_stable_baselines3(f"PPO:{tmp_path}/none.zip", trust=trust)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.zip", "does not say which algorithm .* such as PPO:model.zip$"),
        (Path("a/model.zip"), "such as PPO:a/model.zip$"),
        ("C:\\model.zip", r"such as PPO:C:\\model.zip$"),
        ("ppo:model.zip", r"algorithm 'ppo'. Did you mean 'PPO'.* such as PPO:model.zip\)$"),
        ("sbx.A2C:a/model.zip", r"algorithm 'sbx.A2C'.* such as PPO:a/model.zip\)$"),
    ],
)
def test_a_file_without_its_algorithm_is_refused_with_the_right_name(name, message):
    for trust in (False, True):
        with pytest.raises(ValueError, match=message):
            load_stable_baselines3(name, trust=trust)


def test_a_drive_of_windows_is_not_an_algorithm():
    assert split_model("PPO:C:\\model.zip") == ("PPO", "C:\\model.zip")
    assert split_model("sbx.PPO:C:/model.zip") == ("sbx.PPO", "C:/model.zip")


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_stable_baselines3(f"PPO:{tmp_path}/none.zip", trust=True)
    (tmp_path / "folder.zip").mkdir()
    check_refused(tmp_path / "folder.zip", "not a file")


@pytest.mark.parametrize(
    "members",
    [
        {"policy.pth": b""},
        {"data": b"{"},
        {"data": b"[" * 200_000},
        {"data": b"[1]"},
        {"data": b"{}"},
        {"data": b'{"policy_class": {":serialized:": "none"}}'},
    ],
)
def test_an_archive_without_a_model_is_refused(members, tmp_path):
    pytest.importorskip("stable_baselines3")
    check_refused(write_zip(tmp_path / "model.zip", members), "is not a model of PPO")


def test_damaged_files_and_models_of_other_algorithms_are_refused(models, tmp_path):
    check_refused(models["SAC"][1], "is not a model of PPO")
    check_refused(models["PPO"][1], "is not a model of DQN", "DQN")
    content = models["PPO"][1].read_bytes()
    path = tmp_path / "model.zip"
    path.write_bytes(content[: len(content) // 2])
    check_refused(path, "is not a model")
    middle = content.index(b"policy.pth") + 2000  # in the weights
    flipped = bytearray(content)
    flipped[middle] ^= 0xFF
    path.write_bytes(flipped)
    check_refused(path, "is not a model of PPO")


@pytest.mark.parametrize(
    ("algorithm", "package", "to_install"),
    [
        ("PPO", "stable_baselines3", r'pip install "steer-env\[agents\]"'),
        ("TQC", "sb3_contrib", "sb3-contrib"),
        ("sbx.CrossQ", "sbx", "sbx-rl"),
    ],
)
def test_a_missing_package_of_an_algorithm_is_named(
    algorithm, package, to_install, tmp_path, monkeypatch
):
    path = write_zip(tmp_path / "model.zip", {"data": b"{}"})
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DependencyNotInstalled, match=f"{algorithm} .*{to_install}"):
        load_stable_baselines3(f"{algorithm}:{path}", trust=True)


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
    "RecurrentPPO": {**ROLLOUT, "policy": "MlpLstmPolicy"},
    "sbx.PPO": ROLLOUT,
    "sbx.SAC": REPLAY,
}


@pytest.mark.weekly
@pytest.mark.parametrize("name", OTHERS)
def test_models_of_other_packages_play_as_the_saved_ones(name, tmp_path):
    package = pytest.importorskip("sbx" if name.startswith("sbx.") else "sb3_contrib")
    discrete = name in ("QRDQN", "MaskablePPO")
    env = gym.make("PursuitDiscrete-v0" if discrete else "Pursuit-v0")
    make = getattr(package, name.removeprefix("sbx."))
    model = make(**{"policy": "MlpPolicy", "env": env, **copy.deepcopy(OTHERS[name])})
    model.save(tmp_path / "model.zip")
    expected = evaluate(model, "evade", {"horizon": 30}, 10).episodes
    loaded = load(f"{name}:{tmp_path}/model.zip", trust=True)
    assert type(loaded) is type(model)
    found = evaluate(loaded, "evade", {"horizon": 30}, 10).episodes
    assert found.tobytes() == expected.tobytes()
