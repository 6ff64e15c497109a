"""Pursuit and evade: seek and flee toward where the other will be.

Sources: Reynolds 1999; Buckland 2005, chapter 3 (the facing test and the closing
law). The lookahead law and the predictor are arguments; see `prediction`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from steer_env.steering.basic import flee, seek
from steer_env.steering.compilation import compiled
from steer_env.steering.prediction import closing, linear
from steer_env.steering.vectors import dot, norm
from steer_env.steering.vehicle import Vehicle

Lookahead = Callable[[Vehicle, Vehicle], float]
Predictor = Callable[[Vehicle, float], complex]

_NEARLY_OPPOSITE = -0.95  # the cosine of about 162 degrees (Buckland 2005)


@compiled
def comes_at_me(me: Vehicle, other: Vehicle) -> bool:
    """The facing test: the other is ahead, and its heading within 18 degrees of opposite."""
    return (
        dot(other.position - me.position, me.heading) > 0.0
        and dot(me.heading, other.heading) < _NEARLY_OPPOSITE
    )


@compiled
def pursuit_aim(
    me: Vehicle,
    quarry: Vehicle,
    lookahead: Lookahead = closing,
    predict: Predictor = linear,
    facing_test: bool = True,
) -> complex:
    """The point that `pursuit` seeks, in meters.

    The predicted position of the quarry; its present one when it comes straight at
    me (so that rushing at a pursuer does not turn it round).
    """
    if facing_test and comes_at_me(me, quarry):
        return quarry.position
    return predict(quarry, lookahead(me, quarry))


@compiled
def pursuit(
    me: Vehicle,
    quarry: Vehicle,
    lookahead: Lookahead = closing,
    predict: Predictor = linear,
    facing_test: bool = True,
) -> complex:
    """Steers for where the quarry will be: seek(predict(quarry, lookahead(me, quarry))).

    Args:
        me: the pursuer.
        quarry: the vehicle to catch.
        lookahead: how many seconds ahead to predict, T(me, quarry).
        predict: the quarry's position after T seconds, position(quarry, T).
        facing_test: seek a quarry that comes straight at me where it is now.

    Returns:
        The steering force, not truncated.
    """
    return seek(me, pursuit_aim(me, quarry, lookahead, predict, facing_test))


@compiled
def evade(
    me: Vehicle,
    menace: Vehicle,
    lookahead: Lookahead = closing,
    predict: Predictor = linear,
    threat_range: float = math.inf,
) -> complex:
    """Steers away from where the menace will be; 0 if it is beyond ``threat_range`` meters."""
    if norm(menace.position - me.position) > threat_range:
        return 0j
    return flee(me, predict(menace, lookahead(me, menace)))
