"""Measures what a run has learned, and writes down what that showed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from agents.durable import write_durably, write_json
from agents.training.progress import Progress
from agents.training.report import (
    comparison_table,
    run_page,
    save_episode_gif,
    save_learning_curve,
)
from agents.training.run_folder import RunFolder
from agents.training.training import Training
from baselines import NetworkPolicy, benchmark
from baselines.benchmarking import Result
from baselines.plots import save_survival_plot
from baselines.protocol import EPISODES, Scenario
from baselines.tables import plain_text


def measure(policy: NetworkPolicy, study: Scenario, episodes: int = EPISODES) -> Result:
    """Plays a policy against all opponents of a study, from starts that nobody trained on.

    Args:
        policy: that was learned.
        study: the game, the opponents, and the hand-written policies to compare with.
        episodes: against each.
    """
    return benchmark({"learned": policy}, study, episodes)


def write_results(
    folder: RunFolder, study: Scenario, progress: Progress, episodes: int = EPISODES
) -> Result:
    """Measures a run's best policy, and writes its figures, pictures and page.

    Args:
        folder: of the run, which is trained.
        study: what it was trained in.
        progress: how that went.
        episodes: to measure with, against each opponent.
    """
    policy = NetworkPolicy.load(folder.policy)
    result = measure(policy, study, episodes)
    assert progress.best is not None
    results = {
        "training": {
            "steps": progress.validations[-1].steps,
            "seconds": progress.seconds,
            "resumed_at": progress.resumed_at,
            "best_at_step": progress.best.steps,
        },
        "benchmark": result.to_dict(),
        "validations": [asdict(one) for one in progress.validations],
    }
    write_json(folder.results, results)
    save_learning_curve(folder.learning_curve, progress.validations, result, study)
    first = study.opponents[0]
    save_survival_plot(folder.survival, [*result.runs[first], *result.references[first]])
    save_episode_gif(folder.episode, study, policy)
    page = run_page(folder.read_config(), results, result)
    write_durably(folder.readme, page.encode())
    return result


def printed(result: Result) -> str:
    """The tables of a result: beside hand-written policies, and against who was held out."""
    study = result.scenario
    tables = [comparison_table(result, opponent) for opponent in study.opponents]
    return plain_text(*tables, *([result.table()] if study.held_out else []))


def remeasure(run: Path, episodes: int = EPISODES) -> Result:
    """Measures the policy of a finished run again.

    Args:
        run: its folder.
        episodes: against each opponent.

    Raises:
        FileNotFoundError: if there is no run, or no policy in it.
    """
    folder = RunFolder(run)
    training = Training.from_dict(folder.read_config()["training"])
    return measure(NetworkPolicy.load(folder.policy), training.study, episodes)
