"""Presets: read as rl-zoo reads them, checked, and never run."""

from __future__ import annotations

import inspect
import json
import math
import pickle
import types
import typing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from short_trainings import PARAMS, short_training
from stable_baselines3 import DQN, PPO, SAC, TD3
from stable_baselines3.common.noise import NormalActionNoise, VectorizedActionNoise
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn

from agents.training.hyperparameters import (
    ALGORITHMS,
    algorithm_class,
    parse_overrides,
    read_preset,
)
from agents.training.preset_values import RANGES, LinearSchedule
from agents.training.start import make_training_env, new_model
from agents.training.written_values import parse_value
from steer_env.envs.sb3 import make_vec_env

CONTINUOUS, DISCRETE = ["Pursuit-v0", "Evade-v0"], ["PursuitDiscrete-v0", "EvadeDiscrete-v0"]
ENVIRONMENTS = {
    "ppo": CONTINUOUS + DISCRETE,
    "sac": CONTINUOUS,
    "td3": CONTINUOUS,
    "dqn": DISCRETE,
}
PRESETS = [(name, env) for name, envs in ENVIRONMENTS.items() for env in envs]


@pytest.mark.parametrize(("algorithm", "environment"), PRESETS)
def test_every_preset_makes_a_model_that_learns_and_is_pickled(algorithm, environment):
    short = {"learning_starts": 8, "batch_size": 16, "buffer_size": 2000}
    if algorithm == "ppo":
        short = {"n_steps": 8, "batch_size": 16}
    preset = read_preset(algorithm, environment, overrides={**short, "n_envs": 4})
    vec_env = make_vec_env(environment, preset.num_envs, seed=0)
    if preset.normalize:
        vec_env = VecNormalize(vec_env, **preset.normalize)
    model_class = algorithm_class(algorithm)
    model = model_class(preset.policy, vec_env, device="cpu", **preset.arguments)
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(64)
    vec_env.close()
    after = list(model.policy.parameters())
    assert any((one != other).any() for one, other in zip(before, after))
    pickle.loads(pickle.dumps(preset))
    assert json.loads(json.dumps(preset.written)) == preset.written


@pytest.mark.parametrize(("algorithm", "environment"), PRESETS)
def test_a_replay_buffer_fits_a_disk(algorithm, environment):
    preset = read_preset(algorithm, environment)
    assert preset.steps >= 100_000
    assert preset.arguments.get("buffer_size", 0) <= 300_000


def test_algorithms_are_the_classes_of_stable_baselines3():
    classes = {"ppo": PPO, "sac": SAC, "td3": TD3, "dqn": DQN}
    assert {name: algorithm_class(name) for name in ALGORITHMS} == classes


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
        "normalize: \"{'norm_obs': False}\"\n"
        "learning_rate: lin_1e-3\n"
        "clip_range: 0.1\n"
        'policy_kwargs: "dict(net_arch=dict(pi=[64], vf=[32, 32]), activation_fn=nn.ReLU,'
        ' log_std_init=-0.5)"',
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
    texts += ["policy_kwargs=dict(net_arch=[8])", "normalize=true", "n_timesteps=2e3"]
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


@pytest.mark.parametrize("text", ["batch_size", "=3", ""])
def test_an_override_needs_a_name_and_a_value(text):
    with pytest.raises(ValueError, match="expected name=value"):
        parse_overrides([text])


def test_an_override_must_not_be_given_twice():
    with pytest.raises(ValueError, match=r"gamma is given twice: '0\.9' and '1'"):
        parse_overrides(["gamma=0.9", "gamma=1"])


def test_overrides_of_a_wrong_type_are_refused():
    with pytest.raises(TypeError, match=r"texts must be a list, got 'gamma=0\.9'"):
        parse_overrides("gamma=0.9")
    with pytest.raises(TypeError, match=r"overrides must map names to values, got \['gamma"):
        read_preset("ppo", "Pursuit-v0", overrides=["gamma=0.9"])
    with pytest.raises(TypeError, match=r"path must be a path, got 3 \(int\)"):
        read_preset("ppo", "Pursuit-v0", 3)


