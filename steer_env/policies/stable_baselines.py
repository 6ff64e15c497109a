"""Models that stable-baselines3 saved, or a package made for it, with their VecNormalize."""

from __future__ import annotations

import importlib
import io
import json
import pickle
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_path,
    got,
    importing,
    needing,
    to_install,
)
from steer_env.files import read_bytes
from steer_env.policies.archive import refusing_damage
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
_PACKAGE_OF = {
    f"sbx.{name}" if package == "sbx" else name: package
    for package, names in _PACKAGES.items()
    for name in names
}
ALGORITHMS = tuple(_PACKAGE_OF)
"""The algorithms of stable-baselines3, sb3-contrib and, after "sbx.", of sbx."""

_ALGORITHM_OF_MODULE = {
    **{
        f"{package}.{name.removeprefix('sbx.').lower()}.policies": name
        for name, package in _PACKAGE_OF.items()
    },
    "stable_baselines3.common.policies": "A2C",
    "sb3_contrib.common.recurrent.policies": "RecurrentPPO",
    "sb3_contrib.common.maskable.policies": "MaskablePPO",
}
"""The algorithms by the module of their policy class (TD3 acts as DDPG does)."""

# Algorithms with A2C's policy class, and a setting that no other one of them has.
_OWN_SETTINGS = {"PPO": "clip_range", "TRPO": "cg_max_steps"}

_LARGEST_STATISTICS = 64 * 2**20  # bytes of a file

_REMEDY = (
    "pass the file that VecNormalize.save wrote: in Python "
    "steer_env.baselines.load(MODEL, trust=True, normalization=FILE), on the command line "
    "--trust --normalization FILE"
)

# The names of two entries of stable-baselines3's file format: the last observations that the
# model saw in training, and some that its environment gave before VecNormalize.
_SEEN, _ORIGINAL = "_last_obs", "_last_original_obs"

# What a VecNormalize's own pickles leave out.
_OF_ENVIRONMENT = ("venv", "class_attributes", "returns")


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
        normalization: the VecNormalize of its training, or the path of its file; or None.

    Returns:
        The model, or a `NormalizedModel`; its `predict` takes raw observations. A file beside
        it can say which (`steer_env.policies.own_observation`).

    Raises:
        FileNotFoundError: if the file does not exist.
        gymnasium.error.DependencyNotInstalled: without the algorithm's package.
        InvalidValue: without trust; for a file that is damaged or no model of the algorithm; or
            if the VecNormalize of its training is missing.
    """
    path = Path(path)
    if algorithm is not None:
        check_choice("algorithm", algorithm, ALGORITHMS)
    if trust is not True:
        raise untrusted(path)
    data = _read_data(path)
    if algorithm is None:
        algorithm = _find_algorithm(path, data)
    package = _PACKAGE_OF[algorithm]
    with importing(f"{package}, which {algorithm} needs,", _TO_INSTALL[package]):
        kind = getattr(importlib.import_module(package), algorithm.removeprefix("sbx."))
    with refusing_damage(path, f"a model of {algorithm}"):
        model = kind.load(path, device="cpu")
    if (observation := read_beside(path)) is not None:
        model.observation_config = observation
    if normalization is not None:
        return normalized_by(model, normalization, trust, f"{path.parent.name}/{path.stem}")
    try:
        return with_normalization(model, files_beside(path))
    except InvalidValue as error:
        raise InvalidValue(f"{path}: {error}") from None


def untrusted(path: Path) -> InvalidValue:
    """Returns the error for a model's file that the user has not said to trust."""
    return InvalidValue(
        f"{path} is a file of stable-baselines3, which runs code when it is loaded; if you "
        "trust its author, pass --trust on the command line, or in Python the policy itself, "
        f"steer_env.baselines.load({str(path)!r}, trust=True)"
    )


def _read_data(path: Path) -> dict[str, Any]:
    """Returns the JSON that describes a model, with its pickled parts as text."""
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise InvalidValue(f"{path} is not a file")
    with refusing_damage(path, "a model that stable-baselines3 saved as a .zip file"):
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("data"))
        if not isinstance(data, dict):
            raise InvalidValue("its member 'data' is not a JSON object")
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


