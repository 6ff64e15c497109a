"""Measures a policy while it trains, and weights its opponents by its losses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.baselines.measures import CAPTURE_TIME, largest_payoff, payoff_of
from steer_env.baselines.tasks import Task
from steer_env.game.config import Game
from steer_env.players.player import AnyPlayer
from steer_env.sides import EVADER, PURSUER, Side

from .training import VALIDATION_SEED

LEAST = 0.05  # the weight of an opponent relative to the hardest one: none is forgotten


@dataclass(frozen=True)
class Validation:
    """The measured performance of a policy at one moment of its training."""

    steps: int  # of training, all games together
    seconds: float  # of training, without the time for measuring
    # Means over the opponents for training, with the weights that the training fixes, if any.
    # None in a game about a distance: the share of the episodes, and seconds, time-outs at the
    # limit, also by the opponent's name.
    captured: float | None = None
    capture_time: float | None = None
    capture_times: dict[str, float] | None = None
    # None in all other games: meters, by the opponent's name and in the mean.
    distances: dict[str, float] | None = None
    distance: float | None = None

    @property
    def payoff(self) -> float:
        """The mean capture time or, in a game about a distance, the mean distance."""
        return self.capture_time if self.distance is None else self.distance

    @property
    def payoffs(self) -> dict[str, float]:
        """The `payoff` against each opponent, by name."""
        return self.capture_times if self.distances is None else self.distances

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers that its game has, for JSON: the arguments of a `Validation`."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def validate(
    policy: AnyPlayer,
    study: Task,
    episodes: int,
    steps: int = 0,
    seconds: float = 0.0,
    weights: Sequence[float] = (),
) -> Validation:
    """Plays a policy against each opponent. By default the weights in the means are equal."""
    found = {
        opponent: study.evaluate(policy, opponent, episodes, VALIDATION_SEED)
        for opponent in study.opponents
    }

    def mean(values: Iterable[float]) -> float:
        return float(np.average([*values], weights=weights or None))

    payoffs = {opponent: float(one.payoffs.mean()) for opponent, one in found.items()}
    payoff = mean(payoffs.values())
    if payoff_of(study.config.payoff) is CAPTURE_TIME:
        captured = mean(float(one["captured"].mean()) for one in found.values())
        return Validation(steps, seconds, captured, payoff, payoffs)
    return Validation(steps, seconds, distances=payoffs, distance=payoff)


def validate_references(
    study: Task, episodes: int, weights: Sequence[float] = ()
) -> dict[str, Validation]:
    """Plays the hand-written policies of a study as `validate` plays the one that trains."""
    return {one: validate(one, study, episodes, weights=weights) for one in study.references}


def is_better(one: Validation, other: Validation | None, side: Side) -> bool:
    """Compares two mean payoffs by their side: of two equal ones the first is better."""
    sign = 1.0 if side is PURSUER else -1.0
    return other is None or sign * one.payoff <= sign * other.payoff


def shares_of_worst(payoffs: Sequence[float], config: Game) -> NDArray[np.float64]:
    """Mean payoffs as shares of what is worst for a pursuer, from 0 to 1.

    A capture time is a share of the time limit. A distance d has no limit: its share is d / (d
    + r) with the capture radius r, so that half of the worst is to miss by the radius.
    """
    found, limit = np.asarray(payoffs, np.float64), largest_payoff(config)
    return found / (found + config.capture_radius if limit is None else limit)


def priorities(shares: ArrayLike, side: Side, hardness: float) -> tuple[float, ...]:
    """Weights opponents by the learner's losses against them.

    A pursuer's loss is the share of the worst payoff (see `shares_of_worst`); an evader's loss
    is the rest. The weight is the loss relative to the largest one, to the power of the
    hardness (prioritized fictitious self-play: Vinyals et al. 2019, which uses the rate of
    losses). With a hardness of 0 all weights are equal. They sum to 1.
    """
    losses = np.asarray(shares, np.float64)
    if side is EVADER:
        losses = 1.0 - losses
    largest = losses.max()
    relative = losses / largest if largest > 0.0 else np.ones_like(losses)
    weights = np.maximum(relative**hardness, LEAST)
    return tuple((weights / weights.sum()).tolist())
