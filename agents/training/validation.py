"""Measures a policy while it trains, on starts that are neither trained on nor reported."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baselines.players import Player
from baselines.protocol import Scenario

VALIDATION_SEED = 900_000
"""The first seed of these starts: runs train with those below, results begin at 1,000,000."""


@dataclass(frozen=True)
class Validation:
    """How good a policy was at one moment of its training.

    Attributes:
        steps: of training, all games together.
        seconds: of training, without the time that measuring took.
        captured: share of the episodes, mean over the opponents that are trained against.
        capture_time: mean in seconds, time-outs at the limit, likewise.
        capture_times: the same against each opponent, by name.
    """

    steps: int
    seconds: float
    captured: float
    capture_time: float
    capture_times: dict[str, float]


def validate(
    policy: Player, study: Scenario, episodes: int, steps: int = 0, seconds: float = 0.0
) -> Validation:
    """Plays a policy against each opponent that it may train against.

    Args:
        policy: see `baselines.evaluate`.
        study: the game and the opponents.
        episodes: against each.
        steps: of training so far.
        seconds: of training so far.
    """
    found = {
        opponent: study.evaluate(policy, opponent, episodes, VALIDATION_SEED)
        for opponent in study.opponents
    }
    times = {opponent: float(one["time"].mean()) for opponent, one in found.items()}
    return Validation(
        steps,
        seconds,
        float(np.mean([one["captured"].mean() for one in found.values()])),
        float(np.mean(list(times.values()))),
        times,
    )


def is_better(one: Validation, other: Validation | None, side: str) -> bool:
    """Whether a policy is as good as another or better, by its mean capture time."""
    if other is None:
        return True
    if side == "pursuer":
        return one.capture_time <= other.capture_time
    return one.capture_time >= other.capture_time
