"""Models that stable-baselines3 saved, or a package made for it, with their VecNormalize."""

from __future__ import annotations

import importlib
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np

from steer_env.errors import InvalidType, InvalidValue, check_path, got, needing, unknown
from steer_env.files import read_bytes
from steer_env.players.archive import refusing_damage

_CONTRIBUTED = "TQC", "TRPO", "CrossQ", "ARS", "RecurrentPPO", "MaskablePPO", "QRDQN"
_OF_SBX = "PPO", "SAC", "TD3", "DDPG", "DQN", "TQC", "CrossQ"
_PACKAGE_OF = {
    **dict.fromkeys(("PPO", "A2C", "SAC", "TD3", "DDPG", "DQN"), "stable_baselines3"),
    **dict.fromkeys(_CONTRIBUTED, "sb3_contrib"),
    **{f"sbx.{name}": "sbx" for name in _OF_SBX},
}
_TO_INSTALL = {
    "stable_baselines3": "agents",
    "sb3_contrib": "run: pip install sb3-contrib",
    "sbx": "run: pip install sbx-rl",
}
ALGORITHMS = tuple(_PACKAGE_OF)
_MODEL = re.compile(r"(?:([\w.]{2,}):)?(.*)", re.DOTALL)  # one letter is a drive of Windows
_LARGEST_STATISTICS = 64 * 2**20  # bytes of a file
_OF_ENVIRONMENT = ("venv", "class_attributes", "returns")  # not in a VecNormalize's own pickles


def is_model_file(name: object) -> bool:
    """True for a name that ends as a file of stable-baselines3 does, in .zip."""
    return isinstance(name, str | Path) and str(name).endswith(".zip")


def split_model(name: str | Path) -> tuple[str, str]:
    """The algorithm, or "", and the file in ALGORITHM:FILE.zip."""
    found = _MODEL.fullmatch(str(name)) if is_model_file(name) else None
    return (found[1] or "", found[2]) if found else ("", str(name))


def load_stable_baselines3(
    name: str | Path, trust: bool = False, normalization: Any = None
) -> Any:
    """Loads a model that stable-baselines3, sb3-contrib or sbx saved, on the CPU.

    Args:
        name: ALGORITHM:FILE.zip, with one of `ALGORITHMS`: "PPO:model.zip", "sbx.SAC:x.zip".
        trust: must be True, since loading the file can run any code that its author pickled.
        normalization: the VecNormalize of its training, or the path of its file; None for a
            model that was trained without. Nothing in the model's file says so.

    Returns:
        The model, or a `NormalizedModel`; its `predict` takes raw observations.

    Raises:
        gymnasium.error.DependencyNotInstalled: without the algorithm's package.
        InvalidValue: for a name without a known algorithm; without trust; or for a file that is
            damaged or no model of the algorithm.
    """
    algorithm, file = split_model(name)
    path = Path(file)
    form = f"a model of stable-baselines3 is named ALGORITHM:FILE.zip, such as PPO:{file}"
    if not algorithm:
        raise InvalidValue(f"{name} does not say which algorithm it is of: {form}")
    if algorithm not in ALGORITHMS:
        raise InvalidValue(f"{name}: {unknown('algorithm', algorithm, ALGORITHMS)} ({form})")
    if trust is not True:
        raise InvalidValue(
            f"{path} is a file of stable-baselines3, which runs code when it is loaded; if you "
            "trust its author, pass --trust on the command line, or in Python the policy "
            f"itself, steer_env.baselines.load({str(name)!r}, trust=True)"
        )
    path.stat()  # stable-baselines3 would also look for other endings
    if not path.is_file():  # a pipe or a device may never end
        raise InvalidValue(f"{path} is not a file")
    package = _PACKAGE_OF[algorithm]
    with needing(_TO_INSTALL[package], f"{package}, which {algorithm} needs,"):
        kind = getattr(importlib.import_module(package), algorithm.removeprefix("sbx."))
    with refusing_damage(path, f"a model of {algorithm}"):
        model = kind.load(path, device="cpu")
    return model if normalization is None else normalized_by(model, normalization, trust)


class NormalizedModel:
    """A model of stable-baselines3 that takes raw observations.

    Its own `predict` would play badly on them, without an error: the statistics of VecNormalize
    are not part of it. Here they normalize, as they are at each call, and do not change.
    """

    def __init__(self, model: Any, normalization: Any) -> None:
        self.model, self.normalization = model, normalization
        self.name = type(model).__name__
        self.observation_space, self.action_space = model.observation_space, model.action_space
        ours, theirs = normalization.observation_space.shape, self.observation_space.shape
        if ours != theirs:
            raise InvalidValue(
                f"the VecNormalize is for observations of shape {ours}, and the model "
                f"{self.name} for {theirs}: does it belong to another model?"
            )

    def __repr__(self) -> str:
        """Returns the name of the model."""
        return f"{self.name} with its VecNormalize"

    def __getstate__(self) -> dict[str, Any]:
        """All, with the statistics without their environment."""
        # VecNormalize's own method fails for those that were read from a file.
        statistics = vars(self.normalization).items()
        kept = {name: value for name, value in statistics if name not in _OF_ENVIRONMENT}
        return {**vars(self), "normalization": kept}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Makes a VecNormalize of the statistics."""
        from stable_baselines3.common.vec_env import VecNormalize

        self.__dict__.update(kept)
        self.normalization = VecNormalize.__new__(VecNormalize)
        self.normalization.__setstate__(kept["normalization"])

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """Returns the model's actions for raw observations, and its next hidden state."""
        normalized = self.normalization.normalize_obs(observation)
        actions, state = self.model.predict(normalized, state, episode_start, deterministic)
        return actions, state


def with_normalization(policy: Any) -> Any:
    """Returns a policy, a model with the VecNormalize of its environment."""
    find = getattr(policy, "get_vec_normalize_env", None)
    normalization = find() if callable(find) else None
    return policy if normalization is None else NormalizedModel(policy, normalization)


def normalized_by(model: Any, normalization: Any, trust: bool) -> NormalizedModel:
    """Returns a model with a VecNormalize, or with that in a file (a pickle to trust).

    Raises:
        FileNotFoundError: if the file does not exist.
        InvalidType, InvalidValue: for another object, a damaged file, or one without trust.
    """
    with needing("agents"):
        from stable_baselines3.common.vec_env import VecNormalize

    if not callable(getattr(model, "get_vec_normalize_env", None)):
        raise InvalidType(f"normalization is for models of stable-baselines3, {got(model)}")
    if not isinstance(normalization, VecNormalize):
        path = check_path("normalization", normalization)
        if trust is not True:
            raise InvalidValue(
                f"{path} is a pickle, which runs code when it is loaded; if you trust its "
                "author, pass --trust on the command line, or in Python trust=True"
            )
        with refusing_damage(path, "a file that VecNormalize.save wrote"):
            normalization = pickle.loads(read_bytes(path, _LARGEST_STATISTICS))
        if not isinstance(normalization, VecNormalize):
            raise InvalidType(f"{path} holds no VecNormalize, {got(normalization)}")
    return NormalizedModel(model, normalization)
