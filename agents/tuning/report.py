"""Writes what a search found: the preset, the numbers of all trials, and a page about them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import yaml

from agents.tuning.choice import (
    Finalist,
    Outcome,
    best_payoff,
    ranked,
    written_by,
)
from agents.tuning.plan import PBT, STATUSES, Record, SearchFolder, Tuning
from agents.tuning.trial import FRESH_SEED
from baselines.payoffs import payoff_of
from baselines.tables import Table, markdown
from steer_env.files import write_json, write_text
from steer_env.information import versions

SHOWN = 10
"""Trials in the page's table; results.json has all."""

_SCHEDULE = (
    "The values are the last of a schedule: population based training changed them during the "
    "training (its history is in results.json), so a training with these alone may differ."
)


def write_report(
    folder: SearchFolder,
    plan: Tuning,
    records: Sequence[Record],
    finals: Sequence[Record],
    found: Outcome,
    seconds: Mapping[str, float],
) -> list[Table]:
    """Writes preset.yml, results.json and README.md of a search that has ended.

    Args:
        folder: of the search.
        plan: of the search.
        records: the trials of the search.
        finals: the trainings of the finalists.
        found: the choice among the finalists.
        seconds: that each stage, "search" and "final", took since the search went on last.

    Returns:
        The tables of the page.
    """
    config = folder.read_config()
    config["versions"] |= versions("ray")
    tables = [_finalists_table(plan, found), _trials_table(plan, records)]
    conclusion = conclude(plan, found)
    written = written_by(plan, found.winner.setting)
    write_json(
        folder.results,
        {
            "conclusion": conclusion,
            "environment": plan.training.environment,
            "winner": {"sample": found.winner.sample, "preset": written},
            "gain": None if found.gain is None else found.gain._asdict(),
            "finalists": [_finalist(plan, one) for one in found.finalists],
            "seconds": {**seconds, "busy": _busy(records), "busy_final": _busy(finals)},
            "search": [_trial(plan, one) for one in records],
            "final": [asdict(one) for one in finals],
        },
    )
    is_schedule = plan.scheduler == PBT and found.winner.sample is not None
    header = _header(config, conclusion, is_schedule)
    body = yaml.safe_dump({plan.training.environment: written}, sort_keys=False, width=1000)
    write_text(folder.preset, header + body)
    write_text(
        folder.readme, _page(folder, config, plan, conclusion, tables, body, is_schedule)
    )
    return tables


def train_command(folder: SearchFolder, plan: Tuning) -> str:
    """The command that trains with the preset that was found."""
    training, words = plan.training, ["python", "-m", "agents", "train"]
    if training.scenario is not None:
        words += ["--scenario", training.scenario]
    elif training.env != type(training).env:
        words += ["--env", training.env]
    if training.algo != type(training).algo:
        words += ["--algo", training.algo]
    if training.opponent:
        words += ["--opponent", *training.opponent]
    if training.hardness:
        words += ["--hardness", str(training.hardness)]
    if training.opponent_weights:
        words += ["--opponent-weights", *map(str, training.opponent_weights)]
    return shlex.join([*words, "--preset", str(folder.preset)])


def conclude(plan: Tuning, found: Outcome) -> str:
    """One sentence: what was found, and whether it is better than the preset."""
    payoff = payoff_of(plan.training.study.config.payoff)
    winner, preset = found.winner, found.finalists[0]
    of_winner = f"{payoff.words} {winner.mean:.2f} {payoff.unit}"
    if winner is preset:
        return f"No setting beats the preset, which is kept: {of_winner}."
    setting = f"Sample {winner.sample} is the best: {of_winner}"
    if found.gain is None:
        return f"{setting}; a training with the preset failed: {preset.failures[0]}."
    of_preset = f"{preset.mean:.2f} {payoff.unit}"
    is_clear = found.gain.low > 0.0 or found.gain.high < 0.0
    doubt = "" if is_clear else ", which may be chance"
    return (
        f"{setting}, the preset's {of_preset}: a difference of {found.gain:+.2f} {payoff.unit}"
        f" (95 % interval over starts){doubt}."
    )


def _finalist(plan: Tuning, one: Finalist) -> dict[str, Any]:
    return {
        "sample": one.sample,
        "preset": written_by(plan, one.setting),
        "mean": one.mean,
        "of_seeds": one.payoffs.mean(axis=-1).tolist() if one.payoffs.size else [],
        "failures": list(one.failures),
    }


