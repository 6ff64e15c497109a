"""What a training run shows people: a table, two plots, a GIF, and a page about all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from matplotlib.figure import Figure

import steer_env  # noqa: F401  (registers the environments)
from agents.training.validation import Validation
from baselines import paired_difference
from baselines.benchmarking import Result
from baselines.figure_style import FAINT_INK, LINES, WIDTH, save, styled
from baselines.protocol import HELD_OUT_SEED, Scenario
from baselines.tables import Table, markdown, percent
from steer_env.rendering.video import save_gif


def comparison_table(result: Result, opponent: str) -> Table:
    """Capture rate and time of the learned policy and the hand-written ones, and differences.

    Args:
        result: of one policy.
        opponent: of the study.
    """
    learned, references = result.runs[opponent][0], result.references[opponent]
    names = result.scenario.references
    rows = [
        (name, percent(found.capture_rate), f"{found.mean_capture_time:.2f}")
        for name, found in zip((result.name, *names), (learned, *references))
    ]
    rows += [
        (
            f"{result.name} - {name}",
            "",
            f"{paired_difference(learned['time'], one['time']):+.2f}",
        )
        for name, one in zip(names, references)
    ]
    return Table(
        f"{result.scenario.environment} against {opponent}, {len(learned):,} episodes each, "
        "95 % intervals",
        ("policy", "captured", "capture time [s]"),
        rows,
        "A time-out counts as the time limit. All play from the same starts.",
    )


def save_learning_curve(
    path: Path, validations: Sequence[Validation], result: Result, study: Scenario
) -> None:
    """Draws what validation found over the time of training, hand-written policies as lines.

    Args:
        path: of the picture: .png, .svg or .pdf.
        validations: oldest first.
        result: holds the hand-written policies' figures.
        study: what was trained.
    """
    save(path, lambda: learning_curve_figure({"learned": validations}, result, study))


@styled
def learning_curve_figure(
    runs: Mapping[str, Sequence[Validation]], result: Result, study: Scenario
) -> Figure:
    """The figure of `save_learning_curve`, for one run or several."""
    figure = Figure((WIDTH, 2.9), layout="constrained")
    times, captures = figure.subplots(1, 2)
    for number, (name, validations) in enumerate(runs.items()):
        seconds = [one.seconds for one in validations]
        color = LINES[number % len(LINES)]
        for axes, values in (
            (times, [one.capture_time for one in validations]),
            (captures, [100.0 * one.captured for one in validations]),
        ):
            axes.plot(seconds, values, color=color, marker=".", label=name, clip_on=False)
    shown = dict.fromkeys((study.references[0], _strongest(result)))
    for reference, dashes in zip(shown, ("--", ":")):
        place = study.references.index(reference)
        found = [result.references[opponent][place] for opponent in study.opponents]
        for axes, value in (
            (times, np.mean([one["time"].mean() for one in found])),
            (captures, 100.0 * np.mean([one["captured"].mean() for one in found])),
        ):
            axes.axhline(float(value), color="#000000", ls=dashes, lw=1.0, label=reference)
    limit = next(iter(result.runs.values()))[0].time_limit
    times.set(ylim=(0.0, 1.04 * limit), ylabel="mean capture time [s]")
    captures.set(ylim=(-2.0, 102.0), ylabel="captured [%]")
    for axes in (times, captures):
        axes.set(xlabel="training time [s]", xlim=(0.0, None))
        axes.grid(axis="y", color=FAINT_INK, alpha=0.25, lw=0.6)
    figure.legend(
        *captures.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=4,
        frameon=False,
    )
    # A list of many opponents would run out of the picture.
    name = study.name if len(study.name) < 40 else study.environment
    figure.suptitle(f"{name}: while it trains, on starts of their own", x=0.01, ha="left")
    return figure


def _strongest(result: Result) -> str:
    """The hand-written policy that does best against the first opponent."""
    return result.best_reference(result.scenario.opponents[0])


def save_episode_gif(
    path: Path, study: Scenario, policy: Any, seed: int = HELD_OUT_SEED
) -> None:
    """Plays one episode and saves every other frame, so at half the rate, as a GIF.

    Args:
        path: of the GIF.
        study: the game; its first opponent plays.
        policy: anything with `predict`.
        seed: of the start.
    """
    keywords = {**study.make_keywords, "opponent": study.opponents[0]}
    env = gym.make(study.environment, render_mode="rgb_array", **keywords)
    observation, _ = env.reset(seed=seed)
    frames, over, state = [env.render()], False, None
    while not over:
        action, state = policy.predict(observation, state=state, deterministic=True)
        observation, _, terminated, truncated, _ = env.step(action)
        frames.append(env.render())
        over = terminated or truncated
    fps = env.metadata["render_fps"]
    env.close()
    still = [frames[-1]] * fps  # a second to see the end
    save_gif(path, [*frames[::2], *still[::2]], fps / 2)


def run_page(config: Mapping[str, Any], results: Mapping[str, Any], result: Result) -> str:
    """The README.md of a run's folder.

    Args:
        config: of the run, as its config.json has it.
        results: likewise, of its results.json.
        result: the measured policy.
    """
    training, study = results["training"], result.scenario
    versions = ", ".join(f"{name} {number}" for name, number in config["versions"].items())
    tables = [comparison_table(result, opponent) for opponent in study.opponents]
    if study.held_out:
        tables.append(result.table())
    sections = "\n".join(
        f"{table.title}:\n\n{markdown(table)}\n{table.caption}\n" for table in tables
    )
    again = "".join(
        f"\nIt was interrupted, and went on from step {steps:,}."
        for steps in training["resumed_at"]
    )
    normalized = (
        "\n| `vecnormalize.pkl` | the VecNormalize that `model.zip` needs around its games |"
        if config["hyperparameters"].get("normalize")
        else ""
    )
    algorithm, seed = (config["training"][name] for name in ("algo", "seed"))
    return f"""# {study.name}: {algorithm.upper()}, seed {seed}

Trained for {training["steps"]:,} steps, {training["seconds"]:.0f} s, by

    {config["command"]}
{again}
With {versions}; {config["machine"]}.

![Learning curve](learning_curve.png)

![An episode](episode.gif)

{sections}
| file | what it is |
| --- | --- |
| `policy.npz` | the best policy: `baselines.NetworkPolicy.load`, without torch |
| `model.zip` | the same with its critic and optimizer, for stable-baselines3 |{normalized}
| `last_model.zip`, `last_policy.npz` | the same two at the end of the training |
| `config.json` | what was trained: command, hyperparameters, seeds, versions |
| `results.json` | the figures above, and the validations |
| `learning_curve.png`, `survival.png`, `episode.gif` | pictures |
| `checkpoints/` | to go on from after a crash: `python -m agents train --resume FOLDER` |
| `tensorboard/` | logs: `tensorboard --logdir FOLDER` |

The best policy is the one with the best mean capture time on the validation starts, which are
neither trained on nor used for the figures above.
"""
