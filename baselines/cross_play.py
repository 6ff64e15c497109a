"""Plays every pursuer against every evader: pairs, rankings, equilibrium and tables."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.baselines.evaluation import (
    Evaluation,
    GameResult,
    Payoff,
    fields_of_game,
    largest_payoff,
    payoff_of,
)
from steer_env.baselines.evaluation_jobs import EvaluationJob, Workers, play_all
from steer_env.baselines.paired import paired_difference
from steer_env.baselines.rollouts import named
from steer_env.baselines.statistics import (
    Interval,
    check_confidence,
    jsonable,
    mean_with_interval,
    score_interval,
    stats,
)
from steer_env.baselines.tables import Table, write_csv
from steer_env.errors import InvalidType, InvalidValue, check_choice, check_path, shown
from steer_env.game.config import AnyGame, Game
from steer_env.players.player import AnyPlayer
from steer_env.sides import Side

_SUPPORT = 1e-6  # smaller shares in a mixture are rounding errors


class Rank(NamedTuple):
    """A policy in the ranking of its side."""

    name: str
    capture_rate: Interval  # mean over all opponents
    payoff: Interval  # mean over all opponents: the capture time in seconds, or the distance
    behind: Interval  # by how much its payoff is worse than the first's, from the same starts


class Equilibrium(NamedTuple):
    """Mixtures of policies from which neither side can gain by changing its own."""

    pursuers: dict[str, float]  # the probability of each policy that is drawn at all
    evaders: dict[str, float]
    value: Interval  # the mean payoff that both sides can force, in seconds or in meters


@dataclass(frozen=True, eq=False)
class CrossPlay(GameResult):
    """Records of `EPISODE`, (P, E, N), of P pursuers against E evaders from the same starts."""

    pursuers: tuple[str, ...]
    evaders: tuple[str, ...]
    config: Game
    episodes: NDArray[np.void]

    def __getitem__(self, pair: tuple[str, str]) -> Evaluation:
        """Returns the evaluation of a pair of names (pursuer, evader)."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidType(f"ask for a pair of names, [pursuer, evader], got {shown(pair)}")
        place = tuple(map(self._place, Side, pair))
        return Evaluation(*pair, self.config, self.episodes[place])

    @property
    def mean_payoffs(self) -> NDArray[np.float64]:
        """(P, E): the mean capture times in seconds, or the mean distances in meters."""
        return self.episodes[self.payoff.column].mean(axis=-1)

    def ranking(self, side: str) -> list[Rank]:
        """Ranks a side's policies by mean payoff over all opponents, best first.

        `Rank.behind` has Bonferroni's correction: with 95% confidence the best of all is among
        those that it does not show to be worse.
        """
        ranked = Side.named(side)
        names = (self.pursuers, self.evaders)[ranked]
        episodes = self.episodes.swapaxes(0, ranked)  # (policies, opponents, N)
        limit = largest_payoff(self.config)
        # A start's mean over the opponents is one value: only starts are independent.
        captured = episodes["captured"].mean(axis=1)
        payoffs = episodes[self.payoff.column].mean(axis=1)
        losses = -payoffs if ranked == Side.EVADER else payoffs
        order = np.argsort(losses.mean(axis=1), kind="stable")
        confidence = 1.0 - 0.05 / max(1, len(names) - 1)
        return [
            Rank(
                names[place],
                mean_with_interval(captured[place], limit=1.0),
                mean_with_interval(payoffs[place], limit=limit),
                paired_difference(losses[place], losses[order[0]], confidence, limit=limit),
            )
            for place in order
        ]

    @cached_property
    def equilibrium(self) -> Equilibrium:
        """The equilibrium of the empirical game, in which pursuers pay the mean payoff.

        It picks players that were lucky in these starts, so the estimate of the value is
        biased. The interval goes from the value of the game of all pairs' lower ends to that of
        all upper ends, with Bonferroni's correction for the P pursuers and the E evaders: it
        holds the value at least 95% of the time.
        """
        pursuers, evaders, _ = solve_matrix_game(self.mean_payoffs)
        mixtures = _support(self.pursuers, pursuers), _support(self.evaders, evaders)
        return Equilibrium(*mixtures, self.value())

    def value(self, confidence: float = 0.95) -> Interval:
        """The value of `equilibrium`, with an interval of at least that confidence."""
        confidence = check_confidence(confidence)
        value = solve_matrix_game(self.mean_payoffs)[2]
        low, high = (
            solve_matrix_game(self._ends(1.0 - (1.0 - confidence) / len(names))[end])[2]
            for end, names in enumerate((self.evaders, self.pursuers))
        )
        return Interval(value, min(low, value), max(high, value))  # equal but for rounding

    def among(self, pursuers: Sequence[str], evaders: Sequence[str]) -> CrossPlay:
        """Returns the episodes of some of the players alone, in the order of their names."""
        rows = [self._place(Side.PURSUER, name) for name in pursuers]
        columns = [self._place(Side.EVADER, name) for name in evaders]
        chosen = self.episodes[np.ix_(rows, columns)]
        return CrossPlay(tuple(pursuers), tuple(evaders), self.config, chosen)

    def _place(self, side: Side, name: str) -> int:
        names = (self.pursuers, self.evaders)[side]
        check_choice(side.name, name, names)
        return names.index(name)

    def _ends(self, confidence: float) -> NDArray[np.float64]:
        """The wider ends of Student's interval and of `score_interval`, (2, P, E)."""
        payoffs, means = self.episodes[self.payoff.column], self.mean_payoffs
        limit = largest_payoff(self.config)
        student = stats.t.ppf(0.5 + confidence / 2.0, payoffs.shape[-1] - 1)
        half = student * stats.sem(payoffs, axis=-1)
        ends = np.array([means - half, means + half])
        if limit is not None:
            rare = [[score_interval(one, limit, confidence) for one in row] for row in payoffs]
            rare_low, rare_high = np.moveaxis(np.array(rare), -1, 0)[1:]
            ends = np.array([np.minimum(ends[0], rare_low), np.maximum(ends[1], rare_high)])
        return ends

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
            "config": fields_of_game(self.config),
            "pursuers": list(self.pursuers),
            "evaders": list(self.evaders),
            "capture_rate": self._table("capture_rate"),
            payoff.mean: self._table("mean_payoff"),
            "ranking": {
                side.name: [
                    jsonable(dict(zip(("name", "capture_rate", payoff.name, "behind"), rank)))
                    for rank in self.ranking(side.name)
                ]
                for side in Side
            },
            "equilibrium": jsonable(
                dict(zip(("pursuers", "evaders", payoff.mean), self.equilibrium))
            ),
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
        return pairs_table(self._numbers)

    def tables(self) -> Sequence[Table]:
        """Returns the tables of the pairs, and of both rankings with the equilibrium."""
        return crossplay_tables(self.to_dict())


