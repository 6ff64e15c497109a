"""A training run from beginning to end, in a folder that knows all about it."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.results import write_results
from agents.run_folder import RunFolder, versions
from agents.training import Training, check_start, train
from baselines.benchmarking import Result
from baselines.protocol import EPISODES


def begin_run(training: Training, path: Path, episodes: int = EPISODES) -> RunFolder:
    """Makes the folder of a run, which `finish_run` needs nothing else than.

    Args:
        training: what to train.
        path: of the folder.
        episodes: to measure the result with, against each opponent.

    Raises:
        FileExistsError: if there is a run already.
        FileNotFoundError: if a file that it names is not there.
        TypeError, ValueError: if it cannot be trained; no folder is made then.
    """
    folder = RunFolder(path)
    preset = training.read_preset()
    check_start(training, preset)
    command = f"{training.command} --out {shlex.quote(str(path))}"
    if episodes != EPISODES:
        command += f" --episodes {episodes}"
    folder.begin(
        {
            "command": command,
            "training": training.to_dict(),
            "hyperparameters": preset.written,
            "episodes": episodes,
        }
    )
    return folder


def finish_run(folder: RunFolder, console: Console) -> Result:
    """Trains what a folder says, from its newest checkpoint on, and writes its results.

    Args:
        folder: that `begin_run` made, before a crash or after.
        console: where the progress bar goes.

    Raises:
        FileNotFoundError: if there is no run.
        ValueError: if its config.json is damaged, or its preset is another by now.
        agents.durable.DamagedCheckpointError: if every checkpoint is damaged.
    """
    config = folder.read_config()
    training = Training.from_dict(config["training"])
    if changed := _changes(config["hyperparameters"], training.read_preset().written):
        raise ValueError(
            f"{folder.path} was begun with another preset ({changed}): put it back to go on, "
            "or train anew"
        )
    if changed := _changes(config["versions"], versions()):
        warnings.warn(
            f"the run was begun with other versions ({changed}), so it will not be the same as "
            "an undisturbed one",
            stacklevel=2,
        )
    progress = train(training, folder, console)
    return write_results(folder, training.study, progress, config["episodes"])


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What is another than before, in words; empty if nothing is."""
    return ", ".join(
        f"{name} {before.get(name)} -> {now.get(name)}"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    )
