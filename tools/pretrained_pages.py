"""Trains and measures the pretrained policies, and writes their page.

    PYTHONPATH=. python tools/pretrained_pages.py

takes several hours on two cores; `--help` lists the options.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from page_parts import markdown_picture
from pretrained_collections import BENCHMARKS, COLLECTIONS, Collection, train_all
from pretrained_measuring import COMMAND, CURVE, PRETRAINED, SEARCH, collect, measure

from steer_env.agents.selfplay.generations import SelfPlay
from steer_env.baselines.statistics import Interval
from steer_env.baselines.tables import Table, build_page
from steer_env.baselines.tasks import EPISODES, FROZEN, TASKS
from steer_env.cli import print_written, run_command
from steer_env.errors import InvalidValue, check_choice, check_integer
from steer_env.files import check_target, read_json, write_text
from steer_env.scenarios.registry import DEFAULT_GAME
from steer_env.sides import EVADER, PURSUER, Side

_INTRODUCTION = f"""Networks that play the games of the suite, as plain numbers:
`steer_env.baselines.load("pretrained/pursuit/ppo")`, or
`gym.make("Evade-v0", opponent="pretrained/pursuit/selfplay")`. A name without a number is the
first run, not the best; `"pretrained/pursuit/ppo/3"` is the file `Pursuit-v0/ppo/seed_3.npz`.
A wheel has only the first run of each, and a clone of the repository all.
The `config.json` and the `results.json` of these runs are beside it. Names of other games than
the default one begin with the game: `"pretrained/agile_torus/evade/benchmark"`.

`{COMMAND}` trains and measures all of it again, in a few hours on two cores. Only the
networks called `{FROZEN}` stay as they are: they are opponents of the benchmark protocol.

The tables show mean capture times in seconds over {EPISODES:,} episodes, from held-out initial
states, and over the runs. Episodes without a capture count as 20 s. Opponents in bold were
trained against, the others are held out.
"""

_LEGEND = {PURSUER: "Lower is better.", EVADER: "Higher is better; 20.00 means never caught."}

_GROUPS = ("trained", "held_out")
"""The two groups of opponents in a result of the protocol."""

_PROTOCOL = """## By the benchmark protocol

Five runs of PPO in each task (`steer-env train --task pursuer/walls --steps
12000000`). In `pursuer/pack` the team first imitates a script, and then takes the steps of its
preset, 3 million. Five runs by search (`--method search --params search=12`) in the default
game. Mean capture times against the opponents for training and against those held
out, and their differences from the tuned script's and from the textbook behavior's, with 95%
intervals over runs and initial states. A pursuer wants less, an evader more.
"""

_TEAMS = """## Teams vs the best script

One network for all players of a team (`steer-env train --task pursuer/team`): the mean time
in seconds until the last evader is caught, episodes without a capture counting as the limit,
against the task's opponents and against those held out. The differences are those from the
best of the team scripts, the one with the best mean against the opponents for training, with
95% intervals over runs and initial states. A pursuer wants less, an evader more.
"""

_WORLDS = """## On maps, seen and unseen

PPO after an imitation of a script (`steer-env train --task pursuer/rooms`): mean capture times
in seconds against the opponents for training, on the 64 maps of training and on 1,000 that no
policy was trained on. The gap is what unseen maps add, less what they add to the textbook
script. Then the differences from the task's references on unseen maps. The networks see 8 m
far and have no memory; `.../searching` sees as far and remembers; all other scripts see
through walls. 95% intervals are over runs and initial states. A pursuer wants less, an evader
more.
"""

_ANSWERS = """## Policies vs the best known answers

The opponent that does best against the first run of each, among every script of the roster, the
textbook behavior at full force with every lookahead law and predictor, and the pretrained
policies of the other side. It is chosen on other initial states; the intervals are over initial
states. Then a search (`steer-env exploit`), which tries {budget:,} plans from each of {starts}
starts, and again at every decision: it knows the policy, and what it gains over the answer, the
policy can lose.
"""

_SOLVED = """## Policies vs perfect play

