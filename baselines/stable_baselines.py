"""Policies that stable-baselines3 saved."""

from __future__ import annotations

import importlib
import json
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

from gymnasium.error import DependencyNotInstalled

from steer_env.errors import InvalidValue, check_choice

ALGORITHMS = ("PPO", "A2C", "SAC", "TD3", "DDPG", "DQN")
MAX_DATA_BYTES = 64 * 2**20
"""Of the description that a file holds beside the weights, in bytes."""

_ALGORITHM_OF_MODULE = {
    "stable_baselines3.common.policies": "A2C",
    "stable_baselines3.sac.policies": "SAC",
    "stable_baselines3.td3.policies": "TD3",  # DDPG's too, which acts in the same way
    "stable_baselines3.dqn.policies": "DQN",
}


def load_stable_baselines3(
    path: str | os.PathLike[str], trust: bool = False, algorithm: str | None = None
) -> Any:
    """Loads a model that stable-baselines3 saved, on the CPU.

    Args:
        path: of the .zip file.
        trust: whether the file may run code: it holds pickled objects, and loading them runs
            whatever whoever made the file put there.
        algorithm: "PPO", "A2C", "SAC", "TD3", "DDPG" or "DQN"; None to find it in the file.

    Returns:
        The model; its `predict` plays.

    Raises:
        FileNotFoundError: if there is no such file.
        gymnasium.error.DependencyNotInstalled: without stable-baselines3.
        ValueError: without trust; or if the file is damaged, is no model, or is of another
            algorithm.
    """
    path = Path(path)
    if algorithm is not None:
        check_choice("algorithm", algorithm, ALGORITHMS)
    if trust is not True:
        raise InvalidValue(
            f"{path} is a file of stable-baselines3, which runs code when it is loaded; if you "
            "trust whoever made it, pass trust=True"
        )
    data = _read_data(path)
    if algorithm is None:
        algorithm = _find_algorithm(path, data)
    try:
        module = importlib.import_module("stable_baselines3")
    except ImportError as error:
        raise DependencyNotInstalled(
            'stable-baselines3 is not installed; run: pip install "steer-env[agents]"'
        ) from error
    try:
        return getattr(module, algorithm).load(path, device="cpu")
    except Exception as error:  # unpickling may raise anything
        raise InvalidValue(
            f"{path} cannot be loaded as a model of {algorithm}: "
            f"{type(error).__name__}: {error}"
        ) from error


def _read_data(path: Path) -> dict[str, Any]:
    """The description of a model, as JSON; its pickled parts stay text."""
    expected = "expected a .zip file that a model of stable-baselines3 saved"
    if path.is_dir():
        raise InvalidValue(f"{path} is a folder; {expected}")
    try:
        with zipfile.ZipFile(path) as archive:
            if "data" not in archive.namelist():
                raise InvalidValue("it has no member 'data'")
            if archive.getinfo("data").file_size > MAX_DATA_BYTES:
                raise InvalidValue(f"its member 'data' has more than {MAX_DATA_BYTES} bytes")
            if (damaged := archive.testzip()) is not None:
                raise InvalidValue(f"its member {damaged!r} is damaged")
            data = json.loads(archive.read("data"))
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OverflowError,
        RuntimeError,  # among them RecursionError, for JSON nested too deeply
        ValueError,
    ) as error:
        raise InvalidValue(f"{path} is no model: {error}; {expected}") from error
    if not isinstance(data, dict):
        raise InvalidValue(
            f"{path} is no model: its member 'data' is no JSON object; {expected}"
        )
    return data


def _find_algorithm(path: Path, data: dict[str, Any]) -> str:
    """The algorithm whose policy the description of a model names."""
    policy = data.get("policy_class")
    module = policy.get("__module__") if isinstance(policy, dict) else None
    algorithm = _ALGORITHM_OF_MODULE.get(module) if isinstance(module, str) else None
    if algorithm is None:
        raise InvalidValue(
            f"{path} does not tell its algorithm: its policy is of the module {module!r}; pass "
            f"algorithm= one of {', '.join(map(repr, ALGORITHMS))}"
        )
    # PPO and A2C have the same policy, but only PPO clips the ratio of probabilities.
    return "PPO" if algorithm == "A2C" and "clip_range" in data else algorithm