@pytest.mark.parametrize(("scenario", "rows"), [("pursuer/walls", 3), ("pursuer/pack", 9)])
def test_every_player_has_noise_of_its_own(scenario, rows):
    params = (*PARAMS["td3"], "noise_type=normal", "noise_std=0.1")
    training = short_training("td3", scenario=scenario, num_envs=3, params=params)
    assert isinstance(training.read_preset().arguments["action_noise"], NormalActionNoise)
    venv = make_training_env(training)
    model = new_model(training, venv)
    model.learn(8)
    noise = model.action_noise
    venv.close()
    assert isinstance(noise, VectorizedActionNoise)
    set_random_seed(0)
    drawn = np.stack([noise() for _ in range(500)])
    assert drawn.shape == (500, rows, 2)
    assert 0.09 < drawn.std() < 0.11
    assert abs(np.corrcoef(drawn[:, 0, 0], drawn[:, 1, 0])[0, 1]) < 0.2


def test_off_policy_values_of_many_kinds(tmp_path):
    text = 'train_freq: [1, "episode"]\nent_coef: auto_0.1\ntarget_entropy: -2\n'
    text += (
        "use_sde: false\nbuffer_size: !!float 1e4\ngradient_steps: -1\nreplay_buffer_kwargs:\n"
    )
    arguments = preset_of(tmp_path, text, "sac").arguments
    assert arguments == {
        "train_freq": (1, "episode"),
        "ent_coef": "auto_0.1",
        "target_entropy": -2.0,
        "use_sde": False,
        "buffer_size": 10_000,
        "gradient_steps": -1,
        "replay_buffer_kwargs": None,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "learning_rat: 1",
            "unknown argument of ppo 'learning_rat'. Did you mean 'learning_rate'",
        ),
        ("frame_stack: 4", "unknown argument of ppo 'frame_stack'"),
        ("noise_type: normal", "unknown argument of ppo 'noise_type'"),
        ("device: cuda", "unknown argument of ppo 'device'"),
        ("batch_size: many", "batch_size must be an integer, got 'many'"),
        ("batch_size: 2.5", "batch_size must be an integer"),
        ("batch_size:", "batch_size cannot be None"),
        ("gamma: fast", "gamma must be a number, got 'fast'"),
        ("gamma: .nan", "gamma must be finite"),
        ("gamma: 2", "gamma must be finite and above 0 and at most 1, got 2"),
        ("learning_rate: -1e-3", "learning_rate must be finite and above 0 and at most 1"),
        ("learning_rate: lin_-1", "learning_rate must be finite and above 0 and at most 1"),
        ("clip_range: lin_-1", "clip_range must be finite and above 0"),
        ("batch_size: 0", "batch_size must be at least 1"),
        ("sde_sample_freq: -2", "sde_sample_freq must be at least -1"),
        ("gamma: true", "gamma must be a number"),
        ("n_envs: 0", "n_envs must be at least 1"),
        ("learning_rate: cos_1", "learning_rate must be a number, or a schedule such as lin_"),
        ("learning_rate: lin_fast", "learning_rate must be a number, or a schedule"),
        ("use_sde: 1", "use_sde must be True or False"),
        ("policy: MlpPolice", "unknown policy 'MlpPolice'. Did you mean 'MlpPolicy'"),
        ('policy_kwargs: "[1]"', "policy_kwargs must be a mapping"),
        ('policy_kwargs: "dict(net_arc=[1])"', "Did you mean 'net_arch'"),
        ('policy_kwargs: "dict(activation_fn=nn.Relu)"', "did you mean nn.ReLU"),
        ('policy_kwargs: "dict(activation_fn=3)"', "activation_fn must be a class such as"),
        ('policy_kwargs: "dict(net_arch=[-3])"', "each layer of net_arch must be at least 1"),
        ('policy_kwargs: "dict(net_arch=dict(vf=[2.5]))"', "each layer of net_arch['vf']"),
        ('policy_kwargs: "dict(net_arch=dict(qf=[8]))"', "unknown network in net_arch 'qf'"),
        ('policy_kwargs: "dict(net_arch=8)"', "net_arch must be a list, as in [64, 64], got 8"),
        ('policy_kwargs: "dict(ortho_init=1)"', "ortho_init must be True or False"),
        ('normalize: "dict(norm_obs=3)"', "norm_obs must be True or False"),
        ('gamma: 0.9\nnormalize: "dict(gamma=0.5)"', "takes that of ppo, 0.9: leave it out"),
        ('normalize: "dict(norm_ob=True)"', "Did you mean 'norm_obs'"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(tmp_path, text, message):
    with pytest.raises((TypeError, ValueError), match=r"preset E of presets\.yml") as error:
        preset_of(tmp_path, text)
    assert message in str(error.value)


def numbers_of(function):
    """The numbers that a constructor takes, and may find in a preset."""
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = parameter.annotation
        is_union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
        kinds = typing.get_args(annotation) if is_union else [annotation]
        if {int, float} & set(kinds) and name not in ("seed", "verbose"):
            found[name] = int if int in kinds else float
    return found


def numbers_of_presets():
    for algorithm in ALGORITHMS:
        model = algorithm_class(algorithm)
        for within, function in (
            ("{}", model),
            ("policy_kwargs=dict({})", model.policy_aliases["MlpPolicy"]),
            ("normalize=dict({})", VecNormalize),
        ):
            for name, kind in numbers_of(function).items():
                yield algorithm, within, name, kind


@pytest.mark.parametrize(("algorithm", "within", "name", "kind"), [*numbers_of_presets()])
def test_every_number_of_stable_baselines3_has_a_range(tmp_path, algorithm, within, name, kind):
    low, high, above = RANGES[name]
    wrong = ["1e999", "-1e999", "'some'"]
    if math.isfinite(low):
        wrong += [low] if above else []
        wrong += [low - 1, -1e30] if kind is float else [low - 1, -(10**30)]
    wrong += [high + 1, 1e30] if math.isfinite(high) else []
    for value in wrong:
        overrides = parse_overrides([within.format(f"{name}={value}")])
        with pytest.raises((TypeError, ValueError), match=f"{name} must be"):
            preset_of(tmp_path, "", algorithm, overrides=overrides)
    for value in {1, high} - {math.inf}:
        overrides = parse_overrides([within.format(f"{name}={value}")])
        preset_of(tmp_path, "", algorithm, overrides={"gamma": 1, **overrides})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("noise_type: pink\nnoise_std: 1", "unknown noise_type 'pink'"),
        ("noise_type: normal", "noise_std is missing"),
        ("noise_std: 0.1", "unknown noise_type 'None'"),
        ("noise_type: normal\nnoise_std: -1", "noise_std must be finite and at least 0"),
        ("ent_coef: automatic", "ent_coef must be a number, auto or auto_0.1"),
        ("train_freq: [1, day]", "unknown unit of train_freq 'day'"),
        ("train_freq: [1]", "train_freq must be an integer or"),
        ("train_freq: [1, episode]\nn_envs: 2", "train_freq counts episodes in one game only"),
        ("gradient_steps: 0", "gradient_steps must be -1 or at least 1"),
        ("ent_coef: auto_0", "ent_coef after auto_ must be finite and above 0"),
        ("ent_coef: auto_1e999", "ent_coef after auto_ must be finite"),
        ("target_entropy: auto_1", "target_entropy must be a number or auto, got 'auto_1'"),
    ],
)
def test_off_policy_mistakes_are_refused_by_name(tmp_path, text, message):
    with pytest.raises((TypeError, ValueError)) as error:
        preset_of(tmp_path, text, "sac")
    assert message in str(error.value)


