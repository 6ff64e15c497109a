"""Hyperparameters: reads presets in rl-baselines3-zoo's format, without running them.

A preset is a mapping in ``agents/presets/<algorithm>.yml``, under the environment's id. rl-zoo
itself reads the same files. It evaluates strings such as ``dict(net_arch=[64, 64])`` as Python;
here they are only parsed.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_integer,
    check_number,
    unknown,
)

if typing.TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

PRESETS = Path(__file__).parents[1] / "presets"
ALGORITHMS = {"ppo": "PPO", "sac": "SAC", "td3": "TD3", "dqn": "DQN"}
"""What each algorithm's class is called in stable-baselines3 (see `algorithm_class`)."""

NOISE_TYPES = ("normal", "ornstein-uhlenbeck")

_OF_THE_RUN = {"n_envs", "n_timesteps", "policy", "normalize"}
_OF_THE_NOISE = {"noise_type", "noise_std"}
_SCHEDULED = {"learning_rate", "clip_range", "clip_range_vf"}
_NOT_IN_A_PRESET = {
    *("self", "policy", "env", "seed", "device", "verbose", "tensorboard_log"),
    *("action_noise", "replay_buffer_class", "rollout_buffer_class", "_init_setup_model"),
}
"""Arguments of the constructors that a preset cannot hold, or holds in another form."""


@dataclass(frozen=True)
class Preset:
    """How to train: what a preset says, in the form that the algorithms take.

    Attributes:
        algorithm: a key of `ALGORITHMS`.
        num_envs: games played at once.
        steps: game steps of training, all games together.
        normalize: arguments of VecNormalize, at least its gamma; False for no VecNormalize.
        policy: stable-baselines3's name of the network, e.g. "MlpPolicy".
        arguments: of the algorithm's constructor, beside policy and environment.
        written: the preset as it was written, with the overrides; plain numbers, strings,
            lists and mappings.
    """

    algorithm: str
    num_envs: int
    steps: int
    normalize: dict[str, Any] | typing.Literal[False]
    policy: str
    arguments: dict[str, Any]
    written: dict[str, Any]


@dataclass(frozen=True)
class LinearSchedule:
    """Falls from its initial value to zero over the training; rl-zoo writes ``lin_1e-3``.

    A class and no lambda, so that it is pickled with the model.

    Attributes:
        initial: value at the beginning.
    """

    initial: float

    def __call__(self, remaining: float) -> float:
        """The value when so large a share of the training remains.

        Args:
            remaining: from 1 to 0; below it, since training ends with a whole rollout, the
                value stays zero.
        """
        return self.initial * max(remaining, 0.0)


def algorithm_class(algorithm: str) -> type[BaseAlgorithm]:
    """The algorithm's class; stable-baselines3 is imported only now, for it takes seconds.

    Raises:
        ValueError: for an unknown algorithm.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    import stable_baselines3

    return getattr(stable_baselines3, ALGORITHMS[algorithm])


def read_preset(
    algorithm: str,
    environment: str,
    path: str | Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    action_shape: tuple[int, ...] = (2,),
) -> Preset:
    """Reads how to train an algorithm on an environment.

    Args:
        algorithm: "ppo", "sac", "td3" or "dqn".
        environment: its id, e.g. "Pursuit-v0".
        path: of a file in rl-zoo's format; None for the one in `PRESETS`.
        overrides: values that replace the preset's, by their names in the file; text is read
            as in the file (see `parse_overrides`).
        action_shape: of the environment's actions, for the noise added to them.

    Raises:
        FileNotFoundError: if there is no such file.
        TypeError: for a value of the wrong kind.
        ValueError: for an unknown algorithm, environment or name, or a value that makes no
            sense; or if the file is no YAML.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    path = PRESETS / f"{algorithm}.yml" if path is None else Path(path)
    presets = _read_file(path)
    if environment not in presets:
        raise InvalidValue(unknown(f"environment in {path.name}", environment, presets))
    preset = presets[environment]
    if not _is_named(preset):
        raise InvalidValue(f"{environment} in {path} must map names to values, got {preset!r}")
    written = {**preset, **(overrides or {})}
    try:
        return _prepare(algorithm, written, action_shape)
    except (TypeError, ValueError) as error:
        raise type(error)(f"preset {environment} of {path.name}: {error}") from error


def parse_overrides(texts: Iterable[str]) -> dict[str, str]:
    """Splits texts of the form ``name=value``, as a command line gives them.

    Example:
        ``parse_overrides(["learning_rate=lin_3e-4", "batch_size=1024"])``

    Raises:
        ValueError: for a text without "=" or a name, or a name that comes twice.
    """
    overrides: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise InvalidValue(f"expected name=value, as in batch_size=1024, got {text!r}")
        if name in overrides:
            raise InvalidValue(f"{name} is given twice: {overrides[name]!r} and {value!r}")
        overrides[name] = value
    return overrides


