"""Measures what a run has learned, and writes its figures, its pictures and its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents.training.progress import Progress
from agents.training.run_folder import RunFolder
from agents.training.training import Training
from agents.training.validation import Validation
from baselines import (
    Evaluation,
    NetworkPolicy,
    OptimalityGap,
    benchmark,
    gap,
    paired_difference,
)
from baselines.figure_style import WIDTH, in_use, save, styled
from baselines.pages import build_page
from baselines.payoffs import CAPTURE_TIME, largest_payoff, payoff_of
from baselines.plots import count_steps, survival_figure
from baselines.protocol import Result
from baselines.scenarios import HELD_OUT_SEED, Scenario
from baselines.tables import Table, percent
from steer_env.files import write_json, write_text
from steer_env.game.config import GameConfig
from steer_env.record import record
from steer_env.sides import Side
from steer_env.suite import ENVIRONMENTS


def remeasure(folder: RunFolder, episodes: int) -> Result:
    """Measures the policy in a run's folder, on starts that were not trained on.

    Raises:
        FileNotFoundError: if there is no run, or no policy in it.
        ValueError: if it is damaged, or the number of episodes is too small.
    """
    study = folder.settings.study
    return benchmark({"learned": NetworkPolicy.load(folder.policy)}, study, episodes)


def write_results(folder: RunFolder, progress: Progress) -> Result:
    """Measures the best policy of a trained run, and writes its figures, pictures and page."""
    path, config = folder.path, folder.read_config()
    result = remeasure(folder, config["episodes"])
    study = result.scenario
    assert progress.best is not None
    results = {
        "training": {
            "steps": progress.validations[-1].steps,
            "seconds": progress.seconds,
            "resumed_at": progress.resumed_at,
            "best_at_step": progress.best.steps,
        },
        "benchmark": result.to_dict(),
        "validations": [one.to_dict() for one in progress.validations],
    }
    policy = NetworkPolicy.load(folder.policy)
    policy.name = result.name
    optimality = None
    if ENVIRONMENTS[study.environment].game.is_solved:
        optimality = gap(policy, study.config, study.side)
        results["optimality"] = optimality.to_dict()
    write_json(folder.results, results)
    curves = {"learned": progress.validations}
    save(path / "learning_curve.png", lambda: learning_curve_figure(curves, result))
    if result.payoff is CAPTURE_TIME:
        first = study.opponents[0]
        shown = [*result.runs[first], *result.references[first]]
        save(path / "survival.png", lambda: survival_figure(shown))
    save_episode_gif(path / "episode.gif", study, policy)
    write_text(folder.readme, run_page(config, results, result, optimality))
    return result


def result_tables(result: Result) -> list[Table]:
    """A table for each opponent of the training, and two about all if some are held out."""
    study = result.scenario
    tables = [_comparison_table(result, opponent) for opponent in study.opponents]
    return [*tables, result.table(), result.summary()] if study.held_out else tables


def _comparison_table(result: Result, opponent: str) -> Table:
    """Compares the learned policy with the hand-written ones, against one opponent."""
    learned, references = result.runs[opponent][0], result.references[opponent]
    names, payoff = result.scenario.references, result.payoff
    limit = largest_payoff(learned.config)
    rows = [
        (name, percent(found.capture_rate), f"{found.mean_payoff:.2f}")
        for name, found in zip((result.name, *names), (learned, *references))
    ]
    for name, one in zip(names, references):
        difference = paired_difference(learned.payoffs, one.payoffs, limit=limit)
        rows.append((f"{result.name} - {name}", "", f"{difference:+.2f}"))
    table = Table(
        f"{result.scenario.environment} against {opponent}, {len(learned):,} episodes each, "
        "95 % intervals",
        ("policy", "captured", f"{payoff.words} [{payoff.unit}]"),
        rows,
        "All play from the same starts.",
    )
    if payoff is CAPTURE_TIME:
        return table._replace(caption=f"A time-out counts as the time limit. {table.caption}")
    return table.without("captured")


_Panel = tuple[
    str,
    tuple[float, float | None],
    Callable[[Validation], float],
    Callable[[Evaluation], float],
]
"""The label of an axis, its limits (None for none), and the values of what is measured."""


def _panels(config: GameConfig) -> list[_Panel]:
    """The payoff of a game and, where that is a capture time, the captured share."""
    payoff, limit = payoff_of(config.payoff), largest_payoff(config)
    top = None if limit is None else 1.04 * limit
    found: list[_Panel] = [
        (payoff.label, (0.0, top), lambda one: one.payoff, lambda one: one.payoffs.mean()),
        (
            "captured [%]",
            (-2.0, 102.0),
            lambda one: 100.0 * one.captured,
            lambda one: 100.0 * one["captured"].mean(),
        ),
    ]
    return found if payoff is CAPTURE_TIME else found[:1]


@styled
def learning_curve_figure(runs: Mapping[str, Sequence[Validation]], result: Result) -> Figure:
    """Plots validations over steps of training, with hand-written policies as lines.

    Args:
        runs: the validations of each run, oldest first, by name. The legend has the seconds
            that each took, see `Progress.seconds`.
        result: has the scenario, and the figures of the hand-written policies.
    """
    study = result.scenario
    references = dict.fromkeys((study.references[0], result.best_reference()))
    colors = in_use()
    figure = Figure((WIDTH, 2.9), layout="constrained")
    panels = _panels(study.config)
    rows = figure.subplots(1, len(panels), squeeze=False)[0]
    for (what, limits, of_validation, of_evaluation), axes in zip(panels, rows):
        for number, (name, validations) in enumerate(runs.items()):
            steps = [one.steps for one in validations]
            values = [of_validation(one) for one in validations]
            color, took = colors.lines[number % len(colors.lines)], validations[-1].seconds
            label = f"{name} ({took:,.1f} s)"
            axes.plot(steps, values, color=color, marker=".", label=label, clip_on=False)
        for reference, dashes in zip(references, ("--", ":")):
            place = study.references.index(reference)
            found = [result.references[opponent][place] for opponent in study.opponents]
            value = float(np.mean([of_evaluation(one) for one in found]))
            axes.axhline(value, color=colors.ink, ls=dashes, lw=1.0, label=reference)
        axes.set(ylim=limits, ylabel=what)
        count_steps(axes)
        axes.grid(axis="y")
    figure.legend(
        *axes.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=3,
        frameon=False,
        title="in brackets: the time that the training took",
    )
    # The names of many opponents would not fit the picture.
    name = study.name if len(study.name) < 40 else study.environment
    figure.suptitle(f"{name}: during training, on validation starts", x=0.01, ha="left")
    return figure


def save_episode_gif(path: Path, study: Scenario, policy: Any) -> None:
    """Plays one episode against the first opponent of a study, and saves it as a GIF."""
    pair = Side.named(study.side).ordered(policy, study.opponents[0])
    record(*pair, game=study.config, seed=HELD_OUT_SEED, gif=path)


def run_page(
    config: Mapping[str, Any],
    results: Mapping[str, Any],
    result: Result,
    optimality: OptimalityGap | None = None,
) -> str:
    """The README.md of a run's folder, from its config.json and results.json.

    `optimality` is how far the policy is from perfect play, if that is known.
    """
    training, study = results["training"], result.scenario
    versions = ", ".join(f"{name} {number}" for name, number in config["versions"].items())
    again = [
        f"It was interrupted, and went on from step {steps:,}."
        for steps in training["resumed_at"]
    ]
    again += [f"It went on with {one}." for one in config.get("changes", ())]
    payoff = payoff_of(study.config.payoff)
    survival = " `survival.png`," if payoff is CAPTURE_TIME else ""
    settings = Training.from_dict(config["training"])
    files = {
        "`policy.npz`": "the best policy: `baselines.NetworkPolicy.load`, without torch",
        "`model.zip`": "the same with its critic and optimizer, for stable-baselines3",
        "`last_model.zip`, `last_policy.npz`": "the same two at the end of the training",
        "`config.json`": "the settings: command, hyperparameters, seeds, versions",
        "`results.json`": "the figures above, and the validations",
        f"`learning_curve.png`,{survival} `episode.gif`": "pictures",
        "`checkpoints/`": "to go on after a crash: `python -m agents train --resume FOLDER`",
        "`tensorboard/`": "logs: `tensorboard --logdir FOLDER`",
    }
    if config["hyperparameters"].get("normalize"):
        files["`vecnormalize.pkl`"] = "the VecNormalize that `model.zip` needs around its games"
    rows = "\n".join(f"| {names} | {about} |" for names, about in files.items())
    return build_page(
        f"{study.name}: {settings.algo.upper()}, seed {settings.seed}",
        f"Trained for {training['steps']:,} steps, {training['seconds']:.0f} s, by",
        f"    {config['command']}",
        "\n".join(again),
        f"With {versions}; {config['machine']}.",
        "![Learning curve](learning_curve.png)",
        "![An episode](episode.gif)",
        *result_tables(result),
        *([] if optimality is None else [optimality.table()]),
        f"| file | content |\n| --- | --- |\n{rows}",
        f"The best policy is the one with the best mean {payoff.words} on the validation "
        "starts, which are neither trained on nor used for the figures above.",
    )
