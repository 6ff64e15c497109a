"""Plays every pursuer against every evader: pairs, rankings, equilibrium and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.episodes import Episodes, given_episodes
from steer_env.baselines.measures import fields_of_game, largest_payoff, payoff_of
from steer_env.baselines.rollouts import named, play_all
from steer_env.baselines.statistics import (
    Interval,
    check_confidence,
    jsonable,
    mean_with_interval,
    paired_difference,
    score_interval,
    stats,
)
from steer_env.baselines.tables import Table, write_csv
from steer_env.errors import InvalidType, InvalidValue, check_path, shown
from steer_env.game.config import AnyGame
from steer_env.game.config.keywords import given_game
from steer_env.players.player import AnyPlayer
from steer_env.sides import Side

_SUPPORT = 1e-6  # smaller shares in a mixture are rounding errors


def _payoffs(found: Episodes) -> NDArray[np.float64]:
    """The payoffs of all pairs, (pursuers, evaders, starts)."""
    return given_episodes("found", found).array(found.payoff.column, "pursuer", "evader")


def ranking(found: Episodes, side: str) -> dict[str, dict[str, Interval]]:
    """Ranks a side's policies by mean payoff over all opponents, best first.

    Args:
        found: the episodes of all pairs, from `crossplay`.
        side: "pursuer" or "evader".

    Returns:
        By name the "capture_rate", the "capture_time" (or "distance"), and how far the policy
        is "behind" the first. That has Bonferroni's correction: with 95% confidence the best of
        all is among those that it does not show to be worse.

    Raises:
        ValueError: for another side, and if the pairs are not from the same starts.
    """
    found, ranked = given_episodes("found", found), Side.named(side)
    names, limit = found.names(side), largest_payoff(found.config)
    # A start's mean over the opponents is one value: only starts are independent.
    captured, payoffs = (
        found.array(column, side, ranked.other.name).mean(axis=1)
        for column in ("captured", found.payoff.column)
    )
    losses = -payoffs if ranked == Side.EVADER else payoffs
    order = np.argsort(losses.mean(axis=1), kind="stable")
    confidence = 1.0 - 0.05 / max(1, len(names) - 1)
    return {
        names[place]: {
            "capture_rate": mean_with_interval(captured[place], limit=1.0),
            found.payoff.name: mean_with_interval(payoffs[place], limit=limit),
            "behind": paired_difference(
                losses[place], losses[order[0]], confidence, limit=limit
            ),
        }
        for place in order
    }


def equilibrium(found: Episodes) -> tuple[dict[str, float], dict[str, float]]:
    """Returns mixtures of pursuers and of evaders from which no side gains by changing its own.

    They are the equilibrium of the empirical game, in which pursuers pay the mean payoff: the
    probability of each policy that is drawn at all, the largest first.
    """
    mixtures = solve_matrix_game(_payoffs(found).mean(axis=-1))[:2]
    pursuers, evaders = (
        {
            names[place]: float(mixture[place])
            for place in np.argsort(-mixture, kind="stable")
            if mixture[place] > _SUPPORT
        }
        for names, mixture in zip((found.pursuers, found.evaders), mixtures)
    )
    return pursuers, evaders


def game_value(found: Episodes, confidence: float = 0.95) -> Interval:
    """The mean payoff that both sides can force at the `equilibrium`, in seconds or meters.

    The equilibrium picks players that were lucky in these starts, so the estimate is biased.
    The interval goes from the value of the game of all pairs' lower ends to that of all upper
    ends, with Bonferroni's correction for the pursuers and the evaders: it holds the value at
    least as often as the confidence says.

    Raises:
        ValueError: for a confidence that is not between 0 and 1.
    """
    confidence, payoffs = check_confidence(confidence), _payoffs(found)
    limit, means, ends = largest_payoff(found.config), payoffs.mean(axis=-1), list[float]()
    for end, wider, names in ((1, np.minimum, found.evaders), (2, np.maximum, found.pursuers)):
        surer = 1.0 - (1.0 - confidence) / len(names)
        student = stats.t.ppf(0.5 + surer / 2.0, payoffs.shape[-1] - 1)
        half = student * stats.sem(payoffs, axis=-1)
        costs = wider(means - half, means + half)
        if limit is not None:
            rare = [[score_interval(one, limit, surer) for one in row] for row in payoffs]
            costs = wider(costs, np.array(rare)[..., end])
        ends.append(solve_matrix_game(costs)[2])
    value = solve_matrix_game(means)[2]
    return Interval(value, min(ends[0], value), max(ends[1], value))  # equal but for rounding


def numbers_of(found: Episodes) -> dict[str, Any]:
    """Returns the numbers of all pairs, rankings and the equilibrium, for JSON."""
    payoff, mixtures = found.payoff, zip(("pursuers", "evaders"), equilibrium(found))
    pairs = {name: row.by("evader") for name, row in found.by("pursuer").items()}
    numbers: dict[str, Any] = {
        "version": found.version,
        "episodes": len(found.seeds),
        "first_seed": int(found.seeds[0]),
        "config": fields_of_game(found.config),
        "pursuers": list(found.pursuers),
        "evaders": list(found.evaders),
    }
    for metric in ("capture_rate", payoff.mean):
        numbers[metric] = {
            p: {e: one.metric(metric) for e, one in row.items()} for p, row in pairs.items()
        }
    numbers["ranking"] = {
        side.name: [{"name": name, **rank} for name, rank in ranking(found, side.name).items()]
        for side in Side
    }
    numbers["equilibrium"] = {**dict(mixtures), payoff.mean: game_value(found)}
    return {**jsonable(numbers)}


def crossplay(
    pursuers: Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    evaders: Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    config: AnyGame = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], Any] | None = None,
) -> Episodes:
    """Plays every pursuer against every evader, all from the same starts.

    As text the episodes are tables of the pairs and of both rankings; see `ranking`,
    `equilibrium` and `game_value`.

    Args:
        pursuers: see `evaluate`, like the next four; the keys of a mapping are their names.
        evaders: the same.
        config: the game.
        episodes: of each pair.
        seed: of the first episode.
        progress: called after each pair with the number of pairs done, and of all pairs.

    Raises:
        TypeError, ValueError, FaultyBehavior: for sides that are not lists or mappings of
            players with different names, and the arguments that `evaluate` refuses.
    """
    chasers, chased = _named("pursuers", pursuers), _named("evaders", evaders)
    pairs = [*product(chasers.values(), chased.values())]
    found = play_all(pairs, config, episodes, seed, progress)
    table = np.array([pair.episodes for pair in found])
    table = table.reshape(len(chasers), len(chased), episodes)
    # Policies may have their own observations, but the game is the same.
    game = given_game(config, "config", "episodes").as_evaluated()
    return Episodes(tuple(chasers), tuple(chased), game, table)


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


def ranked_names(numbers: Mapping[str, Any]) -> tuple[list[str], ...]:
    """Returns the pursuers and the evaders in numbers of a cross-play, the best first."""
    return tuple([rank["name"] for rank in numbers["ranking"][side.name]] for side in Side)


def pairs_table(
    numbers: Mapping[str, Any], names: tuple[Sequence[str], Sequence[str]] | None = None
) -> Table:
    """Returns the rates and payoffs of pairs, by default all, from `numbers_of`."""
    pursuers, evaders = names or ranked_names(numbers)
    payoff = payoff_of(numbers["config"]["payoff"])

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


def ranking_table(numbers: Mapping[str, Any], side: Side) -> Table:
    """Returns the ranking of one side, with its equilibrium mixture, from `numbers_of`."""
    payoff, equilibrium = payoff_of(numbers["config"]["payoff"]), numbers["equilibrium"]
    mixture, rows = equilibrium[f"{side.name}s"], []
    for rank in numbers["ranking"][side.name]:
        name, rate, mean = (rank[key] for key in ("name", "capture_rate", payoff.name))
        drawn = f"{mixture[name]:.1%}" if name in mixture else ""
        answer = "no" if rank["behind"]["low"] > 0.0 else "yes"
        means = f"{Interval(**rate):.1%}", f"{Interval(**mean):.2f}"
        rows.append((f"`{name}`", *means, drawn, answer))
    value = Interval(**equilibrium[payoff.mean])
    caption = f"At equilibrium the mean {payoff.words} is {value:.2f} {payoff.unit}."
    header = side.name, "captured", payoff.label, "in equilibrium", "not worse than first"
    title = f"{side.name.capitalize()}s, mean over all opponents"
    if len(rows) == 1:
        return Table(title, header, rows, caption).without("not worse than first")
    caption += (
        " Not worse: from the same starts, the difference from the first is not significant "
        "(95% confidence for all answers together)."
    )
    found = Table(title, header, rows, caption)
    is_alone = len(numbers["ranking"][side.other.name]) == 1  # the first one is the mixture
    return found.without("in equilibrium") if is_alone else found


def tables_of_numbers(numbers: Mapping[str, Any]) -> Sequence[Table]:
    """Returns the tables of `numbers_of`: all pairs, and both rankings."""
    return (pairs_table(numbers), *(ranking_table(numbers, side) for side in Side))


def tables_of(found: Episodes) -> Sequence[Table]:
    """Returns the tables of the episodes of all pairs."""
    return tables_of_numbers(found.to_dict())


def save_pairs(numbers: Mapping[str, Any], path: str | Path) -> None:
    """Writes a .csv with a line for each pair: names, capture rate, payoff, intervals.

    The numbers are those of `numbers_of`.
    """
    payoff = payoff_of(numbers["config"]["payoff"])
    names = {"capture_rate": "capture_rate", payoff.mean: payoff.name}
    columns = [f"{name}{end}" for name in names.values() for end in ("", "_low", "_high")]
    rows = [
        (p, e, numbers["episodes"], *chain(*(numbers[x][p][e].values() for x in names)))
        for p, e in product(numbers["pursuers"], numbers["evaders"])
    ]
    write_csv(check_path("path", path), ("pursuer", "evader", "episodes", *columns), rows)
