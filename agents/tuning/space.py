"""The search space: what a search varies for each algorithm, and within which range.

A setting is a mapping of names to values, which replace those of a preset; the empty one is the
preset itself. The names are those of the preset, with two kinds of exceptions. A discount is
varied by its distance to one (`one_minus_gamma`), since 0.99 and 0.999 are as different as 0.9
and 0.99. And the network's arguments, which a preset has in its `policy_kwargs`, stand beside
the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from agents.training.hyperparameters import (
    Preset,
    argument_defaults,
    parse_overrides,
)
from agents.training.preset_values import RANGES, LinearSchedule
from agents.training.training import Training
from agents.training.written_values import plain
from steer_env.suite import ENVIRONMENTS

Setting = Mapping[str, Any]
"""Values by name; those that it does not name are the preset's."""


class Uniform(NamedTuple):
    """Any number from low to high."""

    low: float
    high: float


class LogUniform(NamedTuple):
    """Any number from low to high, with equal chances for equal ratios."""

    low: float
    high: float


@dataclass(frozen=True)
class Choice:
    """One of some values, in their order if they have one."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Decades:
    """Log-uniform around the preset's value, so many powers of ten to each side."""

    number: float


@dataclass(frozen=True)
class Multiples:
    """The preset's whole number times one of some factors."""

    factors: tuple[float, ...]


Range = Uniform | LogUniform | Choice
"""What a value is drawn from."""

_NETWORKS = Choice(([32, 32], [64, 64], [128, 128], [256, 256]))
_DOUBLINGS = Multiples((0.25, 0.5, 1.0, 2.0, 4.0))
_OFF_POLICY: dict[str, Any] = {
    "learning_rate": Decades(1.0),
    "batch_size": _DOUBLINGS,
    "one_minus_gamma": LogUniform(1e-3, 5e-2),
    "gradient_steps": Multiples((0.5, 1.0, 2.0)),
    "train_freq": Choice((1, 2, 4)),
    "net_arch": _NETWORKS,
}

SPACES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "ppo": {
            "learning_rate": Decades(1.0),
            "n_steps": _DOUBLINGS,
            "batch_size": _DOUBLINGS,
            "n_epochs": Choice((1, 2, 3, 5, 8)),
            "one_minus_gamma": LogUniform(5e-4, 5e-2),
            "one_minus_gae_lambda": LogUniform(1e-2, 0.3),
            "ent_coef": LogUniform(1e-6, 2e-2),
            "clip_range": Choice((0.1, 0.15, 0.2, 0.3, 0.4)),
            "vf_coef": LogUniform(0.1, 1.0),
            "max_grad_norm": LogUniform(0.3, 5.0),
            "net_arch": _NETWORKS,
            "activation_fn": Choice(("nn.ReLU", "nn.Tanh")),
            "log_std_init": Uniform(-2.0, 0.5),
        },
        "sac": {**_OFF_POLICY, "tau": LogUniform(2e-3, 5e-2)},
        "td3": {
            **_OFF_POLICY,
            "tau": LogUniform(2e-3, 5e-2),
            "policy_delay": Choice((1, 2, 3)),
            "target_policy_noise": Uniform(0.1, 0.4),
            "noise_std": Uniform(0.05, 0.4),
        },
        "dqn": {
            **_OFF_POLICY,
            "n_steps": Choice((1, 3, 5, 10)),
            "target_update_interval": Multiples((0.25, 0.5, 1.0, 2.0)),
            "exploration_fraction": Uniform(0.05, 0.5),
            "exploration_final_eps": LogUniform(5e-3, 0.1),
        },
    }
)
"""For each algorithm, what is varied and within which range."""

_OF_ANY_UPDATE = {"learning_rate", "batch_size", "one_minus_gamma"}
MAY_CHANGE: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "ppo": frozenset(
            _OF_ANY_UPDATE
            | {"n_epochs", "one_minus_gae_lambda", "ent_coef", "clip_range"}
            | {"vf_coef", "max_grad_norm"}
        ),
        "sac": frozenset(_OF_ANY_UPDATE | {"gradient_steps", "train_freq", "tau"}),
        "td3": frozenset(
            _OF_ANY_UPDATE
            | {"gradient_steps", "train_freq", "tau", "policy_delay", "target_policy_noise"}
        ),
        "dqn": frozenset(
            _OF_ANY_UPDATE | {"gradient_steps", "train_freq", "target_update_interval"}
        ),
    }
)
"""What may change in the middle of a training: not the networks, nor the shape of a rollout."""

_COMPLEMENT = "one_minus_"
_OF_THE_NETWORK = ("net_arch", "activation_fn", "log_std_init")


def argument_of(name: str) -> str:
    """The name in a preset of what a space calls so."""
    if name in _OF_THE_NETWORK:
        return "policy_kwargs"
    return name.removeprefix(_COMPLEMENT)


def space_of(training: Training) -> dict[str, Range]:
    """What a search around a training varies, with its ranges.

    It is the algorithm's space without values that the training's params fix, and without
    values that are not numbers in the preset, such as gradient_steps=-1.

    Raises:
        FileNotFoundError, TypeError, ValueError: as `Training.read_preset`.
    """
    preset, fixed = training.read_preset(), parse_overrides(training.params)
    is_continuous = ENVIRONMENTS[training.environment].action_type == "continuous"
    found: dict[str, Range] = {}
    for name, given in SPACES[training.algo].items():
        value = value_in_preset(training.algo, preset, name)
        if argument_of(name) in fixed or (name == "log_std_init" and not is_continuous):
            continue
        if name in _OF_THE_NETWORK or (value is not None and not _is_count_of_all(name, value)):
            found[name] = _resolved(name, given, value)
    return found


