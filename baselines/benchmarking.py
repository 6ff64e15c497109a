"""Measures policies in the scenarios of the benchmark protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steer_env
from baselines.comparison import Comparison, compare
from baselines.evaluation import Evaluation
from baselines.players import Player, name_of
from baselines.protocol import EPISODES, HELD_OUT_SEED, RUNS, SCENARIOS, VERSION, Scenario
from baselines.statistics import Interval, mean_with_interval
from baselines.tables import Table, percent, plain_text
from baselines.training_runs import difference_of_runs, mean_of_runs, rate_of_runs
from steer_env.errors import InvalidValue, check_choice


@dataclass(frozen=True, eq=False)
class Result:
    """A policy, or the policies of several training runs, measured in a scenario.

    Attributes:
        scenario: which.
        runs: opponent's name to one evaluation for each training run.
        references: opponent's name to one evaluation for each hand-written reference.
    """

    scenario: Scenario
    runs: dict[str, list[Evaluation]]
    references: dict[str, list[Evaluation]]

    @property
    def name(self) -> str:
        """Of the policy; of several, the first and how many more."""
        names = list(dict.fromkeys(self.run_names))
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def run_names(self) -> list[str]:
        """The name of each run's policy."""
        runs = self.runs[self.scenario.opponents[0]]
        return [str(getattr(run, self.scenario.side)) for run in runs]

    def comparison(self, opponent: str, reference: str | None = None) -> Comparison:
        """The policy against a reference, with the same opponent and starts.

        Args:
            opponent: of the scenario.
            reference: of the scenario; None for the first.

        Raises:
            ValueError: if the scenario has no such opponent or reference.
        """
        check_choice("opponent", opponent, self.runs)
        names = self.scenario.references
        reference = names[0] if reference is None else reference
        check_choice("reference", reference, names)
        ours, theirs = self.runs[opponent], self.references[opponent]
        return compare(
            ours[0] if len(ours) == 1 else ours,
            theirs[names.index(reference)],
            self.scenario.side,
        )

    def best_reference(self, opponent: str) -> str:
        """The reference that does best against an opponent, by its mean capture time."""
        times = [found["time"].mean() for found in self.references[opponent]]
        best = np.argmin(times) if self.scenario.side == "pursuer" else np.argmax(times)
        return self.scenario.references[best]

    @cached_property
    def trained(self) -> Interval:
        """Mean capture time in seconds over the opponents that may be trained against."""
        return self._mean_time(self.scenario.opponents)

    @cached_property
    def held_out(self) -> Interval | None:
        """Mean capture time in seconds over the opponents that must not be, if any."""
        return self._mean_time(self.scenario.held_out) if self.scenario.held_out else None

    @cached_property
    def generalization(self) -> Interval | None:
        """What held-out opponents, if any, add to the mean capture time, in seconds.

        It is less what they add to the first reference's, for some opponents are harder than
        others for everybody.
        """
        if not self.scenario.held_out:
            return None
        first = {name: [found[0]] for name, found in self.references.items()}
        gaps = [
            self._times(runs, self.scenario.held_out)
            - self._times(runs, self.scenario.opponents)
            for runs in (self.runs, first)
        ]
        return difference_of_runs(gaps[0], gaps[1])

    def _times(
        self, runs: Mapping[str, Sequence[Evaluation]], opponents: Sequence[str]
    ) -> NDArray[np.float64]:
        """(runs, episodes): mean capture time over the opponents, of every start."""
        times = [[run["time"] for run in runs[name]] for name in opponents]
        return np.mean(np.array(times, np.float64), axis=0)

    def _mean_time(self, opponents: Sequence[str]) -> Interval:
        times = self._times(self.runs, opponents)
        if len(times) == 1:
            return mean_with_interval(times[0])
        return mean_of_runs(times).clipped(0.0, self.runs[opponents[0]][0].time_limit)

    def _capture_rate(self, opponent: str) -> Interval:
        runs = self.runs[opponent]
        if len(runs) == 1:
            return runs[0].capture_rate
        return rate_of_runs(np.array([run["captured"] for run in runs]))

    @property
    def departures(self) -> list[str]:
        """In what the measurement is not by the protocol."""
        evaluation = self.runs[self.scenario.opponents[0]][0]
        found = []
        if len(evaluation) != EPISODES:
            found.append(f"{len(evaluation):,} episodes instead of {EPISODES:,}")
        if evaluation["seed"][0] != HELD_OUT_SEED:
            found.append(f"starts from seed {evaluation['seed'][0]}, not {HELD_OUT_SEED}")
        if 1 < len(self.run_names) < RUNS:
            found.append(f"{len(self.run_names)} training runs instead of {RUNS} or more")
        return found

    def table(self) -> Table:
        """Capture rate and time against each opponent, beside the references."""
        scenario, rows = self.scenario, []
        for name in (*scenario.opponents, *scenario.held_out):
            best = self.best_reference(name)
            times = np.mean([run["time"].mean() for run in self.runs[name]])
            rows.append(
                (
                    name,
                    "held out" if name in scenario.held_out else "trained",
                    percent(self._capture_rate(name)),
                    f"{times:.2f}",
                    f"{self.comparison(name).capture_time:+.2f}",
                    f"{self.comparison(name, best).capture_time:+.2f}",
                    best,
                )
            )
        runs = len(self.run_names)
        by_protocol = "; not by the protocol: " + ", ".join(self.departures)
        return Table(
            f"{self.name} in {scenario.name} ({VERSION}), "
            f"{len(self.runs[scenario.opponents[0]][0]):,} episodes an opponent, "
            + (f"{runs} training runs" if runs > 1 else "one policy")
            + (by_protocol if self.departures else ""),
            (
                "opponent",
                "set",
                "captured",
                "time [s]",
                f"less {scenario.references[0]}'s [s]",
                "less the best's [s]",
                "best reference",
            ),
            rows,
            self._caption,
        )

    @property
    def _caption(self) -> str:
        text = f"Mean capture time {self.trained:.2f} s against opponents to train with"
        if self.scenario.held_out:
            text += (
                f", {self.held_out:.2f} s against those held out. From the one to the other "
                f"it changes by {self.generalization:+.2f} s more than "
                f"{self.scenario.references[0]}'s"
            )
        units = "training runs and starts" if len(self.run_names) > 1 else "starts"
        return f"{text}. 95 % intervals over {units}."

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "version": steer_env.__version__,
            "protocol": VERSION,
            "scenario": self.scenario.name,
            "policy": self.name,
            "runs": len(self.run_names),
            "policies": self.run_names,
            "episodes": len(self.runs[self.scenario.opponents[0]][0]),
            "first_seed": int(self.runs[self.scenario.opponents[0]][0]["seed"][0]),
            "mean_capture_time": {
                "trained": self.trained._asdict(),
                "held_out": None if self.held_out is None else self.held_out._asdict(),
            },
            "generalization": (
                None if self.generalization is None else self.generalization._asdict()
            ),
            "departures": self.departures,
            "opponents": {
                name: {
                    "held_out": name in self.scenario.held_out,
                    "capture_rate": self._capture_rate(name)._asdict(),
                    "mean_capture_time": float(np.mean([run["time"].mean() for run in runs])),
                    "of_runs": [
                        {
                            "capture_rate": float(run["captured"].mean()),
                            "mean_capture_time": float(run["time"].mean()),
                        }
                        for run in runs
                    ],
                    "difference_from_reference": self.comparison(name).capture_time._asdict(),
                    "best_reference": self.best_reference(name),
                    "difference_from_best": self.comparison(
                        name, self.best_reference(name)
                    ).capture_time._asdict(),
                    "references": {
                        str(getattr(found, self.scenario.side)): float(found["time"].mean())
                        for found in self.references[name]
                    },
                }
                for name, runs in self.runs.items()
            },
        }

    def __str__(self) -> str:
        """The table."""
        return plain_text(self.table())


