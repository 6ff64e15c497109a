"""Presets: checked by names and kinds, and never run."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress

import pytest
from torch import nn

from steer_env.agents.training.hyperparameters import (
    LinearSchedule,
    parse_overrides,
    plain,
    read_preset,
)
from steer_env.agents.training.learning_model import make_training_env, new_model
from steer_env.agents.training.presets import PRESETS
from steer_env.agents.training.training import Training

WRITTEN = [(name, environment) for name, found in PRESETS.items() for environment in found]


QUICK = {("ppo", "Pursuit-v0"), ("ppo", "PackObstaclesPursuit-v0"), ("sac", "Evade-v0")}


@pytest.mark.filterwarnings("ignore:You have specified a mini-batch size")  # of Herd-v0
@pytest.mark.parametrize(
    ("algorithm", "environment"),
    [pytest.param(*one, marks=[] if one in QUICK else pytest.mark.weekly) for one in WRITTEN],
)
def test_every_preset_makes_a_model(algorithm, environment):
    params = ("buffer_size=100",) if algorithm in ("sac", "td3", "dqn") else ()
    kind = {"method": "search"} if algorithm == "search" else {"algo": algorithm}
    training = Training(task=environment, params=params, **kind)
    preset = training.read_preset()
    assert preset.steps >= 65_536
    venv = make_training_env(training)
    model = new_model(training, venv)
    for name in ("batch_size", "gamma", "n_epochs", "train_freq", "n_steps"):
        if name in preset.arguments and name in vars(model):
            value = getattr(model, name)
            assert getattr(value, "frequency", value) == preset.arguments[name]
    venv.close()


@pytest.mark.parametrize(("algorithm", "environment"), WRITTEN)
def test_every_preset_is_kept_whole_with_a_run(algorithm, environment):
    preset = read_preset(algorithm, environment)
    assert pickle.loads(pickle.dumps(preset)).written == preset.written
    assert json.loads(json.dumps(preset.written)) == preset.written
    assert preset.arguments.get("buffer_size", 0) <= 300_000  # it is saved with a run


def preset_of(algorithm="ppo", **values):
    return read_preset(algorithm, "Evade-v0", values)


def test_a_preset_is_ready_for_the_constructor():
    network = {"net_arch": {"pi": [64], "vf": [32, 32]}, "activation_fn": "ReLU"}
    preset = preset_of(n_envs=8, n_timesteps=1e6, clip_range=0.1, policy_kwargs=network)
    assert (preset.num_envs, preset.steps, preset.policy) == (8, 1_000_000, "MlpPolicy")
    assert type(preset.steps) is int
    assert preset.arguments == {
        "n_steps": 64,
        "batch_size": 4096,
        "n_epochs": 2,
        "gamma": 0.997,
        "learning_rate": LinearSchedule(1e-3),
        "clip_range": 0.1,
        "policy_kwargs": {**network, "activation_fn": nn.ReLU},
    }
    assert preset.written["learning_rate"] == "lin_1e-3"
    assert PRESETS["ppo"]["Evade-v0"]["n_envs"] == 256  # the table stays as it was


def test_overrides_are_texts_or_values():
    texts = ["learning_rate=lin_3e-4", "batch_size=1024", "n_envs = 2", "gamma=.5"]
    texts += ["policy_kwargs={'net_arch': [8]}", "n_timesteps=2e3"]
    preset = preset_of(**parse_overrides(texts))
    expected = {"learning_rate": LinearSchedule(3e-4), "batch_size": 1024, "gamma": 0.5}
    expected["policy_kwargs"] = {"net_arch": [8]}
    assert preset.arguments == {"n_steps": 64, "n_epochs": 2, **expected}
    assert (preset.num_envs, preset.steps) == (2, 2000)
    assert preset.written["batch_size"] == "1024"
    schedule = pickle.loads(pickle.dumps(preset.arguments["learning_rate"]))
    assert [schedule(left) for left in (1.0, 0.25, 0.0, -0.01)] == [3e-4, 7.5e-5, 0.0, 0.0]
    given = {"train_freq": [1, "episode"], "ent_coef": "auto_0.1", "target_entropy": -2}
    given |= {"buffer_size": 1e4, "gradient_steps": -1, "replay_buffer_kwargs": None}
    found = preset_of("sac", **given).arguments
    assert {name: found[name] for name in given} == {**given, "train_freq": (1, "episode")}
    assert type(found["buffer_size"]) is int


@pytest.mark.parametrize(
    ("algorithm", "overrides", "message"),
    [
        ("ppo", "learning_rat=1", "Did you mean 'learning_rate'"),
        ("ppo", "device=cuda", "unknown argument of ppo 'device'"),
        ("ppo", "noise_type=normal", "unknown argument of ppo"),
        ("ppo", "batch_size=many", "batch_size must be int"),
        ("ppo", "batch_size=2.5", "batch_size"),
        ("ppo", "n_epochs=None", "n_epochs"),
        ("ppo", "gamma=fast", "gamma must be float"),
        ("ppo", "use_sde=1", "use_sde must be bool"),
        ("ppo", "n_envs=0", "n_envs"),
        ("ppo", f"n_envs=0x{'f' * 5000}", "n_envs must be from 1 to 10000000"),
        ("ppo", f"n_timesteps=0x{'f' * 5000}", "n_timesteps must be from 1"),
        ("ppo", f"learning_rate=lin_0x{'f' * 5000}", "the start of learning_rate"),
        ("ppo", "learning_rate=lin_1e999", "the start of learning_rate must be finite"),
        ("ppo", "policy=MlpPolice", "Did you mean 'MlpPolicy'"),
        ("ppo", "policy_kwargs=[1]", "policy_kwargs must be a mapping"),
        ("ppo", "policy_kwargs={'net_arc':[1]}", "Did you mean 'net_arch'"),
        ("ppo", "policy_kwargs={'activation_fn':'Relu'}", "Did you mean 'ReLU'"),
        ("ppo", "allotment=True", "block_width"),
        ("ppo", "gamma=0.9 gamma=1", "given twice"),
        ("ppo", "batch_size", "name=value"),
        ("sac", "noise_type=pink noise_std=1", "unknown noise_type 'pink'"),
        ("sac", "noise_type=normal", "noise_std"),
        ("sac", "imitate=pursuit", "for ppo"),
        ("ppoo", "gamma=1", "Did you mean 'ppo'"),
    ],
)
def test_mistakes_are_refused_by_name(algorithm, overrides, message):
    with pytest.raises((TypeError, ValueError), match=message):
        preset_of(algorithm, **parse_overrides(overrides.split(" ")))
    with pytest.raises(ValueError, match=r"of dqn 'Pursuit-v0'. Did you mean"):
        read_preset("dqn", "Pursuit-v0")


@pytest.mark.parametrize("name", ["policy_kwargs", "learning_rate", "batch_size"])
@pytest.mark.parametrize("form", ["{}", '{{"net_arch": {}}}', "[{}]", "auto_{}", "lin_{}"])
def test_a_preset_never_runs_what_it_holds(tmp_path, name, form):
    trace = tmp_path / "it_ran"
    code = form.format(f"open({str(trace)!r}, 'w')")
    assert eval(f"open({str(trace)!r}, 'w')").close() is None  # so it would leave a trace
    trace.unlink()
    assert plain(code) == code
    with suppress(TypeError, ValueError):
        preset_of(**{name: code})
    assert not trace.exists()
