"""Hyperparameters: a preset with its replacements, checked and in the algorithms' form."""

from __future__ import annotations

import ast
import copy
import inspect
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    UsageError,
    check_choice,
    check_integer,
    check_number,
    check_text,
    check_texts,
    needing,
    shown,
)
from steer_env.fields import MOST_GAMES
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, SUITE
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side

from .presets import PRESETS

if typing.TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

ALGORITHMS = ("ppo", "a2c", "sac", "td3", "dqn")  # the algorithms of `algorithm_class`
_NOT_IN_A_PRESET = {
    *("policy", "env", "seed", "device", "verbose", "tensorboard_log", "action_noise"),
    *("replay_buffer_class", "rollout_buffer_class", "_init_setup_model"),
    *("observation_space", "action_space", "lr_schedule"),  # of the network
}
"""Arguments of constructors that a preset cannot hold, or holds in another form."""


@dataclass(frozen=True)
class LinearSchedule:  # not a lambda, since it is pickled with the model
    """Falls from an initial value to zero during the training, written ``lin_1e-3``."""

    initial: float

    def __call__(self, remaining: float) -> float:
        """The value when this share of the training remains."""
        return self.initial * max(remaining, 0.0)  # it is below 0 in the last rollout


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A preset in the form that the algorithms take: its own entries, and the algorithm's."""

    n_timesteps: int  # all games together; each player of a team that learns counts
    n_envs: int = 1  # games played at once
    policy: str  # stable-baselines3's name of the network, e.g. "MlpPolicy"
    block_width: int = 0  # of the layer of `BlockFeatures`; 0 for no such layer
    allotment: bool = False  # it also takes who is assigned to whom: `blocks.allotted`
    # the name of a script that a new network of "ppo" first learns to act like (imitation.py);
    # "" for none. Its games count in the seconds of a training, but not in its steps
    imitate: str = ""
    # rounds in which the new network first learns what a search finds, with that script as its
    # base policy, or the best known ones (`teachers.py`); 0 for none
    search: int = 0
    deepened: int = 0  # rounds after these in which the search improves the network itself
    # of the environment for training alone, such as its reward
    env_kwargs: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any]  # of the algorithm's constructor, besides policy and environment
    written: dict[str, Any]  # the preset as in `PRESETS`, with the overrides

    def __post_init__(self) -> None:
        check_integer("n_timesteps", self.n_timesteps, 1, 2**53)
        check_integer("n_envs", self.n_envs, 1, MOST_GAMES)
        for name in ("block_width", "search", "deepened"):
            check_integer(name, getattr(self, name), 0)
        _check_mapping("env_kwargs", self.env_kwargs)
        if self.allotment and not self.block_width:
            raise InvalidValue(
                "allotment is part of the encoder of blocks: set block_width, too"
            )


_OWN = typing.get_type_hints(Preset)
del _OWN["arguments"], _OWN["written"]


def algorithm_class(algorithm: str) -> type[BaseAlgorithm]:
    """The class of an algorithm, imported only now since that takes seconds."""
    with needing("agents"):
        import stable_baselines3

    return getattr(stable_baselines3, algorithm.upper())


def read_preset(
    name: str, environment: str, overrides: Mapping[str, Any] | None = None
) -> Preset:
    """Reads the hyperparameters for an environment.

    Args:
        name: an algorithm, or "search" for PPO after a search.
        environment: its id. A game without a preset has that of the default game.
        overrides: values that replace the preset's; strings may be Python literals, such as
            ``{"net_arch": [64, 64]}``.
    """
    check_choice("preset", name, PRESETS)
    check_text("environment", environment)
    presets, usual = PRESETS[name], environment
    if environment not in presets and environment in ENVIRONMENTS:
        _, side, action_type = ENVIRONMENTS[environment]
        usual = SUITE[DEFAULT_GAME].environment(side, action_type)
    if usual not in presets:
        check_choice(f"environment with a preset of {name}", environment, presets)
    try:
        written = copy.deepcopy({**presets[usual], **(overrides or {})})
        return _preset("ppo" if name == "search" else name, written)
    except UsageError as error:
        raise type(error)(f"preset {usual} of {name}: {error}") from error


