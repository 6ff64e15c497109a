"""The folders of training runs and self-play, which explain themselves."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from filelock import FileLock, Timeout

from agents.training.training import Training
from steer_env.errors import InvalidType, InvalidValue, UsageError, shown
from steer_env.files import read_json, write_json
from steer_env.information import processor, versions

_Settings = TypeVar("_Settings")

PACKAGES = ("gymnasium", "numpy", "numba", "stable-baselines3", "torch")
"""The packages that a result depends on."""


class ConfiguredFolder:
    """A folder with a config.json that says what the folder is for.

    Attributes:
        path: of the folder.
        config: the settings: JSON.
        results: what was measured: JSON.
        readme: the page about all of it, written last.
    """

    kind: ClassVar[str]
    """What such a folder holds, for messages."""

    keys: ClassVar[tuple[str, ...]]
    """The entries of config.json besides versions and machine; other kinds lack the first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.results = path / "results.json"
        self.readme = path / "README.md"

    def begin(self, about: dict[str, Any]) -> None:
        """Makes the folder and writes its config.json.

        Args:
            about: the entries `keys`.

        Raises:
            FileExistsError: if there is a config.json already.
        """
        if self.config.exists():
            raise FileExistsError(
                f"{self.path} already holds {self.kind}: go on with it by "
                f"--resume {self.path}, or choose another --out"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        machine = f"{processor()}, {os.cpu_count()} cores"
        write_json(self.config, {**about, "versions": versions(*PACKAGES), "machine": machine})

    def read_config(self) -> dict[str, Any]:
        """Returns what `begin` wrote.

        Raises:
            FileNotFoundError: if there is no config.json.
            ValueError: if it is damaged, or that of another kind of folder.
        """
        if not self.config.exists():
            raise FileNotFoundError(
                f"{self.path} does not hold {self.kind}: there is no config.json in it"
            )
        content = read_json(self.config)
        if not isinstance(content, dict):
            raise InvalidValue(f"{self.config} is damaged: it is not a JSON object")
        if self.keys[0] not in content:
            raise InvalidValue(
                f"{self.path} does not hold {self.kind} but something else: see config.json"
            )
        if missing := {*self.keys, "versions", "machine"} - content.keys():
            raise InvalidValue(f"{self.config} is damaged: it lacks {sorted(missing)}")
        return content

    def settings_made_by(self, make: Callable[[Mapping[str, Any]], _Settings]) -> _Settings:
        """Returns what a function makes of the first of the entries `keys`.

        Raises:
            FileNotFoundError, ValueError: as `read_config`; also if the function refuses it.
        """
        name = self.keys[0]
        given = self.read_config()[name]
        try:
            if not isinstance(given, Mapping):
                raise InvalidType(f"{name} must be a JSON object, got {shown(given)}")
            return make(given)
        except UsageError as error:
            raise InvalidValue(f"{self.config} cannot be used: {error}") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes out; a killed process leaves no lock behind.

        Raises:
            ValueError: if another process is at work in the folder.
        """
        try:
            with FileLock(self.path / ".lock", timeout=0):
                yield
        except Timeout as error:
            raise InvalidValue(f"another process is at work in {self.path}") from error


class RunFolder(ConfiguredFolder):
    """The files of one training run; its page names the others.

    Attributes:
        checkpoints: folder of the checkpoints from which a run goes on after a crash.
        model: the best model, in stable-baselines3's format.
        last_model: the model at the end of the training.
        policy: the best model's actor: numbers only, readable without torch.
        last_policy: the last model's actor.
    """

    kind = "a training run"
    keys = ("training", "command", "hyperparameters", "episodes", "files")

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.checkpoints = path / "checkpoints"
        self.model = path / "model.zip"
        self.last_model = path / "last_model.zip"
        self.policy = path / "policy.npz"
        self.last_policy = path / "last_policy.npz"

    @property
    def settings(self) -> Training:
        """The settings in config.json.

        Raises:
            FileNotFoundError, ValueError: as `read_config` and `Training.from_dict`.
        """
        return self.settings_made_by(Training.from_dict)

    @property
    def is_trained(self) -> bool:
        """Whether the training is finished."""
        return self.last_model.exists()
