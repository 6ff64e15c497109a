"""A training run from beginning to end, in a folder that holds all about it."""

from __future__ import annotations

import hashlib
import shlex
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.training.loop import check_start, train
from agents.training.progress import Progress
from agents.training.results import write_results
from agents.training.run_folder import PACKAGES, RunFolder
from agents.training.training import Training
from baselines.evaluation import FEWEST
from baselines.protocol import EPISODES, Result
from steer_env.bench import versions
from steer_env.errors import InvalidValue, check_integer
from steer_env.policies import pretrained
from steer_env.policies.loading import is_file, is_loadable


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


def train_run(folder: RunFolder, console: Console) -> Progress:
    """Trains the run of a folder, from its newest checkpoint on.

    A checkpoint is unpickled, which can run any code: never resume a run that you do not trust.

    Raises:
        FileNotFoundError: if there is no run.
        ValueError: if its config.json or all its checkpoints are damaged, its preset or an
            opponent's file has changed, or another process is at work there.
    """
    config, training = folder.read_config(), folder.settings
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
            stacklevel=2,
        )
    with folder.locked():
        return train(training, folder, console)


def finish_run(folder: RunFolder, console: Console) -> Result:
    """Trains the run of a folder, see `train_run`, and measures and reports the result."""
    return write_results(folder, train_run(folder, console))


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