def test_names_of_algorithms_and_environments_are_checked():
    with pytest.raises(ValueError, match=r"unknown algorithm 'ppoo'\. Did you mean 'ppo'"):
        read_preset("ppoo", "Pursuit-v0")
    with pytest.raises(ValueError, match=r"environment in dqn.yml 'Pursuit-v0'. Did you mean"):
        read_preset("dqn", "Pursuit-v0")


@pytest.mark.parametrize("text", ["", "[1]", "1: {}", "a: [", "a: !!python/object:os.system 1"])
def test_a_file_that_holds_no_presets_is_refused(tmp_path, text):
    path = tmp_path / "presets.yml"
    path.write_text(text)
    with pytest.raises(ValueError, match="expected YAML that maps environments"):
        read_preset("ppo", "Pursuit-v0", path)


@pytest.mark.parametrize("text", ["E: 3", "E: {policy: MlpPolicy}", "E: {n_timesteps: 5}"])
def test_an_incomplete_preset_is_refused(tmp_path, text):
    path = tmp_path / "presets.yml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"must map names to values|is missing"):
        read_preset("ppo", "E", path)


MODULES = st.sampled_from([nn.ReLU, nn.Tanh, nn.Linear])
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5) | MODULES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


def written(value):
    """The value as Python code."""
    match value:
        case type():
            return f"nn.{value.__name__}"
        case list():
            return f"[{', '.join(map(written, value))}]"
        case tuple():
            return f"({''.join(written(one) + ', ' for one in value)})"
        case dict():
            pairs = (f"{key!r}: {written(one)}" for key, one in value.items())
            return f"{{{', '.join(pairs)}}}"
    return repr(value)


