"""Data of one side's episodes, for offline reinforcement learning: their files."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_choice, check_path, check_text, to_install
from steer_env.players.archive import json_in, read_archive, refusing_damage, write_archive
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.sides import Side

FORMAT = "steer_env offline data 1"
MAX_BYTES = 2**31  # the largest size of a file: about 20 million steps of the default game

DTYPES = {
    "observations": np.float32,
    "actions": None,  # float32 or int64
    "rewards": np.float64,
    "terminations": np.bool_,
    "truncations": np.bool_,
    "final_observations": np.float32,
    "starts": np.int64,
    "lengths": np.int64,
    "seeds": np.uint64,
}
_OF_EPISODES = ("final_observations", "starts", "lengths", "seeds")


@dataclass(frozen=True, eq=False)
class Dataset:
    """N episodes of S steps together, one after the other, as a learner of one side sees them.

    Step k of episode i is row ``starts[i] + k``. For a team, observations and actions have an
    additional axis: (S, players, ...).

    Attributes:
        observations: (S, features) in float32: before each step.
        actions: (S, 2) in float32, or (S,) in int64 if they are discrete.
        rewards: (S,), as in Gymnasium.
        terminations: (S,), the same.
        truncations: (S,), the same.
        final_observations: (N, features): after the last step of each episode.
        starts: (N,): the first row of each episode.
        lengths: (N,): the number of its steps.
        seeds: (N,): with which the environment was reset.
        environment: its id.
        keywords: of ``gym.make``; without an opponent that JSON cannot hold.
        about: both players' names, the side, epsilon, and the version of steer_env.
    """

    observations: NDArray[np.float32]
    actions: NDArray[Any]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    final_observations: NDArray[np.float32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    seeds: NDArray[np.uint64]
    environment: str
    keywords: dict[str, Any]
    about: dict[str, Any]

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        steps = len(self.rewards)
        return f"Dataset({self.environment!r}, {len(self):,} episodes, {steps:,} steps)"

    @property
    def returns(self) -> NDArray[np.float64]:
        """The sum of the rewards of each episode, (N,)."""
        return np.add.reduceat(self.rewards, self.starts)

    def episode(self, index: int) -> slice:
        """Returns the rows of an episode."""
        first = int(self.starts[index])
        return slice(first, first + int(self.lengths[index]))

    def make_env(self, **keywords: Any) -> gym.Env[Any, Any]:
        """Makes the environment that the episodes were played in."""
        if not {"opponent"} & {*keywords, *self.keywords}:
            side = Side.named(self.about["side"])
            raise InvalidValue(
                f"these data do not name their opponent, {self.about[side.other.name]}, since "
                "it is not a name, a file or a Script; pass it as opponent="
            )
        return gym.make(self.environment, **{**self.keywords, **keywords})

    def save(self, path: str | Path) -> None:
        """Writes an .npz of at most 2 GiB: the arrays, and the rest as JSON, "description".

        Raises:
            OSError: if the file cannot be written.
            ValueError: for another ending, or more than 2 GiB.
        """
        path = check_path("path", path)
        check_choice("ending of the file", path.suffix, (".npz",))
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in DTYPES}
        arrays["description"] = np.array(self._description())
        write_archive(path, arrays, MAX_BYTES)

    @classmethod
    def load(cls, path: str | Path) -> Dataset:
        """Reads an .npz of `save` (ValueError if damaged), and executes nothing in it.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is not such a file, or a damaged one.
        """
        path = check_path("path", path)
        dtypes = {np.dtype(dtype) for dtype in DTYPES.values() if dtype is not None}
        with refusing_damage(path, "a data set that Dataset.save wrote"):
            found = read_archive(path, MAX_BYTES, len(DTYPES) + 1, dtypes=dtypes)
            description = json_in(found, "description")
            del found["description"]
            if description.pop("format") != FORMAT:
                raise InvalidValue("it is of another format")
            environment, keywords = description.pop("environment"), description.pop("keywords")
            check_choice("environment", environment, ENVIRONMENTS)
            data = cls(**found, environment=environment, keywords=keywords, about=description)
            data._check()
        return data

    def to_minari(self, dataset_id: str, **metadata: Any) -> Any:
        """Writes a Minari data set for ``minari.load_dataset(dataset_id)``, and returns it.

        The id is such as "pursuit/noisy-v0": a namespace or none, a name, a version. The
        metadata are those of ``minari.create_dataset_from_buffers``, such as author. Errors are
        those of `check_minari_id`.

        Raises:
            ValueError: for another id, or one that exists.
            gymnasium.error.DependencyNotInstalled: without minari or h5py.
        """
        minari = check_minari_id(dataset_id)
        if "opponent" not in self.keywords:
            raise InvalidValue(
                "a Minari data set names its environment, and this opponent has no name; give "
                "the opponent by its name or file or as a Script, or save an .npz file"
            )
        names = ("actions", "rewards", "terminations", "truncations")
        episodes = []
        for index, final in enumerate(self.final_observations):
            rows = self.episode(index)
            seen = np.concatenate([self.observations[rows], [final]])
            steps = {name: getattr(self, name)[rows] for name in names}
            about = {"id": index, "seed": int(self.seeds[index]), "infos": {}}
            buffer = minari.data_collector.EpisodeBuffer
            episodes.append(buffer(observations=seen, **steps, **about))
        with closing(self.make_env()) as env:
            return minari.create_dataset_from_buffers(
                dataset_id,
                episodes,
                env=env,
                eval_env=env.spec,
                algorithm_name=self.about[self.about["side"]],
                description=self._description(),
                requirements=[f"steer-env=={self.about['version']}"],
                **metadata,
            )

    def _description(self) -> str:
        names = {"format": FORMAT, "environment": self.environment, "keywords": self.keywords}
        return json.dumps({**names, **self.about})

    def _check(self) -> None:
        for name, dtype in DTYPES.items():
            array = getattr(self, name)
            count = len(self.starts) if name in _OF_EPISODES else len(self.rewards)
            if len(array) != count or (dtype is not None and array.dtype != dtype):
                raise InvalidValue(f"{name} has {len(array)} rows of {array.dtype}")
        ends = np.cumsum(self.lengths)
        if (self.lengths < 1).any() or ends[-1] != len(self.rewards):
            raise InvalidValue("the lengths of the episodes do not fit the steps")
        if (self.starts != ends - self.lengths).any():
            raise InvalidValue("the episodes do not follow each other")


def check_minari_id(dataset_id: str) -> Any:
    """Returns minari (DependencyNotInstalled without it). A ValueError refuses an old id."""
    check_text("dataset_id", dataset_id)
    try:
        import h5py  # noqa: F401
        import minari
        from minari.dataset.minari_dataset import parse_dataset_id
    except ImportError as error:
        raise DependencyNotInstalled(
            f"{error.name} is not installed; {to_install('data')}, or write an .npz file"
        ) from error
    try:
        parse_dataset_id(dataset_id)
    except ValueError as error:
        raise InvalidValue(
            f"{dataset_id!r} is neither an .npz file nor the id of a Minari data set such as "
            "'pursuit/noisy-v0'"
        ) from error
    if dataset_id in minari.list_local_datasets():
        raise InvalidValue(
            f"there is a Minari data set {dataset_id!r} already; choose another version"
        )
    return minari
