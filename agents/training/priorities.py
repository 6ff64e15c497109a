"""How often to meet each opponent of a mixture: more often whom one does badly against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LEAST = 0.05
"""The weight of an opponent that is no trouble, beside 1 for the hardest: none is forgotten."""


def priorities(
    capture_times: Sequence[float], time_limit: float, side: str, hardness: float
) -> tuple[float, ...]:
    """Weights of a mixture's opponents, by how badly the learner does against each.

    That is the mean capture time as a share of the limit for a pursuer, and what it lacks of
    the limit for an evader, relative to the worst and to the power of the hardness (prioritized
    fictitious self-play: Vinyals et al. 2019, who use the rate of losses).

    Args:
        capture_times: mean against each opponent, in seconds.
        time_limit: of an episode, in seconds.
        side: the learner's, "pursuer" or "evader".
        hardness: from 0, which makes all alike, up.

    Returns:
        The weights, which sum to 1.
    """
    badness = np.asarray(capture_times, np.float64) / time_limit
    if side == "evader":
        badness = 1.0 - badness
    worst = badness.max()
    relative = badness / worst if worst > 0.0 else np.ones_like(badness)
    weights = np.maximum(relative**hardness, LEAST)
    return tuple(float(weight) for weight in weights / weights.sum())
