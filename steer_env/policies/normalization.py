"""Plays models of stable-baselines3 through the VecNormalize that they were trained with.

VecNormalize scales observations by running statistics. They are not part of the model, so its
own `predict` on raw observations plays badly, without an error.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steer_env.errors import InvalidType, InvalidValue, check_path, got
from steer_env.files import read_bytes

MAX_BYTES = 64 * 2**20
"""The largest size of a file of statistics."""

REMEDY = (
    "pass the file that VecNormalize.save wrote: in Python "
    "baselines.load(MODEL, trust=True, normalization=FILE), on the command line "
    "--trust --normalization FILE"
)

# The names of two entries of stable-baselines3's file format: the last observations that the
# model saw in training, and some that its environment gave before VecNormalize.
_SEEN, _ORIGINAL = "_last_obs", "_last_original_obs"

# What a VecNormalize's own pickles leave out.
_OF_ENVIRONMENT = ("venv", "class_attributes", "returns")


class NormalizedModel:
    """A model of stable-baselines3 that takes raw observations.

    They are normalized by the statistics at the time of each call, so it plays as the model
    does while it is still being trained. The statistics stay as they are.

    Args:
        model: of stable-baselines3, sb3-contrib or sbx.
        normalization: the VecNormalize that the model was trained with, also one without an
            environment; None for that of the model's own environment.
        name: in tables and pictures; None for the algorithm's.

    Raises:
        InvalidType: if the normalization is something else.
        InvalidValue: if it was made for other observations than the model.
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
        """All, with the statistics without their environment.

        VecNormalize's own method fails for those that were read from a file.
        """
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
    """Whether a policy is a model of stable-baselines3, or of a package made for it."""
    return callable(getattr(policy, "get_vec_normalize_env", None))


def with_normalization(policy: Any, beside: Sequence[Path] = ()) -> Any:
    """Returns what plays a policy from raw observations.

    Args:
        policy: any; only models of stable-baselines3 change.
        beside: files that look like the statistics of its VecNormalize.

    Raises:
        InvalidValue: for a model that was trained with a VecNormalize and is without it now.
    """
    if not is_model(policy):
        return policy
    if policy.get_vec_normalize_env() is not None:
        return NormalizedModel(policy)
    if _was_normalized(policy, bool(beside)):
        hint = f"; {beside[0]} looks like it" if beside else ""
        raise InvalidValue(
            f"the model {type(policy).__name__} was trained with a VecNormalize, which is "
            f"missing: without it, it would play badly; {REMEDY}{hint}"
        )
    return policy


def normalized_by(model: Any, normalization: Any, trust: bool, name: str | None = None) -> Any:
    """Returns a model with its VecNormalize.

    Args:
        model: of stable-baselines3.
        normalization: the VecNormalize, or the path of its file.
        trust: must be True for a file, which is a pickle.
        name: see `NormalizedModel`.

    Raises:
        FileNotFoundError: if there is no such file.
        InvalidType: if the model or the normalization is something else.
        InvalidValue: without trust; or if the file is damaged, or of another model.
    """
    from stable_baselines3.common.vec_env import VecNormalize

    if not is_model(model):
        raise InvalidType(f"normalization is for models of stable-baselines3, {got(model)}")
    if not isinstance(normalization, VecNormalize):
        path = check_path("normalization", normalization)
        normalization = _read(path, trust)
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


def _read(path: Path, trust: bool) -> Any:
    if trust is not True:
        raise InvalidValue(
            f"{path} is a pickle, which runs code when it is loaded; if you trust its author, "
            "pass --trust on the command line, or in Python trust=True"
        )
    try:
        return pickle.loads(read_bytes(path, MAX_BYTES))
    except OSError:
        raise
    except Exception as error:  # unpickling may raise anything
        raise InvalidValue(
            f"{path} is not a file that VecNormalize.save wrote: {type(error).__name__}: "
            f"{error}"
        ) from error


def _was_normalized(model: Any, has_files: bool) -> bool:
    """Whether a model shows that it was trained on normalized observations."""
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
