"""The benchmark protocol, version v0: named scenarios, and how a policy is measured in them.

PROTOCOL.md beside this file is the same on one page, for people.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

import steer_env
from baselines.comparison import Comparison, clipped, compare
from baselines.evaluate import Player, evaluate, name_of
from baselines.evaluation import Evaluation
from baselines.statistics import Interval, mean_of_runs, mean_with_interval
from baselines.tables import Table, percent, plain_text
from steer_env.envs.keywords import game_config
from steer_env.errors import check_choice
from steer_env.game.config import GameConfig

VERSION = "v0"
EPISODES = 2500
"""Against each opponent: finds a difference of 5 % in capture time in 95 of 100 studies."""

HELD_OUT_SEED = 1_000_000
"""The first seed of the starts that measure. Training uses seeds below it."""

RUNS = 5
"""Training runs, of different seeds, that a learned result is made of; at least."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A fixed game to train in, and to be measured in.

    Attributes:
        name: "side/arena".
        environment: id to train in.
        side: the learner's, "pursuer" or "evader".
        keywords: of the environment, besides the opponent.
        opponents: that may be trained against, drawn with equal chances.
        held_out: opponents that must not be trained against.
        references: hand-written policies of the same side; the first is compared with.
    """

    name: str
    environment: str
    side: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    opponents: tuple[str, ...]
    held_out: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def config(self) -> GameConfig:
        """The game."""
        return game_config(**self.keywords)

    @property
    def make_keywords(self) -> dict[str, Any]:
        """All keywords for ``gym.make_vec(scenario.environment, ...)`` to train in it."""
        keywords = copy.deepcopy(dict(self.keywords))  # for the caller to change at will
        return {**keywords, "opponent": list(self.opponents)}

    def evaluate(
        self, policy: Player, opponent: str, episodes: int = EPISODES, seed: int = HELD_OUT_SEED
    ) -> Evaluation:
        """Plays a policy of the learner's side against an opponent."""
        if self.side == "pursuer":
            return evaluate(policy, opponent, self.config, episodes, seed)
        return evaluate(opponent, policy, self.config, episodes, seed)


_GAMES: dict[str, dict[str, Any]] = {
    "walls": {},
    "obstacles": {"obstacles": 6},
    "randomized": {
        "randomize": {
            "pursuer": {"max_speed": (3.6, 4.4), "max_force": (8.0, 16.0)},
            "evader": {"max_speed": (3.2, 4.0), "max_force": (8.0, 16.0)},
        }
    },
    "team": {"pursuers": 3, "evader": {"max_speed": 4.4}},
}
_EVADERS = {
    "walls": (("flee", "evade"), ("wander", "evade/intercept", "evade/threatened")),
    "obstacles": (("evade", "evade/among_obstacles"), ("wander", "evade/threatened", "hide")),
    "randomized": (("flee", "evade"), ("wander", "evade/intercept", "evade/threatened")),
    "team": (("flee", "evade"), ("wander", "evade/intercept", "evade/threatened")),
}
_PURSUERS = {
    "walls": (("seek", "pursuit"), ("pursuit/reynolds", "pursuit/intercept", "navigation")),
    "obstacles": (
        ("pursuit", "pursuit/among_obstacles"),
        ("seek", "pursuit/intercept", "navigation"),
    ),
    "randomized": (
        ("seek", "pursuit"),
        ("pursuit/reynolds", "pursuit/intercept", "navigation"),
    ),
    "team": (("pursuit", "pursuit/pack"), ("seek", "pursuit/intercept", "navigation")),
}
_REFERENCES = {
    "pursuer": {
        "walls": ("pursuit", "pursuit/intercept", "navigation", "pursuit/full_force"),
        "obstacles": ("pursuit/among_obstacles", "pursuit", "navigation"),
        "randomized": ("pursuit", "pursuit/intercept", "navigation", "pursuit/full_force"),
        "team": ("pursuit", "pursuit/pack", "pursuit/intercept", "navigation"),
    },
    "evader": {
        "walls": ("evade", "flee", "evade/intercept", "evade/threatened"),
        "obstacles": ("evade/among_obstacles", "evade", "hide"),
        "randomized": ("evade", "flee", "evade/intercept", "evade/threatened"),
        "team": ("evade", "flee", "evade/intercept", "evade/threatened"),
    },
}


