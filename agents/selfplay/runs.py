"""Self-play from beginning to end, in a folder that knows all about it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from agents.durable import locked, write_json
from agents.selfplay.generations import (
    SCRIPTS,
    SelfPlay,
    SelfPlayFolder,
    play_generations,
    train_exploiters,
)
from agents.selfplay.results import write_selfplay_results
from agents.sides import SIDES, other_side
from agents.training.loop import check_start
from agents.training.run_folder import machine, versions
from baselines.evaluation import FEWEST
from baselines.tables import Table
from steer_env.errors import check_integer


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
    check_integer("episodes", episodes, FEWEST)
    last = {"params": plan.params, "seed": plan.seed_of(plan.generations)}
    for side in SIDES:  # what would fail later otherwise, perhaps after hours
        scripts = SCRIPTS[other_side(side)]
        trainings = [plan.training(side, scripts), plan.training(side, scripts, **last)]
        if plan.exploiter_steps:
            trainings.append(plan.exploiter(side, SCRIPTS[side][0]))
        for training in trainings:
            check_start(training, training.read_preset())
    path.mkdir(parents=True, exist_ok=True)
    about = {"plan": asdict(plan), "episodes": episodes}
    write_json(folder.config, {**about, "versions": versions(), "machine": machine()})
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
        ValueError: if its config.json is damaged, or another process is at work there.
    """
    plan, episodes = folder.plan, folder.read_config()["episodes"]
    with locked(folder.path):
        policies = play_generations(plan, folder, console)
        answers = None
        if plan.exploiter_steps:
            answers = train_exploiters(plan, folder, policies, console)
        return write_selfplay_results(folder.path, plan, policies, answers, episodes)
