"""Trains both sides of a game in turn, and measures them, also after a crash."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path

from steer_env.errors import check_integer, needing

with needing("agents"):
    from rich.console import Console

    from ..training.train import begin_run, train

from steer_env.baselines import MixturePolicy, NetworkPolicy
from steer_env.baselines.measures import FEWEST
from steer_env.baselines.tables import Table
from steer_env.files import write_bytes
from steer_env.sides import Side

from ..training.learning_model import Diverged, check_start
from .generations import EPISODES, SelfPlay, SelfPlayRun
from .methods import Population, first_scripts
from .selfplay_report import write_selfplay_report


def begin_selfplay(plan: SelfPlay, path: Path, episodes: int = EPISODES) -> SelfPlayRun:
    """Makes the folder of self-play, or raises an error if a training could not begin."""
    check_integer("episodes", episodes, FEWEST)
    for side in Side:  # what would fail later otherwise, perhaps after hours
        for number in (1, plan.generations):
            scripts = first_scripts(plan.game, side.other)
            check_start(plan.training(side, scripts, **plan.later(number)))
    folder = SelfPlayRun(path)
    folder.begin({"plan": asdict(plan), "episodes": episodes})
    return folder


def finish_selfplay(folder: SelfPlayRun, console: Console) -> list[Table]:
    """Trains the self-play of a folder as `train` does, and returns the tables of its page."""
    plan = folder.settings
    with folder.locked():
        try:
            population = play_generations(plan, folder, console)
            mixtures = write_policies(folder, population)
        except Diverged as error:
            again = f"steer-env selfplay --resume {shlex.quote(str(folder.path))}"
            raise Diverged(f"{error}; then: {again}") from error
        return write_selfplay_report(folder, mixtures)


def play_generations(plan: SelfPlay, folder: SelfPlayRun, console: Console) -> Population:
    """Trains all generations, except what was trained before a crash."""
    population = Population(plan.game)
    for number in range(1, plan.generations + 1):
        for side in Side:
            run = folder.generation(number, side)
            if not run.is_trained:
                changes = population.opponents(plan.method, side.other, plan.hardness)
                names = changes.pop("opponent")
                what = f"{side.name} against a pool of {len(names)}"
                console.print(f"generation {number} of {plan.generations}: {what}")
                changes |= plan.later(number)
                if number > 1:
                    changes["start_from"] = folder.generation(number - 1, side).last_model
                if not run.config.exists():
                    begin_run(plan.training(side, names, **changes), run.path)
                train(run, console)
            population.networks[side].append(str(run.last_policy))
    return population


def write_policies(folder: SelfPlayRun, population: Population) -> dict[Side, dict[str, float]]:
    """Writes the last generation and the mixture of both sides: returns its chances by name."""
    mixtures = {}
    for side in Side:
        networks = population.networks[side]
        write_bytes(folder.policy(side), Path(networks[-1]).read_bytes())
        chances = population.equilibrium(side, networks)
        mixtures[side] = {
            f"generation {networks.index(file) + 1}": chance for file, chance in chances.items()
        }
        members = [NetworkPolicy.load(file) for file in chances]
        mixture = MixturePolicy(members, list(chances.values()), names=list(mixtures[side]))
        mixture.save(folder.mixture(side))
    return mixtures