@settings(deadline=None)
@given(VALUES)
def test_every_allowed_value_is_read_back(value):
    assert parse_value(written(value)) == value


NAMES = st.sampled_from(["print", "open", "dict", "nn", "np", "eval", "x", "__import__"])
RUNNING = st.recursive(
    NAMES | NAMES.map("{}()".format) | NAMES.map("nn.{}".format),
    lambda inner: (
        st.builds("{}.{}".format, inner, NAMES)
        | st.builds("{}({})".format, inner, inner)
        | st.builds("[{} for x in {}]".format, inner, inner)
        | st.builds("dict(a={})".format, inner)
        | st.builds("dict(**{})".format, inner)
        | st.builds("({}, nn.ReLU)".format, inner)
        | st.builds("{{'a': {}}}".format, inner)
        | st.builds("lambda: {}".format, inner)
        | st.builds("f'{{{}}}'".format, NAMES)
        | st.builds("(x := {})".format, inner)
    ),
    max_leaves=4,
).filter(lambda text: "dict()" not in text)


@settings(deadline=None)
@given(RUNNING)
def test_code_is_refused(text):
    with pytest.raises(ValueError, match="cannot read"):
        parse_value(text)


@pytest.mark.parametrize(
    "text", ["nn.functional", "nn.init", "nn.Parameter", "nn.ReLU()", "1 + 1", "-'a'", "{1: 2}"]
)
def test_only_classes_of_modules_and_plain_values_are_read(text):
    with pytest.raises(ValueError, match="cannot read"):
        parse_value(text)


@settings(deadline=None)
@given(st.text(max_size=40) | st.text("[](){}.,:=-'n1a \n", max_size=40))
def test_any_text_is_a_plain_value_or_refused(text):
    def is_plain(value):
        match value:
            case list() | tuple():
                return all(map(is_plain, value))
            case dict():
                return all(map(is_plain, value.values()))
            case type():
                return issubclass(value, nn.Module)
        return value is None or type(value) in (bool, int, float, str)

    try:
        value = parse_value(text)
    except ValueError:
        return
    assert is_plain(value)


@pytest.mark.parametrize("name", ["policy_kwargs", "normalize", "learning_rate", "batch_size"])
@pytest.mark.parametrize("form", ["{}", "dict(net_arch={})", "[{}]", "nn.ReLU({})", "auto_{}"])
def test_a_preset_never_runs_what_it_holds(tmp_path, name, form):
    trace = tmp_path / "it_ran"
    code = form.format(f"open({str(trace)!r}, 'w')")
    assert eval(f"open({str(trace)!r}, 'w')").close() is None  # so it would leave a trace
    trace.unlink()
    with pytest.raises((TypeError, ValueError)):
        preset_of(tmp_path, "", overrides={name: code})
    assert not trace.exists()
