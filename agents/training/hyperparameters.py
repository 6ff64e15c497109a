"""Reads and checks hyperparameters: presets in rl-baselines3-zoo's format, never executed.

A preset is a mapping in ``agents/presets/<algorithm>.yml``, under the environment's id. rl-zoo
can read the same files. It evaluates strings such as ``dict(net_arch=[64, 64])`` as Python;
here they are only parsed; `agents.training.preset_values` checks them.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.training.preset_values import (
    LinearSchedule as LinearSchedule,  # models saved before know it by this name
)
from agents.training.preset_values import (
    annotations_of,
    checked,
    checked_mapping,
    has_names,
    noise_of,
)
from agents.training.yaml_document import read_yaml
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    UsageError,
    check_choice,
    check_path,
    check_text,
    check_texts,
    shown,
)
from steer_env.sides import Side
from steer_env.suite import DEFAULT_GAME, ENVIRONMENTS, SUITE, SuiteGame

if typing.TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

PRESETS = Path(__file__).parents[1] / "presets"
ALGORITHMS = ("ppo", "sac", "td3", "dqn")
"""The algorithms; see `algorithm_class`."""

_OF_THE_RUN = {
    "n_envs": int,
    "n_timesteps": int,
    "normalize": bool | dict,
    "policy": str,
    "block_width": int,
    "allotment": bool,
    "imitate": str,
    "env_kwargs": dict,
}
_OF_THE_NOISE = {"noise_type": str, "noise_std": float | None}


@dataclass(frozen=True)
class Preset:
    """A preset in the form that the algorithms take.

    Attributes:
        num_envs: games played at once.
        steps: of training, all games together; each player of a team that learns counts.
        normalize: arguments of VecNormalize, at least its gamma; False for no VecNormalize.
        policy: stable-baselines3's name of the network, e.g. "MlpPolicy".
        block_width: of the layer that encodes each kind of an observation's blocks before they
            are pooled (`agents.training.block_features`); 0 for no such layer. rl-zoo does not
            know this name.
        allotment: whether that layer also takes flags that say which teammate each opponent is
            for (`steer_env.policies.allotment`). rl-zoo does not know this name.
        imitate: the name of a script that the new network first learns to act like
            (`agents.training.imitation`); "" for none. Its games count in the seconds of a
            training, but not in its steps. Only "ppo" has it, with continuous actions. rl-zoo
            does not know this name either.
        env_kwargs: keywords of the environment for training alone, such as its reward.
        arguments: of the algorithm's constructor, besides policy and environment.
        written: the preset as in the file, with the overrides; plain numbers, strings, lists
            and mappings.
    """

    num_envs: int
    steps: int
    normalize: dict[str, Any] | typing.Literal[False]
    policy: str
    block_width: int
    allotment: bool
    imitate: str
    env_kwargs: dict[str, Any]
    arguments: dict[str, Any]
    written: dict[str, Any]


def algorithm_class(algorithm: str) -> type[BaseAlgorithm]:
    """The algorithm's class; imports stable-baselines3 only now, since that takes seconds.

    Raises:
        ValueError: for an unknown algorithm.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    import stable_baselines3

    return getattr(stable_baselines3, algorithm.upper())


def argument_defaults(algorithm: str) -> dict[str, Any]:
    """What each argument of an algorithm's constructor is by default.

    Raises:
        ValueError: for an unknown algorithm.
    """
    parameters = inspect.signature(algorithm_class(algorithm)).parameters.values()
    return {one.name: one.default for one in parameters}


