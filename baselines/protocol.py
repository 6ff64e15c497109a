"""The benchmark protocol: how policies are measured in its tasks, see PROTOCOL.md."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.baselines.comparison import Comparison, compare, mean_difference, metric_of_runs
from steer_env.baselines.evaluation import CAPTURE_TIME, Evaluation, Payoff, largest_payoff
from steer_env.baselines.evaluation_jobs import Workers, play_all
from steer_env.baselines.rollouts import named
from steer_env.baselines.statistics import Interval, jsonable, mean_with_interval
from steer_env.baselines.tables import Table, Tabled
from steer_env.baselines.tasks import (
    ALL_TASKS,
    EPISODES,
    HELD_OUT_SEED,
    RUNS,
    TASKS,
    VERSION,
    Task,
)
from steer_env.baselines.training_runs import difference_of_runs, mean_of_runs, note_on_runs
from steer_env.errors import InvalidValue, check_choice
from steer_env.players.player import AnyPlayer
from steer_env.sides import Side


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """A policy, or the policies of several training runs, measured in a task.

    Means are of the game's payoff: the capture time in seconds, or the distance in meters.
    """

    task: Task  # of the protocol, or a user-defined one
    runs: dict[str, list[Evaluation]]  # by opponent, one for each training run
    references: dict[str, list[Evaluation]]  # by opponent, one for each hand-written reference

    @property
    def name(self) -> str:
        """The policy's name, or the first name and the number of the others."""
        names = list(dict.fromkeys(self.run_names))
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def run_names(self) -> list[str]:
        """The name of each run's policy."""
        runs = self.runs[self.task.opponents[0]]
        return [str(getattr(run, self.task.side)) for run in runs]

    @property
    def _first(self) -> Evaluation:
        # Without runs, the references alone can be drawn.
        return (self.runs or self.references)[self.task.opponents[0]][0]

    @property
    def payoff(self) -> Payoff:
        """`CAPTURE_TIME`, or in some games the distance."""
        return self._first.payoff

    def comparison(self, opponent: str, reference: str | None = None) -> Comparison:
        """Compares the policy with a reference, by default the first, against one opponent."""
        check_choice("opponent of this result", opponent, self.runs)
        names = self.task.references
        reference = names[0] if reference is None else reference
        check_choice("reference", reference, names)
        theirs = self.references[opponent][names.index(reference)]
        return compare(self.runs[opponent], theirs, self.task.side)

    def difference(self, reference: str, held_out: bool = False) -> Interval:
        """The mean payoff over the opponents of a kind minus a reference's, paired by start."""
        task = self.task
        check_choice("reference", reference, task.references)
        opponents = task.held_out if held_out else task.opponents
        if not opponents:
            raise InvalidValue(f"{task.name} has no held-out opponents")
        place = task.references.index(reference)
        theirs = {name: [found[place]] for name, found in self.references.items()}
        ours, limit = _payoffs(self.runs, opponents), largest_payoff(self._first.config)
        return mean_difference(ours, _payoffs(theirs, opponents), limit)

    @property
    def differences(self) -> dict[str, dict[str, Interval]]:
        """The `difference` from each reference, over the "trained" and "held_out" opponents."""
        groups = ["trained", *(["held_out"] if self.task.held_out else [])]
        return {
            name: {group: self.difference(name, group == "held_out") for group in groups}
            for name in self.task.references
        }

    def best_reference(self, opponent: str) -> str:
        """The reference with the best mean payoff against an opponent."""
        means = [found.payoffs.mean() for found in self.references[opponent]]
        is_pursuer = self.task.side == Side.PURSUER.name
        return self.task.references[np.argmin(means) if is_pursuer else np.argmax(means)]

    @cached_property
    def trained(self) -> Interval:
        """The mean payoff over the opponents for training."""
        return self._mean_payoff(self.task.opponents)

    @cached_property
    def held_out(self) -> Interval | None:
        """The mean payoff over the held-out opponents of the task."""
        return self._mean_payoff(self.task.held_out) if self.task.held_out else None

    @cached_property
    def generalization(self) -> Interval | None:
        """The growth of the mean payoff against held-out opponents, less a reference's."""
        if not self.task.held_out:
            return None
        first = {name: [found[0]] for name, found in self.references.items()}
        ours, theirs = (
            _payoffs(runs, self.task.held_out) - _payoffs(runs, self.task.opponents)
            for runs in (self.runs, first)
        )
        return difference_of_runs(ours, theirs)

    def _mean_payoff(self, opponents: Sequence[str]) -> Interval:
        payoffs, limit = _payoffs(self.runs, opponents), largest_payoff(self._first.config)
        if len(payoffs) == 1:
            return mean_with_interval(payoffs[0], limit=limit)
        return mean_of_runs(payoffs).clipped(0.0, np.inf if limit is None else limit)

    @property
    def notes(self) -> list[str]:
        """Reasons to doubt the intervals over the runs, such as a run that failed."""
        groups = {"training": self.task.opponents, "held-out": self.task.held_out}
        return [
            f"against {name} opponents, {note}"
            for name, opponents in groups.items()
            if opponents
            and (note := note_on_runs(_payoffs(self.runs, opponents), self.payoff.unit))
        ]

    @property
    def departures(self) -> list[str]:
        """The differences from the protocol, in words."""
        episodes, seed, runs = len(self._first), self._first["seed"][0], len(self.run_names)
        is_changed = TASKS.get(self.task.name, self.task) != self.task
        found = {
            f"{episodes:,} episodes instead of {EPISODES:,}": episodes != EPISODES,
            f"starts from seed {seed}, not {HELD_OUT_SEED}": seed != HELD_OUT_SEED,
            "other opponents, references or keywords than the task's": is_changed,
            f"{runs} training runs instead of {RUNS} or more": 1 < runs < RUNS,
        }
        return [text for text, is_true in found.items() if is_true]

    @property
    def _about_intervals(self) -> str:
        runs = "training runs and starts; the references are fixed policies"
        return f"95% intervals over {'starts' if len(self.run_names) == 1 else runs}."

    def table(self) -> Table:
        """Returns a table of capture rate and time, or of the distance, by opponent."""
        task, payoff = self.task, self.payoff
        rows = [
            (
                name,
                "held out" if found["held_out"] else "trained",
                f"{metric_of_runs(self.runs[name], 'capture_rate'):.1%}",
                f"{found[payoff.mean]:.2f}",
                f"{found['difference_from_reference']:+.2f}",
                f"{found['difference_from_best']:+.2f}",
                found["best_reference"],
            )
            for name in self.runs
            for found in [self._numbers_against(name)]
        ]
        count, unit, first = len(self.run_names), payoff.unit, task.references[0]
        title = f"{self.name} in {task.name} ({VERSION}), {len(self._first):,} episodes an "
        title += f"opponent, {f'{count} training runs' if count > 1 else 'one policy'}"
        if self.departures:
            title += "; not by the protocol: " + ", ".join(self.departures)
        caption = f"Mean {payoff.words} {self.trained:.2f} {unit} against training opponents"
        if task.held_out:
            caption += (
                f", {self.held_out:.2f} {unit} against held-out opponents: a change of "
                f"{self.generalization:+.2f} {unit} relative to {first}'s change"
            )
        notes = "".join(f" Note: {note}." for note in self.notes)
        notes += f" SHA-256 of the episodes: {self.digest[:16]}."
        header = (
            *("opponent", "set", "captured", f"{payoff.column} [{unit}]"),
            *(f"minus {first}'s [{unit}]", f"minus the best's [{unit}]", "best reference"),
        )
        caption += f". {self._about_intervals}{notes}"
        table = Table(title, header, rows, caption)
        return table if payoff is CAPTURE_TIME else table.without("captured")

    def summary(self) -> Table:
        """Returns a table of the differences from the references, over all opponents."""
        rows = [
            (f"minus {name}'s", *(f"{one:+.2f}" for one in found.values()))
            for name, found in self.differences.items()
        ]
        header = ("training opponents", "held-out opponents")[: len(rows[0]) - 1]
        title = f"Mean {self.payoff.words} of {self.name}, averaged over the opponents, in "
        title += self.payoff.unit_name
        return Table(title, ("", *header), rows, self._about_intervals)

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers, for JSON."""
        return {
            "version": steer_env.__version__,
            "protocol": VERSION,
            "task": self.task.name,
            "policy": self.name,
            "runs": len(self.run_names),
            "policies": self.run_names,
            "episodes": len(self._first),
            "first_seed": int(self._first["seed"][0]),
            self.payoff.mean: jsonable({"trained": self.trained, "held_out": self.held_out}),
            **jsonable({"generalization": self.generalization}),
            "differences": {name: jsonable(found) for name, found in self.differences.items()},
            "departures": self.departures,
            "episodes_sha256": self.digest,
            "notes": self.notes,
            "opponents": {name: jsonable(self._numbers_against(name)) for name in self.runs},
        }

    def _numbers_against(self, opponent: str) -> dict[str, Any]:
        runs, best = self.runs[opponent], self.best_reference(opponent)
        means = [float(run.payoffs.mean()) for run in runs]
        rate = metric_of_runs(runs, "capture_rate")
        rates = [float(run["captured"].mean()) for run in runs]
        return {
            "held_out": opponent in self.task.held_out,
            **self._numbers_of(rate, float(np.mean(means))),
            "of_runs": [self._numbers_of(*pair) for pair in zip(rates, means)],
            "difference_from_reference": self.comparison(opponent).difference,
            "best_reference": best,
            "difference_from_best": self.comparison(opponent, best).difference,
            "references": {
                str(getattr(found, self.task.side)): float(found.payoffs.mean())
                for found in self.references[opponent]
            },
        }

    def _numbers_of(self, capture_rate: Interval | float, mean: float) -> dict[str, Any]:
        """A mean payoff and, in games about capture times, a capture rate."""
        rate = {"capture_rate": capture_rate} if self.payoff is CAPTURE_TIME else {}
        return {**rate, self.payoff.mean: mean}

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the outcomes of all episodes of the policy, equal for equal bits."""
        found = hashlib.sha256()
        for runs in self.runs.values():
            for run in runs:
                for outcome in (run["seed"], run["captured"], run.payoffs):
                    found.update(outcome.astype(outcome.dtype.newbyteorder("<")).tobytes())
        return found.hexdigest()

    def tables(self) -> tuple[Table, Table]:
        """Returns both tables."""
        return self.table(), self.summary()


