"""What happens between rollouts: progress bar, validations, checkpoints, the best model."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar
from stable_baselines3.common.logger import Logger

from agents.training.checkpoints import write_checkpoint
from agents.training.learner import Learner
from agents.training.run_folder import RunFolder
from agents.training.training import Training
from agents.training.validation import Validation, is_better, validate, weigh_by_losses
from baselines.payoffs import payoff_of


@dataclass
class Progress:
    """The history of a training run so far; a checkpoint holds it.

    Attributes:
        seconds: of training, all attempts together, without measuring, saving and what comes
            before the first rollout.
        validations: oldest first; the first is of the network as the training began with it.
        best: the validation of the model that is kept as the best.
        resumed_at: steps of the checkpoints from which the run went on after a crash.
    """

    seconds: float = 0.0
    validations: list[Validation] = field(default_factory=list)
    best: Validation | None = None
    resumed_at: list[int] = field(default_factory=list)


class TrainingMonitor:
    """Validates, saves and shows a training between its rollouts.

    The given progress is continued, up to the number of steps.

    Attributes:
        bar: shows the progress; to be entered as a context.
        must_stop: whether a KeyboardInterrupt is due.
    """

    def __init__(
        self,
        training: Training,
        learner: Learner,
        steps: int,
        folder: RunFolder,
        progress: Progress,
        console: Console,
        logger: Logger,
    ) -> None:
        self.must_stop = False
        self._training, self._study, self._steps = training, training.study, steps
        self._learner, self._logger = learner, logger
        self._payoff = payoff_of(self._study.config.payoff)
        self._folder, self._progress = folder, progress
        done = progress.validations[-1].steps if progress.validations else -1
        count = training.validations
        due = (round(steps * number / count) for number in range(count))
        self._due = [at for at in due if at > done]
        self._last_checkpoint = time.perf_counter()
        self._clock: float | None = None  # when the time began to count
        self.bar = ProgressBar(
            TextColumn("training"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self.bar.add_task("training", total=steps, note="")

    def train(self) -> None:
        """Trains to the end; validates and saves what is trained.

        Raises:
            FloatingPointError: if the training has diverged.
            KeyboardInterrupt: after `stop`.
        """
        learner = self._learner
        validations = self._progress.validations
        weigh_by_losses(learner, self._training, validations)  # of a resumed run
        self._began_at = (self._progress.seconds, learner.steps)
        learner.learn(max(0, self._steps - learner.steps), self._between_rollouts, self._logger)
        self._stop_clock()
        self._finish()

    def _between_rollouts(self) -> None:
        self._stop_clock()
        self._check(thorough=False)
        steps, now = self._learner.steps, time.perf_counter()
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

    def _finish(self) -> None:
        """Validates and saves the trained model, unless that was done before a crash."""
        self._check()
        done = self._progress.validations
        if not done or done[-1].steps < self._learner.steps:
            self._validate()
            self._save()
        self._learner.actor().save(self._folder.last_policy)
        self._learner.save_last(self._folder)  # last: it marks a finished training
        self._show()

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._progress.seconds += time.perf_counter() - self._clock
        self._clock = None

    def _check(self, *, thorough: bool = True) -> None:
        if (trouble := self._learner.trouble(thorough=thorough)) is not None:
            raise FloatingPointError(trouble)

    def _validate(self) -> None:
        self._check()
        folder, progress, steps = self._folder, self._progress, self._learner.steps
        actor, episodes = self._learner.actor(), self._training.validation_episodes
        weights = self._training.opponent_weights
        found = validate(actor, self._study, episodes, steps, progress.seconds, weights)
        progress.validations.append(found)
        weigh_by_losses(self._learner, self._training, progress.validations)
        if found.captured is not None:
            self._logger.record("validation/captured", found.captured)
        self._logger.record(f"validation/{self._payoff.name}", found.payoff)
        self._logger.dump(steps)
        if is_better(found, progress.best, self._training.side):
            progress.best = found
            actor.save(folder.policy)
            self._learner.save_best(folder)

    def _save(self) -> None:
        self._check()
        content = self._learner.snapshot(self._progress)
        write_checkpoint(self._folder.checkpoints, self._learner.steps, content)
        self._last_checkpoint = time.perf_counter()

    def _show(self) -> None:
        began, first = self._began_at
        seconds, steps = self._progress.seconds - began, self._learner.steps
        note = f"{(steps - first) / max(seconds, 1e-9):,.0f} steps/s"
        if self._progress.validations:
            last = self._progress.validations[-1]
            if last.captured is not None:
                note += f", captured {last.captured:.0%}"
            note += f", {self._payoff.words} {last.payoff:.2f} {self._payoff.unit}"
        self.bar.update(self._task, completed=min(steps, self._steps), note=note)
