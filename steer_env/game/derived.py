"""The formulas of the features in `features.DERIVED`."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.features import DERIVED
from steer_env.game.observation import Scales, shrink
from steer_env.steering.compilation import compiled
from steer_env.steering.guidance import closing_speed, line_of_sight_rate
from steer_env.steering.trigonometry import angle_of
from steer_env.steering.vectors import clamp_to_square, norm, scale, unit
from steer_env.steering.vehicle import Vehicle

(
    _ACCELERATION_FORWARD,
    _ACCELERATION_LEFT,
    _WALL_DISTANCE,
    _DISTANCE,
    _BEARING,
    _BEARING_FORWARD,
    _BEARING_LEFT,
    _CLOSING_SPEED,
    _TIME_TO_CONTACT,
    _LINE_OF_SIGHT_RATE,
) = range(len(DERIVED))


@compiled
def derived_feature(
    number: int, scales: Scales, rules: np.record, me: Vehicle, other: Vehicle
) -> float:
    """A feature in `DERIVED`.

    Args:
        number: its place there.
        scales: of the game's observations.
        rules: of the game.
        me: the player that observes.
        other: the other player, at its image nearest to me.
    """
    if number <= _ACCELERATION_LEFT:
        share = scale(me.acceleration * me.heading.conjugate(), scales.acceleration)
        share = clamp_to_square(share, scales.acceleration_limit)
        return share.real if number == _ACCELERATION_FORWARD else share.imag
    if number == _WALL_DISTANCE:
        farthest = max(abs(me.position.real), abs(me.position.imag))
        return max(rules.half_size - me.radius - farthest, 0.0) * scales.position
    if number == _CLOSING_SPEED:
        return closing_speed(me, other) * scales.velocity
    if number == _LINE_OF_SIGHT_RATE:
        rate = line_of_sight_rate(me, other)
        return rate / (abs(rate) + 1.0)
    offset = (other.position - me.position) * me.heading.conjugate()
    if number == _DISTANCE:
        return norm(shrink(scales.arena, offset, scales.offset))
    if number == _TIME_TO_CONTACT:
        closing = closing_speed(me, other)
        distance = norm(offset)
        return distance / (distance + closing) if closing > 0.0 else 1.0
    if number == _BEARING:
        return angle_of(offset) / math.pi
    bearing = unit(offset)
    return bearing.real if number == _BEARING_FORWARD else bearing.imag