def _payoffs(
    runs: Mapping[str, Sequence[Evaluation]], opponents: Sequence[str]
) -> NDArray[np.float64]:
    """Returns the mean payoff over the opponents, (runs, episodes)."""
    payoffs = [[run.payoffs for run in runs[name]] for name in opponents]
    return np.mean(np.array(payoffs, np.float64), axis=0)


def benchmark(
    policies: AnyPlayer | Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    task: str | Task,
    episodes: int = EPISODES,
    seed: int = HELD_OUT_SEED,
    progress: Callable[[int, int], Any] | None = None,
    workers: Workers | None = None,
) -> Result:
    """Measures a policy in a task of the protocol, beside the hand-written references.

    Args:
        policies: one policy (see `evaluate`), or a list with the policy of each training run,
            or a mapping that names them. For several policies, the intervals are over training
            runs and starts.
        task: a name in `ALL_TASKS`, or a user-defined task.
        episodes: against each opponent; the default is the protocol's, as the next one's.
        seed: of the first start.
        progress: see `crossplay`.
        workers: see `crossplay`.

    Errors are those of `evaluate`.

    Raises:
        TypeError, ValueError: for the arguments that `evaluate` refuses, an unknown task, and
            no policies.
    """
    if not isinstance(task, Task):
        check_choice("task", task, ALL_TASKS)
        task = ALL_TASKS[task]
    several = isinstance(policies, Mapping | Sequence) and not isinstance(policies, str)
    given: Any = policies if several else [policies]
    players = named(given)
    if not players:
        raise InvalidValue("nothing to measure: an empty list of policies")
    opponents = (*task.opponents, *task.held_out)
    everyone = [*players, *named(task.references)]
    jobs = [
        task.job(player, opponent, episodes, seed)
        for opponent in opponents
        for _, player in everyone
    ]
    evaluations = iter(play_all(jobs, workers, progress))
    runs: dict[str, list[Evaluation]] = {}
    references: dict[str, list[Evaluation]] = {}
    for opponent in opponents:
        names: list[dict[str, Any]] = [{task.side: name} for name, _ in everyone]
        found = [replace(next(evaluations), **name) for name in names]
        runs[opponent], references[opponent] = found[: len(players)], found[len(players) :]
    return Result(task, runs, references)