How far from the value of the game each run is, as a share of it, in each region of the solution
(see [all players](../../baselines/results/optimality/README.md)). Self-play never meets the
perfect player that measures it.
"""

_DATASHEET = """## Datasheet

- **What they are**: {networks} networks in {collections} collections, as arrays of numbers in
  .npz files. Loading one executes nothing. Each file holds the observation that it takes;
  `config.json` has the command, the hyperparameters, the versions and the machine.
- **What they learned from**: games that the engine played, against scripts, earlier networks
  and perfect players. No other data.
- **Which are here**: every run of the seeds that a collection names. None was left out for its
  result, and a name without a number is the first run.
- **What they are for**: opponents, references, and places to begin a training from. They know
  these games alone: a network acts on any observation of its size, also in a game in which it
  knows nothing.
- **Known faults**: those trained against one opponent are specialists, and fail against some
  opponents held out (tables above). The best answers below show how exploitable each is. One of
  the chauffeur's pursuers lets 7 of 2,000 initial states in D escape. No pair from self-play is
  an equilibrium.
- **Compute**: {timed} runs recorded their times: {hours:.1f} hours of training in all, on
  average {minutes:.1f} minutes each, on one core of an AMD EPYC or an Intel Xeon
  without a GPU. Some shared it with other work. Self-play, the frozen networks and trials that
  are not here come on top.
- **License**: that of the package.
"""


def write_page(out: Path = PRETRAINED) -> None:
    """Writes the README.md of the folder of all collections, from their results.json."""
    found = [
        (collection, read_json(out / collection.path / "results.json"))
        for collection in COLLECTIONS
        if (out / collection.path / "results.json").exists()
    ]
    found = [pair for pair in found if "benchmark" in pair[1]]  # others are being measured
    for collection, results in found:
        study = collection.study
        if {*study.opponents, *study.held_out} != results["benchmark"]["opponents"].keys():
            raise InvalidValue(
                f"{out / collection.path} was measured against other opponents: measure it "
                f"again with {COMMAND} --no-train --only {collection.path}"
            )
    parts: list[str | Table] = [_INTRODUCTION, _at_other_radii(found, out)]
    for side in Side:
        ours = [
            pair for pair in found if pair[0].side is side and pair[0].game.name == DEFAULT_GAME
        ]
        if ours:
            parts.append(_table(ours, side))
            curve = f"{side.environment}/ppo/{CURVE}"
            if (out / curve).exists():
                about = f"Five training runs of PPO in {side.environment}"
                parts.append(markdown_picture(about, curve))
    measured = [pair for pair in found if pair[0].name in BENCHMARKS]
    if measured:
        parts += [_PROTOCOL, _protocol_table(measured)]
    teams = [pair for pair in found if "scripts" in pair[1]]
    if teams:
        parts += [_TEAMS, _teams_table(teams)]
    worlds = [pair for pair in found if pair[0].game.unseen_maps]
    if worlds:
        parts.append(_WORLDS)
    for side in Side:
        ours = [pair for pair in worlds if pair[0].side is side]
        if ours:
            parts.append(_worlds_table(ours))
    solved = [pair for pair in found if "optimality" in pair[1]]
    if solved:
        parts.append(_SOLVED)
    for game in dict.fromkeys(collection.game.name for collection, _ in solved):
        ours = [pair for pair in solved if pair[0].game.name == game]
        parts += [f"### {game}", _solved_table(ours)]
    parts.append(_datasheet(found))
    answered = [pair for pair in found if "answer" in pair[1]]
    if answered:
        starts, budget = SEARCH
        about = _ANSWERS.format(starts=starts, budget=budget)
        parts += [about, _answers_table(answered)]
    write_text(out / "README.md", build_page("Pretrained policies", *parts))


def _at_other_radii(found: Sequence[tuple[Collection, Any]], out: Path) -> str:
    """Which collections learned and were measured before the capture radius was what it is."""
    marked = {
        one.title: read_json(out / one.path / "config.json").get("capture_radius")
        for one, _ in found
    }
    names = ", ".join(f"`{name}`" for name, radius in marked.items() if radius is not None)
    return f"Trained and measured at a capture radius of 0.5 m: {names}." if names else ""


def _datasheet(found: Sequence[tuple[Collection, Mapping[str, Any]]]) -> str:
    """A datasheet of all networks, with the cost of their training."""
    seconds = [
        run["training"]["seconds"]
        for _, results in found
        for run in results.get("runs", {}).values()
    ]
    return _DATASHEET.format(
        networks=sum(len(collection.seeds) for collection, _ in found),
        collections=len(found),
        hours=sum(seconds) / 3600.0,
        timed=len(seconds),
        minutes=sum(seconds) / 60.0 / max(len(seconds), 1),
    )


def _table(found: Sequence[tuple[Collection, Mapping[str, Any]]], side: Side) -> Table:
    """One side's collections, with their results, against each opponent in task walls."""
    walls = TASKS[f"{side.name}/walls"]
    opponents = (*walls.opponents, *walls.held_out)
    rows = []
    for collection, results in found:
        measured = results["benchmark"]["opponents"]
        about = (f"`{collection.title}`", collection.about, str(len(collection.seeds)))
        cells = [_cell(measured[opponent]) for opponent in opponents]
        rows.append((*about, _cost(collection, results), *cells))
    references = found[0][1]["benchmark"]["opponents"]
    for name in walls.references:
        cells = [f"{references[one]['references'][name]:.2f}" for one in opponents]
        rows.append((f"`{name}`", "script", "", "", *cells))
    header = ("policy", "trained vs", "runs", "training", *(f"`{o}`" for o in opponents))
    return Table(f"{side.name.capitalize()}s", header, rows, _LEGEND[side])


