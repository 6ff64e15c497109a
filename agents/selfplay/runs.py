"""Self-play from beginning to end, in a folder that holds all about it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from agents.selfplay.generations import (
    SCRIPTS,
    SelfPlay,
    SelfPlayFolder,
    play_generations,
    train_exploiters,
)
from agents.selfplay.results import write_selfplay_results
from agents.training.loop import check_start
from baselines.evaluation import FEWEST
from baselines.tables import Table
from steer_env.errors import check_integer
from steer_env.sides import Side


def begin_selfplay(plan: SelfPlay, path: Path, episodes: int = 1000) -> SelfPlayFolder:
    """Makes the folder of self-play, with everything that `finish_selfplay` needs.

    Raises:
        FileExistsError: if there is self-play already.
        TypeError, ValueError: if it cannot be trained; no folder is made then.
    """
    check_integer("episodes", episodes, FEWEST)
    for side in Side:  # what would fail later otherwise, perhaps after hours
        scripts = SCRIPTS[side.other]
        last = plan.training(side, scripts, **plan.later(plan.generations))
        trainings = [plan.training(side, scripts), last]
        if plan.exploiter_steps:
            trainings.append(plan.exploiter(side, SCRIPTS[side][0]))
        for training in trainings:
            check_start(training, training.read_preset())
    folder = SelfPlayFolder(path)
    folder.begin({"plan": asdict(plan), "episodes": episodes})
    return folder


def finish_selfplay(folder: SelfPlayFolder, console: Console) -> list[Table]:
    """Trains the self-play of a folder, from where a crash left it, and writes its results.

    Returns:
        The tables of the results.

    Raises:
        FileNotFoundError: if there is no self-play.
        ValueError: if its config.json is damaged, or another process is at work there.
    """
    plan = folder.settings
    with folder.locked():
        play_generations(plan, folder, console)
        if plan.exploiter_steps:
            train_exploiters(plan, folder, console)
        return write_selfplay_results(folder)