class NormalizedModel:
    """A model of stable-baselines3 that takes raw observations.

    Observations are normalized by VecNormalize's statistics at the time of each call, which do
    not change. Without a normalization it is the one of the model's own environment. The name
    is for tables and pictures.
    """

    def __init__(self, model: Any, normalization: Any = None, name: str | None = None) -> None:
        self.model, self._normalization = model, normalization
        self.name = name or type(model).__name__
        ours, theirs = self.normalization.observation_space, model.observation_space
        if ours.shape != theirs.shape:
            raise InvalidValue(
                f"the VecNormalize is for observations of shape {ours.shape}, and the model "
                f"{self.name} for {theirs.shape}: does it belong to another model?"
            )

    def __repr__(self) -> str:
        """Returns the name of the model."""
        return f"{self.name} with its VecNormalize"

    def __getstate__(self) -> dict[str, Any]:
        """Everything, with the statistics without their environment."""
        kept = self.__dict__.copy()
        if self._normalization is not None:
            statistics = vars(self._normalization).items()
            kept["_normalization"] = {
                name: value for name, value in statistics if name not in _OF_ENVIRONMENT
            }
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Makes a VecNormalize of the statistics."""
        self.__dict__.update(kept)
        if self._normalization is not None:
            from stable_baselines3.common.vec_env import VecNormalize

            self._normalization = VecNormalize.__new__(VecNormalize)
            self._normalization.__setstate__(kept["_normalization"])

    @property
    def observation_space(self) -> Any:
        """The space of the raw observations."""
        return self.model.observation_space

    @property
    def action_space(self) -> Any:
        """The model's."""
        return self.model.action_space

    @property
    def normalization(self) -> Any:
        """The VecNormalize."""
        if self._normalization is None:
            return self.model.get_vec_normalize_env()
        return self._normalization

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """Returns the model's actions for raw observations, and its next hidden state."""
        normalized = self.normalization.normalize_obs(observation)
        answer: tuple[np.ndarray, Any] = self.model.predict(
            normalized, state, episode_start, deterministic
        )
        return answer


def is_model(policy: object) -> bool:
    """True for a model of stable-baselines3, or of a package made for it."""
    return callable(getattr(policy, "get_vec_normalize_env", None))


def with_normalization(policy: Any, beside: Sequence[Path] = ()) -> Any:
    """Returns a policy that plays from raw observations.

    Only models of stable-baselines3 change. An InvalidValue says that a model was trained with
    a VecNormalize and is without it now; files ``beside`` look like it.
    """
    if not is_model(policy):
        return policy
    if policy.get_vec_normalize_env() is not None:
        return NormalizedModel(policy)
    if _was_normalized(policy, bool(beside)):
        hint = f"; {beside[0]} looks like it" if beside else ""
        raise InvalidValue(
            f"the model {type(policy).__name__} was trained with a VecNormalize, which is "
            f"missing: without it, it would play badly; {_REMEDY}{hint}"
        )
    return policy


def normalized_by(model: Any, normalization: Any, trust: bool, name: str | None = None) -> Any:
    """Returns a model with its VecNormalize, or with that in a file (a pickle to trust).

    Raises:
        FileNotFoundError: if the file does not exist.
        InvalidType, InvalidValue: for another object, a damaged file, or one without trust.
    """
    with needing("agents"):
        from stable_baselines3.common.vec_env import VecNormalize

    if not is_model(model):
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
    return NormalizedModel(model, normalization, name)


def files_beside(path: Path) -> list[Path]:
    """The files that look like the statistics of a model's VecNormalize.

    `agents`, CheckpointCallback and most scripts write them beside the model, and rl-zoo3 into
    a folder that is called like the model.
    """
    return sorted(
        found
        for folder in (path.parent, path.with_suffix(""))
        for found in folder.glob("*.pkl")
        if "normalize" in found.name.lower()
    )


def _was_normalized(model: Any, has_files: bool) -> bool:
    """True if a model shows that it was trained on normalized observations."""
    from stable_baselines3.common.save_util import json_to_data

    if not callable(getattr(model, "save", None)):
        return has_files
    content = io.BytesIO()  # only in the format of a file are these entries public
    model.save(content, exclude=vars(model).keys() - {_SEEN, _ORIGINAL})
    with zipfile.ZipFile(content) as archive:
        entries = json.loads(archive.read("data"))
    found = json_to_data(json.dumps({name: entries.get(name) for name in (_SEEN, _ORIGINAL)}))
    seen, original = found[_SEEN], found[_ORIGINAL]
    if seen is not None:
        space = model.observation_space
        low, high = getattr(space, "low", -np.inf), getattr(space, "high", np.inf)
        return bool((seen < low).any() or (seen > high).any())
    # An algorithm without a replay buffer keeps original observations of a VecNormalize only.
    return has_files or (original is not None and not hasattr(model, "replay_buffer"))
