"""Every pursuer against every evader: pairs, rankings and the equilibrium."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

import steer_env
from baselines.evaluation import Evaluation
from baselines.matches import Match, Workers, play_all
from baselines.payoffs import Payoff, largest_payoff, payoff_of
from baselines.rollouts import named
from baselines.statistics import (
    Interval,
    check_confidence,
    jsonable,
    mean_with_interval,
    score_interval,
)
from baselines.tables import Table, Tabled, crossplay_tables, write_csv
from steer_env.errors import InvalidType, InvalidValue, check_choice, check_path, shown
from steer_env.game.config import AnyGame, GameConfig
from steer_env.players import Player
from steer_env.sides import Side

_SUPPORT = 1e-6  # smaller shares in a mixture are rounding errors


class Rank(NamedTuple):
    """A policy in the ranking of its side."""

    name: str
    capture_rate: Interval  # mean over all opponents
    payoff: Interval  # mean over all opponents: the capture time in seconds, or the distance


class Equilibrium(NamedTuple):
    """Mixtures of policies from which neither side can gain by changing its own."""

    pursuers: dict[str, float]  # the probability of each policy that is drawn at all
    evaders: dict[str, float]  # likewise
    value: Interval  # the mean payoff that both sides can force, in seconds or in meters


@dataclass(frozen=True, eq=False)
class CrossPlay(Tabled):
    """Episodes of every pursuer against every evader, all from the same starts.

    Attributes:
        pursuers: P names.
        evaders: E names.
        config: the game.
        episodes: (P, E, N) records of `EPISODE`.
    """

    pursuers: tuple[str, ...]
    evaders: tuple[str, ...]
    config: GameConfig
    episodes: NDArray[np.void]

    def __getitem__(self, pair: tuple[str, str]) -> Evaluation:
        """Returns the evaluation of a pair of names (pursuer, evader).

        Raises:
            TypeError: for anything but a pair.
            ValueError: for a name that did not play; the message has the nearest match.
        """
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidType(f"ask for a pair of names, [pursuer, evader], got {shown(pair)}")
        check_choice("pursuer", pair[0], self.pursuers)
        check_choice("evader", pair[1], self.evaders)
        row, column = self.pursuers.index(pair[0]), self.evaders.index(pair[1])
        return Evaluation(*pair, self.config, self.episodes[row, column])

    @property
    def time_limit(self) -> float:
        """The longest that an episode can last, in seconds."""
        return self.config.horizon * self.config.dt

    @property
    def payoff(self) -> Payoff:
        """What the two sides fight over; see `Evaluation.payoff`."""
        return payoff_of(self.config.payoff)

    @property
    def mean_payoffs(self) -> NDArray[np.float64]:
        """(P, E): the mean capture times in seconds, or the mean distances in meters."""
        return self.episodes[self.payoff.column].mean(axis=-1)

    @property
    def mean_capture_times(self) -> NDArray[np.float64]:
        """(P, E), in seconds, time-outs at the limit."""
        return self.episodes["time"].mean(axis=-1)

    @property
    def capture_rates(self) -> NDArray[np.float64]:
        """(P, E), from 0 to 1."""
        return self.episodes["captured"].mean(axis=-1)

    def ranking(self, side: str) -> list[Rank]:
        """Ranks a side's policies by mean payoff over all opponents, best first.

        Args:
            side: "pursuer" (the best has the least, such as the soonest capture) or "evader"
                (the largest).
        """
        ranked = Side.named(side)
        names = (self.pursuers, self.evaders)[ranked]
        episodes = self.episodes.swapaxes(0, ranked)  # (policies, opponents, N)
        limit = largest_payoff(self.config)
        ranks = [
            # A start's mean over the opponents is one value: only starts are independent.
            Rank(
                name,
                mean_with_interval(rows["captured"].mean(axis=0), limit=1.0),
                mean_with_interval(rows[self.payoff.column].mean(axis=0), limit=limit),
            )
            for name, rows in zip(names, episodes)
        ]
        ranks.sort(key=lambda rank: rank.payoff.estimate, reverse=ranked == Side.EVADER)
        return ranks

    @cached_property
    def equilibrium(self) -> Equilibrium:
        """The equilibrium of the empirical game, in which pursuers pay the mean payoff.

        It is computed by linear programming (von Neumann). The estimate of the value is biased:
        of evaders that are about equally good it picks those that were lucky in these starts,
        and so it does of pursuers. The bootstrap repeats that bias: with ten equal evaders, one
        pursuer and 200 starts, its 95 % interval holds the value 1 to 53 % of the time.

        So the interval goes from the value of the game of all pairs' lower ends to the value of
        that of all upper ends. Against the evaders' true mixture, no pursuer does better than
        the value; that all upper ends are high enough has to hold for P pursuers at once, and
        for the lower ends for E evaders (Bonferroni). It holds the value at least 95 % of the
        time, in most games more than 99 %, and is 1.1 to 1.5 times as long as that of one pair.
        """
        pursuers, evaders, _ = solve_matrix_game(self.mean_payoffs)
        mixtures = _support(self.pursuers, pursuers), _support(self.evaders, evaders)
        return Equilibrium(*mixtures, self.value())

    def value(self, confidence: float = 0.95) -> Interval:
        """The value of `equilibrium`, with an interval of at least that confidence.

        Raises:
            ValueError: for a confidence outside (0, 1).
        """
        confidence = check_confidence(confidence)
        value = solve_matrix_game(self.mean_payoffs)[2]
        counts = len(self.evaders), len(self.pursuers)
        low, high = (
            solve_matrix_game(self._ends(1.0 - (1.0 - confidence) / count)[end])[2]
            for end, count in enumerate(counts)
        )
        return Interval(value, min(low, value), max(high, value))  # equal but for rounding

    def among(self, pursuers: Sequence[str], evaders: Sequence[str]) -> CrossPlay:
        """Returns the episodes of some of the players alone, in the order of their names.

        Raises:
            ValueError: for a name that did not play; the message has the nearest match.
        """
        places: list[list[int]] = []
        for side, given in zip(Side, (pursuers, evaders)):
            names = (self.pursuers, self.evaders)[side]
            for name in given:
                check_choice(side.name, name, names)
            places.append([names.index(name) for name in given])
        chosen = self.episodes[np.ix_(*places)]
        return CrossPlay(tuple(pursuers), tuple(evaders), self.config, chosen)

    def _ends(self, confidence: float) -> NDArray[np.float64]:
        """Returns the ends of the mean payoffs' intervals, (2, P, E)."""
        pairs = self.episodes[self.payoff.column].reshape(-1, self.episodes.shape[-1])
        limit = largest_payoff(self.config)
        ends = _ends_of_means(pairs, limit, confidence)
        return ends.reshape(2, len(self.pursuers), len(self.evaders))

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the episodes, for JSON."""
        return copy.deepcopy(self._numbers)

    @cached_property
    def _numbers(self) -> dict[str, Any]:
        # Kept, since it takes hundreds of bootstraps, and every kind of file is made from it.
        payoff = self.payoff
        return {
            "version": steer_env.__version__,
            "episodes": self.episodes.shape[-1],
            "first_seed": int(self.episodes["seed"].flat[0]),
            "config": asdict(self.config),
            "pursuers": list(self.pursuers),
            "evaders": list(self.evaders),
            "capture_rate": self._table("capture_rate"),
            payoff.mean: self._table("mean_payoff"),
            "ranking": {
                side.name: [
                    jsonable(
                        {
                            "name": rank.name,
                            "capture_rate": rank.capture_rate,
                            payoff.name: rank.payoff,
                        }
                    )
                    for rank in self.ranking(side.name)
                ]
                for side in Side
            },
            "equilibrium": {
                "pursuers": self.equilibrium.pursuers,
                "evaders": self.equilibrium.evaders,
                payoff.mean: self.equilibrium.value._asdict(),
            },
        }

    def _table(self, metric: str) -> dict[str, dict[str, Any]]:
        return {
            pursuer: {e: getattr(self[pursuer, e], metric)._asdict() for e in self.evaders}
            for pursuer in self.pursuers
        }

    def save(self, path: str | Path) -> None:
        """Writes a .csv with a line for each pair: names, capture rate, payoff, intervals."""
        rates, payoffs = self._numbers["capture_rate"], self._numbers[self.payoff.mean]
        rows = [
            (p, e, self.episodes.shape[-1], *rates[p][e].values(), *payoffs[p][e].values())
            for p in self.pursuers
            for e in self.evaders
        ]
        names = ("capture_rate", self.payoff.name)
        columns = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
        write_csv(check_path("path", path), ("pursuer", "evader", "episodes", *columns), rows)

    def table(self) -> Table:
        """Returns the table of all pairs."""
        return self.tables()[0]

    def tables(self) -> Sequence[Table]:
        """Returns the tables of the pairs, and of both rankings with the equilibrium."""
        return crossplay_tables(self.to_dict())


def crossplay(
    pursuers: Sequence[Player] | Mapping[str, Player],
    evaders: Sequence[Player] | Mapping[str, Player],
    config: AnyGame = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], Any] | None = None,
    workers: Workers | None = None,
    keep: str | Path | None = None,
) -> CrossPlay:
    """Plays every pursuer against every evader, all from the same starts.

    Args:
        pursuers: see `evaluate`; the keys of a mapping are their names.
        evaders: likewise.
        config: see `evaluate`.
        episodes: of each pair.
        seed: of the first episode.
        progress: called after each pair with the number of pairs done, and of all pairs.
        workers: that play the pairs, such as `baselines.ray_workers.RayWorkers`; None to play
            them here. The results are the same, to the last bit.
        keep: a folder for what is played, from which a call after a crash goes on; see
            `baselines.matches.play_all`.

    Raises:
        TypeError: if a side is neither a list nor a mapping; or as `evaluate`.
        ValueError: if a side is empty, or two of its players have the same name; or as
            `evaluate`.
        FaultyBehavior: as `evaluate`.
    """
    chasers, chased = _named("pursuers", pursuers), _named("evaders", evaders)
    matches = [
        Match.of(pursuer, evader, config, episodes, seed)
        for pursuer, evader in product(chasers.values(), chased.values())
    ]
    folder = None if keep is None else check_path("keep", keep)
    found = play_all(matches, workers, folder, progress)
    pairs = np.array([pair.episodes for pair in found])
    table = pairs.reshape(len(chasers), len(chased), episodes)
    # Policies may bring observations of their own, which make no other game.
    config = matches[0].config.as_evaluated()
    return CrossPlay(tuple(chasers), tuple(chased), config, table)


def _named(what: str, players: Sequence[Player] | Mapping[str, Player]) -> dict[str, Player]:
    if isinstance(players, str) or not isinstance(players, Sequence | Mapping):
        raise InvalidType(
            f"{what} must be a list of policies, or a mapping from names to policies, got "
            f"{shown(players)}"
        )
    pairs = named(players)
    names = [name for name, _ in pairs]
    if not names or len(set(names)) < len(names):
        raise InvalidValue(
            f"{what} must be at least one, with different names, got {names}; a mapping from "
            "names to policies can give them different names"
        )
    return dict(pairs)


def solve_matrix_game(
    costs: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Solves a zero-sum game in which the row player pays.

    Args:
        costs: (rows, columns), finite.

    Returns:
        The probabilities of the rows, those of the columns, and the value.

    Raises:
        ValueError: if the costs are not a finite matrix.
    """
    costs = np.asarray(costs, np.float64)
    if costs.ndim != 2 or 0 in costs.shape or not np.isfinite(costs).all():
        raise InvalidValue(f"costs must be a finite matrix, got {shown(costs)}")
    rows, columns = costs.shape
    # The solver's tolerances are absolute, so the costs are scaled to 0 to 1.
    least, spread = float(costs.min()), float(np.ptp(costs)) or 1.0
    scaled = (costs - least) / spread
    # For the rows: the least v with costs^T x <= v. The dual solution is the columns' mixture.
    found = optimize.linprog(
        np.append(np.zeros(rows), 1.0),
        A_ub=np.hstack([scaled.T, -np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0.0, None)] * rows + [(None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not found.success:
        raise ArithmeticError(f"the game could not be solved: {found.message}")
    mixtures = np.maximum(found.x[:rows], 0.0), np.maximum(-found.ineqlin.marginals, 0.0)
    row_mixture, column_mixture = (mixture / mixture.sum() for mixture in mixtures)
    return row_mixture, column_mixture, least + spread * float(found.fun)


def _ends_of_means(
    rows: NDArray[np.float64], limit: float | None, confidence: float
) -> NDArray[np.float64]:
    """Returns the ends of each row's mean, (2, rows): Student's, or those for rare events.

    They are the wider ones; without a limit rare events have no interval of their own.
    """
    means = rows.mean(axis=1)
    student = stats.t.ppf(0.5 + confidence / 2.0, rows.shape[1] - 1)
    half = student * stats.sem(rows, axis=1)
    ends = np.array([means - half, means + half])
    if limit is None:
        return ends
    rare = [score_interval(row, limit, confidence) for row in rows]
    lows, highs = np.array([(one.low, one.high) for one in rare]).T
    return np.array([np.minimum(lows, ends[0]), np.maximum(highs, ends[1])])


def _support(names: Sequence[str], mixture: NDArray[np.float64]) -> dict[str, float]:
    drawn = [(name, float(share)) for name, share in zip(names, mixture) if share > _SUPPORT]
    return dict(sorted(drawn, key=lambda pair: -pair[1]))
