"""The benchmark protocol: how policies are measured in its tasks, see PROTOCOL.md."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.baselines.comparison import check_same_games
from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import CAPTURE_TIME, Payoff, largest_payoff
from steer_env.baselines.rollouts import named, play_all
from steer_env.baselines.statistics import Interval, jsonable, paired_difference
from steer_env.baselines.tables import Table, Tabled
from steer_env.baselines.tasks import (
    ALL_TASKS,
    EPISODES,
    RUNS,
    TASKS,
    VERSION,
    Task,
    held_out_seed,
)
from steer_env.baselines.training_runs import note_on_runs
from steer_env.errors import InvalidValue, check_choice
from steer_env.game.config import Game
from steer_env.players.player import AnyPlayer
from steer_env.sides import Side

_GROUPS = {
    "trained": "training opponents",
    "held_out": "held-out opponents",
    "unseen": "unseen maps",
}
"""The groups of results by their keys, in words."""


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """A policy, or the policies of several training runs, measured in a task.

    Means are of the game's payoff: the capture time in seconds, or the distance in meters.
    """

    task: Task  # of the protocol, or a user-defined one
    played: Episodes  # by the policies, in their runs
    references: Episodes  # by the hand-written references
    unseen: Result | None = None  # on maps that nobody trained on, if the game has such

    @property
    def name(self) -> str:
        """The policy's name, or the first name and the number of the others."""
        names = list(dict.fromkeys(self.run_names))
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def run_names(self) -> list[str]:
        """The name of each run's policy."""
        return [run.names(self.task.side)[0] for run in self.played.by("run").values()]

    @property
    def payoff(self) -> Payoff:
        """`CAPTURE_TIME`, or in some games the distance."""
        return self.references.payoff

    @property
    def _other(self) -> str:
        return Side.named(self.task.side).other.name

    def against(self, *opponents: str) -> Episodes:
        """The episodes of the policies against some opponents."""
        return self.played.where(**{self._other: opponents})

    def reference(self, name: str, *opponents: str) -> Episodes:
        """The episodes of a reference against some opponents."""
        check_choice("reference", name, self.task.references)
        return self.references.where(**{self.task.side: name, self._other: opponents})

    @property
    def _groups(self) -> dict[str, tuple[str, ...]]:
        """The kinds of opponents, without an empty one."""
        found = {"trained": self.task.opponents, "held_out": self.task.held_out}
        return {name: opponents for name, opponents in found.items() if opponents}

    def difference(self, reference: str, opponents: str = "trained") -> Interval:
        """The mean payoff minus a reference's, paired by start.

        It is over all "trained" or all "held_out" opponents, or against a single one; or over
        the "trained" ones on "unseen" maps.
        """
        if opponents == "unseen" and self.unseen is not None:
            return self.unseen.difference(reference)
        names = self._groups.get(opponents, (opponents,))
        pair = self.against(*names), self.reference(reference, *names)
        ours, theirs = (one.by_start(self.payoff.column) for one in pair)
        return paired_difference(ours, theirs, limit=largest_payoff(self.references.config))

    @property
    def differences(self) -> dict[str, dict[str, Interval]]:
        """The `difference` from each reference, over each of the groups of `means`."""
        return {
            name: {group: self.difference(name, group) for group in self.means}
            for name in self.task.references
        }

    @cached_property
    def means(self) -> dict[str, Interval]:
        """The mean payoff over the "trained" and "held_out" opponents, and on "unseen" maps."""
        found = {name: self.against(*some).mean_payoff for name, some in self._groups.items()}
        return found | ({} if self.unseen is None else {"unseen": self.unseen.means["trained"]})

    @cached_property
    def generalization(self) -> Interval | None:
        """The growth of the mean payoff against held-out opponents, less a reference's."""
        return self._growth(self, self.task.held_out) if self.task.held_out else None

    @cached_property
    def map_generalization(self) -> Interval | None:
        """The growth of the mean payoff on unseen maps, less a reference's."""
        return None if self.unseen is None else self._growth(self.unseen, self.task.opponents)

    def _growth(self, other: Result, opponents: Sequence[str]) -> Interval:
        column, first = self.payoff.column, self.task.references[0]

        def values(result: Result, names: Sequence[str], reference: str) -> NDArray[Any]:
            own = result.reference(reference, *names) if reference else result.against(*names)
            return own.by_start(column)

        ours, theirs = (
            values(other, opponents, who) - values(self, self.task.opponents, who)
            for who in ("", first)
        )
        return paired_difference(np.atleast_2d(ours), np.atleast_2d(theirs))

    @property
    def notes(self) -> list[str]:
        """Reasons to doubt the intervals over the runs, such as a run that failed."""
        words, found = {"trained": "training", "held_out": "held-out"}, list[str]()
        for group, names in self._groups.items():
            payoffs = self.against(*names).by_start(self.payoff.column)
            if note := note_on_runs(payoffs, self.payoff.unit):
                found.append(f"against {words[group]} opponents, {note}")
        return found

    @property
    def departures(self) -> list[str]:
        """The differences from the protocol, in words."""
        seeds, runs = self.played.seeds, len(self.run_names)
        episodes, seed = len(seeds), seeds[0]
        is_changed = TASKS.get(self.task.name, self.task) != self.task
        found = {
            f"{episodes:,} episodes instead of {EPISODES:,}": episodes != EPISODES,
            f"starts from seed {seed}, not {held_out_seed()}": seed != held_out_seed(),
            "other opponents, references or keywords than the task's": is_changed,
            f"{runs} training runs instead of {RUNS} or more": 1 < runs < RUNS,
        }
        return [text for text, is_true in found.items() if is_true]

    def tables(self) -> tuple[Table, Table]:
        """Returns a table of the results by opponent, and one of the mean differences."""
        task, payoff = self.task, self.payoff
        rows = [
            (
                name,
                "held out" if found["held_out"] else "trained",
                f"{self.against(name).capture_rate:.1%}",
                f"{found[payoff.mean]:.2f}",
                f"{found['difference_from_reference']:+.2f}",
                f"{found['difference_from_best']:+.2f}",
                found["best_reference"],
            )
            for name, found in self._opponents.items()
        ]
        count, unit, first = self.played.runs, payoff.unit, task.references[0]
        over = "training runs and starts; the references are fixed policies"
        about = f"95% intervals over {over if count > 1 else 'starts'}."
        title = (
            f"{self.name} in {task.name} ({VERSION}), {len(self.played.seeds):,} episodes an "
            f"opponent, {f'{count} training runs' if count > 1 else 'one policy'}"
        )
        if self.departures:
            title += "; not by the protocol: " + ", ".join(self.departures)
        means = [f"{mean:.2f} {unit}" for mean in self.means.values()]
        caption = f"Mean {payoff.words} {means[0]} against training opponents"
        if task.held_out:
            caption += (
                f", {means[1]} against held-out opponents: a change of "
                f"{self.generalization:+.2f} {unit} relative to {first}'s change"
            )
        if self.unseen is not None:
            caption += (
                f", {means[-1]} on {len(self.unseen.played.config.map):,} unseen maps: a "
                f"change of {self.map_generalization:+.2f} {unit} relative to {first}'s change"
            )
        notes = "".join(f" Note: {note}." for note in self.notes)
        header = (
            *("opponent", "set", "captured", f"{payoff.column} [{unit}]"),
            *(f"minus {first}'s [{unit}]", f"minus the best's [{unit}]", "best reference"),
        )
        caption += f". {about}{notes} SHA-256 of the episodes: {self.digest[:16]}."
        table = Table(title, header, rows, caption)
        summary = Table(
            f"Mean {payoff.words} of {self.name}, averaged over the opponents, in "
            f"{payoff.unit_name}",
            ("", *(_GROUPS[name] for name in self.means)),
            [
                (f"minus {name}'s", *(f"{one:+.2f}" for one in found.values()))
                for name, found in self.differences.items()
            ],
            about,
        )
        return table if payoff is CAPTURE_TIME else table.without("captured"), summary

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers, for JSON."""
        numbers = {
            "version": steer_env.__version__,
            "protocol": VERSION,
            "task": self.task.name,
            "policy": self.name,
            "runs": len(self.run_names),
            "policies": self.run_names,
            "episodes": len(self.played.seeds),
            "first_seed": int(self.played.seeds[0]),
            self.payoff.mean: dict.fromkeys(("trained", "held_out")) | self.means,
            "generalization": self.generalization,
            **({"map_generalization": self.map_generalization} if self.unseen else {}),
            "differences": self.differences,
            "departures": self.departures,
            "episodes_sha256": self.digest,
            "notes": self.notes,
            "opponents": self._opponents,
        }
        return {**jsonable(numbers)}

    @cached_property
    def _opponents(self) -> dict[str, dict[str, Any]]:
        """The numbers of each opponent: with captures in games about capture times."""
        names, mean = self.task.references, self.payoff.mean
        columns = {mean: self.payoff.column}
        if self.payoff is CAPTURE_TIME:
            columns = {"capture_rate": "captured", **columns}
        choose = min if self.task.side == Side.PURSUER.name else max
        numbers = dict[str, dict[str, Any]]()
        for opponent in self.played.names(self._other):
            found = self.against(opponent)
            runs = [
                {name: float(run[column].mean()) for name, column in columns.items()}
                for run in found.by("run").values()
            ]
            references = {x: float(self.reference(x, opponent).payoffs.mean()) for x in names}
            best = choose(names, key=references.__getitem__)
            rate = {"capture_rate": found.capture_rate} if len(columns) > 1 else {}
            numbers[opponent] = {
                "held_out": opponent in self.task.held_out,
                **rate,
                mean: float(np.mean([run[mean] for run in runs])),
                "of_runs": runs,
                "difference_from_reference": self.difference(names[0], opponent),
                "best_reference": best,
                "difference_from_best": self.difference(best, opponent),
                "references": references,
            }
        return numbers

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the outcomes of all episodes of the policy, equal for equal bits."""
        found = hashlib.sha256()
        for run in self.played.by(self._other, "run").values():
            for outcome in (run["seed"], run["captured"], run.payoffs):
                found.update(outcome.astype(outcome.dtype.newbyteorder("<")).tobytes())
        return found.hexdigest()


