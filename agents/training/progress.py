"""A callback between rollouts: progress bar, validations, checkpoints, the best model."""

from __future__ import annotations

import io
import pickle
import time
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import unwrap_vec_normalize

from agents.durable import write_checkpoint
from agents.export.actor import actor_of
from agents.training.divergence import find_divergence
from agents.training.run_folder import RunFolder
from agents.training.snapshot import take_snapshot
from agents.training.training import Training
from agents.training.validation import (
    Validation,
    is_better,
    priorities,
    shares_of_worst,
    validate,
)
from baselines import NetworkPolicy
from baselines.payoffs import payoff_of
from steer_env.files import write_bytes


@dataclass
class Progress:
    """The history of a training run so far; a checkpoint holds it.

    Attributes:
        seconds: of training, without measuring and saving, all attempts together.
        validations: oldest first; the first is of the network as the training began with it.
        best: the validation of the model that is kept as the best.
        resumed_at: steps of the checkpoints from which the run went on after a crash.
    """

    seconds: float = 0.0
    validations: list[Validation] = field(default_factory=list)
    best: Validation | None = None
    resumed_at: list[int] = field(default_factory=list)


class TrainingCallback(BaseCallback):
    """Validates, saves and shows a run between its rollouts.

    Only there is a run's state complete: the update is done, and the next rollout has not
    begun. Nothing here draws a random number, so it does not change the run. The given progress
    is continued, up to the number of steps.

    Attributes:
        bar: shows the progress; to be entered as a context.
        must_stop: whether a KeyboardInterrupt is due.
    """

    def __init__(
        self,
        training: Training,
        steps: int,
        folder: RunFolder,
        progress: Progress,
        console: Console,
    ) -> None:
        super().__init__()
        self.must_stop = False
        self._training, self._study, self._steps = training, training.study, steps
        self._payoff = payoff_of(self._study.config.payoff)
        self._folder, self._progress = folder, progress
        done = progress.validations[-1].steps if progress.validations else -1
        count = training.validations
        due = (round(steps * number / count) for number in range(count))
        self._due = [at for at in due if at > done]
        self._last_checkpoint = self._clock = time.perf_counter()
        self.bar = ProgressBar(
            TextColumn("training"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self.bar.add_task("training", total=steps, note="")

    def _on_training_start(self) -> None:
        self._prioritize()  # from the last validation of a resumed run
        self._clock = time.perf_counter()
        self._began_at = (self._progress.seconds, self.model.num_timesteps)

    def _on_rollout_start(self) -> None:
        self._stop_clock()
        self._check(thorough=False)
        steps, now = self.model.num_timesteps, time.perf_counter()
        if self._due and steps >= self._due[0]:
            self._due = [at for at in self._due if at > steps]
            self._validate()
        if self.must_stop or now - self._last_checkpoint >= self._training.checkpoint_seconds:
            self._save()
        if self.must_stop:
            raise KeyboardInterrupt
        self._show()
        self._clock = time.perf_counter()

    def stop(self) -> None:
        """Has a checkpoint written and a KeyboardInterrupt raised, where that loses nothing.

        Raises:
            KeyboardInterrupt: if it is asked for once more.
        """
        if self.must_stop:
            raise KeyboardInterrupt
        self.must_stop = True

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._stop_clock()

    def finish(self) -> None:
        """Validates and saves the trained model, unless that was done before a crash.

        Raises:
            FloatingPointError: if the last update made it diverge.
        """
        self._check()
        done = self._progress.validations
        if not done or done[-1].steps < self.model.num_timesteps:
            self._validate()
            self._save()
        self._actor().save(self._folder.last_policy)
        self._write_model(self._folder.last_model)  # last: it marks a finished training
        self._show()

    def _stop_clock(self) -> None:
        now = time.perf_counter()
        self._progress.seconds += now - self._clock
        self._clock = now

    def _check(self, *, thorough: bool = True) -> None:
        if (trouble := find_divergence(self.model, thorough=thorough)) is not None:
            raise FloatingPointError(trouble)

    def _validate(self) -> None:
        self._check()
        folder, progress, steps = self._folder, self._progress, self.model.num_timesteps
        actor, episodes = self._actor(), self._training.validation_episodes
        weights = self._training.opponent_weights
        found = validate(actor, self._study, episodes, steps, progress.seconds, weights)
        progress.validations.append(found)
        self._prioritize()
        if found.captured is not None:
            self.logger.record("validation/captured", found.captured)
        self.logger.record(f"validation/{self._payoff.name}", found.payoff)
        self.logger.dump(steps)
        if is_better(found, progress.best, self._training.side):
            progress.best = found
            actor.save(folder.policy)
            normalization = unwrap_vec_normalize(self.training_env)
            if normalization is not None:
                write_bytes(folder.path / "vecnormalize.pkl", pickle.dumps(normalization))
            self._write_model(folder.model)

    def _prioritize(self) -> None:
        """Draws hard opponents more often in the episodes that begin from now on."""
        hardness = self._training.hardness
        if hardness == 0.0 or not self._progress.validations:
            return
        payoffs = list(self._progress.validations[-1].payoffs.values())
        shares = shares_of_worst(payoffs, self._study.config)
        weights = priorities(shares.tolist(), self._training.side, hardness)
        self.training_env.set_attr("opponent_weights", weights)

    def _actor(self) -> NetworkPolicy:
        """Returns a copy of the model's actor."""
        about = {
            "environment": self._study.environment,
            "algorithm": type(self.model).__name__,
            "steps": self.model.num_timesteps,
        }
        return actor_of(self.model, about)

    def _write_model(self, path: Path) -> None:
        content = io.BytesIO()
        self.model.save(content)
        write_bytes(path, content.getvalue())

    def _save(self) -> None:
        self._check()
        content = take_snapshot(self.model, self._progress)
        write_checkpoint(self._folder.checkpoints, self.model.num_timesteps, content)
        self._last_checkpoint = time.perf_counter()

    def _show(self) -> None:
        began, first = self._began_at
        seconds, steps = self._progress.seconds - began, self.model.num_timesteps
        note = f"{(steps - first) / max(seconds, 1e-9):,.0f} steps/s"
        if self._progress.validations:
            last = self._progress.validations[-1]
            if last.captured is not None:
                note += f", captured {last.captured:.0%}"
            note += f", {self._payoff.words} {last.payoff:.2f} {self._payoff.unit}"
        self.bar.update(self._task, completed=min(steps, self._steps), note=note)
