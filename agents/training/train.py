"""Trains a run from beginning to end, also after a crash."""

from __future__ import annotations

import shlex
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from steer_env.errors import InvalidValue, check_integer, needing, shown

with needing("agents"):
    import filelock  # noqa: F401  (missing, it stops here and not after the folder is made)
    import stable_baselines3  # noqa: F401  (the same)
    import tensorboard  # noqa: F401
    from rich.console import Console
    from threadpoolctl import threadpool_limits

from steer_env.baselines.measures import FEWEST
from steer_env.baselines.protocol import Result
from steer_env.baselines.tasks import EPISODES
from steer_env.files import write_json

from .hyperparameters import LinearSchedule, parse_overrides
from .learning_model import Diverged, LearningModel, check_start, find_divergence
from .progress import Progress, TrainingMonitor
from .run_report import write_report
from .training import Training, TrainingRun, load_checkpoint


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
        Diverged: if a number is no longer finite, or a weight is far too large. What was saved
            before stays.
        ValueError: if its config.json or its checkpoint is damaged, its preset has changed, or
            another process is at work there.
    """
    training = folder.settings
    _check_unchanged(folder, training)
    preset = training.read_preset()
    threads = threadpool_limits(training.threads)  # of numpy, with which opponents compute
    with folder.locked(), threads, closing(LearningModel(training)) as model:
        saved = load_checkpoint(folder.checkpoint)
        if saved is None:
            with _handled_signals(signal.default_int_handler):
                progress = Progress(seconds=model.begin(console, folder.lessons))
        else:
            # It may have changed since the checkpoint, see `change_learning_rate`.
            rate = {k: v for k, v in preset.arguments.items() if k == "learning_rate"}
            progress = saved["progress"]
            model.restore(saved, **rate)
            if model.steps < preset.steps:  # else the run is only measured again
                progress.resumed_at.append(model.steps)
        monitor = TrainingMonitor(model, folder, progress, console)
        try:
            with monitor.bar, _handled_signals(lambda *_: monitor.stop()):
                monitor.train()
        except Exception as error:
            if (sign := find_divergence(model.model)) is None:
                raise
            rate: Any = preset.arguments.get("learning_rate")
            smaller = f"{rate / 10:g}" if isinstance(rate, float | int) else "lin_1e-4"
            if isinstance(rate, LinearSchedule):
                smaller = f"lin_{rate.initial / 10:g}"
            place = folder.checkpoint if folder.checkpoint.exists() else "its beginning"
            raise Diverged(
                f"the training diverged after {model.steps:,} steps: {sign}; to go "
                f"on from {place} with a smaller learning_rate: steer-env train "
                f"--resume {shlex.quote(str(folder.path))} --params learning_rate={smaller}"
            ) from error
        return progress


def change_learning_rate(folder: TrainingRun, params: Sequence[str]) -> None:
    """Changes the learning rate of an unfinished run, by a parameter learning_rate=...."""
    for name in parse_overrides(params):
        if name != "learning_rate":
            raise InvalidValue(f"--resume can change learning_rate only, got {shown(name)}")
    training = folder.settings
    if folder.is_trained:
        raise InvalidValue(f"{folder.path} is trained: its learning_rate cannot change now")
    kept = (one for one in training.params if "learning_rate" not in parse_overrides([one]))
    changed = replace(training, params=(*kept, *params))
    if changed == training:
        return
    hyperparameters = changed.read_preset().written
    with folder.locked():
        _check_unchanged(folder, training)
        config, saved = folder.read_config(), load_checkpoint(folder.checkpoint)
        steps = 0 if saved is None else saved["steps"]
        config |= {"training": changed.to_dict(), "hyperparameters": hyperparameters}
        config.setdefault("changes", []).append(f"{', '.join(params)} from step {steps:,} on")
        write_json(folder.config, config)


def _check_unchanged(folder: TrainingRun, training: Training) -> None:
    before, now = folder.read_config()["hyperparameters"], training.read_preset().written
    changed = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if changed:
        changes = ", ".join(f"{one} {before.get(one)} -> {now.get(one)}" for one in changed)
        raise InvalidValue(
            f"{folder.path} was begun with another preset ({changes}): restore it to go on, "
            "or start a new run"
        )


@contextmanager
def _handled_signals(handler: Callable[..., Any]) -> Iterator[None]:
    """Lets Ctrl-C and SIGTERM call a handler in the main thread."""
    is_main = threading.current_thread() is threading.main_thread()  # no other receives them
    numbers = (signal.SIGINT, signal.SIGTERM) if is_main else ()
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def finish_run(folder: TrainingRun, console: Console) -> Result:
    """Trains the run of a folder, and measures and reports the result."""
    progress = train(folder, console)
    with console.status("measuring what was learned ..."):
        return write_report(folder, progress)
