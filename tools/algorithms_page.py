"""Compares learning algorithms by the benchmark protocol, each tuned by as many trials.

    PYTHONPATH=. python tools/algorithms_page.py

writes `baselines/results/algorithms.md`, `.json` and `.svg`, after hours of training;
`--help` shows options. What is trained in the folder of runs is not trained again.

References:
    Agarwal, Schwarzer, Castro, Courville and Bellemare (2021). Deep reinforcement learning at
        the edge of the statistical precipice. NeurIPS.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray
from page_parts import how_made, made_by, markdown_picture, save_both
from scipy import stats
from train_folders import train_folders

from steer_env.agents.training.run import Training, TrainingRun
from steer_env.baselines import NetworkPolicy, benchmark
from steer_env.baselines.plots import WIDTH, in_use, themed
from steer_env.baselines.protocol import Result
from steer_env.baselines.statistics import Interval, expanded
from steer_env.baselines.tables import Table, build_page
from steer_env.baselines.tasks import EPISODES, RUNS, TASKS
from steer_env.cli import print_written, run_command
from steer_env.errors import check_choice, check_integer
from steer_env.files import read_json, write_json, write_text
from steer_env.scenarios.registry import SUITE
from steer_env.sides import Side

COMMAND = "python tools/algorithms_page.py"
_PAGE = Path("baselines/results/algorithms.md")
# Of one run, of one player: about 70 s on one core of a 2.1 GHz Xeon, with each preset.
_STEPS = {
    "ppo": 8_000_000,
    "a2c": 10_000_000,
    "sac": 100_000,
    "td3": 150_000,
    "dqn": 180_000,
    "mappo": 3_000_000,
}
_SINGLE = ("ppo", "a2c", "sac", "td3", "dqn")
_ALGORITHMS = {"pursuer/walls": _SINGLE, "evader/walls": _SINGLE, "pursuer/pack": ("mappo",)}
_REPORTED = 100  # episodes of each run's own report
_SHARE = 3  # a trial of the tuning takes one third of that

_COMMON = {
    "width": [64, 128],  # of the network's two layers
    "gamma": [0.99, 0.997, 0.999],
    "learning_rate": ["lin_3e-4", "lin_1e-3", "lin_3e-3"],
}
_OFF_POLICY = {"gradient_steps": [4, 8], "batch_size": [128, 256, 512]}
_PPO = {"n_epochs": [2, 4, 8], "gae_lambda": [0.9, 0.95, 0.98]}
_SPACES: Mapping[str, Mapping[str, list[Any]]] = {
    "ppo": _PPO,
    "mappo": _PPO,
    "a2c": {"n_steps": [8, 16, 32], "gae_lambda": [0.9, 0.95, 0.98]},
    "sac": _OFF_POLICY,
    "td3": {**_OFF_POLICY, "noise_std": [0.1, 0.2, 0.4]},
    "dqn": {**_OFF_POLICY, "n_steps": [1, 3, 5]},
}

_GROUPS = ("trained", "held_out")

_INTRODUCTION = """
Five algorithms of stable-baselines3 in the default game, by the [benchmark
protocol](../PROTOCOL.md): trained against the task's opponents, measured against these and
against others. Each was tuned alike: the shipped preset and {others} random draws of learning
rate, discount, network and two or three numbers of its own, each trained for a third of a run,
were validated on other initial states; the best was trained with {runs} seeds. DQN plays nine
discrete actions, the others continuous ones. The algorithms differ in their steps, since runs
with the presets take about as long: some 70 s on one core of a 2.1 GHz Xeon. The table has what
the tuned ones took, with other work on the machine. So this ranks short runs. Those that replay
what they saw go on learning: SAC with 250,000 steps against `evade` alone catches it after 4.42
s.

