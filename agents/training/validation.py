"""Measures a policy while it trains, and draws its hardest opponents more often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.training.training import VALIDATION_SEED
from baselines.payoffs import CAPTURE_TIME, largest_payoff, payoff_of
from baselines.scenarios import Scenario
from steer_env.game.config import GameConfig
from steer_env.players import Player
from steer_env.sides import EVADER, PURSUER, Side

LEAST = 0.05
"""The smallest weight of an opponent, relative to the hardest one: none is forgotten."""


@dataclass(frozen=True)
class Validation:
    """The measured performance of a policy at one moment of its training.

    Attributes:
        steps: of training, all games together.
        seconds: of training, without the time for measuring.
        captured: share of the episodes, mean over the opponents that are trained against, with
            the weights that they are drawn with if the training fixes them; None in a game
            about a distance.
        capture_time: mean in seconds, time-outs at the limit, likewise.
        capture_times: the same against each opponent, by name.
        distances: the mean distance against each opponent in meters, by name, in a game about
            a distance; else None.
        distance: their mean, weighted like the others.
    """

    steps: int
    seconds: float
    captured: float | None = None
    capture_time: float | None = None
    capture_times: dict[str, float] | None = None
    distances: dict[str, float] | None = None
    distance: float | None = None

    @property
    def payoff(self) -> float:
        """What the policy is judged by: the mean capture time, or the mean distance."""
        return self.capture_time if self.distance is None else self.distance

    @property
    def payoffs(self) -> dict[str, float]:
        """The same against each opponent, by name."""
        return self.capture_times if self.distances is None else self.distances

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers that its game has, for JSON: the arguments of a `Validation`."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def validate(
    policy: Player,
    study: Scenario,
    episodes: int,
    steps: int,
    seconds: float,
    weights: Sequence[float] = (),
) -> Validation:
    """Plays a policy, after so much training, against each opponent of the training.

    The weights are those of the opponents in the means; none for equal ones.
    """
    found = {
        opponent: study.evaluate(policy, opponent, episodes, VALIDATION_SEED)
        for opponent in study.opponents
    }

    def means_of(column: str) -> dict[str, float]:
        return {opponent: float(one[column].mean()) for opponent, one in found.items()}

    def mean(values: dict[str, float]) -> float:
        return float(np.average(list(values.values()), weights=weights or None))

    payoff = payoff_of(study.config.payoff)
    payoffs = means_of(payoff.column)
    if payoff is CAPTURE_TIME:
        captured = mean(means_of("captured"))
        return Validation(steps, seconds, captured, mean(payoffs), payoffs)
    return Validation(steps, seconds, distances=payoffs, distance=mean(payoffs))


def is_better(one: Validation, other: Validation | None, side: Side) -> bool:
    """Whether a policy's mean payoff is as good as another's or better."""
    if other is None:
        return True
    if side is PURSUER:
        return one.payoff <= other.payoff
    return one.payoff >= other.payoff


def shares_of_worst(payoffs: Sequence[float], config: GameConfig) -> NDArray[np.float64]:
    """Mean payoffs as shares of what is worst for a pursuer, from 0 to 1.

    A capture time is a share of the time limit. A distance d has no limit: its share is d / (d
    + r) with the capture radius r, so that half of the worst is to miss by the radius.

    Args:
        payoffs: mean against each opponent, in seconds or in meters.
        config: the game.
    """
    found, limit = np.asarray(payoffs, np.float64), largest_payoff(config)
    shares: NDArray[np.float64] = found / (
        found + config.capture_radius if limit is None else limit
    )
    return shares


def weigh_by_losses(learner: Any, training: Any, validations: Sequence[Validation]) -> None:
    """Draws hard opponents more often in episodes that begin from now on.

    Args:
        learner: an `agents.training.learner.Learner`.
        training: its `Training`; with a hardness of 0 nothing changes.
        validations: oldest first; the last one counts.
    """
    if training.hardness and validations:
        payoffs = list(validations[-1].payoffs.values())
        shares = shares_of_worst(payoffs, training.study.config).tolist()
        learner.weigh_opponents(priorities(shares, training.side, training.hardness))


def priorities(shares: Sequence[float], side: Side, hardness: float) -> tuple[float, ...]:
    """Weights opponents by the learner's losses against them.

    A pursuer's loss is the share of the worst payoff; an evader's loss is the rest. The weight
    is the loss relative to the largest one, to the power of the hardness (prioritized
    fictitious self-play: Vinyals et al. 2019, which uses the rate of losses).

    Args:
        shares: against each opponent, see `shares_of_worst`.
        side: the learner's.
        hardness: at least 0; at 0, all weights are equal.

    Returns:
        The weights, which sum to 1.
    """
    losses = np.asarray(shares, np.float64)
    if side is EVADER:
        losses = 1.0 - losses
    largest = losses.max()
    relative = losses / largest if largest > 0.0 else np.ones_like(losses)
    weights = np.maximum(relative**hardness, LEAST)
    return tuple(float(weight) for weight in weights / weights.sum())
