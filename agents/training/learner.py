"""A model of stable-baselines3 in the middle of its training."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import unwrap_vec_normalize

from agents.export.actor import actor_of
from agents.training.divergence import find_divergence
from agents.training.hyperparameters import algorithm_class
from agents.training.run_folder import RunFolder
from agents.training.snapshot import restore_snapshot, take_snapshot
from agents.training.start import learned_from_script, make_training_env, new_model
from agents.training.training import Training
from baselines import NetworkPolicy
from steer_env.envs.specification import plain
from steer_env.files import write_bytes


class Learner:
    """A model and the games that it learns from.

    Between two rollouts its state is complete: the update is done, and the next rollout has not
    begun. Only there are the methods called, except `learn`. None of them draws a random
    number, so measuring and saving do not change a run.
    """

    def __init__(self, training: Training) -> None:
        self._training = training
        self._venv = make_training_env(training)
        self._model: BaseAlgorithm | None = None
        self._is_new = False
        torch.set_num_threads(training.threads)

    @property
    def model(self) -> BaseAlgorithm:
        """The model, once `begin` or `restore` has made it."""
        assert self._model is not None
        return self._model

    @property
    def steps(self) -> int:
        """The steps of training so far, all games together."""
        return self.model.num_timesteps

    def begin(self, console: Console) -> float:
        """Makes a new model, which imitates the preset's script if it names one.

        Returns:
            The seconds that count as training.
        """
        self._set_model(new_model(self._training, self._venv))
        self._is_new = True
        return learned_from_script(self._training, self.model, console)

    def restore(self, content: bytes, **changes: Any) -> Any:
        """Goes back to a state that `snapshot` returned, and returns the progress with it.

        The changes replace hyperparameters, such as the learning_rate. The content is
        unpickled, which can run any code.
        """
        algorithm = algorithm_class(self._training.algo)
        model, progress = restore_snapshot(content, algorithm, self._venv, **changes)
        self._set_model(model)
        return progress

    def _set_model(self, model: BaseAlgorithm) -> None:
        if hasattr(model, "replay_buffer_class"):
            # For n-step returns stable-baselines3 has set it itself, but would warn of a class
            # of the user's own whenever the saved model is loaded.
            model.replay_buffer_class = None
        observation = self._venv.get_attr("config")[0].observation
        if not observation.is_standard:  # it is saved with the model
            vars(model)["observation_config"] = plain(observation)
        self._model = model

    def snapshot(self, progress: Any) -> bytes:
        """Returns everything that the training goes on from."""
        return take_snapshot(self.model, progress)

    def learn(self, steps: int, between: Callable[[], None], logger: Logger) -> None:
        """Trains for this number of steps or a few more.

        `between` is called before each rollout. An error that it raises ends the call, and the
        next call goes on from there.
        """
        self.model.set_logger(logger)
        callback = TrainingCallback(between)
        # Only the first call begins the games.
        is_new, self._is_new = self._is_new, False
        self.model.learn(steps, callback, log_interval=10, reset_num_timesteps=is_new)

    def actor(self) -> NetworkPolicy:
        """Returns a copy of the network that acts."""
        about = {
            "environment": self._training.environment,
            "algorithm": type(self.model).__name__,
            "steps": self.steps,
        }
        return actor_of(self.model, about)

    def save_best(self, folder: RunFolder) -> None:
        """Writes model.zip, and the VecNormalize that it needs."""
        normalization = unwrap_vec_normalize(self._venv)
        if normalization is not None:
            write_bytes(folder.path / "vecnormalize.pkl", pickle.dumps(normalization))
        self._write_model(folder.model)

    def save_last(self, folder: RunFolder) -> None:
        """Writes last_model.zip."""
        self._write_model(folder.last_model)

    def _write_model(self, path: Path) -> None:
        content = io.BytesIO()
        self.model.save(content)
        write_bytes(path, content.getvalue())

    def trouble(self, *, thorough: bool = True) -> str | None:
        """Returns how the training has diverged, or None if it is sound.

        Args:
            thorough: look at everything that is saved, which takes longer.
        """
        return find_divergence(self.model, thorough=thorough)

    def weigh_opponents(self, weights: Sequence[float]) -> None:
        """Changes the chances of the opponents, in episodes that begin from now on."""
        self._venv.set_attr("opponent_weights", tuple(weights))

    def close(self) -> None:
        """Ends the games."""
        self._venv.close()


class TrainingCallback(BaseCallback):
    """Calls a function before each rollout."""

    def __init__(self, between: Callable[[], None]) -> None:
        super().__init__()
        self._between = between

    def _on_rollout_start(self) -> None:
        self._between()

    def _on_step(self) -> bool:
        return True