def benchmark(
    policies: Player | Sequence[Player] | Mapping[str, Player],
    scenario: str | Scenario,
    episodes: int = EPISODES,
    seed: int = HELD_OUT_SEED,
    progress: Callable[[int, int], Any] | None = None,
) -> Result:
    """Measures a policy in a scenario of the protocol, beside the hand-written references.

    Args:
        policies: one policy (see `evaluate`), or a list with one of each training run, or a
            mapping that names them. With several, the intervals allow for the luck of the runs
            as well as for that of the starts.
        scenario: a name in `SCENARIOS`.
        episodes: against each opponent; a report of this protocol uses the default.
        seed: of the first start; likewise.
        progress: called after each evaluation with how many are done, and of how many.

    Raises:
        ValueError: if there is no such scenario (it names the nearest), or no policy.
        TypeError, ValueError: as `evaluate`.
    """
    if not isinstance(scenario, Scenario):
        check_choice("scenario", scenario, SCENARIOS)
        scenario = SCENARIOS[scenario]
    players = _named(policies)
    if not players:
        raise InvalidValue("nothing to measure: an empty list of policies")
    opponents = (*scenario.opponents, *scenario.held_out)
    groups = (players, _named(scenario.references))
    total, done = len(opponents) * sum(map(len, groups)), 0
    found: tuple[dict[str, list[Evaluation]], ...] = ({}, {})
    for opponent in opponents:
        for group, results in zip(groups, found):
            results[opponent] = []
            for name, player in group:
                evaluation = scenario.evaluate(player, opponent, episodes, seed)
                if scenario.side == "pursuer":
                    results[opponent].append(replace(evaluation, pursuer=name))
                else:
                    results[opponent].append(replace(evaluation, evader=name))
                done += 1
                if progress is not None:
                    progress(done, total)
    return Result(scenario, *found)


def _named(policies: Player | Sequence[Player] | Mapping[str, Player]) -> list[tuple[str, Any]]:
    if isinstance(policies, Mapping):
        return list(policies.items())
    several = isinstance(policies, Sequence) and not isinstance(policies, str)
    players: list[Any] = list(policies) if several else [policies]  # type: ignore[arg-type]
    return [(name_of(player), player) for player in players]