def read_preset(
    algorithm: str,
    environment: str,
    path: str | Path | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Preset:
    """Reads the hyperparameters of an algorithm for an environment.

    Args:
        algorithm: "ppo", "sac", "td3" or "dqn".
        environment: its id, e.g. "Pursuit-v0". A game of the suite that the file does not name
            has the preset of the default game.
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
    check_text("environment", environment)
    path = _file_of(algorithm) if path is None else check_path("path", path)
    if overrides is not None and not isinstance(overrides, Mapping):
        raise InvalidType(f"overrides must map names to values, got {shown(overrides)}")
    presets = _presets_in(path)
    asked = environment
    if environment not in presets and environment in ENVIRONMENTS:
        _, side, action_type = ENVIRONMENTS[environment]
        environment = SUITE[DEFAULT_GAME].environment(side, action_type)
    if environment not in presets:
        check_choice(f"environment in {path.name}", asked, presets)
    preset = presets[environment]
    if not has_names(preset):
        raise InvalidValue(
            f"{environment} in {path} must map names to values, got {shown(preset)}"
        )
    try:
        return _preset(algorithm, {**preset, **(overrides or {})})
    except UsageError as error:
        where = " with ".join([f"preset {environment} of {path.name}", *(overrides or ())])
        raise type(error)(f"{where}: {error}") from error


def environment_with_preset(algorithm: str, game: SuiteGame, side: Side) -> str:
    """The environment of a game in which the presets suggest to train a side.

    It is the continuous one, or the discrete one if only that one has a preset. A game without
    presets has those of the default game, so it is trained in the same kind of environment.

    Raises:
        ValueError: for an unknown algorithm.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    presets = _presets_in(_file_of(algorithm))
    for one in (game, SUITE[DEFAULT_GAME]):
        for action_type in ("continuous", "discrete"):
            if one.environment(side, action_type) in presets:
                return game.environment(side, action_type)
    return game.environment(side)


def _file_of(algorithm: str) -> Path:
    return PRESETS / f"{algorithm}.yml"


def _presets_in(path: Path) -> dict[str, Any]:
    """Returns what a file of presets holds, by environment; the presets are not checked."""
    expected = "expected YAML that maps environments to their presets"
    try:
        presets = read_yaml(path)
    except InvalidValue as error:
        raise InvalidValue(f"{path} cannot be read: {error}; {expected}") from error
    if not has_names(presets):
        raise InvalidValue(f"{path} does not hold presets; {expected}")
    return presets


def parse_overrides(texts: list[str] | tuple[str, ...]) -> dict[str, str]:
    """Splits texts of the form ``name=value``, such as a command line has.

    Example:
        ``parse_overrides(["learning_rate=lin_3e-4", "batch_size=1024"])``

    Raises:
        TypeError: if it is not a list or tuple of texts.
        ValueError: for a text without "=" or a name, or a name that occurs twice.
    """
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
    """Returns the preset that is written, after checking all names and values."""
    from stable_baselines3.common.vec_env import VecNormalize

    model = algorithm_class(algorithm)
    parameters = inspect.signature(model).parameters
    noise = _OF_THE_NOISE if "action_noise" in parameters else {}
    kinds = {**annotations_of(model), **_OF_THE_RUN, **noise}
    for name in written:
        check_choice(f"argument of {algorithm}", name, kinds)
    for name in ("policy", "n_timesteps"):
        if name not in written:
            raise InvalidValue(f"{name} is missing")
    policy = written["policy"]
    check_choice("policy", policy, model.policy_aliases)
    arguments = {
        name: checked(name, value, kinds[name])
        for name, value in written.items()
        if kinds[name] is not str  # the policy, and the type of noise
    }
    if arguments.get("policy_kwargs"):
        network = model.policy_aliases[policy]
        chosen = checked_mapping("policy_kwargs", arguments["policy_kwargs"], network)
        if isinstance(chosen.get("net_arch"), dict):  # others are ignored
            critic = "qf" if "n_critics" in annotations_of(network) else "vf"
            for name in chosen["net_arch"]:
                check_choice("network in net_arch", name, ("pi", critic))
        arguments["policy_kwargs"] = chosen
    _check_together(arguments)
    steps, num_envs = arguments.pop("n_timesteps"), arguments.pop("n_envs", 1)
    noise_type, noise_std = written.get("noise_type"), arguments.pop("noise_std", None)
    if noise_type is not None or noise_std is not None:
        arguments["action_noise"] = noise_of(str(noise_type), noise_std)
    normalize = arguments.pop("normalize", False)
    if normalize is not False:
        chosen = {} if normalize is True else normalize
        chosen = checked_mapping("normalize", chosen, VecNormalize)
        gamma = arguments.get("gamma", parameters["gamma"].default)
        if chosen.get("gamma", gamma) != gamma:
            raise InvalidValue(
                f"normalize has a gamma of its own, {chosen['gamma']}, but takes that of "
                f"{algorithm}, {gamma}: leave it out"
            )
        normalize = {**chosen, "gamma": gamma}
    block_width = arguments.pop("block_width", 0)
    if block_width and normalize is not False:
        raise InvalidValue(
            "normalize scales each number of an observation by itself, so blocks of a kind "
            "would differ: leave it out, or set block_width to 0"
        )
    allotment = arguments.pop("allotment", False)
    if allotment and not block_width:
        raise InvalidValue("allotment is part of the encoder of blocks: set block_width, too")
    imitate = check_text("imitate", written.get("imitate", ""))
    if imitate and (algorithm != "ppo" or normalize is not False):
        raise InvalidValue("imitate is for ppo without normalize: leave one of them out")
    env_kwargs = arguments.pop("env_kwargs", {})
    return Preset(
        num_envs,
        steps,
        normalize,
        policy,
        block_width,
        allotment,
        imitate,
        env_kwargs,
        arguments,
        written,
    )


def _check_together(arguments: Mapping[str, Any]) -> None:
    """Checks what stable-baselines3 would refuse or ignore only when it trains."""
    if arguments.get("gradient_steps") == 0:
        raise InvalidValue("gradient_steps must be -1 or at least 1: with 0 nothing is learned")
    train_freq, num_envs = arguments.get("train_freq"), arguments.get("n_envs", 1)
    if isinstance(train_freq, tuple) and train_freq[1] == "episode" and num_envs > 1:
        raise InvalidValue(
            f"train_freq counts episodes in one game only, but n_envs is {num_envs}: count "
            "steps instead, or play one game"
        )
