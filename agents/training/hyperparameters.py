"""Reads and checks hyperparameters: presets in rl-baselines3-zoo's format, never executed.

A preset is a mapping in ``agents/presets/<algorithm>.yml``, under the environment's id. rl-zoo
can read the same files. It evaluates strings such as ``dict(net_arch=[64, 64])`` as Python;
here they are only parsed. The types of the arguments are those that the constructors of
stable-baselines3's algorithms declare.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.training.yaml_document import read_yaml
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    UsageError,
    check_choice,
    check_integer,
    check_number,
)

if typing.TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

PRESETS = Path(__file__).parents[1] / "presets"
ALGORITHMS = ("ppo", "sac", "td3", "dqn")
"""The algorithms; see `algorithm_class`."""

_OF_THE_RUN = {"n_envs": int, "n_timesteps": int, "normalize": bool | dict, "policy": str}
_OF_THE_NOISE = {"noise_type": str, "noise_std": float | None}
_NOT_IN_A_PRESET = {
    *("env", "seed", "device", "verbose", "tensorboard_log", "action_noise"),
    *("replay_buffer_class", "rollout_buffer_class", "_init_setup_model"),
    *("observation_space", "action_space", "lr_schedule"),  # of the network
    *("venv", "training"),  # of VecNormalize
}
"""Arguments of constructors that a preset cannot hold, or holds in another form."""

_RANGES = {
    **dict.fromkeys(("gamma", "gae_lambda", "tau", "exploration_fraction"), (0, 1)),
    **dict.fromkeys(("exploration_initial_eps", "exploration_final_eps"), (0, 1)),
    **dict.fromkeys(("gradient_steps", "sde_sample_freq"), (-1, math.inf)),
    "learning_starts": (0, math.inf),
    "target_entropy": (-math.inf, math.inf),
}
"""The ranges that do not begin at 0 for a float and at 1 for an integer, or that end."""


@dataclass(frozen=True)
class Preset:
    """A preset in the form that the algorithms take.

    Attributes:
        num_envs: games played at once.
        steps: game steps of training, all games together.
        normalize: arguments of VecNormalize, at least its gamma; False for no VecNormalize.
        policy: stable-baselines3's name of the network, e.g. "MlpPolicy".
        arguments: of the algorithm's constructor, besides policy and environment.
        written: the preset as in the file, with the overrides; plain numbers, strings, lists
            and mappings.
    """

    num_envs: int
    steps: int
    normalize: dict[str, Any] | typing.Literal[False]
    policy: str
    arguments: dict[str, Any]
    written: dict[str, Any]


@dataclass(frozen=True)
class LinearSchedule:
    """Falls from an initial value to zero during the training; rl-zoo writes ``lin_1e-3``.

    A class rather than a lambda, since it is pickled with the model.
    """

    initial: float

    def __call__(self, remaining: float) -> float:
        """The value when this share of the training remains; zero if it is below 0."""
        return self.initial * max(remaining, 0.0)  # it is below 0 in the last rollout


def algorithm_class(algorithm: str) -> type[BaseAlgorithm]:
    """The algorithm's class; imports stable-baselines3 only now, since that takes seconds.

    Raises:
        ValueError: for an unknown algorithm.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    import stable_baselines3

    return getattr(stable_baselines3, algorithm.upper())


