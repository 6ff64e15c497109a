"""Measures what a training run has learned, and writes its figures, pictures and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from textwrap import fill
from typing import Any

from steer_env.baselines import Episodes, Interval, NetworkPolicy, benchmark, gap, plots
from steer_env.baselines.known_players import best_answer, scripts_of
from steer_env.baselines.measures import CAPTURE_TIME, largest_payoff, payoff_of
from steer_env.baselines.protocol import Result
from steer_env.baselines.tables import Table, build_page
from steer_env.baselines.tasks import HELD_OUT_SEED, Task
from steer_env.files import write_json, write_text
from steer_env.game.config import ObservationConfig
from steer_env.players.observed import observation_of
from steer_env.players.resolver import name_of
from steer_env.record import record
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.sides import PURSUER, Side

from .model import Validation, validate_references
from .run import TrainingRun


@dataclass
class Progress:
    """The history of a training run so far, as a checkpoint holds it.

    The seconds are those of all attempts together, without measuring and saving. The first
    validation is of the network as the training began with it.
    """

    seconds: float = 0.0
    validations: list[Validation] = field(default_factory=list)  # oldest first
    resumed_at: list[int] = field(default_factory=list)  # steps of checkpoints, after a crash


def best_of(validations: Sequence[Validation], study: Task) -> Validation:
    """Returns the validation with the best mean payoff, of equal ones the last."""
    payoff = payoff_of(study.config.payoff).name
    choose = min if study.side == PURSUER.name else max
    return choose(reversed(validations), key=lambda one: one[payoff])


def remeasure(folder: TrainingRun, episodes: int) -> Result:
    """Measures the policy in a run's folder, on starts that were not trained on."""
    study, policy = folder.settings.study, NetworkPolicy.load(folder.policy)
    seen = observation_of(policy)
    if seen is not None and replace(seen.exact, features=()) != ObservationConfig():
        # Scales and limits of view concern other policies, too: the references' opponents.
        study = replace(study, keywords={**study.keywords, "observation": seen})
    return benchmark({"learned": policy}, study, episodes)


def write_report(folder: TrainingRun, progress: Progress) -> Result:
    """Measures the best policy of a trained run, and writes its figures, pictures and page."""
    result = remeasure(folder, folder.read_config()["episodes"])
    study, given, done = result.task, folder.settings, progress.validations
    results = {
        "training": {
            "steps": done[-1]["steps"],
            "seconds": progress.seconds,
            "resumed_at": progress.resumed_at,
            "best_at_step": best_of(done, study)["steps"],
        },
        "benchmark": result.to_dict(),
        "validations": done,
    }
    policy = NetworkPolicy.load(folder.policy)
    policy.name = result.name
    if ENVIRONMENTS[study.environment].game.is_solved:
        results["optimality"] = gap(policy, study.config, study.side).to_dict()
    pictures = {}
    if given.method == "search":
        result, results["verdict"] = with_best_script(result)
    else:  # a search has learned before the first validation
        asked = given.validation_episodes, given.opponent_weights
        references = validate_references(study, *asked)
        pictures["learning_curve.png"] = "Learning curve"
        drawn = partial(learning_curve_figure, study, {"learned": done}, references)
        plots.save(folder.path / "learning_curve.png", drawn)
    write_json(folder.results, results)
    if result.payoff is CAPTURE_TIME:
        first = study.opponents[0]
        shown = [result.reference(name, first) for name in result.task.references]
        pictures["survival.png"] = "Evaders not yet caught, by time"
        drawn = partial(plots.survival_figure, [result.against(first), *shown])
        plots.save(folder.path / "survival.png", drawn)
    pictures["episode.gif"] = "An episode"
    save_episode_gif(folder.path / "episode.gif", study, policy)
    write_text(folder.readme, _page(folder, results, result, pictures))
    return result


def comparison_tables(result: Result) -> tuple[Table, Table]:
    """Tables of means over the opponents, and of their differences, paired by start."""
    study, payoff = result.task, result.payoff
    learned = result.against(*study.opponents)
    known = {name: result.reference(name, *study.opponents) for name in study.references}
    rows = [
        (name, f"{one.capture_rate:.1%}", f"{one.mean_payoff:.2f}")
        for name, one in ({result.name: learned} | known).items()
    ]
    differences = [
        (f"{result.name} minus {name}", f"{result.difference(name):+.2f}") for name in known
    ]
    what = f"{payoff.words} [{payoff.unit}]"
    title = f"{study.environment} vs {', '.join(study.opponents)}, "
    title += f"{len(learned.seeds):,} episodes each, 95% intervals"
    limit = largest_payoff(study.config)
    caption = "" if limit is None else f"Episodes without a capture count as {limit:g} s."
    table = Table(title, ("policy", "captured", what), rows, caption)
    table = table.without("captured") if limit is None else table
    paired = "The differences are paired: all play from the same starts."
    return table, Table("", ("difference", what), differences, paired)


