"""Self-play from beginning to end, in a folder that knows all about it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from agents.durable import write_json
from agents.run_folder import versions
from agents.selfplay import (
    SCRIPTS,
    SIDES,
    SelfPlay,
    SelfPlayFolder,
    other_side,
    play_generations,
    train_exploiters,
)
from agents.selfplay_results import write_selfplay_results
from agents.training import check_start
from baselines.tables import Table


def begin_selfplay(plan: SelfPlay, path: Path, episodes: int) -> SelfPlayFolder:
    """Makes the folder of a run of self-play, which `finish_selfplay` needs nothing else than.

    Args:
        plan: how to train.
        path: of the folder.
        episodes: to measure each pair of policies with.

    Raises:
        FileExistsError: if there is a run already.
        TypeError, ValueError: if it cannot be trained; no folder is made then.
    """
    folder = SelfPlayFolder(path)
    if folder.config.exists():
        raise FileExistsError(
            f"{path} holds self-play already: go on with it by --resume {path}, or choose "
            "another --out"
        )
    last = {"params": plan.params, "seed": plan.seed_of(plan.generations)}
    for side in SIDES:
        for changes in ({}, last):  # which would fail later otherwise, perhaps after hours
            training = plan.training(side, SCRIPTS[other_side(side)], **changes)
            check_start(training, training.read_preset())
    path.mkdir(parents=True, exist_ok=True)
    about = {"plan": asdict(plan), "episodes": episodes, "versions": versions()}
    write_json(folder.config, about)
    return folder


def finish_selfplay(folder: SelfPlayFolder, console: Console) -> list[Table]:
    """Trains what a folder says, from where a crash left it, and writes its results.

    Args:
        folder: that `begin_selfplay` made.
        console: where the progress bars go.

    Returns:
        The tables of the results.

    Raises:
        FileNotFoundError: if there is no self-play.
    """
    if not folder.config.exists():
        raise FileNotFoundError(
            f"{folder.path} holds no self-play: there is no {folder.config.name} in it"
        )
    about = json.loads(folder.config.read_text())
    plan = SelfPlay(**{**about["plan"], "params": tuple(about["plan"]["params"])})
    policies = play_generations(plan, folder, console)
    answers = None
    if plan.exploiter_steps:
        answers = train_exploiters(plan, folder, policies, console)
    return write_selfplay_results(folder.path, plan, policies, answers, about["episodes"])
