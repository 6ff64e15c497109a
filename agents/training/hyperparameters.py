"""Reads and checks hyperparameters: presets in rl-baselines3-zoo's format, never executed.

A preset is a mapping in ``agents/presets/<algorithm>.yml``, under the environment's id. rl-zoo
can read the same files. It evaluates strings such as ``dict(net_arch=[64, 64])`` as Python;
here they are only parsed.
"""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from agents.training.literals import parse_value
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
ALGORITHMS = {"ppo": "PPO", "sac": "SAC", "td3": "TD3", "dqn": "DQN"}
"""The name of each algorithm's class in stable-baselines3 (see `algorithm_class`)."""

_OF_THE_RUN = {"n_envs", "n_timesteps", "policy", "normalize"}
_OF_THE_NOISE = {"noise_type", "noise_std"}
_NOT_IN_A_PRESET = {
    *("policy", "env", "seed", "device", "verbose", "tensorboard_log", "action_noise"),
    *("replay_buffer_class", "rollout_buffer_class", "_init_setup_model"),
}
"""Arguments of the constructors that a preset cannot hold, or holds in another form."""

_SHARES = {
    *("gamma", "gae_lambda", "tau"),
    *("exploration_fraction", "exploration_initial_eps", "exploration_final_eps"),
}
"""Floats that are at most 1."""

_LEAST = {
    "target_entropy": -math.inf,
    **{"gradient_steps": -1, "sde_sample_freq": -1, "learning_starts": 0},
}
"""The lower bounds that are not 0 for a float, and 1 for an integer."""


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
        """The value when this share of the training remains.

        Args:
            remaining: from 1 to 0, and below 0 in the last rollout, where the value is zero.
        """
        return self.initial * max(remaining, 0.0)


def algorithm_class(algorithm: str) -> type[BaseAlgorithm]:
    """The algorithm's class; imports stable-baselines3 only now, since that takes seconds.

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
    presets = _read_file(path)
    check_choice(f"environment in {path.name}", environment, presets)
    preset = presets[environment]
    if not _has_names(preset):
        raise InvalidValue(f"{environment} in {path} must map names to values, got {preset!r}")
    try:
        return _checked(algorithm, {**preset, **(overrides or {})})
    except UsageError as error:
        raise type(error)(f"preset {environment} of {path.name}: {error}") from error


def _read_file(path: Path) -> dict[str, Any]:
    expected = "expected YAML that maps environments to their presets"
    try:
        presets = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidValue(f"{path} cannot be read: {error}; {expected}") from error
    if not _has_names(presets):
        raise InvalidValue(f"{path} does not hold presets; {expected}")
    return presets


def _has_names(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


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


def _checked(algorithm: str, written: dict[str, Any]) -> Preset:
    """Returns the preset that is written, after checking all names and values."""
    model = algorithm_class(algorithm)
    parameters = inspect.signature(model).parameters
    of_the_model = parameters.keys() - _NOT_IN_A_PRESET
    of_the_noise = _OF_THE_NOISE if "action_noise" in parameters else set()
    for name in written:
        check_choice(
            f"argument of {algorithm}", name, of_the_model | _OF_THE_RUN | of_the_noise
        )
    for name in ("policy", "n_timesteps"):
        if name not in written:
            raise InvalidValue(f"{name} is missing")
    policy = written["policy"]
    check_choice("policy", policy, model.policy_aliases)
    num_envs = _integer("n_envs", written.get("n_envs", 1))
    arguments = {
        name: _argument(name, value, parameters[name].annotation)
        for name, value in written.items()
        if name in of_the_model
    }
    of_the_network = inspect.signature(model.policy_aliases[policy]).parameters.keys()
    for name in arguments.get("policy_kwargs") or {}:
        valid = of_the_network - {"observation_space", "action_space", "lr_schedule"}
        check_choice("argument in policy_kwargs", name, valid)
    if any(written.get(name) is not None for name in _OF_THE_NOISE):
        arguments["action_noise"] = _noise(written, num_envs)
    gamma = arguments.get("gamma", parameters["gamma"].default)
    return Preset(
        num_envs=num_envs,
        steps=_integer("n_timesteps", written["n_timesteps"]),
        normalize=_normalization(written.get("normalize", False), gamma),
        policy=policy,
        arguments=arguments,
        written=written,
    )


def _argument(name: str, value: Any, annotation: Any) -> Any:
    """Returns an argument of the constructor, after checking its type and range."""
    members = typing.get_args(annotation) or [annotation]
    kinds = [typing.get_origin(member) or member for member in members]
    value = _plain(value)
    low, high = _LEAST.get(name, 0.0), 1.0 if name in _SHARES else math.inf
    if value is None:
        if type(None) not in kinds:
            raise InvalidType(f"{name} cannot be None")
        return None
    if dict in kinds:
        return _mapping(name, value)
    if bool in kinds:
        if not isinstance(value, bool):
            raise InvalidType(f"{name} must be True or False, got {value!r}")
        return value
    if tuple in kinds and isinstance(value, list | tuple):  # train_freq
        if len(value) != 2:
            raise InvalidType(f'{name} must be an integer or [1, "episode"], got {value!r}')
        check_choice(f"unit of {name}", value[1], ("step", "episode"))
        return _integer(name, value[0]), value[1]
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
    return _integer(name, value)


def _plain(value: Any) -> Any:
    """Reads a string as a Python value if it is one: YAML reads 1e-3 as a string."""
    if isinstance(value, str):
        with suppress(InvalidValue):
            return parse_value(value)
    return value


def _integer(name: str, value: Any) -> int:
    """Returns an integer, which may be written as 1e7."""
    value = _plain(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return check_integer(name, value, int(_LEAST.get(name, 1)))


def _mapping(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = parse_value(value)
    if not _has_names(value):
        raise InvalidType(f'{name} must be a mapping, as in "dict(a=1)", got {value!r}')
    return dict(value)


def _noise(written: Mapping[str, Any], num_envs: int) -> Any:
    """Returns noise for the actions of one player, independent in each game."""
    from stable_baselines3.common import noise

    kinds: dict[str, Any] = {
        "normal": noise.NormalActionNoise,
        "ornstein-uhlenbeck": noise.OrnsteinUhlenbeckActionNoise,
    }
    name = str(written.get("noise_type"))
    check_choice("noise_type", name, kinds)
    if written.get("noise_std") is None:
        raise InvalidValue("noise_std is missing; noise_type is there")
    std = check_number("noise_std", _plain(written["noise_std"]), 0.0)
    one = kinds[name](mean=np.zeros(2), sigma=np.full(2, std))
    return noise.VectorizedActionNoise(one, num_envs) if num_envs > 1 else one


def _normalization(value: Any, gamma: float) -> dict[str, Any] | typing.Literal[False]:
    """Returns the arguments of VecNormalize, with the algorithm's gamma; False for none."""
    from stable_baselines3.common.vec_env import VecNormalize

    value = _plain(value)
    if value is False:
        return False
    chosen = {} if value is True else _mapping("normalize", value)
    for name in chosen:
        valid = inspect.signature(VecNormalize).parameters.keys() - {"venv", "training"}
        check_choice("argument of normalize", name, valid)
    return {**chosen, "gamma": gamma}