def _protocol_table(found: Sequence[tuple[Collection, Mapping[str, Any]]]) -> Table:
    """Policies trained by the protocol against the references, in each task."""
    rows = []
    for collection, results in found:
        measured = results["benchmark"]
        times, less = measured["mean_capture_time"], measured["differences"]
        analytic, *_, tuned = collection.study.references
        cells = [f"{times[group]['estimate']:.2f}" for group in _GROUPS]
        for name in (tuned, analytic):
            cells += [f"{Interval(**less[name][group]):+.2f}" for group in _GROUPS]
        rows.append((measured["task"], f"`{collection.title}`", *cells))
    header = (
        *("task", "policy", "training [s]", "held out [s]"),
        *("training, minus tuned", "held out, minus tuned"),
        *("training, minus textbook", "held out, minus textbook"),
    )
    return Table("", header, rows)


def _teams_table(found: Sequence[tuple[Collection, Mapping[str, Any]]]) -> Table:
    """Each team beside the best script of its side."""
    rows = []
    for collection, results in found:
        measured, less = results["benchmark"], results["scripts"]
        # The best script is the one that leaves the pursuers' largest difference, or the
        # evaders' smallest.
        pick = max if collection.side is PURSUER else min
        best = pick(less, key=lambda name: less[name]["trained"]["estimate"])
        times = measured["mean_capture_time"]
        name = f"`{collection.title}`"
        about = measured["task"], name, str(len(collection.seeds)), _cost(collection, results)
        cells = [f"{times[group]['estimate']:.2f}" for group in _GROUPS]
        minus = [f"{Interval(**less[best][group]):+.2f}" for group in _GROUPS]
        rows.append((*about, *cells, f"`{best}`", *minus))
    header = (
        *("task", "policy", "runs", "cost", "training [s]", "held out [s]"),
        *("best script", "training, minus it", "held out, minus it"),
    )
    return Table("", header, rows)


def _worlds_table(found: Sequence[tuple[Collection, Mapping[str, Any]]]) -> Table:
    """Each collection of a side on seen and unseen maps, beside its references there."""
    rows, names = list[tuple[str, ...]](), found[0][0].study.references
    for collection, results in found:
        measured = results["benchmark"]
        times, less = measured["mean_capture_time"], measured["differences"]
        gap = f"{Interval(**measured['map_generalization']):+.2f}"
        cells = [f"{times[group]['estimate']:.2f}" for group in ("trained", "unseen")]
        minus = [f"{Interval(**less[name]['unseen']):+.2f}" for name in less]
        about = measured["task"], str(len(collection.seeds)), _cost(collection, results)
        rows.append((*about, *cells, gap, *minus))
    header = ("task", "runs", "cost", "seen maps", "unseen maps", "gap")
    return Table("", (*header, *(f"minus `{name}`" for name in names)), rows)