def environment_with_preset(algorithm: str, game: Scenario, side: Side) -> str:
    """The environment to train a side in: the discrete one where only that has a preset."""
    check_choice("algorithm", algorithm, ALGORITHMS)
    return next(
        game.environment(side, action_type)
        for one, action_type in product((game, SUITE[DEFAULT_GAME]), ("continuous", "discrete"))
        if one.environment(side, action_type) in PRESETS[algorithm]
    )


def parse_overrides(texts: list[str] | tuple[str, ...]) -> dict[str, str]:
    """Splits texts of the form ``name=value``, such as a command line has."""
    overrides: dict[str, str] = {}
    for text in check_texts("texts", texts):
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise InvalidValue(f"expected name=value, as in batch_size=1024, got {shown(text)}")
        if name in overrides:
            raise InvalidValue(
                f"{name} is given twice: {shown(overrides[name])} and {shown(value)}"
            )
        overrides[name] = value
    return overrides


def _preset(algorithm: str, written: dict[str, Any]) -> Preset:
    model = algorithm_class(algorithm)
    kinds = {**_OWN, **_annotations(model)}
    if "action_noise" in inspect.signature(model).parameters:
        kinds["noise_std"] = float
    arguments = {}
    for name, value in written.items():
        check_choice(f"argument of {algorithm}", name, kinds)
        arguments[name] = argument(name, value, kinds[name])
    own = {name: arguments.pop(name) for name in _OWN.keys() & written}
    preset = Preset(**own, arguments=arguments, written=written)
    check_choice("policy", preset.policy, model.policy_aliases)
    if (preset.imitate or preset.search) and algorithm != "ppo":
        what = "search" if preset.search else "imitate"
        raise InvalidValue(f"{what} is for ppo: leave it out")
    if (given := arguments.get("policy_kwargs")) is not None:
        known = _annotations(model.policy_aliases[preset.policy])
        _check_mapping("policy_kwargs", given)
        for name in given:
            check_choice("argument in policy_kwargs", name, known)
        values = {name: argument(name, value, known[name]) for name, value in given.items()}
        arguments["policy_kwargs"] = values
    if "noise_std" in arguments:
        from stable_baselines3.common.noise import NormalActionNoise

        # Of one player, copied for all.
        std = np.full(2, check_number("noise_std", arguments.pop("noise_std"), 0.0))
        arguments["action_noise"] = NormalActionNoise(np.zeros(2), std)
    return preset


def _check_mapping(name: str, value: Any) -> None:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise InvalidType(f"{name} must be a mapping, as in {{'a': 1}}, got {shown(value)}")


def _annotations(constructor: Callable[..., Any]) -> dict[str, Any]:
    """The type of each argument of a constructor that a preset can hold."""
    parameters = inspect.signature(constructor).parameters.items()
    return {name: one.annotation for name, one in parameters if name not in _NOT_IN_A_PRESET}


def argument(name: str, value: Any, annotation: Any) -> Any:
    """Returns a value of a preset as a constructor takes it. Integers may be written 1e6."""
    if annotation is str:
        return check_text(name, value)
    value = plain(value)
    if isinstance(value, str):
        word, _, initial = value.partition("_")
        if word == "lin" and isinstance(plain(initial), int | float):
            return LinearSchedule(check_number(f"the start of {name}", plain(initial), 0.0))
        if name == "activation_fn":
            from torch import nn

            check_choice(name, value, nn.modules.activation.__all__)
            return getattr(nn, value)
    kinds = set(typing.get_args(annotation) or [annotation])
    if isinstance(value, float) and value.is_integer() and float not in kinds:
        value = int(value)
    elif isinstance(value, list) and any(typing.get_origin(one) is tuple for one in kinds):
        value = tuple(value)
    if kinds <= {int, float, bool, type(None)}:
        valid = (*kinds, int) if float in kinds else tuple(kinds)
        if not isinstance(value, valid):
            words = " or ".join(sorted(kind.__name__ for kind in kinds))
            raise InvalidType(f"{name} must be {words}, got {shown(value)}")
    return value


def plain(value: Any) -> Any:
    """Reads a string as a Python literal if it is one, without executing it."""
    if isinstance(value, str):
        with suppress(SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            return ast.literal_eval(value.strip())
    return value