def parse_value(text: str) -> Any:
    """Reads a Python value from text, and never runs it.

    Valid are numbers, strings, True, False, None, lists, tuples, ``{...}``, ``dict(...)`` and
    the classes of torch.nn, as in ``nn.ReLU``.

    Raises:
        ValueError: for everything else.
    """
    try:
        return _value_of(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidValue(
            f"cannot read {text!r}: {error}; valid are numbers, strings, True, False, None, "
            "[...], (...), {...}, dict(...) and nn.<class>, as in nn.ReLU"
        ) from error


def _value_of(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            return node.value
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            number = _value_of(operand)
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise InvalidValue("a sign stands before something that is no number")
            return -number if isinstance(sign, ast.USub) else number
        case ast.List(elts=elements):
            return [_value_of(element) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value_of(element) for element in elements)
        case ast.Dict(keys=keys, values=values):
            names = [key.value for key in keys if isinstance(key, ast.Constant)]
            if len(names) != len(keys) or not all(isinstance(name, str) for name in names):
                raise InvalidValue("the keys of {...} must be strings")
            return dict(zip(names, map(_value_of, values)))
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            if any(keyword.arg is None for keyword in keywords):
                raise InvalidValue("dict(...) takes name=value only")
            return {keyword.arg: _value_of(keyword.value) for keyword in keywords}
        case ast.Attribute(value=ast.Name(id="nn"), attr=name):
            return _module_class(name)
    raise InvalidValue(f"{ast.unparse(node)!r} is not allowed")


def _module_class(name: str) -> type:
    from torch import nn

    found = {
        key: value
        for key, value in vars(nn).items()
        if isinstance(value, type) and issubclass(value, nn.Module)
    }
    if name not in found:
        in_lower_case = {key.lower(): key for key in found}  # nn.Relu is meant as nn.ReLU
        near = difflib.get_close_matches(name.lower(), in_lower_case, n=1)
        hint = f"; did you mean nn.{in_lower_case[near[0]]}?" if near else ""
        raise InvalidValue(f"nn.{name} is no class of torch.nn's modules{hint}")
    return found[name]


def _read_file(path: Path) -> dict[str, Any]:
    expected = "expected YAML that maps environments to their presets"
    try:
        presets = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidValue(f"{path} cannot be read: {error}; {expected}") from error
    if not _is_named(presets):
        raise InvalidValue(f"{path} does not hold presets; {expected}")
    return presets


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


def _prepare(algorithm: str, written: dict[str, Any], action_shape: tuple[int, ...]) -> Preset:
    """The preset from what is written."""
    model = algorithm_class(algorithm)
    signature = inspect.signature(model).parameters
    parameters = {k: v for k, v in signature.items() if k not in _NOT_IN_A_PRESET}
    names = {*parameters, *_OF_THE_RUN}
    if "action_noise" in signature:
        names |= _OF_THE_NOISE
    for name in written:
        if name not in names:
            raise InvalidValue(unknown(f"argument of {algorithm}", name, names))
    for name in ("policy", "n_timesteps"):
        if name not in written:
            raise InvalidValue(f"{name} is missing")

    policy = written["policy"]
    check_choice("policy", policy, model.policy_aliases)
    num_envs = _integer("n_envs", written.get("n_envs", 1), low=1)
    arguments = {
        name: _argument(name, value, parameters[name].annotation)
        for name, value in written.items()
        if name in parameters
    }
    if (network := arguments.get("policy_kwargs")) is not None:
        taken = set(inspect.signature(model.policy_aliases[policy]).parameters)
        taken -= {"observation_space", "action_space", "lr_schedule"}
        for name in network:
            check_choice("argument in policy_kwargs", name, taken)
    if written.get("noise_type") is not None or written.get("noise_std") is not None:
        arguments["action_noise"] = _noise(written, num_envs, action_shape)
    gamma = arguments.get("gamma", signature["gamma"].default)
    return Preset(
        algorithm=algorithm,
        num_envs=num_envs,
        steps=_integer("n_timesteps", written["n_timesteps"], low=1),
        normalize=_normalization(written.get("normalize", False), gamma),
        policy=policy,
        arguments=arguments,
        written=written,
    )


def _argument(name: str, value: Any, annotation: Any) -> Any:
    """An argument of the constructor, checked against the kinds that it is annotated with."""
    if name == "train_freq" and isinstance(value, str | list | tuple):
        return _train_frequency(value)
    kinds = _kinds(annotation)
    if value is None or value == "None":
        if type(None) not in kinds:
            raise InvalidType(f"{name} cannot be None")
        return None
    if dict in kinds:
        return _mapping(name, value)
    if bool in kinds:
        return _truth(name, value)
    if str in kinds and isinstance(value, str) and not _is_number(value):
        return _automatic(name, value)
    if name in _SCHEDULED and isinstance(value, str) and not _is_number(value):
        return _schedule(name, value)
    if float in kinds:
        return _number(name, value)
    return _integer(name, value, low=-1)  # -1 is "as many as there were steps", and the like


def _kinds(annotation: Any) -> tuple[Any, ...]:
    """The types that a value may have; of dict[str, Any] only dict."""
    is_union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    members = typing.get_args(annotation) if is_union else (annotation,)
    return tuple(typing.get_origin(member) or member for member in members)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _number(name: str, value: Any) -> float:
    # YAML reads 1e-3 as text, since it wants 1.0e-3.
    number = float(value) if isinstance(value, str) and _is_number(value) else value
    if isinstance(number, float) and not math.isfinite(number):
        raise InvalidValue(f"{name} must be finite, got {number!r}")
    return check_number(name, number, -math.inf)


def _integer(name: str, value: Any, low: int) -> int:
    """A whole number, which may be written as 1e7."""
    if isinstance(value, str) and value.strip().lstrip("+-").isdecimal():
        value = int(value)
    elif isinstance(value, str) and _is_number(value):
        value = float(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return check_integer(name, value, low)


def _truth(name: str, value: Any) -> bool:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.strip().lower(), value)
    if not isinstance(value, bool):
        raise InvalidType(f"{name} must be True or False, got {value!r}")
    return value


def _mapping(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = parse_value(value)
    if not _is_named(value):
        raise InvalidType(f'{name} must be a mapping, as in "dict(a=1)", got {value!r}')
    return dict(value)


def _schedule(name: str, text: str) -> LinearSchedule:
    kind, _, initial = text.partition("_")
    if kind != "lin" or not _is_number(initial):
        raise InvalidValue(
            f"{name} must be a number, or a schedule such as lin_1e-3, which falls from there "
            f"to zero; got {text!r}"
        )
    return LinearSchedule(float(initial))


def _automatic(name: str, text: str) -> str:
    """SAC's "auto" and "auto_0.1": what is learned, and where it begins."""
    kind, underscore, initial = text.partition("_")
    if kind != "auto" or (underscore and not _is_number(initial)):
        raise InvalidValue(f"{name} must be a number, auto or auto_0.1, got {text!r}")
    return text


def _train_frequency(value: Any) -> int | tuple[int, str]:
    """How often to train: so many steps, or so many of the unit "step" or "episode"."""
    if isinstance(value, str):
        if _is_number(value):
            return _integer("train_freq", value, low=1)
        value = parse_value(value)
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InvalidType(f'train_freq must be an integer or [1, "episode"], got {value!r}')
    check_choice("unit of train_freq", value[1], ("step", "episode"))
    return _integer("train_freq", value[0], low=1), value[1]


def _noise(written: Mapping[str, Any], num_envs: int, shape: tuple[int, ...]) -> Any:
    """Noise for the actions; each game has its own."""
    from stable_baselines3.common import noise

    name = str(written.get("noise_type"))
    check_choice("noise_type", name, NOISE_TYPES)
    if written.get("noise_std") is None:
        raise InvalidValue("noise_std is missing; noise_type is there")
    std = check_number("noise_std", _number("noise_std", written["noise_std"]), 0.0)
    kinds = (noise.NormalActionNoise, noise.OrnsteinUhlenbeckActionNoise)
    kind: Any = dict(zip(NOISE_TYPES, kinds))[name]
    one = kind(mean=np.zeros(shape), sigma=np.full(shape, std))
    return noise.VectorizedActionNoise(one, num_envs) if num_envs > 1 else one


def _normalization(value: Any, gamma: float) -> dict[str, Any] | typing.Literal[False]:
    """Arguments of VecNormalize, with the algorithm's gamma; False for none."""
    from stable_baselines3.common.vec_env import VecNormalize

    if isinstance(value, str):
        is_truth = value.strip().lower() in ("true", "false")
        value = _truth("normalize", value) if is_truth else parse_value(value)
    if value is False:
        return False
    chosen = {} if value is True else _mapping("normalize", value)
    valid = set(inspect.signature(VecNormalize).parameters) - {"venv", "training"}
    for name in chosen:
        check_choice("argument of normalize", name, valid)
    return {**chosen, "gamma": gamma}