def _solved_table(found: Sequence[tuple[Collection, Mapping[str, Any]]]) -> Table:
    """Each run's gap in a game, region by region: over the value, in meters where that is 0."""
    rows = []
    for collection, results in found:
        for seed, measured in zip(collection.seeds, results["optimality"]):
            regions = {**measured["regions"], "all": measured["overall"]}
            cells = [
                f"{Interval(**one['gap']):.3f} m"
                if one["share"] is None
                else f"{Interval(**one['share']):.1%}"
                for one in regions.values()
            ]
            never = measured["overall"]["never_caught"]
            cells += [] if never is None else [f"{Interval(**never):.1%}"]
            name = f"`{collection.title}/{seed}`"
            rows.append((name, collection.about, _cost(collection, results), *cells))
    first = found[0][1]["optimality"][0]
    last = [] if first["overall"]["never_caught"] is None else ["never caught"]
    header = ("policy", "trained vs", "training", *first["regions"], "all", *last)
    return Table("", header, rows)


def _answers_table(found: Sequence[tuple[Collection, Mapping[str, Any]]]) -> Table:
    """Each policy's mean capture time against its best known answer."""
    rows = [
        (
            f"`{collection.title}`",
            f"{Interval(**results['answer']['capture_time']):.2f}",
            f"`{results['answer']['answer']}`",
            f"{Interval(**results['search']['mean_capture_time']):.2f}",
            f"{Interval(**results['search']['gain']):+.2f}",
        )
        for collection, results in sorted(found, key=lambda pair: pair[0].side)
    ]
    header = ("policy", "capture time [s]", "best answer", "search [s]", "gain of search")
    return Table("", header, rows)


def _cell(measured: Mapping[str, Any]) -> str:
    """The mean capture time; in bold if the opponent was trained against."""
    time = f"{measured['mean_capture_time']:.2f}"
    return time if measured["held_out"] else f"**{time}**"


def _cost(collection: Collection, results: Mapping[str, Any]) -> str:
    """The length of one run."""
    plan = collection.training
    if isinstance(plan, SelfPlay):
        return f"{plan.generations} generations of {plan.steps / 1e6:.3g} M steps"
    runs = [run["training"] for run in results["runs"].values()]
    minutes = np.mean([run["seconds"] for run in runs]) / 60.0
    return f"{runs[0]['steps'] / 1e6:.3g} M steps, {minutes:.1f} min"


def pretrain(
    only: tuple[str, ...] = (),
    jobs: int = 2,
    work: Path = Path("runs/pretrained"),
    out: Path = PRETRAINED,
    episodes: int = EPISODES,
    train: bool = True,
) -> None:
    """Trains and measures everything under agents/pretrained/ again.

    Args:
        only: Collections to train and measure, such as Pursuit-v0/ppo; by default all.
        jobs: Number of runs to train at once, each on one core.
        work: Folder of the training runs; complete runs in it are not trained again.
        out: Folder of the policies, their figures and the page.
        episodes: Episodes to measure with, against each opponent.
        train: With --no-train, measure the policies that are in `out` again; `jobs` and `work`
            are not used then.
    """
    by_path = {str(collection.path): collection for collection in COLLECTIONS}
    for name in only:
        check_choice("only", name, by_path)
    check_integer("jobs", jobs, 1)
    out.mkdir(parents=True, exist_ok=True)
    check_target(out / "README.md")  # rather than after hours of training
    chosen = [by_path[name] for name in only or by_path]
    if train:
        train_all(chosen, work, jobs)
    for collection in chosen:
        if train:
            collect(collection, work, out)
        measure(collection, out, episodes)
    write_page(out)
    print_written(out, about=f"see {out / 'README.md'}")


if __name__ == "__main__":
    run_command(pretrain, "pretrained_pages.py", sys.argv[1:])
