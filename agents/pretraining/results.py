"""Measures the pretrained policies, and writes their files, figures and page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.durable import write_durably, write_json
from agents.pretraining.collections import COLLECTIONS, Collection
from agents.selfplay.generations import SelfPlay, SelfPlayFolder
from agents.sides import ENVIRONMENTS, LEARNERS
from agents.training.report import learning_curve_figure
from agents.training.training import Training
from agents.training.validation import Validation
from baselines import NetworkPolicy, benchmark
from baselines.benchmarking import Result
from baselines.figure_style import save
from baselines.protocol import EPISODES, SCENARIOS
from baselines.tables import Table, markdown

PRETRAINED = Path(__file__).parents[1] / "pretrained"
"""Where they are in a checkout."""

COMMAND = "python -m agents pretrain"

_INTRODUCTION = f"""# Pretrained policies

Networks that play the default game, as plain numbers:
`baselines.load("pretrained/pursuit/ppo")`, or
`gym.make("Evade-v0", opponent="pretrained/pursuit/selfplay")`. A name without a number is the
first run, not the best; `"pretrained/pursuit/ppo/3"` is the file `Pursuit-v0/ppo/seed_3.npz`.
Beside it lie the `config.json` and the `results.json` of these runs.

`{COMMAND}` trains and measures all of it again, in about half an hour on two cores.

Mean capture times in seconds, a time-out counting as 20 s, over {EPISODES:,} episodes from
starts that nobody trained on, and over the runs. Opponents in bold were trained against, the
others never met.

"""

_LEGEND = {
    "pursuer": "Pursuers want it short.",
    "evader": "Evaders want it long; 20.00 is never being caught.",
}

_SELFPLAY = """[Self-play](selfplay/README.md): who beats whom over the generations, and what
the best answer to each gains.
"""

_SELFPLAY_FILES = ("README.md", "results.json", "crossplay.png", "exploitability.png")


def collect(
    collection: Collection, work: Path, out: Path = PRETRAINED, episodes: int = EPISODES
) -> None:
    """Copies the trained policies of a collection, and writes what they are and can do.

    Args:
        collection: which.
        work: folder of the training runs.
        out: folder of all collections.
        episodes: to measure with, against each opponent.
    """
    path = out / collection.path
    path.mkdir(parents=True, exist_ok=True)
    policies = {}
    for seed in collection.seeds:
        content = collection.policy(work, seed).read_bytes()
        write_durably(path / f"seed_{seed}.npz", content)
        policies[f"seed {seed}"] = NetworkPolicy.load(path / f"seed_{seed}.npz")
    result = benchmark(policies, collection.study, episodes)
    write_json(path / "config.json", _config(collection, work))
    results: dict[str, Any] = {"benchmark": result.to_dict()}
    if isinstance(collection.training, Training):
        runs = {
            seed: json.loads(collection.run(work, seed).results.read_text())
            for seed in collection.seeds
        }
        results["runs"] = {
            f"seed {seed}": {name: run[name] for name in ("training", "validations")}
            for seed, run in runs.items()
        }
        _save_learning_curve(path / "learning_curve.png", results["runs"], result)
    else:
        for name in _SELFPLAY_FILES:
            found = SelfPlayFolder(work / "selfplay").path / name
            (out / "selfplay").mkdir(exist_ok=True)
            write_durably(out / "selfplay" / name, found.read_bytes())
    write_json(path / "results.json", results)


def _config(collection: Collection, work: Path) -> dict[str, Any]:
    """How the policies were trained, from the runs' own configurations."""
    if isinstance(collection.training, Training):
        config = collection.run(work, collection.seeds[0]).read_config()
        names = ("training", "hyperparameters", "versions", "machine")
    else:
        config = SelfPlayFolder(work / "selfplay").read_config()
        names = ("plan", "versions", "machine")
    return {
        "command": f"{COMMAND} --only {collection.path}",
        "seeds": list(collection.seeds),
        **{name: config[name] for name in names},
    }


def _save_learning_curve(path: Path, runs: Mapping[str, Any], result: Result) -> None:
    curves = {
        name: [Validation(**one) for one in run["validations"]] for name, run in runs.items()
    }
    save(path, lambda: learning_curve_figure(curves, result, result.scenario))


def write_page(out: Path = PRETRAINED) -> None:
    """Writes the README.md of all that is in the folder, from the results.json files there.

    Args:
        out: folder of all collections.
    """
    found = [
        (collection, json.loads((out / collection.path / "results.json").read_text()))
        for collection in COLLECTIONS
        if (out / collection.path / "results.json").exists()
    ]
    sections = []
    for side, environment in ENVIRONMENTS.items():
        ours = [pair for pair in found if pair[0].environment == environment]
        if ours:
            sections.append(f"## {side.capitalize()}s\n\n")
            sections.append(f"{markdown(collections_table(ours))}\n{_LEGEND[side]}\n\n")
            curve = f"{environment}/ppo/learning_curve.png"
            if (out / curve).exists():
                sections.append(f"![Five training runs of PPO in {environment}]({curve})\n\n")
    if (out / "selfplay").exists():
        sections.append(_SELFPLAY)
    write_durably(out / "README.md", (_INTRODUCTION + "".join(sections)).encode())


def collections_table(found: Sequence[tuple[Collection, Mapping[str, Any]]]) -> Table:
    """One side's collections against each opponent that scenario walls knows.

    Args:
        found: each collection with its results.
    """
    side = LEARNERS[found[0][0].environment]
    walls = SCENARIOS[f"{side}/walls"]
    opponents = (*walls.opponents, *walls.held_out)
    rows = []
    for collection, results in found:
        measured = results["benchmark"]["opponents"]
        rows.append(
            (
                f"`{collection.title}`",
                collection.about,
                str(len(collection.seeds)),
                _cost(collection, results),
                *(_cell(measured[opponent]) for opponent in opponents),
            )
        )
    references = found[0][1]["benchmark"]["opponents"]
    for name in walls.references:
        cells = (f"{references[one]['references'][name]:.2f}" for one in opponents)
        rows.append((f"`{name}`", "written by hand", "", "", *cells))
    header = ("policy", "trained against", "runs", "training", *(f"`{o}`" for o in opponents))
    return Table("", header, rows)


def _cell(measured: Mapping[str, Any]) -> str:
    """Mean capture time; in bold if the opponent was trained against."""
    time = f"{measured['mean_capture_time']:.2f}"
    return time if measured["held_out"] else f"**{time}**"


def _cost(collection: Collection, results: Mapping[str, Any]) -> str:
    """How long one run took."""
    plan = collection.training
    if isinstance(plan, SelfPlay):
        return f"{plan.generations} generations of {plan.steps / 1e6:.3g} M steps"
    runs = [run["training"] for run in results["runs"].values()]
    minutes = np.mean([run["seconds"] for run in runs]) / 60.0
    return f"{runs[0]['steps'] / 1e6:.3g} M steps, {minutes:.1f} min"