def benchmark(
    policies: AnyPlayer | Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    task: str | Task,
    episodes: int = EPISODES,
    seed: int = held_out_seed(),
    progress: Callable[[int, int], Any] | None = None,
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
    games = [(task, task.config)]
    if (unseen := task.unseen) is not None:
        games.append((replace(task, held_out=()), unseen))
    rows = len(players) + len(task.references)
    pairs, done = rows * sum(len(one.all_opponents) for one, _ in games), count(1)

    def report(*_: int) -> None:
        if progress is not None:
            progress(next(done), pairs)

    results = [_measured(one, game, players, episodes, seed, report) for one, game in games]
    return replace(results[0], unseen=results[1] if len(results) > 1 else None)


def _measured(
    task: Task,
    game: Game,
    players: list[tuple[str, AnyPlayer]],
    episodes: int,
    seed: int,
    progress: Callable[[int, int], Any],
) -> Result:
    everyone = [*players, *named(task.references)]
    side = Side.named(task.side)
    pairs = [side.ordered(one, x) for x, (_, one) in product(task.all_opponents, everyone)]
    evaluations = play_all(pairs, game, episodes, seed, progress)
    played, references = list[Episodes](), list[Episodes]()
    for opponent in task.all_opponents:
        found, evaluations = evaluations[: len(everyone)], evaluations[len(everyone) :]
        check_same_games(found, opponent)
        found = [one.renamed(**{task.side: name}) for one, (name, _) in zip(found, everyone)]
        played.append(Episodes.joined(found[: len(players)], range(len(players))))
        references += found[len(players) :]
    return Result(task, Episodes.joined(played), Episodes.joined(references))