def with_best_script(result: Result) -> tuple[Result, str | None]:
    """Adds the best of all hand-written scripts to the references, and compares in a sentence.

    The script is chosen on other starts than those of the result. Against several opponents,
    and in games about a distance, the result stays as it is, without a sentence.
    """
    study, side = result.task, Side.named(result.task.side)
    opponent = study.opponents[0]
    if len(study.opponents) > 1 or result.payoff is not CAPTURE_TIME:
        return result, None
    scripts = scripts_of(side)
    best = best_answer(opponent, side, scripts, study.config)[0]
    if best not in study.references:
        count, named = len(result.played.seeds), {side.name: best}
        more = [
            study.evaluate(scripts[best], name, count).renamed(**named)
            for name in (*study.opponents, *study.held_out)
        ]
        references = Episodes.joined([result.references, *more])
        study = replace(study, references=(*study.references, best))
        result = replace(result, task=study, references=references)
    longer = result.difference(best)
    learned, known = f"The learned {side.name}", name_of(opponent)
    beside = f"the best of {len(scripts)} hand-written scripts, {best}"
    if longer.low <= 0.0 <= longer.high:
        return result, f"{learned} does about as well against {known} as {beside}."
    is_longer = longer.estimate > 0.0
    size = longer if is_longer else Interval(-longer.estimate, -longer.high, -longer.low)
    how = ("sooner", "later") if side is PURSUER else ("less long", "longer")
    verb = "catches" if side is PURSUER else "escapes from"
    return result, f"{learned} {verb} {known} {size:.2f} s {how[is_longer]} than {beside}."


@plots.themed()
def learning_curve_figure(
    study: Task, runs: Mapping[str, Sequence[Validation]], references: Mapping[str, Validation]
) -> plots.Figure:
    """Plots validations over steps of training, with hand-written policies as lines.

    All are from the same starts. The time above the steps is the mean over the runs.
    """
    payoff, choose = payoff_of(study.config.payoff), min if study.side == PURSUER.name else max
    best = choose(references, key=lambda name: references[name][payoff.name])
    labels = {study.references[0]: "textbook script"}
    labels.setdefault(best, "best script")
    colors = plots.in_use()
    title = f"Validation in {study.environment} vs {', '.join(study.opponents)}"
    title = fill(title, 92, break_on_hyphens=False)
    figure = plots.Figure((plots.WIDTH, 3.2 + 0.15 * title.count("\n")), layout="constrained")
    # Distances from a target are negative, and have no least one.
    is_negative = study.config.payoff == "target_distance"
    ends = (None, 0.0) if is_negative else (0.0, largest_payoff(study.config))
    last = [validations[-1] for validations in runs.values()]
    pace = sum(one["seconds"] for one in last) / max(sum(one["steps"] for one in last), 1)
    # Each panel has a label, limits, the name in a validation, and a factor.
    panels: list[Any] = [(payoff.label, ends, payoff.name, 1.0)]
    if payoff is CAPTURE_TIME:
        panels.append(("captured [%]", (0.0, 100.0), "captured", 100.0))
    rows = figure.subplots(1, len(panels), squeeze=False)[0]
    for (what, limits, measured, factor), axes in zip(panels, rows):
        learned = f"learned, {len(runs)} runs" if len(runs) > 1 else "learned"
        for validations, label in zip(runs.values(), chain([learned], repeat(None))):
            steps = [one["steps"] for one in validations]
            values = [factor * one[measured] for one in validations]
            line = {"color": colors.lines[0], "marker": ".", "label": label}
            axes.plot(steps, values, clip_on=False, **line)
        shades = (colors.lines[1], colors.ink)  # of textbook scripts, and of others
        for (reference, label), dashes, color in zip(labels.items(), ("--", ":"), shades):
            value = factor * references[reference][measured]
            label = f"{label}: {reference}"
            axes.axhline(value, color=color, ls=dashes, lw=1.0, label=label)
        axes.set(ylim=limits, ylabel=what)
        plots.count_steps(axes, pace)
    plots.add_legend(figure, axes.get_legend_handles_labels()[0])
    figure.suptitle(title, x=0.01, ha="left", size=9.0)
    return figure


def save_episode_gif(path: Path, study: Task, policy: Any) -> None:
    """Plays one episode against the first opponent of a study, and saves it as a GIF."""
    pair = Side.named(study.side).ordered(policy, study.opponents[0])
    record(*pair, game=study.config, seed=HELD_OUT_SEED, out=path)


def _page(
    folder: TrainingRun, results: Mapping[str, Any], result: Result, pictures: Mapping[str, str]
) -> str:
    training, config, settings = results["training"], folder.read_config(), folder.settings
    versions = ", ".join(f"{name} {number}" for name, number in config["versions"].items())
    resumed = "It was interrupted, and went on from step {:,}."
    again = [resumed.format(steps) for steps in training["resumed_at"]]
    method = "search and PPO" if settings.method == "search" else settings.algo.upper()
    files = {
        "`policy.npz`": "the best policy, for `steer_env.baselines.load`; it needs no torch",
        "`model.zip`": "the same with its critic and optimizer, for stable-baselines3",
        "`last_model.zip`, `last_policy.npz`": "the same two at the end of the training",
        "`config.json`": "the settings: command, hyperparameters, seeds, versions",
        "`results.json`": "the results above, those of held-out opponents, the validations",
        ", ".join(f"`{name}`" for name in pictures): "pictures",
        "`checkpoint.pkl`": "to go on after a crash: `steer-env train --resume FOLDER`",
        "`tensorboard/`": "logs: `tensorboard --logdir FOLDER`",
    }
    return build_page(
        f"{result.task.name}: {method}, seed {settings.seed}",
        f"Trained for {training['steps']:,} steps, {training['seconds']:.0f} s, by",
        f"    {config['command']}",
        "\n".join(again),
        f"With {versions}; {config['machine']}.",
        *(f"![{about}]({name})" for name, about in pictures.items()),
        *comparison_tables(result),
        results.get("verdict") or "",
        "The best policy is the one with the best mean "
        f"{result.payoff.words} on the validation starts, which are neither trained on nor "
        "used for the results above.",
        "## Files",
        "\n".join(f"- {names}: {about}" for names, about in files.items()),
    )
