"""Validates, saves and shows a training between its rollouts."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from rich import progress as bars
from rich.console import Console
from stable_baselines3.common.logger import configure

from steer_env.baselines.measures import payoff_of

from .learning_model import LearningModel, find_divergence
from .training import TrainingRun, save_checkpoint
from .validation import Validation, is_better, priorities, shares_of_worst, validate


@dataclass
class Progress:
    """The history of a training run so far, as a checkpoint holds it."""

    # of training, all attempts together, without measuring, saving and what comes before the
    # first rollout
    seconds: float = 0.0
    # oldest first; the first is of the network as the training began with it
    validations: list[Validation] = field(default_factory=list)
    best: Validation | None = None  # the validation of the model that is kept as the best
    # steps of the checkpoints from which the run went on after a crash
    resumed_at: list[int] = field(default_factory=list)


class TrainingMonitor:
    """Continues a training, and validates, saves and shows it between its rollouts."""

    def __init__(
        self, model: LearningModel, folder: TrainingRun, progress: Progress, console: Console
    ) -> None:
        self.must_stop = False  # a KeyboardInterrupt is due
        self._training = folder.settings
        self._study, self._steps = self._training.study, self._training.read_preset().steps
        self._payoff = payoff_of(self._study.config.payoff)
        self._model, self._folder, self._progress = model, folder, progress
        self._logger = configure(str(folder.path / "tensorboard"), ["tensorboard"])
        self._last_checkpoint = time.perf_counter()
        self._clock: float | None = None  # when the time began to count
        columns = bars.BarColumn(bar_width=24), bars.TaskProgressColumn()
        note = bars.TextColumn("{task.fields[note]}"), bars.TimeRemainingColumn()
        self.bar = bars.Progress("training", *columns, *note, console=console)
        self._task = self.bar.add_task("training", total=self._steps, note="")

    def train(self) -> None:
        """Trains to the end, and then validates and saves the model.

        Raises:
            FloatingPointError: if the training has diverged.
            KeyboardInterrupt: after `stop`.
        """
        model = self._model
        self._weigh_opponents()  # of a resumed run
        self._began_at = (self._progress.seconds, model.steps)
        model.learn(max(0, self._steps - model.steps), self._between_rollouts, self._logger)
        self._stop_clock()
        self._check()
        done = self._progress.validations
        if not done or done[-1].steps < model.steps:  # else that was done before a crash
            self._validate()
            self._save()
        self._model.actor().save(self._folder.last_policy)
        model.write(self._folder.last_model)  # last: it marks a finished training
        self._show()

    def _between_rollouts(self) -> None:
        self._stop_clock()
        self._check(thorough=False)
        steps, now = self._model.steps, time.perf_counter()
        done, count = self._progress.validations, self._training.validations
        last = done[-1].steps if done else -1
        if any(last < round(self._steps * number / count) <= steps for number in range(count)):
            self._validate()
        if self.must_stop or now - self._last_checkpoint >= self._training.checkpoint_seconds:
            self._save()
        if self.must_stop:
            raise KeyboardInterrupt
        self._show()
        self._clock = time.perf_counter()

    def stop(self) -> None:
        """Stops after the current rollout, with a checkpoint. A second call stops at once."""
        if self.must_stop:
            raise KeyboardInterrupt
        self.must_stop = True

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._progress.seconds += time.perf_counter() - self._clock
        self._clock = None

    def _check(self, *, thorough: bool = True) -> None:
        if (sign := find_divergence(self._model.model, thorough=thorough)) is not None:
            raise FloatingPointError(sign)

    def _weigh_opponents(self) -> None:
        training, done = self._training, self._progress.validations
        if training.hardness and done:
            shares = shares_of_worst([*done[-1].payoffs.values()], self._study.config)
            weights = priorities(shares, training.side, training.hardness)
            self._model.weigh_opponents(weights)

    def _validate(self) -> None:
        self._check()
        folder, progress, steps = self._folder, self._progress, self._model.steps
        actor, episodes = self._model.actor(), self._training.validation_episodes
        weights = self._training.opponent_weights
        found = validate(actor, self._study, episodes, steps, progress.seconds, weights)
        progress.validations.append(found)
        self._weigh_opponents()
        if found.captured is not None:
            self._logger.record("validation/captured", found.captured)
        self._logger.record(f"validation/{self._payoff.name}", found.payoff)
        self._logger.dump(steps)
        if is_better(found, progress.best, self._training.side):
            progress.best = found
            actor.save(folder.policy)
            self._model.write(folder.model)

    def _save(self) -> None:
        self._check()
        snapshot = {**self._model.snapshot(), "steps": self._model.steps}
        save_checkpoint(self._folder.checkpoint, {**snapshot, "progress": self._progress})
        self._folder.lessons.unlink(missing_ok=True)  # it has served
        self._last_checkpoint = time.perf_counter()

    def _show(self) -> None:
        began, first = self._began_at
        seconds, steps = self._progress.seconds - began, self._model.steps
        note = f"{(steps - first) / max(seconds, 1e-9):,.0f} steps/s"
        if self._progress.validations:
            last = self._progress.validations[-1]
            if last.captured is not None:
                note += f", captured {last.captured:.1%}"
            note += f", {self._payoff.words} {last.payoff:.2f} {self._payoff.unit}"
        self.bar.update(self._task, completed=min(steps, self._steps), note=note)
