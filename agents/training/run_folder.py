"""The folder of a training run, which explains itself."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agents.durable import read_json, write_durably, write_json
from baselines import NetworkPolicy
from steer_env.bench import processor

_PACKAGES = ("gymnasium", "numpy", "numba", "stable-baselines3", "torch")


@dataclass(frozen=True)
class RunFolder:
    """Where the files of one training run are.

    Attributes:
        path: of the folder.
    """

    path: Path

    @property
    def config(self) -> Path:
        """What was trained, with what: JSON."""
        return self.path / "config.json"

    @property
    def checkpoints(self) -> Path:
        """Folder of the checkpoints that a run goes on from after a crash."""
        return self.path / "checkpoints"

    @property
    def tensorboard(self) -> Path:
        """Folder of TensorBoard's logs."""
        return self.path / "tensorboard"

    @property
    def model(self) -> Path:
        """The best model, as stable-baselines3 saves it."""
        return self.path / "model.zip"

    @property
    def last_model(self) -> Path:
        """The model at the end of the training."""
        return self.path / "last_model.zip"

    @property
    def policy(self) -> Path:
        """The best model's actor: numbers alone, readable without torch."""
        return self.path / "policy.npz"

    @property
    def last_policy(self) -> Path:
        """The last model's actor."""
        return self.path / "last_policy.npz"

    @property
    def results(self) -> Path:
        """How good the policy is: JSON."""
        return self.path / "results.json"

    @property
    def learning_curve(self) -> Path:
        """Picture of capture rate and time over the time of training."""
        return self.path / "learning_curve.png"

    @property
    def survival(self) -> Path:
        """Picture of how many evaders are free over the time of a chase."""
        return self.path / "survival.png"

    @property
    def episode(self) -> Path:
        """GIF of one episode."""
        return self.path / "episode.gif"

    @property
    def readme(self) -> Path:
        """The page that says what all this is."""
        return self.path / "README.md"

    @property
    def normalization(self) -> Path:
        """The best model's VecNormalize, if it was trained under one."""
        return self.path / "vecnormalize.pkl"

    def save_model(
        self, which: str, model: bytes, actor: NetworkPolicy, normalization: bytes | None
    ) -> None:
        """Writes the "best" or the "last" model with its actor; the model last of all.

        So whoever finds the last model knows that all is there.
        """
        is_best = which == "best"
        actor.save(self.policy if is_best else self.last_policy)
        if is_best and normalization is not None:
            write_durably(self.normalization, normalization)
        write_durably(self.model if is_best else self.last_model, model)

    def begin(self, about: dict[str, Any]) -> None:
        """Makes the folder and writes its config.json.

        Args:
            about: the run: its training, hyperparameters and command.

        Raises:
            FileExistsError: if a run is there already.
        """
        if self.config.exists():
            raise FileExistsError(
                f"{self.path} holds a run already: go on with it by --resume {self.path}, or "
                "choose another --out"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        write_json(self.config, {**about, "versions": versions(), "machine": machine()})

    def read_config(self) -> dict[str, Any]:
        """What `begin` wrote.

        Raises:
            FileNotFoundError: if there is no run.
            ValueError: if its config.json is damaged.
        """
        return read_json(self.config, "training run", "training")


def versions() -> dict[str, str]:
    """The versions that a result depends on, by package."""
    import steer_env

    found = {name: version(name) for name in _PACKAGES}
    return {"steer_env": steer_env.__version__, "python": platform.python_version(), **found}


def machine() -> str:
    """The processor and how many cores of it there are, without the machine's name."""
    return f"{processor()}, {os.cpu_count()} cores"