def _is_count_of_all(name: str, value: float) -> bool:
    """Whether gradient_steps is -1, for as many as there were steps."""
    return name == "gradient_steps" and value < 1


def _resolved(name: str, given: Any, value: Any) -> Range:
    """Returns a range of numbers; those relative to a preset are worked out from its value."""
    if isinstance(given, Decades):
        valid = RANGES[argument_of(name)]
        factor = 10.0**given.number
        return LogUniform(_rounded(value / factor), _rounded(min(value * factor, valid.high)))
    if isinstance(given, Multiples):
        return Choice(tuple(dict.fromkeys(max(1, round(value * f)) for f in given.factors)))
    found: Range = given
    return found


def value_in_preset(algorithm: str, preset: Preset, name: str) -> Any:
    """What a preset has under a name of the space; None if it cannot be varied from there."""
    if name in _OF_THE_NETWORK:
        return (preset.arguments.get("policy_kwargs") or {}).get(name)
    argument = argument_of(name)
    if argument == "noise_std":
        value = plain(preset.written.get(argument))
    else:
        value = preset.arguments.get(argument, argument_defaults(algorithm).get(argument))
    if isinstance(value, LinearSchedule):
        value = value.initial
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _rounded(1.0 - value) if name.startswith(_COMPLEMENT) else value


def setting_of_preset(training: Training, names: frozenset[str]) -> dict[str, Any]:
    """The preset's own values of some names, as far as the training's space has them."""
    preset, space = training.read_preset(), space_of(training)
    return {
        name: value_in_preset(training.algo, preset, name) for name in space if name in names
    }


def drawn_setting(training: Training, number: int) -> dict[str, Any]:
    """Draws one setting; number 0 is the preset itself.

    The same training and number always give the same setting, however many others are drawn.

    Raises:
        FileNotFoundError, TypeError, ValueError: as `Training.read_preset`.
    """
    if number == 0:
        return {}
    generator = np.random.default_rng([training.seed, number])
    return {name: _drawn(one, generator) for name, one in space_of(training).items()}


def _drawn(one: Range, generator: np.random.Generator) -> Any:
    if isinstance(one, Choice):
        return one.values[int(generator.integers(len(one.values)))]
    if isinstance(one, LogUniform):
        return _rounded(math.exp(generator.uniform(math.log(one.low), math.log(one.high))))
    return _rounded(generator.uniform(one.low, one.high))


def _rounded(value: float) -> float:
    """Three digits say enough, and are easy to read in a preset."""
    return float(f"{value:.3g}")


def within(space: Mapping[str, Range], setting: Setting) -> dict[str, Any]:
    """Returns a setting with every number moved into its range; others are left alone."""
    return {name: _moved_into(space.get(name), value) for name, value in setting.items()}


def _moved_into(one: Range | None, value: Any) -> Any:
    if one is None or isinstance(one, Choice):
        return value
    return _rounded(min(max(value, one.low), one.high))


def with_setting(training: Training, setting: Setting) -> Training:
    """The training with the values of a setting in its params.

    Batches of PPO are cut to the size of a rollout, and to a divisor of it where one is near.

    Raises:
        FileNotFoundError, TypeError, ValueError: as `Training.read_preset`.
    """
    if not setting:
        return training
    preset = training.read_preset()
    texts: dict[str, str] = {}
    network = dict(preset.arguments.get("policy_kwargs") or {})
    for name, value in setting.items():
        argument = argument_of(name)
        if name in _OF_THE_NETWORK:
            network[name] = plain(value)
            texts[argument] = _text(network)
        elif name.startswith(_COMPLEMENT):
            texts[argument] = f"{1.0 - value:.6g}"
        elif isinstance(preset.arguments.get(argument), LinearSchedule):
            texts[argument] = f"lin_{value:g}"
        else:
            texts[argument] = _text(value)
    has_rollouts = training.algo == "ppo" and {"n_steps", "batch_size"} & texts.keys()
    if has_rollouts and "batch_size" not in parse_overrides(training.params):
        texts["batch_size"] = str(_fitting_batch(training, preset, texts))
    given = tuple(f"{name}={text}" for name, text in texts.items())
    return replace(training, params=(*training.params, *given))


def _fitting_batch(training: Training, preset: Preset, texts: Mapping[str, str]) -> int:
    """The wanted size of a batch, or the nearest one below that divides the rollout."""

    def wanted(name: str) -> int:
        default = preset.arguments.get(name, argument_defaults("ppo")[name])
        return int(texts.get(name, default))

    players = training.study.config.count(training.side.name)
    rollout = wanted("n_steps") * preset.num_envs * players
    batch = min(wanted("batch_size"), rollout)
    divisors = (size for size in range(batch, batch // 2, -1) if rollout % size == 0)
    return next(divisors, batch)  # of others, the last batch of a rollout is smaller


def _text(value: Any) -> str:
    """A value in the notation of presets, which both rl-zoo and `read_preset` read."""
    if isinstance(value, type):
        return f"nn.{value.__name__}"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{key}={_text(one)}' for key, one in value.items())})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    return repr(value)
