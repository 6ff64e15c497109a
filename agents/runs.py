"""A training run from beginning to end, in a folder that knows all about it."""

from __future__ import annotations

import warnings
from pathlib import Path

from rich.console import Console

from agents.results import write_results
from agents.run_folder import RunFolder, versions
from agents.training import Training, train
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
        ValueError: if there is no preset for it.
    """
    folder = RunFolder(path)
    command = f"{training.command} --out {path}"
    if episodes != EPISODES:
        command += f" --episodes {episodes}"
    folder.begin(
        {
            "command": command,
            "training": training.to_dict(),
            "hyperparameters": training.read_preset().written,
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
        ValueError: if its config.json is damaged.
        agents.durable.DamagedCheckpointError: if every checkpoint is damaged.
    """
    config = folder.read_config()
    training = Training.from_dict(config["training"])
    changed = {
        name: (number, versions().get(name))
        for name, number in config["versions"].items()
        if versions().get(name) != number
    }
    if changed:
        pairs = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in changed.items())
        warnings.warn(
            f"the run was begun with other versions ({pairs}), so it will not be the same as "
            "an undisturbed one",
            stacklevel=2,
        )
    progress = train(training, folder, console)
    return write_results(folder, training.study, progress, config["episodes"])
