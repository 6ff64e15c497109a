"""What happens beside training: a progress bar, validations, checkpoints, the best model."""

from __future__ import annotations

import io
import pickle
import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import unwrap_vec_normalize

from agents.durable import write_checkpoint
from agents.export.actor import actor_of
from agents.training.priorities import priorities
from agents.training.run_folder import RunFolder
from agents.training.snapshot import take_snapshot
from agents.training.validation import Validation, is_better, validate
from baselines import NetworkPolicy
from baselines.protocol import Scenario

_SHOWN_SECONDS = 0.2  # between two updates of the bar


@dataclass
class Progress:
    """How a training run went so far; a checkpoint holds it.

    Attributes:
        seconds: of training, without measuring and saving, all attempts together.
        validations: oldest first; the first is of the untrained network.
        best: the validation of the model that is kept as the best.
        resumed_at: steps of the checkpoints that the run went on from after a crash.
    """

    seconds: float = 0.0
    validations: list[Validation] = field(default_factory=list)
    best: Validation | None = None
    resumed_at: list[int] = field(default_factory=list)


class TrainingCallback(BaseCallback):
    """Validates, saves and shows a run between its rollouts.

    There alone is a run's state complete: behind it lies a whole update, before it the next
    rollout. Nothing here draws a random number, so a run comes out the same with and without.

    Args:
        study: the game and the opponents.
        steps: of the whole training.
        folder: of the run.
        progress: so far; it is continued.
        validations: how often to validate, the start not counted.
        validation_episodes: against each opponent.
        checkpoint_seconds: between two checkpoints.
        hardness: how much more often hard opponents are met, see `priorities`; 0 leaves the
            mixture as it is.
        console: where the bar goes.

    Attributes:
        progress: so far.
        must_stop: set it to have a checkpoint written and a KeyboardInterrupt raised as soon as
            that loses nothing.
    """

    def __init__(
        self,
        study: Scenario,
        steps: int,
        folder: RunFolder,
        progress: Progress,
        *,
        validations: int,
        validation_episodes: int,
        checkpoint_seconds: float,
        hardness: float,
        console: Console,
    ) -> None:
        super().__init__()
        self.progress = progress
        self.must_stop = False
        self._study, self._steps, self._folder = study, steps, folder
        self._episodes = validation_episodes
        done = progress.validations[-1].steps if progress.validations else -1
        due = (round(steps * number / validations) for number in range(validations))
        self._due = [at for at in due if at > done]
        self._checkpoint_seconds, self._hardness = checkpoint_seconds, hardness
        self._last_checkpoint = self._last_shown = self._clock = time.perf_counter()
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
        self._prioritize()  # what a resumed run's last validation said
        self._clock = time.perf_counter()
        self._began_at = (self.progress.seconds, self.model.num_timesteps)

    def _on_rollout_start(self) -> None:
        self._stop_clock()
        steps, now = self.model.num_timesteps, time.perf_counter()
        if self._due and steps >= self._due[0]:
            self._due = [at for at in self._due if at > steps]
            self._validate()
        if self.must_stop or now - self._last_checkpoint >= self._checkpoint_seconds:
            self._save()
        if self.must_stop:
            raise KeyboardInterrupt
        if now - self._last_shown >= _SHOWN_SECONDS:
            self._show()
        self._clock = time.perf_counter()

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._stop_clock()

    def finish(self) -> None:
        """Validates and saves the trained model, unless that was done before a crash."""
        done = self.progress.validations
        if not done or done[-1].steps < self.model.num_timesteps:
            self._validate()
            self._save()
        self._folder.save_model("last", *self._saved_model())
        self._show()

    def _stop_clock(self) -> None:
        now = time.perf_counter()
        self.progress.seconds += now - self._clock
        self._clock = now

    def _validate(self) -> None:
        progress = self.progress
        model, actor, normalization = self._saved_model()
        found = validate(
            actor, self._study, self._episodes, self.model.num_timesteps, progress.seconds
        )
        progress.validations.append(found)
        self._prioritize()
        self.logger.record("validation/captured", found.captured)
        self.logger.record("validation/capture_time", found.capture_time)
        self.logger.dump(self.model.num_timesteps)
        if is_better(found, progress.best, self._study.side):
            progress.best = found
            self._folder.save_model("best", model, actor, normalization)

    def _prioritize(self) -> None:
        """Has episodes that begin from now on meet hard opponents more often."""
        if self._hardness == 0.0 or not self.progress.validations:
            return
        times = list(self.progress.validations[-1].capture_times.values())
        config = self._study.config
        limit = config.horizon * config.dt
        weights = priorities(times, limit, self._study.side, self._hardness)
        self.training_env.set_attr("opponent_weights", weights)

    def _saved_model(self) -> tuple[bytes, NetworkPolicy, bytes | None]:
        """The model, its actor alone, and its normalization if it has one."""
        content = io.BytesIO()
        self.model.save(content)
        normalization = unwrap_vec_normalize(self.training_env)
        about = {
            "environment": self._study.environment,
            "algorithm": type(self.model).__name__,
            "steps": self.model.num_timesteps,
        }
        actor = actor_of(self.model, normalization, about)
        pickled = None if normalization is None else pickle.dumps(normalization)
        return content.getvalue(), actor, pickled

    def _save(self) -> None:
        content = take_snapshot(self.model, self.progress)
        write_checkpoint(self._folder.checkpoints, self.model.num_timesteps, content)
        self._last_checkpoint = time.perf_counter()

    def _show(self) -> None:
        seconds, steps = self._began_at
        seconds, now = self.progress.seconds - seconds, self.model.num_timesteps
        note = f"{(now - steps) / max(seconds, 1e-9):,.0f} steps/s"
        if self.progress.validations:
            last = self.progress.validations[-1]
            note += f", captured {last.captured:.0%}, {last.capture_time:.2f} s to capture"
        self.bar.update(self._task, completed=min(now, self._steps), note=note)
        self._last_shown = time.perf_counter()
