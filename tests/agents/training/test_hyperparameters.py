"""Presets: checked by names and kinds, and never run."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress

import pytest
import yaml
from torch import nn

from steer_env.agents.training.hyperparameters import (
    ALGORITHMS,
    PRESETS,
    parse_overrides,
    read_preset,
)
from steer_env.agents.training.learning_model import make_training_env, new_model
from steer_env.agents.training.preset_values import LinearSchedule, plain
from steer_env.agents.training.training import Training

WRITTEN = [
    (algorithm, environment)
    for algorithm in ALGORITHMS
    for environment in yaml.safe_load((PRESETS / f"{algorithm}.yml").read_text())
]


@pytest.mark.filterwarnings("ignore:You have specified a mini-batch size")  # of Herd-v0
@pytest.mark.parametrize(("algorithm", "environment"), WRITTEN)
def test_every_preset_makes_a_model(algorithm, environment):
    params = () if algorithm in ("ppo", "a2c") else ("buffer_size=100",)
    training = Training(algo=algorithm, task=environment, params=params)
    preset = training.read_preset()
    assert preset.steps >= 100_000
    venv = make_training_env(training)
    model = new_model(training, venv)
    for name in ("batch_size", "gamma", "n_epochs", "train_freq", "n_steps"):
        if name in preset.arguments and name in vars(model):
            value = getattr(model, name)
            assert getattr(value, "frequency", value) == preset.arguments[name]
    venv.close()
    pickle.loads(pickle.dumps(preset))
    assert json.loads(json.dumps(preset.written)) == preset.written
    whole = read_preset(algorithm, environment)
    assert whole.arguments.get("buffer_size", 0) <= 300_000  # it is saved with a run


def preset_of(tmp_path, text, algorithm="ppo", **keywords):
    """Reads a preset for the environment E of a file with these lines."""
    path = tmp_path / "presets.yml"
    head = "E:\n  n_timesteps: !!float 1e6\n  policy: 'MlpPolicy'\n"
    path.write_text(head + "".join(f"  {line}\n" for line in text.splitlines()))
    return read_preset(algorithm, "E", path, **keywords)


def test_a_preset_is_ready_for_the_constructor(tmp_path):
    preset = preset_of(
        tmp_path,
        "n_envs: 8\n"
        "batch_size: 256\n"
        "gamma: 0.9\n"
        "normalize: {norm_obs: false}\n"
        "learning_rate: lin_1e-3\n"
        "clip_range: 0.1\n"
        "policy_kwargs: {net_arch: {pi: [64], vf: [32, 32]}, activation_fn: ReLU,"
        " log_std_init: -0.5}",
    )
    assert (preset.num_envs, preset.steps, preset.policy) == (8, 1_000_000, "MlpPolicy")
    assert type(preset.steps) is int
    assert preset.normalize == {"norm_obs": False, "gamma": 0.9}
    assert preset.arguments == {
        "batch_size": 256,
        "gamma": 0.9,
        "learning_rate": LinearSchedule(1e-3),
        "clip_range": 0.1,
        "policy_kwargs": {
            "net_arch": {"pi": [64], "vf": [32, 32]},
            "activation_fn": nn.ReLU,
            "log_std_init": -0.5,
        },
    }
    assert preset.written["learning_rate"] == "lin_1e-3"


def test_a_linear_schedule_falls_to_zero_and_stays_there():
    schedule = pickle.loads(pickle.dumps(LinearSchedule(2.0)))
    assert [schedule(left) for left in (1.0, 0.25, 0.0, -0.01)] == [2.0, 0.5, 0.0, 0.0]


def test_overrides_are_read_like_the_file(tmp_path):
    texts = ["learning_rate=lin_3e-4", "batch_size=1024", "n_envs = 2", "gamma=.5"]
    texts += ["policy_kwargs={'net_arch': [8]}", "normalize=True", "n_timesteps=2e3"]
    text = "batch_size: 64\nlearning_rate: 1e-2"
    preset = preset_of(tmp_path, text, overrides=parse_overrides(texts))
    assert preset.arguments == {
        "learning_rate": LinearSchedule(3e-4),
        "batch_size": 1024,
        "gamma": 0.5,
        "policy_kwargs": {"net_arch": [8]},
    }
    assert (preset.num_envs, preset.steps, preset.normalize) == (2, 2000, {"gamma": 0.5})
    assert preset.written["batch_size"] == "1024"
    assert preset_of(tmp_path, text).arguments == {"batch_size": 64, "learning_rate": 0.01}


def test_off_policy_values_of_many_kinds(tmp_path):
    text = 'train_freq: [1, "episode"]\nent_coef: auto_0.1\ntarget_entropy: -2\n'
    text += "buffer_size: !!float 1e4\ngradient_steps: -1\nreplay_buffer_kwargs:\n"
    arguments = preset_of(tmp_path, text, "sac").arguments
    assert arguments == {
        "train_freq": (1, "episode"),
        "ent_coef": "auto_0.1",
        "target_entropy": -2.0,
        "buffer_size": 10_000,
        "gradient_steps": -1,
        "replay_buffer_kwargs": None,
    }
    assert type(arguments["buffer_size"]) is int


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
        ("ppo", "normalize={'norm_ob':True}", "Did you mean 'norm_obs'"),
        ("ppo", "block_width=8 normalize=True", "blocks of a kind would differ"),
        ("ppo", "allotment=True", "block_width"),
        ("ppo", "imitate=pursuit normalize=True", "without normalize"),
        ("ppo", "gamma=0.9 gamma=1", "given twice"),
        ("ppo", "batch_size", "name=value"),
        ("sac", "noise_type=pink noise_std=1", "unknown noise_type 'pink'"),
        ("sac", "noise_type=normal", "noise_std"),
        ("sac", "imitate=pursuit", "for ppo"),
    ],
)
def test_mistakes_are_refused_by_name(tmp_path, algorithm, overrides, message):
    with pytest.raises((TypeError, ValueError), match=message):
        preset_of(tmp_path, "", algorithm, overrides=parse_overrides(overrides.split(" ")))


def test_names_of_algorithms_environments_and_files_are_checked(tmp_path):
    with pytest.raises(ValueError, match="Did you mean 'ppo'"):
        read_preset("ppoo", "Pursuit-v0")
    with pytest.raises(ValueError, match=r"environment in dqn.yml 'Pursuit-v0'. Did you mean"):
        read_preset("dqn", "Pursuit-v0")
    with pytest.raises(FileNotFoundError):
        read_preset("ppo", "Pursuit-v0", tmp_path / "missing.yml")
    for overrides, path in ((["gamma=0.9"], None), (None, 3)):
        with pytest.raises(TypeError):
            read_preset("ppo", "Pursuit-v0", path, overrides)


@pytest.mark.parametrize(
    "text",
    [
        *("", "[1]", "1: {}", "a: [", "a: !!python/object:os.system 1", "\x00"),
        *(f"E: {{n_timesteps: {':'.join(['1'] * 600)}.5}}", "E: !!int '-'", "E: !!float ''"),
        *("E: !!bool x", "E: !!timestamp x", f"E: {'9' * 5000}", "E: 2024-99-99"),
        *("[" * 5000, "- 1\n" * 2**16, "E: 3", "E: {policy: MlpPolicy}", "E: {n_timesteps: 5}"),
    ],
)
def test_a_file_that_holds_no_presets_is_refused(tmp_path, text):
    path = tmp_path / "presets.yml"
    path.write_text(text)
    with pytest.raises((TypeError, ValueError)) as error:
        read_preset("ppo", "E", path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["policy_kwargs", "normalize", "learning_rate", "batch_size"])
@pytest.mark.parametrize("form", ["{}", '{{"net_arch": {}}}', "[{}]", "auto_{}", "lin_{}"])
def test_a_preset_never_runs_what_it_holds(tmp_path, name, form):
    trace = tmp_path / "it_ran"
    code = form.format(f"open({str(trace)!r}, 'w')")
    assert eval(f"open({str(trace)!r}, 'w')").close() is None  # so it would leave a trace
    trace.unlink()
    assert plain(code) == code
    with suppress(TypeError, ValueError):
        preset_of(tmp_path, "", overrides={name: code})
    assert not trace.exists()
