"""Loads models that stable-baselines3 saved."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from gymnasium.error import DependencyNotInstalled

from steer_env.errors import InvalidValue, check_choice

ALGORITHMS = ("PPO", "A2C", "SAC", "TD3", "DDPG", "DQN")
MAX_DATA_BYTES = 64 * 2**20
"""The largest size in bytes of the description that a file holds beside the weights."""

MAX_RATIO = 20
"""The largest size of all members over the size of their file, which is not compressed."""

_EXPECTED = "expected a .zip file that a model of stable-baselines3 saved"
_ALGORITHM_OF_MODULE = {
    "stable_baselines3.common.policies": "A2C",
    "stable_baselines3.sac.policies": "SAC",
    "stable_baselines3.td3.policies": "TD3",  # also DDPG, which acts in the same way
    "stable_baselines3.dqn.policies": "DQN",
}


def load_stable_baselines3(
    path: str | Path, trust: bool = False, algorithm: str | None = None
) -> Any:
    """Loads a model that stable-baselines3 saved, on the CPU.

    Args:
        path: of the .zip file.
        trust: must be True, since loading the file can run any code that its author pickled.
        algorithm: "PPO", "A2C", "SAC", "TD3", "DDPG" or "DQN"; None to find it in the file.

    Returns:
        The model; its `predict` plays.

    Raises:
        FileNotFoundError: if there is no such file.
        gymnasium.error.DependencyNotInstalled: without stable-baselines3.
        ValueError: without trust; or if the file is damaged, is not a model, or holds a model
            of another algorithm.
    """
    path = Path(path)
    if algorithm is not None:
        check_choice("algorithm", algorithm, ALGORITHMS)
    if trust is not True:
        raise untrusted(path)
    data = _read_data(path)
    if algorithm is None:
        algorithm = _find_algorithm(path, data)
    try:
        import stable_baselines3
    except ImportError as error:
        raise DependencyNotInstalled(
            'stable-baselines3 is not installed; run: pip install "steer-env[agents]"'
        ) from error
    try:
        return getattr(stable_baselines3, algorithm).load(path, device="cpu")
    except Exception as error:  # unpickling may raise anything
        raise InvalidValue(
            f"{path} cannot be loaded as a model of {algorithm}: "
            f"{type(error).__name__}: {error}"
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
    if path.is_dir():
        raise InvalidValue(f"{path} is a folder; {_EXPECTED}")
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise InvalidValue(f"{path} is not a file; {_EXPECTED}")
    try:
        with zipfile.ZipFile(path) as archive:
            if "data" not in archive.namelist():
                raise InvalidValue("it has no member 'data'")
            if archive.getinfo("data").file_size > MAX_DATA_BYTES:
                raise InvalidValue(f"its member 'data' has more than {MAX_DATA_BYTES} bytes")
            claimed = sum(info.file_size for info in archive.infolist())
            if claimed > MAX_RATIO * path.stat().st_size:
                raise InvalidValue("its members claim a size that they cannot have")
            if (damaged := archive.testzip()) is not None:
                raise InvalidValue(f"its member {damaged!r} is damaged")
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
    # PPO and A2C have the same policy class, but only PPO clips the ratio of probabilities.
    return "PPO" if algorithm == "A2C" and "clip_range" in data else algorithm
