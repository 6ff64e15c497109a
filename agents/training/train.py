"""Trains a run from beginning to end, also after a crash."""

from __future__ import annotations

import math
import shlex
import time
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from steer_env.errors import InvalidValue, check_integer, needing

with needing("agents"):
    import filelock  # noqa: F401  (missing, it stops here and not after the folder is made)
    import tensorboard  # noqa: F401  (the same)
    import torch
    from rich import progress as bars
    from rich.console import Console
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import configure
    from threadpoolctl import threadpool_limits

from steer_env.baselines import NetworkPolicy
from steer_env.baselines.measures import FEWEST, largest_payoff, payoff_of
from steer_env.baselines.protocol import Result
from steer_env.baselines.tasks import EPISODES
from steer_env.files import write_bytes
from steer_env.game.config import Game
from steer_env.sides import EVADER, Side

from ..export.actor import actor_of
from .hyperparameters import LinearSchedule
from .imitation import imitate
from .model import (
    check_start,
    find_divergence,
    make_training_env,
    new_model,
    payoff_in_words,
    restored_model,
    snapshot,
    validate,
)
from .run import Training, TrainingRun, load_checkpoint, save_checkpoint
from .run_report import Progress, best_of, write_report

LEAST = 0.05  # the weight of an opponent relative to the hardest one: none is forgotten


def begin_run(training: Training, path: Path, episodes: int = EPISODES) -> TrainingRun:
    """Makes the folder of a run, or raises an error if it exists or the run cannot begin."""
    check_integer("episodes", episodes, FEWEST)
    folder = TrainingRun(path)
    training = training.absolute()
    check_start(training)
    command = f"{training.command} --out {shlex.quote(str(path))}"
    command += f" --episodes {episodes}" * (episodes != EPISODES)
    about = {"training": training.to_dict(), "hyperparameters": training.read_preset().written}
    folder.begin({"command": command, **about, "episodes": episodes})
    return folder


def train(folder: TrainingRun, console: Console) -> Progress:
    """Trains the run of a folder, from its checkpoint on.

    The folder gets the checkpoint, TensorBoard's logs, the best model and the last one. A
    checkpoint is unpickled, which can run any code: never resume a run that you do not trust.

    Raises:
        ValueError: if a number is no longer finite, or a weight is far too large (what was
            saved before stays); if its config.json or its checkpoint is damaged, its preset
            has changed, or another process is at work there.
    """
    training = folder.settings
    _check_unchanged(folder, training)
    preset = training.read_preset()
    threads = threadpool_limits(training.threads)  # of numpy, with which opponents compute
    with folder.locked(), threads, closing(make_training_env(training)) as venv:
        torch.set_num_threads(training.threads)
        saved = load_checkpoint(folder.checkpoint)
        if saved is None:
            model = new_model(training, venv)
            progress = Progress(imitate(model, training, console))
        else:
            model = restored_model(training, venv, saved)
            progress = saved["progress"]
            if saved["steps"] < preset.n_timesteps:  # else the run is only measured again
                progress.resumed_at.append(saved["steps"])
        monitor = TrainingMonitor(model, folder, progress, console)
        try:
            with monitor.bar:
                monitor.train()
        except Exception as error:
            if (sign := find_divergence(model)) is None:
                raise
            rate = preset.arguments.get("learning_rate", LinearSchedule(1e-3))
            falls = isinstance(rate, LinearSchedule)
            smaller = f"lin_{rate.initial / 10:g}" if falls else f"{rate / 10:g}"
            raise InvalidValue(
                f"the training diverged after {model.num_timesteps:,} steps: {sign}; to begin "
                f"another one with its best model: --start-from "
                f"{shlex.quote(str(folder.model))} --params learning_rate={smaller}"
            ) from error
        return progress