The last row is for teams. In `pack` every player observes everything, so PPO with one network
for a whole team is MAPPO with agent-specific states (Yu et al. 2022). It was tuned as the
others were; its steps are those of single players. It learns from rewards alone: the runs of
[the networks' page](../../agents/pretrained/README.md), `pretrained/pack/pursuit/benchmark`,
take as many steps, and imitate a script first.
"""

_SCORES = """
## All runs vs all opponents

Of those that play alone, in both tasks.
A score of 0 is the textbook behavior against that opponent, 1 the tuned script. Left: the share
of runs and opponents with at least that score. Right: the interquartile mean. Both have 95%
intervals by bootstrap, as long as Student's t (Hesterberg 2015), since the plain bootstrap of
five runs covers 84%. Agarwal et al. (2021) draw the runs of each task anew; here a run plays
against all opponents, so whole runs are drawn.
"""


def tune(task: str, algorithm: str, trials: int, runs: Path, jobs: int) -> Training:
    """The training that was best on validation starts, as the preset is or with other numbers.

    All algorithms have the same number of trials.
    """
    random = np.random.default_rng(list(f"{task} {algorithm}".encode()))
    drawn: list[tuple[str, ...]] = [()]
    drawn += [_draw(algorithm, random) for _ in range(trials - 1)]
    trainings = {
        runs / task / algorithm / f"trial_{number}": _training(
            task, algorithm, params, 100 + number, _STEPS[algorithm] // _SHARE
        )
        for number, params in enumerate(drawn)
    }
    train_folders(trainings, jobs, _REPORTED)
    sign = 1.0 if task.startswith(Side.PURSUER.name) else -1.0

    def loss(path: Path) -> float:
        validations = read_json(TrainingRun(path).results)["validations"]
        return min(sign * float(one["capture_time"]) for one in validations)

    best = list(trainings).index(min(trainings, key=loss))
    return _training(task, algorithm, drawn[best], 0, _STEPS[algorithm])


def _draw(algorithm: str, random: np.random.Generator) -> tuple[str, ...]:
    """Hyperparameters from the algorithm's space, as texts."""
    space = {**_COMMON, **_SPACES[algorithm]}
    drawn = {name: values[random.integers(len(values))] for name, values in space.items()}
    width = drawn.pop("width")
    spread = {"log_std_init": -0.5} if algorithm in ("ppo", "a2c", "mappo") else {}
    network = {"net_arch": [width, width], "activation_fn": "ReLU", **spread}
    drawn["policy_kwargs"] = json.dumps(network)
    return tuple(f"{name}={value}" for name, value in drawn.items())


def _training(
    task: str, algorithm: str, params: tuple[str, ...], seed: int, steps: int
) -> Training:
    found, game = TASKS[task], SUITE[task.partition("/")[2]]
    kind = "discrete" if algorithm == "dqn" else "continuous"
    is_team = algorithm == "mappo"
    return Training(
        task=game.environment(Side.named(found.side), kind),
        algo="ppo" if is_team else algorithm,
        opponent=found.opponents,
        params=(*params, "imitate=") if is_team else params,
        seed=seed,
        steps=steps,
        validations=10,
        validation_episodes=100,
    )


def scores_of(result: Result) -> NDArray[np.float64]:
    """(runs, opponents): 0 for the textbook's mean payoff, 1 for the tuned script's."""
    rows = []
    other = Side.named(result.task.side).other.name
    for opponent, found in result.played.by(other).items():
        references = [result.reference(name, opponent) for name in result.task.references]
        textbook, *_, tuned = (one.payoffs.mean() for one in references)
        means = np.array([run.payoffs.mean() for run in found.by("run").values()])
        rows.append((means - textbook) / (tuned - textbook))
    return np.transpose(rows)


def resampled(scores: NDArray[np.float64], resamples: int = 2000) -> NDArray[np.float64]:
    """(resamples, runs * opponents): the scores of runs that are drawn with replacement."""
    random = np.random.default_rng(0)
    chosen = random.integers(0, len(scores), (resamples, len(scores)))
    return scores[chosen].reshape(resamples, -1)


def ends(drawn: NDArray[np.float64], runs: int) -> NDArray[np.float64]:
    """The ends of a 95% interval, as long as Student's t, from what was drawn anew of runs."""
    tail = 0.5 * (1.0 - expanded(0.95, runs))
    return np.quantile(drawn, (tail, 1.0 - tail), axis=0)


@themed()
def scores_figure(scores: Mapping[str, NDArray[np.float64]]) -> Figure:
    """The performance profiles and the interquartile means of all algorithms."""
    colors = in_use()
    figure = Figure((WIDTH, 3.0), layout="constrained")
    profile, means = figure.subplots(1, 2, width_ratios=(3, 2))
    taus = np.linspace(-0.5, 1.5, 201)
    for place, (name, found) in enumerate(scores.items()):
        color, drawn = colors.lines[place], resampled(found)
        shares = (drawn[:, :, None] >= taus).mean(axis=1)
        low, high = ends(shares, len(found))
        share = (found.reshape(-1, 1) >= taus).mean(axis=0)
        profile.plot(taus, share, color=color, label=name.upper())
        profile.fill_between(taus, low, high, color=color, alpha=0.15, lw=0)
        mean = interquartile_mean(found)
        means.plot([mean.low, mean.high], [place, place], color=color, lw=3.0)
        means.plot([mean.estimate], [place], "o", color=color)
    profile.set(xlabel="score", ylabel="runs and opponents", ylim=(0.0, 1.02))
    profile.yaxis.set_major_formatter(PercentFormatter(1.0))
    profile.legend(frameon=False)
    means.set(xlabel="interquartile mean")
    means.set_yticks(range(len(scores)), [name.upper() for name in scores])
    means.invert_yaxis()
    for axes in (profile, means):
        axes.axvline(1.0, color=colors.faint, ls="--", lw=1.0)
        axes.grid(axis="x")
    return figure


def interquartile_mean(scores: NDArray[np.float64]) -> Interval:
    """The mean of the middle half of the scores, bootstrapped over runs."""
    drawn = stats.trim_mean(resampled(scores), 0.25, axis=1)
    low, high = ends(drawn, len(scores))
    return Interval(float(stats.trim_mean(scores.ravel(), 0.25)), float(low), float(high))


def table(found: Mapping[str, Mapping[str, Any]]) -> Table:
    """A row for each algorithm in each task."""
    rows = []
    for title, one in found.items():
        cells = [f"{Interval(**one['mean_capture_time'][group]):.2f}" for group in _GROUPS]
        cells += [f"{Interval(**one['minus_tuned'][group]):+.2f}" for group in _GROUPS]
        settings = ", ".join(f"`{text}`" for text in one["params"]) or "the preset's"
        of_run, of_all = (one["training_seconds"][name] / 60.0 for name in ("run", "all"))
        took = f"{one['steps'] / 1e6:.3g} M", f"{of_run:.1f} min", f"{of_all:.0f} min"
        rows.append((title, *cells, *took, settings))
    header = (
        *("task, algorithm", "training [s]", "held out [s]"),
        *("training, minus tuned", "held out, minus tuned", "steps of a run", "its time"),
        *("all trials and runs", "tuned to"),
    )
    return Table("", header, rows)


def measure(
    task: str, algorithm: str, trials: int, seeds: int, jobs: int, runs: Path, episodes: int
) -> dict[str, Any]:
    """The numbers of one row: an algorithm that is tuned, trained, and then measured."""
    best = tune(task, algorithm, trials, runs, jobs)
    folder = runs / task / algorithm
    wanted = {folder / f"seed_{seed}": replace(best, seed=seed) for seed in range(seeds)}
    train_folders(wanted, jobs, _REPORTED)
    folders = [TrainingRun(path) for path in wanted]
    trained = [*folders, *(TrainingRun(folder / f"trial_{n}") for n in range(trials))]
    seconds = [read_json(one.results)["training"]["seconds"] for one in trained]
    policies = {one.path.name: NetworkPolicy.load(one.policy) for one in folders}
    begin = time.perf_counter()
    result = benchmark(policies, task, episodes)
    playing = time.perf_counter() - begin
    numbers = result.to_dict()
    return {
        "algorithm": algorithm,
        "mean_capture_time": numbers["mean_capture_time"],
        "minus_tuned": numbers["differences"][result.task.references[-1]],
        "params": best.params,
        "steps": best.steps,
        "training_seconds": {"run": float(np.mean(seconds[:seeds])), "all": sum(seconds)},
        "playing_seconds": playing,
        "scores": scores_of(result).tolist(),
        "episodes_sha256": result.digest,
    }


def main(
    tasks: tuple[str, ...] = tuple(_ALGORITHMS),
    algorithms: tuple[str, ...] = tuple(_STEPS),
    trials: int = 6,
    seeds: int = RUNS,
    jobs: int = 2,
    runs: Path = Path("runs/algorithms"),
    episodes: int = EPISODES,
    out: Path = _PAGE,
) -> None:
    """Makes the page that compares algorithms.

    Args:
        tasks: Of the protocol, to measure; the page keeps what it has of others.
        algorithms: To measure, the same; each where it is compared.
        trials: Trainings of each algorithm's tuning, the first with the preset.
        seeds: Trainings with what was found.
        jobs: Trainings at once, each on one core.
        runs: Folder of the trainings.
        episodes: Episodes against each opponent.
        out: The page; its numbers and picture go beside it.
    """
    check_integer("trials", trials, 1)
    check_integer("seeds", seeds, 2)
    for task in tasks:
        check_choice("task", task, _ALGORITHMS)
    for algorithm in algorithms:
        check_choice("algorithm", algorithm, tuple(_STEPS))
    beside = out.with_suffix(".json")
    found: dict[str, Any] = read_json(beside)["found"] if beside.exists() else {}
    for task in tasks:
        for algorithm in (one for one in algorithms if one in _ALGORITHMS[task]):
            title = f"`{task}`, {algorithm.upper()}"
            found[title] = measure(task, algorithm, trials, seeds, jobs, runs, episodes)
    shown = " ".join(dict.fromkeys(title.split("`")[1] for title in found))
    command = f"{COMMAND} --tasks {shown} --trials {trials} --seeds {seeds}"
    made = made_by(command, sum(one["playing_seconds"] for one in found.values()))
    write_json(beside, {"made_by": made, "found": found})
    picture = out.with_suffix(".svg")
    drawn = save_both(picture, lambda: scores_figure(scores_of_all(found)))
    alt = "Performance profiles and interquartile means of five algorithms"
    introduction = _INTRODUCTION.format(others=trials - 1, runs=seeds)
    drawing = markdown_picture(alt, picture.name)
    parts = introduction, table(found), _SCORES, drawing, how_made(made)
    write_text(out, build_page("Algorithms compared", *parts))
    print_written(out, beside, *drawn)


def scores_of_all(found: Mapping[str, Mapping[str, Any]]) -> dict[str, NDArray[np.float64]]:
    """The scores of each algorithm that plays alone: (runs, opponents of all tasks)."""
    parts: dict[str, list[Any]] = {}
    for one in (one for one in found.values() if one["algorithm"] in _SINGLE):
        parts.setdefault(one["algorithm"], []).append(one["scores"])
    return {name: np.concatenate(several, axis=1) for name, several in parts.items()}


if __name__ == "__main__":
    run_command(main, "algorithms_page.py", sys.argv[1:])