def _scenarios() -> dict[str, Scenario]:
    found = {}
    for side, opponents in (("pursuer", _EVADERS), ("evader", _PURSUERS)):
        for game, keywords in _GAMES.items():
            name = f"{side}/{game}"
            found[name] = Scenario(
                name=name,
                environment="Pursuit-v0" if side == "pursuer" else "Evade-v0",
                side=side,
                keywords=copy.deepcopy(keywords),
                opponents=opponents[game][0],
                held_out=opponents[game][1],
                references=_REFERENCES[side][game],
            )
    return found


SCENARIOS: Mapping[str, Scenario] = MappingProxyType(_scenarios())
"""The scenarios of this version, by name. They never change: a new version gets new ones."""


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

    def comparison(self, opponent: str) -> Comparison:
        """The policy against the first reference, with the same opponent and starts.

        Raises:
            ValueError: if the scenario has no such opponent.
        """
        check_choice("opponent", opponent, self.runs)
        ours = self.runs[opponent]
        return compare(
            ours[0] if len(ours) == 1 else ours,
            self.references[opponent][0],
            self.scenario.side,
        )

    @cached_property
    def trained(self) -> Interval:
        """Mean capture time in seconds over the opponents that may be trained against."""
        return self._mean_time(self.scenario.opponents)

    @cached_property
    def held_out(self) -> Interval:
        """Mean capture time in seconds over the opponents that must not be."""
        return self._mean_time(self.scenario.held_out)

    def _mean_time(self, opponents: Sequence[str]) -> Interval:
        # (opponents, runs, episodes): the mean over opponents of each start, or of each run.
        times = np.array([[run["time"] for run in self.runs[name]] for name in opponents])
        if times.shape[1] > 1:
            limit = self.runs[opponents[0]][0].time_limit
            return clipped(mean_of_runs(times.mean(axis=(0, 2))), 0.0, limit)
        return mean_with_interval(times[:, 0].mean(axis=0))

    def table(self) -> Table:
        """Capture rate and time against each opponent, beside the references."""
        scenario, rows = self.scenario, []
        for name in (*scenario.opponents, *scenario.held_out):
            rates = [run["captured"].mean() for run in self.runs[name]]
            alone = self.runs[name][0].capture_rate
            rate = clipped(mean_of_runs(rates), 0.0, 1.0) if len(rates) > 1 else alone
            comparison = self.comparison(name)
            times = np.mean([run["time"].mean() for run in self.runs[name]])
            rows.append(
                (
                    name,
                    "held out" if name in scenario.held_out else "trained",
                    percent(rate),
                    f"{times:.2f}",
                    f"{comparison.capture_time:+.2f}",
                    *(f"{found['time'].mean():.2f}" for found in self.references[name]),
                )
            )
        runs = len(self.run_names)
        return Table(
            f"{self.name} in {scenario.name} ({VERSION}), "
            f"{len(self.runs[scenario.opponents[0]][0]):,} episodes an opponent, "
            + (f"{runs} training runs" if runs > 1 else "one policy"),
            (
                "opponent",
                "set",
                "captured",
                "time [s]",
                "difference [s]",
                *scenario.references,
            ),
            rows,
            f"Mean capture time {self.trained:.2f} s against opponents to train with, "
            f"{self.held_out:.2f} s against those held out. The difference is from "
            f"{scenario.references[0]}; each hand-written policy has a column with its mean "
            "capture time in seconds. 95 % intervals over "
            + ("training runs." if runs > 1 else "episodes."),
        )

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
                "held_out": self.held_out._asdict(),
            },
            "opponents": {
                name: {
                    "held_out": name in self.scenario.held_out,
                    "capture_rate": float(np.mean([run["captured"].mean() for run in runs])),
                    "mean_capture_time": float(np.mean([run["time"].mean() for run in runs])),
                    "of_runs": [
                        {
                            "capture_rate": float(run["captured"].mean()),
                            "mean_capture_time": float(run["time"].mean()),
                        }
                        for run in runs
                    ],
                    "difference_from_reference": self.comparison(name).capture_time._asdict(),
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
            mapping that names them. With several, the run is the unit of every interval.
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
        raise ValueError("nothing to measure: an empty list of policies")
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