def read_preset(
    algorithm: str,
    environment: str,
    path: str | Path | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Preset:
    """Reads the hyperparameters of an algorithm for an environment.

    Args:
        algorithm: "ppo", "sac", "td3" or "dqn".
        environment: its id, e.g. "Pursuit-v0".
        path: of a file in rl-zoo's format; None for the one in `PRESETS`.
        overrides: values that replace the preset's, by their names in the file; strings are
            read as in the file (see `parse_overrides`).

    Raises:
        FileNotFoundError: if there is no such file.
        TypeError: for a value of the wrong type.
        ValueError: for an unknown algorithm, environment or name, a value out of range, or a
            file that is not YAML.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    path = PRESETS / f"{algorithm}.yml" if path is None else Path(path)
    expected = "expected YAML that maps environments to their presets"
    try:
        presets = read_yaml(path)
    except InvalidValue as error:
        raise InvalidValue(f"{path} cannot be read: {error}; {expected}") from error
    if not _has_names(presets):
        raise InvalidValue(f"{path} does not hold presets; {expected}")
    check_choice(f"environment in {path.name}", environment, presets)
    preset = presets[environment]
    if not _has_names(preset):
        raise InvalidValue(f"{environment} in {path} must map names to values, got {preset!r}")
    try:
        return _preset(algorithm, {**preset, **(overrides or {})})
    except UsageError as error:
        raise type(error)(f"preset {environment} of {path.name}: {error}") from error


def parse_overrides(texts: Iterable[str]) -> dict[str, str]:
    """Splits texts of the form ``name=value``, such as a command line has.

    Example:
        ``parse_overrides(["learning_rate=lin_3e-4", "batch_size=1024"])``

    Raises:
        ValueError: for a text without "=" or a name, or a name that occurs twice.
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


def _preset(algorithm: str, written: dict[str, Any]) -> Preset:
    """Returns the preset that is written, after checking all names and values."""
    from stable_baselines3.common.vec_env import VecNormalize

    model = algorithm_class(algorithm)
    parameters = inspect.signature(model).parameters
    noise = _OF_THE_NOISE if "action_noise" in parameters else {}
    kinds = {**_annotations(model), **_OF_THE_RUN, **noise}
    for name in written:
        check_choice(f"argument of {algorithm}", name, kinds)
    for name in ("policy", "n_timesteps"):
        if name not in written:
            raise InvalidValue(f"{name} is missing")
    policy = written["policy"]
    check_choice("policy", policy, model.policy_aliases)
    arguments = {
        name: _checked(name, value, kinds[name])
        for name, value in written.items()
        if kinds[name] is not str  # the policy, and the type of noise
    }
    for name in arguments.get("policy_kwargs") or {}:
        valid = _annotations(model.policy_aliases[policy])
        check_choice("argument in policy_kwargs", name, valid)
    steps, num_envs = arguments.pop("n_timesteps"), arguments.pop("n_envs", 1)
    noise_type, noise_std = written.get("noise_type"), arguments.pop("noise_std", None)
    if noise_type is not None or noise_std is not None:
        arguments["action_noise"] = _noise(str(noise_type), noise_std, num_envs)
    normalize = arguments.pop("normalize", False)
    if normalize is not False:
        chosen = {} if normalize is True else normalize
        for name in chosen:
            check_choice("argument of normalize", name, _annotations(VecNormalize))
        normalize = {**chosen, "gamma": arguments.get("gamma", parameters["gamma"].default)}
    return Preset(num_envs, steps, normalize, policy, arguments, written)


def _annotations(model: Callable[..., Any]) -> dict[str, Any]:
    """The type of each argument of a constructor that a preset can hold."""
    parameters = inspect.signature(model).parameters.items()
    return {name: one.annotation for name, one in parameters if name not in _NOT_IN_A_PRESET}


def _has_names(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


def _checked(name: str, value: Any, annotation: Any) -> Any:
    """Returns a value in one of the annotated types, after checking its range.

    A string is read as a Python value if it is one, since YAML reads 1e-3 as a string.
    """
    members = typing.get_args(annotation) or [annotation]
    kinds = [typing.get_origin(member) or member for member in members]
    value = _plain(value)
    low, high = _RANGES.get(name, (0 if float in kinds else 1, math.inf))
    if value is None:
        if type(None) not in kinds:
            raise InvalidType(f"{name} cannot be None")
        return None
    if bool in kinds and isinstance(value, bool):
        return value
    if dict in kinds:
        value = parse_value(value) if isinstance(value, str) else value
        if not _has_names(value):
            raise InvalidType(f'{name} must be a mapping, as in "dict(a=1)", got {value!r}')
        return dict(value)
    if bool in kinds:
        raise InvalidType(f"{name} must be True or False, got {value!r}")
    if tuple in kinds and isinstance(value, list | tuple):  # train_freq
        if len(value) != 2:
            raise InvalidType(f'{name} must be an integer or [1, "episode"], got {value!r}')
        check_choice(f"unit of {name}", value[1], ("step", "episode"))
        return _checked(name, value[0], int), value[1]
    if str in kinds and isinstance(value, str):  # learned by SAC, from an initial value
        word, underscore, initial = value.partition("_")
        if word != "auto" or (underscore and isinstance(_plain(initial), str)):
            raise InvalidValue(f"{name} must be a number, auto or auto_0.1, got {value!r}")
        return value
    if Callable in kinds and isinstance(value, str):
        word, _, initial = value.partition("_")
        if word != "lin" or isinstance(_plain(initial), str):
            raise InvalidValue(
                f"{name} must be a number, or a schedule such as lin_1e-3, which falls from "
                f"there to zero; got {value!r}"
            )
        return LinearSchedule(check_number(name, _plain(initial), low, high))
    if float in kinds:
        return check_number(name, value, low, high)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # it may be written as 1e7
    return check_integer(name, value, int(low))


def _noise(name: str, std: float | None, num_envs: int) -> Any:
    """Returns noise for the actions of one player, independent in each game."""
    from stable_baselines3.common import noise

    kinds: dict[str, Any] = {
        "normal": noise.NormalActionNoise,
        "ornstein-uhlenbeck": noise.OrnsteinUhlenbeckActionNoise,
    }
    check_choice("noise_type", name, kinds)
    if std is None:
        raise InvalidValue("noise_std is missing; noise_type is there")
    one = kinds[name](mean=np.zeros(2), sigma=np.full(2, std))
    return noise.VectorizedActionNoise(one, num_envs) if num_envs > 1 else one


def _plain(value: Any) -> Any:
    """Reads a string as a Python value if it is one."""
    if isinstance(value, str):
        with suppress(InvalidValue):
            return parse_value(value)
    return value


def parse_value(text: str) -> Any:
    """Reads a Python value from a string without executing it.

    Valid are numbers, strings, True, False, None, lists, tuples, ``{...}``, ``dict(...)`` and
    the module classes of torch.nn, as in ``nn.ReLU``.

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
        case ast.Name(id="true" | "false" as word):
            return word == "true"
        case ast.UnaryOp(operand=ast.Constant(value=int() | float())):
            return ast.literal_eval(node)  # refuses other operators than signs
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
        key.lower(): value  # nn.Relu is meant as nn.ReLU
        for key, value in vars(nn).items()
        if isinstance(value, type) and issubclass(value, nn.Module)
    }
    near = difflib.get_close_matches(name.lower(), found, n=1)
    if not near or found[near[0]].__name__ != name:
        hint = f"; did you mean nn.{found[near[0]].__name__}?" if near else ""
        raise InvalidValue(f"nn.{name} is not a module class of torch.nn{hint}")
    return found[near[0]]
