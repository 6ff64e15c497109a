"""Checks the values of a preset: their types, and their ranges.

The types of the arguments are those that the constructors of stable-baselines3's algorithms
declare.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.training.written_values import parse_value, plain
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_integer,
    check_number,
    shown,
)

NOT_IN_A_PRESET = {
    *("env", "seed", "device", "verbose", "tensorboard_log", "action_noise"),
    *("replay_buffer_class", "rollout_buffer_class", "_init_setup_model"),
    *("observation_space", "action_space", "lr_schedule"),  # of the network
    *("venv", "training", "norm_obs_keys"),  # of VecNormalize
}
"""Arguments of constructors that a preset cannot hold, or holds in another form."""


class Range(typing.NamedTuple):
    """The values from low to high; without low itself if they must be above it."""

    low: float
    high: float = math.inf
    above: bool = False


_AT_LEAST_0, _AT_LEAST_1, _ABOVE_0 = Range(0), Range(1), Range(0, above=True)
_SHARE, _SHARE_ABOVE_0 = Range(0, 1), Range(0, 1, above=True)

RANGES = {
    # Adam moves every weight by about the learning rate, and weights are of order 1.
    "learning_rate": _SHARE_ABOVE_0,
    **dict.fromkeys(("gamma", "tau", "exploration_fraction"), _SHARE_ABOVE_0),
    **dict.fromkeys(("gae_lambda", "exploration_initial_eps", "exploration_final_eps"), _SHARE),
    **dict.fromkeys(("clip_range", "clip_range_vf", "max_grad_norm", "target_kl"), _ABOVE_0),
    **dict.fromkeys(("ent_coef", "vf_coef"), Range(0, 1000)),  # beside 1, the policy's loss
    **dict.fromkeys(("clip_mean", "noise_std"), _AT_LEAST_0),
    **dict.fromkeys(("target_policy_noise", "target_noise_clip"), _AT_LEAST_0),
    "target_entropy": Range(-math.inf),
    "log_std_init": Range(-20, 2),  # to which SAC clips it
    **dict.fromkeys(("clip_obs", "clip_reward", "epsilon"), _ABOVE_0),
    **dict.fromkeys(
        ("n_envs", "n_timesteps", "n_steps", "n_epochs", "batch_size"), _AT_LEAST_1
    ),
    **dict.fromkeys(("buffer_size", "train_freq", "target_update_interval"), _AT_LEAST_1),
    **dict.fromkeys(("policy_delay", "n_critics", "stats_window_size"), _AT_LEAST_1),
    **dict.fromkeys(("learning_starts", "block_width"), _AT_LEAST_0),
    # -1 stands for as many as there were steps, and for once a rollout.
    **dict.fromkeys(("gradient_steps", "sde_sample_freq"), Range(-1)),
}
"""The valid values of every number in a preset, its policy_kwargs and its normalize."""


@dataclass(frozen=True)
class LinearSchedule:
    """Falls from an initial value to zero during the training; rl-zoo writes ``lin_1e-3``.

    A class rather than a lambda, since it is pickled with the model.
    """

    initial: float

    def __call__(self, remaining: float) -> float:
        """The value when this share of the training remains; zero if it is below 0."""
        return self.initial * max(remaining, 0.0)  # it is below 0 in the last rollout


def annotations_of(model: Callable[..., Any]) -> dict[str, Any]:
    """The type of each argument of a constructor that a preset can hold."""
    parameters = inspect.signature(model).parameters.items()
    return {name: one.annotation for name, one in parameters if name not in NOT_IN_A_PRESET}


def checked_mapping(
    what: str, given: Mapping[str, Any], model: Callable[..., Any]
) -> dict[str, Any]:
    """Returns arguments of a constructor, after checking their names and values."""
    kinds = annotations_of(model)
    for name in given:
        check_choice(f"argument in {what}", name, kinds)
    return {name: checked(name, value, kinds[name]) for name, value in given.items()}


def has_names(value: Any) -> bool:
    """Whether a value is a mapping of names to values."""
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


def checked(name: str, value: Any, annotation: Any) -> Any:
    """Returns a value in one of the annotated types, after checking its range.

    A string is read as a Python value if it is one, since YAML reads 1e-3 as a string.
    """
    is_union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    members = typing.get_args(annotation) if is_union else [annotation]
    kinds = [typing.get_origin(member) or member for member in members]
    value = plain(value)
    if value is None:
        if type(None) not in kinds:
            raise InvalidType(f"{name} cannot be None")
        return None
    if bool in kinds and isinstance(value, bool):
        return value
    if list in kinds:
        return _checked_layers(name, value)
    if dict in kinds:
        value = parse_value(value) if isinstance(value, str) else value
        if not has_names(value):
            raise InvalidType(
                f'{name} must be a mapping, as in "dict(a=1)", got {shown(value)}'
            )
        return dict(value)
    if bool in kinds:
        raise InvalidType(f"{name} must be True or False, got {shown(value)}")
    if type in kinds:  # activation_fn
        if not isinstance(value, type):
            raise InvalidType(f"{name} must be a class such as nn.ReLU, got {shown(value)}")
        return value
    valid = RANGES[name]
    if tuple in kinds and isinstance(value, list | tuple):  # train_freq
        if len(value) != 2:
            raise InvalidType(
                f'{name} must be an integer or [1, "episode"], got {shown(value)}'
            )
        check_choice(f"unit of {name}", value[1], ("step", "episode"))
        return checked(name, value[0], int), value[1]
    if str in kinds and isinstance(value, str):  # learned by SAC, from an initial value
        return _checked_auto(name, value)
    if Callable in kinds and isinstance(value, str):
        word, _, initial = value.partition("_")
        if word != "lin" or isinstance(plain(initial), str):
            raise InvalidValue(
                f"{name} must be a number, or a schedule such as lin_1e-3, which falls from "
                f"there to zero; got {shown(value)}"
            )
        return LinearSchedule(
            check_number(name, plain(initial), valid.low, valid.high, above=valid.above)
        )
    if float in kinds:
        return check_number(name, value, valid.low, valid.high, above=valid.above)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # it may be written as 1e7
    return check_integer(name, value, int(valid.low))


def _checked_auto(name: str, value: str) -> str:
    """Returns a value that SAC chooses itself: "auto", for ent_coef from "auto_0.1" on, too."""
    word, underscore, initial = value.partition("_")
    if name == "ent_coef" and word == "auto" and underscore:
        check_number(f"{name} after auto_", plain(initial), 0.0, above=True)
    elif value != "auto":
        valid = "a number, auto or auto_0.1" if name == "ent_coef" else "a number or auto"
        raise InvalidValue(f"{name} must be {valid}, got {shown(value)}")
    return value


def _checked_layers(name: str, value: Any) -> Any:
    """Returns the widths of layers: [64, 64], or a mapping of such lists."""
    if isinstance(value, dict):
        return {key: _checked_layers(f"{name}[{key!r}]", one) for key, one in value.items()}
    if not isinstance(value, list | tuple):
        raise InvalidType(f"{name} must be a list, as in [64, 64], got {shown(value)}")
    return [check_integer(f"each layer of {name}", one, 1) for one in value]


def noise_of(name: str, std: float | None) -> Any:
    """Returns noise for the actions of one player; the algorithm makes copies for all."""
    from stable_baselines3.common import noise

    kinds: dict[str, Any] = {
        "normal": noise.NormalActionNoise,
        "ornstein-uhlenbeck": noise.OrnsteinUhlenbeckActionNoise,
    }
    check_choice("noise_type", name, kinds)
    if std is None:
        raise InvalidValue("noise_std is missing; noise_type is there")
    return kinds[name](mean=np.zeros(2), sigma=np.full(2, std))
