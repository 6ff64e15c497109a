"""Loads models that stable-baselines3 saved, or a package made for it."""

from __future__ import annotations

import importlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_choice, to_install
from steer_env.policies.normalization import (
    NormalizedModel,
    files_beside,
    normalized_by,
    with_normalization,
)
from steer_env.policies.own_observation import read_beside

_PACKAGES = {
    "stable_baselines3": ("PPO", "A2C", "SAC", "TD3", "DDPG", "DQN"),
    "sb3_contrib": ("TQC", "TRPO", "CrossQ", "ARS", "RecurrentPPO", "MaskablePPO", "QRDQN"),
    "sbx": ("PPO", "SAC", "TD3", "DDPG", "DQN", "TQC", "CrossQ"),
}
_TO_INSTALL = {
    "stable_baselines3": to_install("agents"),
    "sb3_contrib": "run: pip install sb3-contrib",
    "sbx": "run: pip install sbx-rl",
}
ALGORITHMS = tuple(
    f"sbx.{name}" if package == "sbx" else name
    for package, names in _PACKAGES.items()
    for name in names
)
"""The algorithms of stable-baselines3, sb3-contrib and, after "sbx.", of sbx."""
_EXPECTED = "expected a .zip file that a model of stable-baselines3 saved"
_ALGORITHM_OF_MODULE = {
    "stable_baselines3.common.policies": "A2C",
    "stable_baselines3.sac.policies": "SAC",
    "stable_baselines3.td3.policies": "TD3",  # also DDPG, which acts in the same way
    "stable_baselines3.dqn.policies": "DQN",
    "sb3_contrib.tqc.policies": "TQC",
    "sb3_contrib.crossq.policies": "CrossQ",
    "sb3_contrib.ars.policies": "ARS",
    "sb3_contrib.qrdqn.policies": "QRDQN",
    "sb3_contrib.common.recurrent.policies": "RecurrentPPO",
    "sb3_contrib.common.maskable.policies": "MaskablePPO",
    "sbx.ppo.policies": "sbx.PPO",
    "sbx.sac.policies": "sbx.SAC",
    "sbx.td3.policies": "sbx.TD3",  # also DDPG
    "sbx.dqn.policies": "sbx.DQN",
    "sbx.tqc.policies": "sbx.TQC",
    "sbx.crossq.policies": "sbx.CrossQ",
}
# Algorithms with A2C's policy class, and a setting that no other one of them has.
_OWN_SETTINGS = {"PPO": "clip_range", "TRPO": "cg_max_steps"}


def load_stable_baselines3(
    path: str | Path,
    trust: bool = False,
    algorithm: str | None = None,
    normalization: Any = None,
) -> Any:
    """Loads a model that stable-baselines3, sb3-contrib or sbx saved, on the CPU.

    Args:
        path: of the .zip file.
        trust: must be True, since loading the file can run any code that its author pickled.
        algorithm: one of `ALGORITHMS`, such as "TQC" or "sbx.PPO"; None to find it in the file.
        normalization: the VecNormalize that the model was trained with, or the path of its
            file; None for none.

    Returns:
        The model, or a `NormalizedModel`; its `predict` takes raw observations. A file beside
        it can say which (`steer_env.policies.own_observation`).

    Raises:
        FileNotFoundError: if there is no such file.
        gymnasium.error.DependencyNotInstalled: without the algorithm's package.
        ValueError: without trust; if the file is damaged, is not a model, or holds a model
            of another algorithm; or if the model was trained with a VecNormalize, and none is
            given.
    """
    path = Path(path)
    if algorithm is not None:
        check_choice("algorithm", algorithm, ALGORITHMS)
    if trust is not True:
        raise untrusted(path)
    data = _read_data(path)
    if algorithm is None:
        algorithm = _find_algorithm(path, data)
    kind = _class_of(algorithm)
    try:
        model = kind.load(path, device="cpu")
    except Exception as error:  # unpickling may raise anything
        raise InvalidValue(
            f"{path} cannot be loaded as a model of {algorithm}: "
            f"{type(error).__name__}: {error}"
        ) from error
    if (observation := read_beside(path)) is not None:
        model.observation_config = observation
    if normalization is not None:
        return normalized_by(model, normalization, trust, f"{path.parent.name}/{path.stem}")
    try:
        return with_normalization(model, files_beside(path))
    except InvalidValue as error:
        raise InvalidValue(f"{path}: {error}") from None


def value_of(policy: object, observations: NDArray[np.float32], place: int) -> float | None:
    """The critic's estimate of the rewards to come, of a model with a state-value function.

    Args:
        policy: any; PPO and A2C of stable-baselines3 have one, and files of networks do not.
        observations: raw ones of the players of a side, (players, features).
        place: of the player whose own it is; a model of the whole team has one for all.

    Returns:
        In units of the rewards in training, which a VecNormalize may have scaled; None without
        such a function.
    """
    model: Any = policy.model if isinstance(policy, NormalizedModel) else policy
    network: Any = getattr(model, "policy", None)
    if not hasattr(network, "predict_values") or hasattr(network, "lstm_actor"):
        return None
    is_joint = model.observation_space.shape == observations.shape
    seen = observations if is_joint else observations[place]
    if isinstance(policy, NormalizedModel):
        seen = policy.normalization.normalize_obs(seen)
    tensor, _ = network.obs_to_tensor(seen)
    return float(network.predict_values(tensor).detach().reshape(-1)[0])


def _class_of(algorithm: str) -> Any:
    """Returns an algorithm's class; its package is imported only now.

    Raises:
        gymnasium.error.DependencyNotInstalled: without the package.
    """
    name = algorithm.removeprefix("sbx.")
    package = next(
        package
        for package, names in _PACKAGES.items()
        if name in names and (package == "sbx") == (name != algorithm)
    )
    try:
        return getattr(importlib.import_module(package), name)
    except ImportError as error:
        raise DependencyNotInstalled(
            f"{algorithm} needs {package}, which is not installed; {_TO_INSTALL[package]}"
        ) from error


def untrusted(path: Path) -> InvalidValue:
    """Returns the error for a model's file that the user has not said to trust."""
    return InvalidValue(
        f"{path} is a file of stable-baselines3, which runs code when it is loaded; if you "
        "trust its author, pass --trust on the command line, or in Python the policy itself, "
        f"baselines.load({str(path)!r}, trust=True)"
    )


def _read_data(path: Path) -> dict[str, Any]:
    """Returns the JSON that describes a model; its pickled parts stay text."""
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise InvalidValue(f"{path} is not a file; {_EXPECTED}")
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("data"))
        if not isinstance(data, dict):
            raise InvalidValue("its member 'data' is not a JSON object")
    except OSError:
        raise
    except Exception as error:  # a damaged archive may raise anything
        raise InvalidValue(f"{path} is not a model: {error}; {_EXPECTED}") from error
    return data


def _find_algorithm(path: Path, data: dict[str, Any]) -> str:
    """Returns the algorithm of a model, by the policy class in its description."""
    policy = data.get("policy_class")
    module = policy.get("__module__") if isinstance(policy, dict) else None
    algorithm = _ALGORITHM_OF_MODULE.get(module) if isinstance(module, str) else None
    if algorithm is None:
        raise InvalidValue(
            f"{path} does not say which algorithm it is of: its policy is of the module "
            f"{module!r}; pass algorithm= one of {', '.join(map(repr, ALGORITHMS))}"
        )
    if algorithm == "A2C":
        own = (name for name, setting in _OWN_SETTINGS.items() if setting in data)
        return next(own, algorithm)
    return algorithm
