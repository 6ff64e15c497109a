"""All settings that a search can draw are valid presets; the same command draws the same."""

import inspect
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.training.hyperparameters import algorithm_class, argument_defaults
from agents.training.preset_values import LinearSchedule
from agents.training.training import Training
from agents.training.written_values import plain
from agents.tuning.space import (
    MAY_CHANGE,
    SPACES,
    LogUniform,
    argument_of,
    drawn_setting,
    setting_of_preset,
    space_of,
    with_setting,
    within,
)
from steer_env.errors import InvalidValue

TRAININGS = [
    Training(),
    Training(env="EvadeDiscrete-v0"),
    Training(env="PursuitDiscrete-v0", algo="dqn"),
    Training(algo="sac"),
    Training(algo="td3", env="Evade-v0"),
    Training(scenario="pursuer/walls", num_envs=7),
    Training(env="HomicidalChauffeurEvade-v0"),
    Training(env="Herd-v0"),
    Training(env="TeamEvade-v0"),
    Training(params=("ent_coef=0.01", "n_envs=1", "n_steps=5")),
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TRAININGS), st.integers(0, 10_000), st.integers(0, 200))
def test_every_sample_is_a_valid_preset(training, number, seed):
    training = replace(training, seed=seed)
    setting = drawn_setting(training, number)
    assert setting == drawn_setting(training, number)
    preset = with_setting(training, setting).read_preset()
    defaults = argument_defaults(training.algo)
    for name, value in setting.items():
        argument = argument_of(name)
        if argument == "policy_kwargs":
            assert preset.arguments[argument][name] == plain(value)
        elif name.startswith("one_minus_"):
            assert preset.arguments[argument] == pytest.approx(1.0 - value)
        elif argument not in ("batch_size", "noise_std"):
            found = preset.arguments[argument]
            assert value == (found.initial if isinstance(found, LinearSchedule) else found)
    if training.algo == "ppo":
        players = training.study.config.count(training.side.name)
        steps = preset.arguments.get("n_steps", defaults["n_steps"])
        batch = preset.arguments.get("batch_size", defaults["batch_size"])
        assert number == 0 or 1 < batch <= steps * preset.num_envs * players


def test_the_first_sample_is_the_preset():
    for training in TRAININGS:
        assert drawn_setting(training, 0) == {}
        assert with_setting(training, {}) == training
        own = setting_of_preset(training, MAY_CHANGE[training.algo])
        before = training.read_preset().arguments
        after = with_setting(training, own).read_preset().arguments
        defaults = argument_defaults(training.algo)
        assert own
        assert {**defaults, **after} == {**defaults, **before} | {
            name: after[name] for name in after if name in ("batch_size", "action_noise")
        }


def test_samples_differ_and_follow_the_seed():
    drawn = [drawn_setting(Training(), i) for i in range(20)]
    assert len({str(one) for one in drawn}) == 20
    assert drawn[1:] != [drawn_setting(Training(seed=1), i) for i in range(1, 20)]


def test_what_is_fixed_is_not_varied():
    assert {"learning_rate", "net_arch", "one_minus_gamma"} <= space_of(Training()).keys()
    fixed = Training(params=("learning_rate=1e-3", "gamma=0.9", "policy_kwargs=dict()"))
    left = space_of(fixed)
    assert not {"learning_rate", "net_arch", "log_std_init", "one_minus_gamma"} & left.keys()
    for number in range(1, 10):
        arguments = with_setting(fixed, drawn_setting(fixed, number)).read_preset().arguments
        assert (arguments["learning_rate"], arguments["gamma"]) == (1e-3, 0.9)
    # SAC tunes its entropy itself, and discrete actions have no standard deviation.
    assert "ent_coef" not in space_of(Training(algo="sac"))
    assert "log_std_init" not in space_of(Training(env="PursuitDiscrete-v0"))
    with pytest.raises(InvalidValue, match="argument of ppo"):
        space_of(Training(params=("gama=0.9",)))


def test_learning_rates_are_a_decade_around_the_preset():
    assert space_of(Training())["learning_rate"] == LogUniform(1e-4, 1e-2)
    high = Training(params=("n_epochs=1",))
    rates = [drawn_setting(high, i)["learning_rate"] for i in range(1, 80)]
    assert 0.3 < sum(rate < 1e-3 for rate in rates) / len(rates) < 0.7
    assert (min(rates) >= 1e-4, max(rates) <= 1e-2) == (True, True)


def test_a_mutation_is_moved_back_into_its_range():
    space = {"learning_rate": LogUniform(1e-4, 1e-2)}
    moved = within(space, {"learning_rate": 0.012, "n_epochs": 3})
    assert moved == {"learning_rate": 0.01, "n_epochs": 3}


@pytest.mark.parametrize("algo", SPACES)
def test_the_names_are_arguments_of_the_algorithm(algo):
    known = {*inspect.signature(algorithm_class(algo)).parameters, "noise_std"}
    assert {argument_of(name) for name in SPACES[algo]} <= known
    assert MAY_CHANGE[algo] <= SPACES[algo].keys()
