"""Steering clear of the walls of a square arena around the origin."""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import clamp_to_square, dot, scale
from steer_env.steering.vehicle import Vehicle

_LEFT_45 = complex(math.sqrt(0.5), math.sqrt(0.5))


@compiled
def avoid_walls(me: Vehicle, half_size: float, feeler_length: float = 2.0) -> complex:
    """Pushes along the wall's normal by as much as three feelers overshoot it (Buckland).

    One feeler points ahead, two of half the length point 45 degrees to each side.

    Args:
        me: the vehicle.
        half_size: half the side of the arena in meters; inf where there are no walls.
        feeler_length: in meters.

    Returns:
        The sum of the overshoots, in meters, pointing inward; 0 far from walls.
    """
    ahead = scale(me.heading, feeler_length)
    to_left = scale(me.heading * _LEFT_45, 0.5 * feeler_length)
    to_right = scale(me.heading * _LEFT_45.conjugate(), 0.5 * feeler_length)
    push = 0j
    for feeler in (ahead, to_left, to_right):
        tip = me.position + feeler
        push += clamp_to_square(tip, half_size) - tip
    return push


@compiled
def containment(me: Vehicle, half_size: float, seconds: float = 1.0) -> complex:
    """Turns away from a wall that the vehicle would reach within some seconds (Reynolds).

    The wall's inward push on the predicted position, less its part along the
    heading: the vehicle turns instead of braking. Head-on into a wall it brakes.

    Returns:
        The push in meters; 0 while the predicted position is inside.
    """
    ahead = me.position + scale(me.velocity, seconds)
    push = clamp_to_square(ahead, half_size) - ahead
    sideways = push - scale(me.heading, dot(push, me.heading))
    return push if sideways == 0j else sideways
