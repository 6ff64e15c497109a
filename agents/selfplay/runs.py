"""Self-play from beginning to end, in a folder that holds all about it."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from agents.selfplay.generations import SCRIPTS, SelfPlay, SelfPlayFolder
from agents.selfplay.results import write_selfplay_results
from agents.training.divergence import Diverged
from agents.training.run_folder import RunFolder
from agents.training.runs import begin_run, train
from agents.training.start import check_start
from agents.training.training import Training
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
            check_start(training)
    folder = SelfPlayFolder(path)
    folder.begin({"plan": asdict(plan), "episodes": episodes})
    return folder


def finish_selfplay(folder: SelfPlayFolder, console: Console) -> list[Table]:
    """Trains the self-play of a folder, from where a crash left it, and writes its results.

    Returns:
        The tables of the results.

    Raises:
        FileNotFoundError: if there is no self-play.
        Diverged: if one of the trainings has diverged.
        ValueError: if its config.json is damaged, or another process is at work there.
    """
    plan = folder.settings
    with folder.locked():
        try:
            play_generations(plan, folder, console)
            if plan.exploiter_steps:
                train_exploiters(plan, folder, console)
        except Diverged as error:
            again = f"python -m agents selfplay --resume {shlex.quote(str(folder.path))}"
            raise Diverged(f"{error}; then: {again}") from error
        return write_selfplay_results(folder)


def play_generations(plan: SelfPlay, folder: SelfPlayFolder, console: Console) -> None:
    """Trains all generations, except what was trained before a crash."""
    pools = {side: list(SCRIPTS[side]) for side in Side}
    for number in range(1, plan.generations + 1):
        for side in Side:
            opponents, run = pools[side.other], folder.generation(number, side)
            console.print(
                f"generation {number} of {plan.generations}: {side.name} against a pool of "
                f"{len(opponents)}"
            )
            changes = {"hardness": plan.hardness, **plan.later(number)}
            if number > 1:
                changes["start_from"] = folder.generation(number - 1, side).last_model
            _train_once(plan.training(side, opponents, **changes), run, console)
            pools[side].append(str(run.last_policy))


def train_exploiters(plan: SelfPlay, folder: SelfPlayFolder, console: Console) -> None:
    """Trains a new policy against each learned one alone, to find its weakness."""
    for number in range(1, plan.generations + 1):
        for side in Side:
            console.print(f"the best answer to the {side.name} of generation {number}")
            target = str(folder.generation(number, side).last_policy)
            _train_once(plan.exploiter(side, target), folder.exploiter(number, side), console)


def _train_once(training: Training, run: RunFolder, console: Console) -> None:
    """Trains a run that is not trained yet, from where a crash left it."""
    if run.is_trained:
        return
    if not run.config.exists():
        begin_run(training, run.path)
    train(run, console)
