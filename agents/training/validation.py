"""Measures a policy while it trains, and draws its hardest opponents more often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baselines.scenarios import Scenario
from steer_env.players import Player
from steer_env.sides import EVADER, PURSUER, Side

VALIDATION_SEED = 900_000
"""The first seed of validation starts: training uses those below, results from 1,000,000 on."""

LEAST = 0.05
"""The smallest weight of an opponent, relative to the hardest one: none is forgotten."""


@dataclass(frozen=True)
class Validation:
    """The measured performance of a policy at one moment of its training.

    Attributes:
        steps: of training, all games together.
        seconds: of training, without the time for measuring.
        captured: share of the episodes, mean over the opponents that are trained against, with
            the weights that they are drawn with if the training fixes them.
        capture_time: mean in seconds, time-outs at the limit, likewise.
        capture_times: the same against each opponent, by name.
    """

    steps: int
    seconds: float
    captured: float
    capture_time: float
    capture_times: dict[str, float]


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
    times = {opponent: float(one["time"].mean()) for opponent, one in found.items()}
    shares = weights or None
    captured = np.average([one["captured"].mean() for one in found.values()], weights=shares)
    mean = np.average(list(times.values()), weights=shares)
    return Validation(steps, seconds, float(captured), float(mean), times)


def is_better(one: Validation, other: Validation | None, side: Side) -> bool:
    """Whether a policy's mean capture time is as good as another's or better."""
    if other is None:
        return True
    if side is PURSUER:
        return one.capture_time <= other.capture_time
    return one.capture_time >= other.capture_time


def priorities(
    capture_times: Sequence[float], time_limit: float, side: Side, hardness: float
) -> tuple[float, ...]:
    """Weights opponents by the learner's losses against them.

    A pursuer's loss is the mean capture time as a share of the limit; an evader's loss is the
    rest. The weight is the loss relative to the largest one, to the power of the hardness
    (prioritized fictitious self-play: Vinyals et al. 2019, which uses the rate of losses).

    Args:
        capture_times: mean against each opponent, in seconds.
        time_limit: of an episode, in seconds.
        side: the learner's.
        hardness: at least 0; at 0, all weights are equal.

    Returns:
        The weights, which sum to 1.
    """
    losses = np.asarray(capture_times, np.float64) / time_limit
    if side is EVADER:
        losses = 1.0 - losses
    largest = losses.max()
    relative = losses / largest if largest > 0.0 else np.ones_like(losses)
    weights = np.maximum(relative**hardness, LEAST)
    return tuple(float(weight) for weight in weights / weights.sum())
