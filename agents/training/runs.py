"""A training run from beginning to end, in a folder that holds all about it."""

from __future__ import annotations

import hashlib
import shlex
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from stable_baselines3.common.logger import configure
from threadpoolctl import threadpool_limits

from agents.durable import newest_checkpoint
from agents.training.hyperparameters import algorithm_class
from agents.training.progress import Progress, TrainingCallback
from agents.training.results import write_results
from agents.training.run_folder import PACKAGES, RunFolder
from agents.training.snapshot import restore_snapshot
from agents.training.start import check_start, make_training_env, new_model
from agents.training.training import Training
from baselines.evaluation import FEWEST
from baselines.protocol import EPISODES, Result
from steer_env.errors import InvalidValue, check_integer
from steer_env.information import versions
from steer_env.policies import pretrained
from steer_env.policies.loading import is_file, is_loadable

_DIVERGED = 1e4  # weights of networks that learn are far smaller


def begin_run(training: Training, path: Path, episodes: int = EPISODES) -> RunFolder:
    """Makes the folder of a run, with everything that `finish_run` needs.

    Raises:
        FileExistsError: if there is a run already.
        FileNotFoundError: if one of its files does not exist.
        TypeError, ValueError: if it cannot be trained; no folder is made then.
    """
    check_integer("episodes", episodes, FEWEST)
    folder = RunFolder(path)
    training = training.absolute()
    check_start(training)
    command = f"{training.command} --out {shlex.quote(str(path))}"
    if episodes != EPISODES:
        command += f" --episodes {episodes}"
    folder.begin(
        {
            "command": command,
            "training": training.to_dict(),
            "hyperparameters": training.read_preset().written,
            "episodes": episodes,
            "files": _digests(training),
        }
    )
    return folder


def train(folder: RunFolder, console: Console) -> Progress:
    """Trains the run of a folder, from its newest checkpoint on.

    The folder gets the checkpoints, TensorBoard's logs, the best model and the last one; the
    console shows a progress bar. A checkpoint is unpickled, which can run any code: never
    resume a run that you do not trust.

    Raises:
        FileNotFoundError: if there is no run.
        ValueError: if its config.json or all its checkpoints are damaged, its preset or an
            opponent's file has changed, another process is at work there, or it diverges.
    """
    training = folder.settings
    _check_unchanged(folder, training)
    with folder.locked():
        torch.set_num_threads(training.threads)
        steps, venv = training.read_preset().steps, make_training_env(training)
        saved = newest_checkpoint(folder.checkpoints)
        if saved is None:
            model, progress = new_model(training, venv), Progress()
        else:
            model, progress = restore_snapshot(saved, algorithm_class(training.algo), venv)
        if hasattr(model, "replay_buffer_class"):
            # For n-step returns stable-baselines3 has set it itself, but would warn of a class
            # of the user's own whenever the saved model is loaded.
            model.replay_buffer_class = None
        remaining = max(0, steps - model.num_timesteps)
        if saved is not None and remaining:  # else the run is only measured again
            progress.resumed_at.append(model.num_timesteps)
        model.set_logger(configure(str(folder.path / "tensorboard"), ["tensorboard"]))
        callback = TrainingCallback(training, steps, folder, progress, console)
        threads = threadpool_limits(training.threads)  # of numpy, with which opponents compute
        is_new = saved is None
        try:
            with threads, callback.bar, _stopped_by_signals(callback):
                model.learn(remaining, callback, log_interval=10, reset_num_timesteps=is_new)
                callback.finish()
        except Exception as error:
            if all((weights.abs() < _DIVERGED).all() for weights in model.policy.parameters()):
                raise
            raise InvalidValue(
                f"the training diverged after {model.num_timesteps:,} steps: its weights are "
                "too large; try a smaller learning_rate"
            ) from error
        venv.close()
        return progress


def _check_unchanged(folder: RunFolder, training: Training) -> None:
    """Raises an error if what the run depends on has changed; warns of other versions."""
    config = folder.read_config()
    if changed := _changes(config["hyperparameters"], training.read_preset().written):
        raise InvalidValue(
            f"{folder.path} was begun with another preset ({changed}): restore it to go on, "
            "or start a new run"
        )
    if changed := _changes(config["files"], _digests(training)):
        raise InvalidValue(f"{folder.path} was begun with other files ({changed})")
    if changed := _changes(config["versions"], versions(*PACKAGES)):
        warnings.warn(
            f"the run was begun with other versions ({changed}), so its result will differ "
            "from that of an undisturbed run",
            stacklevel=3,
        )


@contextmanager
def _stopped_by_signals(callback: TrainingCallback) -> Iterator[None]:
    """Lets Ctrl-C and SIGTERM stop a training where nothing is lost; the second one at once."""

    def stop(*_: object) -> None:
        if callback.must_stop:
            raise KeyboardInterrupt
        callback.must_stop = True

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def finish_run(folder: RunFolder, console: Console) -> Result:
    """Trains the run of a folder, see `train`, and measures and reports the result."""
    return write_results(folder, train(folder, console))


def _digests(training: Training) -> dict[str, str]:
    """SHA-256 of the files that a training reads, to notice when one is replaced."""
    names = [name for name in training.study.opponents if is_loadable(name)]
    files = {name: Path(name) if is_file(name) else pretrained.path_of(name) for name in names}
    if training.start_from is not None:
        files[str(training.start_from)] = training.start_from
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Lists the entries that differ; empty if there are none."""
    return ", ".join(
        f"{name} {before.get(name)} -> {now.get(name)}"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    )