def _trial(plan: Tuning, one: Record) -> dict[str, Any]:
    return {**asdict(one), "preset": written_by(plan, one.setting)}


def _busy(records: Sequence[Record]) -> float:
    return sum(one.busy for one in records)


def _finalists_table(plan: Tuning, found: Outcome) -> Table:
    payoff, count = payoff_of(plan.training.study.config.payoff), len(plan.final_seeds)
    rows = []
    for one in found.finalists:
        name = "the preset" if one.sample is None else f"sample {one.sample}"
        seeds = ", ".join(f"{mean:.2f}" for mean in _of_seeds(one))
        mean = "failed" if one.mean is None else f"{one.mean:.2f}"
        rows.append((name, mean, seeds, _differences(plan, one.setting)))
    first, last = plan.final_seeds[0], plan.final_seeds[-1]
    seeds = f"seed {first}" if count == 1 else f"seeds {first} to {last}"
    return Table(
        f"The finalists: {payoff.label} of trainings with {seeds}, on validation starts that "
        "no trial was compared on",
        ("setting", "mean", "each seed", "values"),
        rows,
        f"{plan.final_episodes:,} starts, from seed {FRESH_SEED:,} on, against each opponent "
        "of the training.",
    )


def _of_seeds(one: Finalist) -> list[float]:
    return [float(np.mean(run)) for run in one.payoffs]


def _trials_table(plan: Tuning, records: Sequence[Record]) -> Table:
    payoff = payoff_of(plan.training.study.config.payoff)
    rows = [
        (
            f"{one.number}",
            f"{best_payoff(one, plan):.2f}",
            f"{one.curve[-1]['steps']:,}",
            one.status,
            _differences(plan, one.setting),
        )
        for one in ranked(records, plan)[:SHOWN]
    ]
    counts = {status: sum(one.status == status for one in records) for status in STATUSES}
    listed = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    which = "last" if plan.scheduler == PBT else "best"
    return Table(
        f"The best trials of the search ({listed}): {which} {payoff.label}, validation starts",
        ("sample", which, "steps", "status", "values"),
        rows,
        f"Sample 0 {'began as' if plan.scheduler == PBT else 'is'} the preset. All have the "
        "same seed.",
    )


def _differences(plan: Tuning, setting: dict[str, Any]) -> str:
    """The values in which a setting differs from the preset."""
    preset, written = written_by(plan, {}), written_by(plan, setting)
    return ", ".join(
        f"{name}={value}" for name, value in written.items() if preset.get(name) != value
    )


def _header(config: Mapping[str, Any], conclusion: str, is_schedule: bool) -> str:
    lines = [
        "Hyperparameters in rl-baselines3-zoo's format, found by",
        f"  {config['command']}",
        conclusion,
        "Chosen on validation starts, against the opponents of the training.",
        *([_SCHEDULE] if is_schedule else []),
        f"With {_listed(config)}.",
    ]
    # A line break in one of them must not end the comment.
    return "".join(f"# {' '.join(line.split())}\n" for line in lines)


def _listed(config: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {number}" for name, number in config["versions"].items())


def _page(
    folder: SearchFolder,
    config: Mapping[str, Any],
    plan: Tuning,
    conclusion: str,
    tables: Sequence[Table],
    body: str,
    is_schedule: bool,
) -> str:
    training, count = plan.training, len(plan.final_seeds)
    trainings = "one training" if count == 1 else f"{count} trainings"
    opponents = ", ".join(f"`{name}`" for name in training.study.opponents)
    sections = "\n".join(f"{t.title}:\n\n{markdown(t)}\n{t.caption}\n" for t in tables)
    schedule = f"\n{_SCHEDULE}\n" if is_schedule else ""
    preset = "".join(f"    {line}\n" for line in body.splitlines())
    return f"""# {training.study.name}: hyperparameters of {training.algo.upper()}

{conclusion}
{schedule}
Found by

    {config["command"]}

To train with it:

    {train_command(folder, plan)}

The preset:

{preset}
Trials were compared on validation starts, against the opponents of the training: {opponents}.
Held-out starts and opponents had no part in the choice. The intervals are over starts, not over
training luck: with {trainings} of each finalist, another seed may differ.

{sections}
| file | content |
| --- | --- |
| `preset.yml` | the best setting, in rl-baselines3-zoo's format |
| `results.json` | all trials: settings, validations, how they ended |
| `config.json` | the settings of the search, versions, machine |

With {_listed(config)}; {config["machine"]}.
"""
