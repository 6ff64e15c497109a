"""Compares methods of self-play at equal steps: NashConv over several seeds of each.

    PYTHONPATH=. python tests/by_hand/compare_methods.py --steps 2000000

makes the page in `agents/selfplay/results`; `--help` lists the options. The same command goes
on after a crash.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from page_parts import markdown_picture, save_both
from train_folders import train_folders

from agents.selfplay.generations import EPISODES, TARGETS, SelfPlay, SelfPlayFolder
from agents.selfplay.methods import METHODS
from baselines import mean_of_runs
from baselines.evaluation import Payoff, largest_payoff, payoff_of
from baselines.figure_style import WIDTH, in_use, styled
from baselines.tables import Table, plain_text, write_page
from steer_env.cli import print_written, run_command
from steer_env.errors import InvalidValue, check_choice, check_integer
from steer_env.files import check_target, read_json, write_json
from steer_env.game.config import GameConfig, game_config
from steer_env.policies.archive import read_archive
from steer_env.scenarios.registry import GAMES
from steer_env.sides import EVADER, Side

SEEDS = (0, 1, 2)
"""The seeds of the runs, by default."""

_MOST_GAPS = 2**26  # bytes of a run's gaps

_NASH_CONV = "nash_conv.svg"
_EXPLOITERS = "exploiters.png"  # dozens of long curves are smaller as pixels

_ABOUT = """Each run trained both sides in turn; generations: {generations}, steps of each
side in each of them: {steps:,}. Only the method and the seed differ. The game is `{game}`.
NashConv is what the best known answers to both sides gain in {label}: a lower bound, 0 in
equilibrium. Lower is better. Exploiters of each policy: {exploiters}, of {least:,} to {most:,}
steps.
"""

_TEAMS = """The players of a team share a network, each with its own observation, and steps
count players: {steps:,} steps of training are
{games}.
A mixture draws one network for a whole team in every episode.
"""

_SEVERAL_EVADERS = """An episode ends when the last evader is caught, and its capture time is
that moment; when one stays free, it is the time limit, however many others were caught.
"""

_ABOUT_EXPLOITERS = """Each line is an exploiter of a mixture, to be compared with the dots:
the best script against that mixture. An exploiter that ends far from its dot has missed the
best answer.
`tests/by_hand/calibrate_exploiters.py` shows how much they find where the best answer is known.
"""


def train_study(
    plan: SelfPlay,
    methods: Sequence[str],
    seeds: Sequence[int],
    path: Path,
    jobs: int,
    episodes: int,
) -> None:
    """Trains and measures the runs of all methods that are not complete yet, several at once.

    Raises:
        ChildProcessError: if a run fails.
        ValueError: for an unknown method or no seeds, if the plan has no exploiters, or if a
            folder holds another run.
    """
    for method in methods:
        check_choice("method", method, METHODS)
    for seed in seeds:
        check_integer("seed", seed, 0)
    if not methods or not seeds:
        raise InvalidValue("a comparison needs at least one method and one seed")
    if not plan.budgets:
        raise InvalidValue(
            "methods are compared by exploitability: exploiter_steps must be above 0"
        )
    wanted = {
        _folder(path, method, seed).path: replace(plan, method=method, seed=seed)
        for method in methods
        for seed in seeds
    }
    train_folders(wanted, jobs, episodes)


def about_teams(plan: SelfPlay) -> str:
    """The meaning of steps and capture times in a game of teams; nothing for one on one."""
    game, config = GAMES[plan.game], game_config(game=plan.game)
    players = {side: config.count(side.name) for side in Side}
    if max(players.values()) == 1:
        return ""
    games = [
        f"{plan.steps // count:,} game steps of the {side.name}{'s' * (count > 1)}"
        for side, count in players.items()
    ]
    about = _TEAMS.format(steps=plan.steps, games=" and ".join(games))
    return f"{about}\n{_SEVERAL_EVADERS}" if game.is_team(EVADER) else about


def write_study(
    path: Path, methods: Sequence[str], seeds: Sequence[int], page: Path
) -> list[Table]:
    """Writes the page, the figures and the results of runs that `train_study` has trained.

    Args:
        path: the folder of the runs.
        methods: the methods to compare.
        seeds: of the runs of each.
        page: the folder to write into, which exists.

    Returns:
        The tables of the page.
    """
    first = _folder(path, methods[0], seeds[0])
    plan = first.settings
    config = game_config(game=plan.game)
    payoff = payoff_of(config.payoff)
    found = {method: _nash_conv(path, method, seeds, config) for method in methods}
    tables = [_table(found, payoff), _answers_table(path, methods, seeds)]
    draw_nash_conv(page, found, payoff)
    searches = {method: _searches(path, method, seeds) for method in methods}
    save_both(page / _EXPLOITERS, lambda: _exploiters_figure(searches, payoff))
    write_json(page / "results.json", {"seeds": list(seeds), "methods": found})
    about = _ABOUT.format(
        **asdict(plan), label=payoff.label, least=plan.budgets[0], most=plan.budgets[-1]
    )
    command = _command(plan, methods, seeds, first.read_config()["episodes"])
    write_page(
        page / "README.md",
        "Methods of self-play",
        about,
        about_teams(plan),
        f"`{command}` makes all of it.",
        markdown_picture("NashConv of all runs", _NASH_CONV),
        markdown_picture("The bounds over the exploiters' training", _EXPLOITERS),
        _ABOUT_EXPLOITERS,
        *tables,
    )
    return tables


def _command(
    plan: SelfPlay, methods: Sequence[str], seeds: Sequence[int], episodes: int
) -> str:
    """The command that trains and measures all runs, without what it does by default."""
    words = ["python tests/by_hand/compare_methods.py"]
    if tuple(methods) != tuple(METHODS):
        words.append(f"--methods {' '.join(methods)}")
    if tuple(seeds) != SEEDS:
        words.append(f"--seeds {' '.join(map(str, seeds))}")
    if episodes != EPISODES:
        words.append(f"--episodes {episodes}")
    defaults = asdict(SelfPlay())
    for name, value in asdict(plan).items():
        if value != defaults[name] and name not in ("method", "seed"):
            given = value if isinstance(value, tuple) else (value,)
            words.append(f"--{name.replace('_', '-')} {' '.join(map(str, given))}")
    return " ".join(words)


def _folder(path: Path, method: str, seed: int) -> SelfPlayFolder:
    return SelfPlayFolder(path / method / f"seed_{seed}")


def _nash_conv(
    path: Path, method: str, seeds: Sequence[int], config: GameConfig
) -> dict[str, Any]:
    """The NashConv of every target: of each run, and the mean with its interval."""
    gaps = [
        read_archive(_folder(path, method, seed).gaps, _MOST_GAPS, len(TARGETS))
        for seed in seeds
    ]
    found, limit = {}, largest_payoff(config)  # a gain is the difference of two payoffs
    for target in TARGETS:
        gains = np.array([gap[target] for gap in gaps])
        mean = mean_of_runs(gains).clipped(0.0, limit or np.inf)
        found[target] = {**mean._asdict(), "of_runs": gains.mean(axis=1).tolist()}
    return found


def _table(found: dict[str, Any], payoff: Payoff) -> Table:
    def cell(one: dict[str, Any]) -> str:
        listed = ", ".join(f"{run:.2f}" for run in one["of_runs"])
        return f"{one['estimate']:.2f} [{one['low']:.2f}, {one['high']:.2f}] ({listed})"

    return Table(
        f"NashConv [{payoff.unit}] after equal steps: mean over the seeds with its 95 % "
        "interval, and each seed's",
        ("method", *TARGETS.values()),
        [
            (method, *(cell(targets[name]) for name in TARGETS))
            for method, targets in found.items()
        ],
        "Intervals are over training luck and starts (of one run, over starts alone), "
        "clipped to the possible values of NashConv. Every "
        "run's gain is measured with its own best answers, chosen on other starts. A method "
        "whose exploiters were unlucky looks better than it is.",
    )


def _searches(path: Path, method: str, seeds: Sequence[int]) -> dict[str, list[Any]]:
    """The exploiters of all mixtures of a method, by the side that they answer."""
    runs = [
        read_json(_folder(path, method, seed).results)["exploitability"]["exploiters"]
        for seed in seeds
    ]
    return {side.name: [run[f"mixture {side.name}"] for run in runs] for side in Side}


def _answers_table(path: Path, methods: Sequence[str], seeds: Sequence[int]) -> Table:
    """What answered the policies of each run best."""
    return Table(
        "The best answers",
        ("run", "policy", *(f"to the {side.name}" for side in Side)),
        [
            (f"{method}, seed {seed}", target, *answers)
            for method in methods
            for seed in seeds
            for target, answers in _answers(_folder(path, method, seed))
        ],
        "An exploiter that was trained against another policy of the run may answer best, too.",
    )


def _answers(folder: SelfPlayFolder) -> Iterator[tuple[str, list[str]]]:
    measured = read_json(folder.results)["exploitability"]["targets"]
    for target, one in measured.items():
        yield target, [one[side.name]["answer"] for side in Side]


def draw_nash_conv(page: Path, found: dict[str, Any], payoff: Payoff) -> list[Path]:
    """Draws the NashConv of all runs into the page's folder, in both themes.

    Args:
        page: the folder.
        found: the "methods" of its results.json.
        payoff: what the two sides fight over.
    """
    return save_both(page / _NASH_CONV, lambda: _figure(found, payoff))


@styled
def _figure(found: dict[str, Any], payoff: Payoff) -> Figure:
    """Plots NashConv: a dot for each run, and the mean with its interval, by method."""
    colors = in_use()
    figure = Figure((WIDTH, 2.6), layout="constrained")
    panels = figure.subplots(1, len(TARGETS), sharey=True, squeeze=False)[0]
    for axes, target in zip(panels, TARGETS):
        for place, targets in enumerate(found.values()):
            one = targets[target]
            runs = one["of_runs"]
            axes.plot([place] * len(runs), runs, ls="", marker=".", color=colors.faint)
            reach = [[one["estimate"] - one["low"]], [one["high"] - one["estimate"]]]
            axes.errorbar(
                place + 0.2, one["estimate"], reach, color=colors.ink, marker="o", ms=4
            )
        axes.set_xticks(range(len(found)), list(found), rotation=40, ha="right")
        axes.set_title(target, loc="left")
        axes.grid(axis="y")
    panels[0].set_ylabel(f"NashConv [{payoff.unit}]")
    panels[0].set_ylim(0.0, None)  # of all panels, after all is drawn
    return figure


@styled
def _exploiters_figure(searches: dict[str, dict[str, list[Any]]], payoff: Payoff) -> Figure:
    """Plots the bounds of all exploiters of mixtures over their training steps."""
    figure = Figure((WIDTH, 3.2), layout="constrained")
    panels = figure.subplots(1, len(Side), squeeze=False)[0]
    for axes, side in zip(panels, Side):
        runs = [run for found in searches.values() for run in found[side.name]]
        for color, (method, found) in zip(in_use().lines, searches.items()):
            label: str | None = method
            for run in found[side.name]:
                for one in run["exploiters"]:
                    steps = np.array(one["steps"]) / 1e6
                    payoffs = one[f"{payoff.name}s"]
                    axes.plot(steps, payoffs, color=color, lw=1.0, label=label)
                    label = None
                last = 1.1 * run["exploiters"][0]["steps"][-1] / 1e6
                script = run[f"script_{payoff.column}"]["estimate"]
                axes.plot(last, script, color=color, marker="o", ls="")
        axes.set_xscale("log", base=2)
        budgets = sorted({steps for run in runs for steps in run["exploiters"][0]["steps"]})
        axes.set_xticks([b / 1e6 for b in budgets], [f"{b / 1e6:g}" for b in budgets])
        axes.set(xlabel="million steps", ylabel=payoff.label, ylim=(0.0, None))
        axes.set_title(f"answers to the {side.name}s", loc="left")
        axes.grid(axis="y")
    lines = panels[0].get_legend_handles_labels()
    figure.legend(*lines, loc="outside lower center", ncols=len(searches), frameon=False)
    return figure


def compare(
    plan: SelfPlay = SelfPlay(),
    methods: tuple[str, ...] = tuple(METHODS),
    seeds: tuple[int, ...] = SEEDS,
    jobs: int = 2,
    out: Path = Path("runs/methods"),
    page: Path | None = None,
    episodes: int = EPISODES,
) -> None:
    """Compares methods of self-play at equal steps, over several seeds.

    Each run is one of `selfplay`, in a folder of its own. The same command goes on after a
    crash.

    Args:
        plan: How to train; all runs have the same settings but the method and the seed.
        methods: The methods to compare.
        seeds: One for each run of a method.
        jobs: Number of runs to train at once, each on one core.
        out: Folder of the runs.
        page: Folder of the page, its figures and their numbers; by default `out`.
        episodes: Episodes to measure each pair of policies with.
    """
    if (plan.method, plan.seed) != (SelfPlay.method, SelfPlay.seed):
        raise InvalidValue("the methods and seeds of several runs are --methods and --seeds")
    check_integer("jobs", jobs, 1)
    page = page or out
    page.mkdir(parents=True, exist_ok=True)
    check_target(page / "README.md")  # rather than after hours of training
    train_study(plan, methods, seeds, out, jobs, episodes)
    tables = write_study(out, methods, seeds, page)
    print(plain_text(*tables), end="\n\n")
    print_written(page, about=f"see {page / 'README.md'}")


if __name__ == "__main__":
    run_command(compare, "compare_methods.py", sys.argv[1:])
