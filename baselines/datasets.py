"""Episodes of one side as data for offline reinforcement learning, and their files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

import steer_env
from steer_env.errors import InvalidValue, check_choice, check_path, check_text, to_install
from steer_env.policies.archive import read_archive, write_archive
from steer_env.sides import Side
from steer_env.suite import ENVIRONMENTS

FORMAT = "steer_env offline data 1"
MAX_BYTES = 2**31
"""The largest size of a file: about 20 million steps of the default game."""

_DTYPES = {
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
    axis more: (S, players, ...). Making the environment again and taking an episode's actions
    from the reset with its seed gives the episode again.

    Attributes:
        observations: (S, features) in float32: before each step.
        actions: (S, 2) in float32, or (S,) in int64 if they are discrete.
        rewards: (S,).
        terminations: (S,) bools: whether the step ended its episode by capturing all.
        truncations: (S,) bools: whether it ended it by the time limit. A capture in the last
            step is both, as Gymnasium has it; programs that want one or the other should take
            ``truncations & ~terminations``.
        final_observations: (N, features): after the last step of each episode.
        starts: (N,): the first row of each episode.
        lengths: (N,): the number of its steps.
        seeds: (N,): with which the environment was reset.
        environment: the id of the environment.
        keywords: of ``gym.make``; without an opponent if it is neither a name, a file nor a
            Script, but an object or a function of the caller's.
        about: the names of the pursuer and the evader, the side, epsilon, and the version of
            steer_env.
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
        """Returns the number of episodes."""
        return len(self.starts)

    def __repr__(self) -> str:
        """Returns the environment and the numbers of episodes and steps."""
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
        """Returns the environment that the episodes were played in; see `gym.make`.

        Raises:
            ValueError: without an opponent, if the data do not name theirs.
        """
        if not {"opponent"} & {*keywords, *self.keywords}:
            side = Side.named(self.about["side"])
            raise InvalidValue(
                f"these data do not name their opponent, {self.about[side.other.name]}, since "
                "it is not a name, a file or a Script; pass it as opponent="
            )
        return gym.make(self.environment, **{**self.keywords, **keywords})

    def save(self, path: str | Path) -> None:
        """Writes an .npz file: the arrays by their names, and "description", a JSON document.

        ``numpy.load(path)`` reads it, without pickle. The description has the format's name,
        the environment, its keywords, and `about`.

        Raises:
            OSError: if the file cannot be written.
            ValueError: for another ending, or more than 2 GiB.
        """
        path = check_path("path", path)
        check_choice("ending of the file", path.suffix, (".npz",))
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in _DTYPES}
        arrays["description"] = np.array(json.dumps(self._description()))
        write_archive(path, arrays, MAX_BYTES)

    @classmethod
    def load(cls, path: str | Path) -> Dataset:
        """Reads an .npz that `save` wrote. Nothing in it is executed.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is not such a file, or a damaged one.
        """
        path = check_path("path", path)
        dtypes = {np.dtype(dtype) for dtype in _DTYPES.values() if dtype is not None}
        try:
            found = read_archive(path, MAX_BYTES, len(_DTYPES) + 1, dtypes=dtypes)
            description = json.loads(str(found.pop("description")))
            if description.pop("format") != FORMAT:
                raise InvalidValue("it is of another format")
            environment, keywords = description.pop("environment"), description.pop("keywords")
            check_choice("environment", environment, ENVIRONMENTS)
            data = cls(**found, environment=environment, keywords=keywords, about=description)
            data._check()
        except OSError:
            raise
        except Exception as error:  # a damaged file may raise anything
            raise InvalidValue(
                f"{path} is not a data set that Dataset.save wrote: {error}"
            ) from error
        return data

    def to_minari(self, dataset_id: str, **metadata: Any) -> Any:
        """Writes a Minari data set, which ``minari.load_dataset(dataset_id)`` loads.

        Its ``recover_environment()`` makes the environment, with the same opponent.

        Args:
            dataset_id: such as "pursuit/noisy-v0": a namespace or none, a name, a version.
            **metadata: for ``minari.create_dataset_from_buffers``, such as author.

        Returns:
            The `minari.MinariDataset`.

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
        episodes = [
            minari.data_collector.EpisodeBuffer(
                id=index,
                seed=int(self.seeds[index]),
                observations=np.concatenate(
                    [self.observations[rows], self.final_observations[index : index + 1]]
                ),
                actions=self.actions[rows],
                rewards=self.rewards[rows],
                terminations=self.terminations[rows],
                truncations=self.truncations[rows],
                infos={},
            )
            for index in range(len(self))
            for rows in [self.episode(index)]
        ]
        env = self.make_env()
        try:
            return minari.create_dataset_from_buffers(
                dataset_id,
                episodes,
                env=env,
                eval_env=env.spec,
                algorithm_name=self.about[self.about["side"]],
                description=json.dumps(self._description()),
                requirements=[f"steer-env=={self.about['version']}"],
                **metadata,
            )
        finally:
            env.close()

    def _description(self) -> dict[str, Any]:
        names = {"environment": self.environment, "keywords": self.keywords}
        return {"format": FORMAT, **names, **self.about}

    def _check(self) -> None:
        """Raises a ValueError for arrays that do not fit together."""
        for name, dtype in _DTYPES.items():
            array = getattr(self, name)
            count = len(self.starts) if name in _OF_EPISODES else len(self.rewards)
            if len(array) != count or (dtype is not None and array.dtype != dtype):
                raise InvalidValue(f"{name} has {len(array)} rows of {array.dtype}")
        ends = np.cumsum(self.lengths)
        if (self.lengths < 1).any() or ends[-1] != len(self.rewards):
            raise InvalidValue("the lengths of the episodes do not fit the steps")
        if (self.starts != ends - self.lengths).any():
            raise InvalidValue("the episodes do not follow each other")


def describe(
    names: tuple[str, str], side: str, epsilon: float, action_type: str
) -> dict[str, Any]:
    """Returns the `about` of a data set."""
    return {
        "version": steer_env.__version__,
        "pursuer": names[0],
        "evader": names[1],
        "side": side,
        "epsilon": epsilon,
        "action_type": action_type,
    }


def check_minari_id(dataset_id: str) -> Any:
    """Returns the module minari.

    Raises:
        ValueError: for an id that is not of Minari's form, or exists.
        gymnasium.error.DependencyNotInstalled: without minari or h5py.
    """
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