def crossplay(
    pursuers: Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    evaders: Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    config: AnyGame = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], Any] | None = None,
    workers: Workers | None = None,
) -> CrossPlay:
    """Plays every pursuer against every evader, all from the same starts.

    Args:
        pursuers: see `evaluate`, like the next four; the keys of a mapping are their names.
        evaders: the same.
        config: the game.
        episodes: of each pair.
        seed: of the first episode.
        progress: called after each pair with the number of pairs done, and of all pairs.
        workers: that play the pairs, such as `ray_cluster.RayWorkers`; None to play them here.
            The results are the same, to the last bit.

    Errors are those of `evaluate`; the names of a side must differ.

    Raises:
        TypeError, ValueError, FaultyBehavior: for sides that are not lists or mappings of
            players with different names, and the arguments that `evaluate` refuses.
    """
    chasers, chased = _named("pursuers", pursuers), _named("evaders", evaders)
    jobs = [
        EvaluationJob.of(pursuer, evader, config, episodes, seed)
        for pursuer, evader in product(chasers.values(), chased.values())
    ]
    found = play_all(jobs, workers, progress)
    pairs = np.array([pair.episodes for pair in found])
    table = pairs.reshape(len(chasers), len(chased), episodes)
    # Policies may have their own observations, but the game is the same.
    return CrossPlay(tuple(chasers), tuple(chased), jobs[0].config.as_evaluated(), table)


