"""Chooses the best setting: on validation starts, against the training's opponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.training.hyperparameters import argument_defaults
from agents.training.written_values import plain
from agents.tuning.plan import ASHA, FINISHED, Record, Tuning
from agents.tuning.space import with_setting
from baselines import Interval, paired_difference
from baselines.payoffs import largest_payoff
from steer_env.errors import InvalidValue
from steer_env.sides import PURSUER


class AllFailed(InvalidValue):
    """Not one trial has come to a result."""


def best_payoff(record: Record, plan: Tuning) -> float | None:
    """What a trial is ranked by: its best validation, since a training keeps its best model.

    In population based training it is the last one, of the values that it ends with.
    """
    if plan.scheduler != ASHA or not record.curve:
        return record.last_payoff
    payoffs = [one["payoff"] for one in record.curve]
    return float(min(payoffs) if plan.training.side is PURSUER else max(payoffs))


def ranked(records: Sequence[Record], plan: Tuning) -> list[Record]:
    """The trials with a result, the best first; of equal ones, the earlier."""
    sign = 1.0 if plan.training.side is PURSUER else -1.0
    found = [
        (sign * payoff, one.number, one)
        for one in records
        if one.reason is None and (payoff := best_payoff(one, plan)) is not None
    ]
    return [one for *_, one in sorted(found, key=lambda entry: entry[:2])]


def finalists(records: Sequence[Record], plan: Tuning) -> list[Record]:
    """The trials of the settings to train again: the best ones, and before them the preset.

    Raises:
        AllFailed: if no trial has a result.
    """
    order = ranked(records, plan)
    if not order:
        raise AllFailed(f"all {len(records)} trials failed; the first: {records[0].reason}")
    preset = Record(0, {}, plan.training.seed)
    chosen, seen = [preset], [_effective(plan, {})]
    for one in order:
        values = _effective(plan, one.setting)
        if len(chosen) <= plan.finalists and values not in seen:
            chosen.append(one)
            seen.append(values)
    return chosen


def _effective(plan: Tuning, setting: dict[str, Any]) -> dict[str, Any]:
    """What an algorithm is made with: the same values may be written, or be its defaults."""
    arguments = with_setting(plan.training, setting).read_preset().arguments
    return {**argument_defaults(plan.training.algo), **arguments}


def final_records(chosen: Sequence[Record], plan: Tuning) -> list[Record]:
    """The trainings of the finalists, none of which has begun."""
    return [
        Record(
            place * plan.seeds + i, one.setting, seed, of_sample=one.number if place else None
        )
        for place, one in enumerate(chosen)
        for i, seed in enumerate(plan.final_seeds)
    ]


def written_by(plan: Tuning, setting: dict[str, Any]) -> dict[str, Any]:
    """A setting as a whole preset, in the notation of its file.

    Raises:
        FileNotFoundError, TypeError, ValueError: as `Training.read_preset`.
    """
    written = with_setting(plan.training, setting).read_preset().written
    return {name: _number_or(value) for name, value in written.items()}


def _number_or(value: Any) -> Any:
    """Overrides come as texts; a text that is a number becomes one."""
    found = plain(value)
    return found if isinstance(found, bool | int | float) else value


@dataclass(frozen=True)
class Finalist:
    """A setting that was trained with several seeds.

    Attributes:
        sample: its number in the search; None for the preset.
        setting: the values that replace the preset's.
        payoffs: (seeds, starts), from the fresh validation starts.
        failures: why trainings failed; with one, it cannot win.
    """

    sample: int | None
    setting: dict[str, Any]
    payoffs: np.ndarray[Any, np.dtype[np.float64]]
    failures: tuple[str, ...]

    @property
    def mean(self) -> float | None:
        """The mean over seeds and starts; None if a training failed."""
        return None if self.failures else float(self.payoffs.mean())


@dataclass(frozen=True)
class Outcome:
    """What a search found.

    Attributes:
        finalists: the preset first, and then in the order of the search.
        winner: the one with the best mean.
        gain: by how much the winner's payoff differs from the preset's, paired by start; None
            if the preset has won, or if its trainings failed.
    """

    finalists: list[Finalist]
    winner: Finalist
    gain: Interval | None


def outcome(records: Sequence[Record], plan: Tuning) -> Outcome:
    """Chooses among the finalists; of equal ones, the earlier.

    Raises:
        AllFailed: if a training of each of them failed.
    """
    found = []
    for first in range(0, len(records), plan.seeds):
        runs = records[first : first + plan.seeds]
        failures = tuple(str(one.reason) for one in runs if one.status != FINISHED)
        payoffs = np.array([one.payoffs for one in runs if one.payoffs], np.float64)
        found.append(Finalist(runs[0].of_sample, runs[0].setting, payoffs, failures))
    sound = [one for one in found if one.mean is not None]
    if not sound:
        raise AllFailed(f"all finalists failed; the first: {found[0].failures[0]}")
    sign = 1.0 if plan.training.side is PURSUER else -1.0
    winner = min(sound, key=lambda one: sign * (one.mean or 0.0))
    preset, gain = found[0], None
    if winner is not preset and not preset.failures:
        means = winner.payoffs.mean(axis=0), preset.payoffs.mean(axis=0)
        limit = largest_payoff(plan.training.study.config)
        gain = paired_difference(*means, limit=limit)
    return Outcome(found, winner, gain)