class TrainingMonitor(BaseCallback):
    """Continues a training, and validates, saves and shows it between its rollouts.

    There the state of the model is complete, and nothing here draws a random number, so
    measuring and saving do not change a run.
    """

    def __init__(
        self, model: BaseAlgorithm, folder: TrainingRun, progress: Progress, console: Console
    ) -> None:
        super().__init__()
        self.model, self._folder, self._progress = model, folder, progress
        self._training = training = folder.settings
        self._study, self._total = training.study, training.read_preset().n_timesteps
        self._payoff = payoff_of(self._study.config.payoff)
        self._began_at = progress.seconds, model.num_timesteps
        self._last_checkpoint = -math.inf  # the first one holds what was imitated
        self._clock: float | None = None  # when the time began to count
        model.set_logger(configure(str(folder.path / "tensorboard"), ["tensorboard"]))
        columns = bars.BarColumn(bar_width=24), bars.TaskProgressColumn()
        note = bars.TextColumn("{task.fields[note]}"), bars.TimeRemainingColumn()
        self.bar = bars.Progress("training", *columns, *note, console=console)
        self._task = self.bar.add_task("training", total=self._total, note="")

    def train(self) -> None:
        """Trains to the end, and then validates and saves the model.

        Raises:
            FloatingPointError: if the training has diverged.
        """
        self._weigh_opponents()  # of a resumed run
        model, begun = self.model, self.model.num_timesteps
        left = max(0, self._total - begun)
        model.learn(left, self, log_interval=10, reset_num_timesteps=begun == 0)
        self._stop_clock()
        self._check()
        done = self._progress.validations
        if not done or done[-1]["steps"] < model.num_timesteps:  # else that was before a crash
            self._validate()
            self._save()
        self._actor().save(self._folder.last_policy)
        # Last: it marks a finished training.
        write_bytes(self._folder.last_model, snapshot(model)["model"])
        self._show()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._stop_clock()
        self._check()
        steps, now = self.model.num_timesteps, time.perf_counter()
        done, count = self._progress.validations, self._training.validations
        last = done[-1]["steps"] if done else -1
        if any(last < round(self._total * number / count) <= steps for number in range(count)):
            self._validate()
        if now - self._last_checkpoint >= self._training.checkpoint_seconds:
            self._save()
        self._show()
        self._clock = time.perf_counter()

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._progress.seconds += time.perf_counter() - self._clock
        self._clock = None

    def _check(self) -> None:
        if (sign := find_divergence(self.model)) is not None:
            raise FloatingPointError(sign)

    def _actor(self) -> NetworkPolicy:
        about = {"environment": self._study.environment, "steps": self.model.num_timesteps}
        return actor_of(self.model, {**about, "algorithm": type(self.model).__name__})

    def _weigh_opponents(self) -> None:
        """Changes the chances of the opponents, in episodes that begin from now on."""
        training, done = self._training, self._progress.validations
        if training.hardness and done:
            payoffs = [*done[-1][f"{self._payoff.name}s"].values()]
            config = self._study.config
            weights = priorities(payoffs, config, training.side, training.hardness)
            self.training_env.set_attr("opponent_weights", weights)

    def _validate(self) -> None:
        progress, training, steps = self._progress, self._training, self.model.num_timesteps
        actor, history = self._actor(), progress.validations
        given = training.validation_episodes, steps, progress.seconds, training.opponent_weights
        found = validate(actor, self._study, *given)
        history.append(found)
        self._weigh_opponents()
        for name in ("captured", self._payoff.name):
            if name in found:
                self.logger.record(f"validation/{name}", found[name])
        self.logger.dump(steps)
        if best_of(history, self._study) is found:
            actor.save(self._folder.policy)
            write_bytes(self._folder.model, snapshot(self.model)["model"])

    def _save(self) -> None:
        content = {**snapshot(self.model), "progress": self._progress}
        save_checkpoint(self._folder.checkpoint, content)
        self._last_checkpoint = time.perf_counter()

    def _show(self) -> None:
        began, first = self._began_at
        seconds, steps = self._progress.seconds - began, self.model.num_timesteps
        note = f"{(steps - first) / max(seconds, 1e-9):,.0f} steps/s"
        for last in self._progress.validations[-1:]:
            if "captured" in last:
                note += f", captured {last['captured']:.1%}"
            note += f", {payoff_in_words(last, self._study)}"
        self.bar.update(self._task, completed=min(steps, self._total), note=note)


def priorities(
    payoffs: ArrayLike, config: Game, side: Side, hardness: float
) -> tuple[float, ...]:
    """Weights opponents by the learner's losses against them, from the mean payoffs.

    A pursuer's loss is the payoff as a share of the worst one, from 0 to 1: a capture time is a
    share of the time limit. A distance d has no limit: its share is d / (d + r) with the
    capture radius r, so that half of the worst is to miss by the radius. An evader's loss is
    the rest. The weight is the loss relative to the largest one, to the power of the hardness
    (prioritized fictitious self-play: Vinyals et al. 2019, which uses the rate of losses). With
    a hardness of 0 all weights are equal. They sum to 1.
    """
    found, limit = np.asarray(payoffs, np.float64), largest_payoff(config)
    losses = found / (found + config.capture_radius if limit is None else limit)
    if side is EVADER:
        losses = 1.0 - losses
    largest = losses.max()
    relative = losses / largest if largest > 0.0 else np.ones_like(losses)
    weights = np.maximum(relative**hardness, LEAST)
    return tuple((weights / weights.sum()).tolist())


def _check_unchanged(folder: TrainingRun, training: Training) -> None:
    before, now = folder.read_config()["hyperparameters"], training.read_preset().written
    changed = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if changed:
        changes = ", ".join(f"{one} {before.get(one)} -> {now.get(one)}" for one in changed)
        raise InvalidValue(
            f"{folder.path} was begun with another preset ({changes}): restore it to go on, "
            "or start a new run"
        )


def finish_run(folder: TrainingRun, console: Console) -> Result:
    """Trains the run of a folder, and measures and reports the result."""
    progress = train(folder, console)
    with console.status("measuring what was learned ..."):
        return write_report(folder, progress)