def _named(
    what: str, players: Sequence[AnyPlayer] | Mapping[str, AnyPlayer]
) -> dict[str, AnyPlayer]:
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
    """Solves a zero-sum game in which the row player pays the costs, (rows, columns).

    Returns the probabilities of the rows, those of the columns, and the value.
    """
    costs = np.asarray(costs, np.float64)
    if costs.ndim != 2 or 0 in costs.shape or not np.isfinite(costs).all():
        raise InvalidValue(f"costs must be a finite matrix, got {shown(costs)}")
    rows, columns = costs.shape
    # The solver's tolerances are absolute, so the costs are scaled to 0 to 1.
    least, spread = float(costs.min()), float(np.ptp(costs)) or 1.0
    scaled = (costs - least) / spread
    # For the rows: the least v with costs^T x <= v. The dual solution is the columns' mixture.
    from scipy import optimize

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


def _support(names: Sequence[str], mixture: NDArray[np.float64]) -> dict[str, float]:
    drawn = [(name, float(share)) for name, share in zip(names, mixture) if share > _SUPPORT]
    return dict(sorted(drawn, key=lambda pair: -pair[1]))


def pairs_table(
    numbers: Mapping[str, Any], names: tuple[Sequence[str], Sequence[str]] | None = None
) -> Table:
    """Returns the rates and payoffs of pairs, by default all, from `CrossPlay.to_dict`."""
    pursuers, evaders = names or ranked_names(numbers)
    payoff = payoff_in(numbers)

    def cell(pursuer: str, evader: str) -> str:
        rate = Interval(**numbers["capture_rate"][pursuer][evader])
        mean = numbers[payoff.mean][pursuer][evader]["estimate"]
        return f"{rate:.1%}, {mean:.1f} {payoff.unit}"

    return Table(
        f"Capture rate [95% interval] and mean {payoff.words}, "
        f"{numbers['episodes']:,} episodes each",
        ("pursuer", *(f"`{evader}`" for evader in evaders)),
        [(f"`{p}`", *(cell(p, evader) for evader in evaders)) for p in pursuers],
    )


def ranked_names(numbers: Mapping[str, Any]) -> tuple[list[str], ...]:
    """Returns the pursuers and the evaders of a cross-play, the best first."""
    return tuple([rank["name"] for rank in numbers["ranking"][side.name]] for side in Side)


def ranking_table(numbers: Mapping[str, Any], side: str) -> Table:
    """Returns the ranking of one side in a cross-play, with its equilibrium mixture."""
    mixture, payoff = numbers["equilibrium"][f"{side}s"], payoff_in(numbers)
    rows, behind = [], "not worse than first"
    for rank in numbers["ranking"][side]:
        rate, mean = Interval(**rank["capture_rate"]), Interval(**rank[payoff.name])
        share = mixture.get(rank["name"], 0.0)
        drawn = f"{share:.1%}" if share > 0.0 else ""
        answer = "no" if rank.get("behind", {"low": 0.0})["low"] > 0.0 else "yes"
        rows.append((f"`{rank['name']}`", f"{rate:.1%}", f"{mean:.2f}", drawn, answer))
    value = Interval(**numbers["equilibrium"][payoff.mean])
    header = (side, "captured", payoff.label, "in equilibrium", behind)
    caption = f"At equilibrium the mean {payoff.words} is {value:.2f} {payoff.unit}."
    found = Table(f"{side.capitalize()}s, mean over all opponents", header, rows, caption)
    if len(rows) == 1 or "behind" not in rank:  # numbers of older versions lack it
        return found.without(behind)
    if len(numbers["ranking"][Side.named(side).other.name]) == 1:
        found = found.without("in equilibrium")  # which is the first one alone
    caption += (
        " Not worse: from the same starts, the difference from the first is not significant "
        "(95% confidence for all answers together)."
    )
    return found._replace(caption=caption)


def payoff_in(numbers: Mapping[str, Any]) -> Payoff:
    """Returns the payoff of the game of a cross-play."""
    # Numbers of older versions do not name it.
    return payoff_of(numbers["config"].get("payoff", Game.payoff))


def crossplay_tables(numbers: Mapping[str, Any]) -> Sequence[Table]:
    """Returns all tables of a cross-play."""
    return (pairs_table(numbers), *(ranking_table(numbers, side.name) for side in Side))
