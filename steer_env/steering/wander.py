"""Wander: steering that drifts without a goal, yet never twitches."""

from __future__ import annotations

from steer_env.steering.basic import seek
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import dot, scale
from steer_env.steering.vehicle import Vehicle


@compiled
def turn_wander_point(point: complex, angle: float) -> complex:
    """One step of the random walk of the wander point on its unit circle.

    The angle should be ``rate * sqrt(dt)`` times a draw of mean 0 and variance 1, so
    that the spread after a second (the rate, in radians) does not depend on the step dt.
    A jitter per call, as often seen, makes the frame rate change the behavior.

    Args:
        point: unit vector, in the vehicle's own frame.
        angle: of the turn, in radians.
    """
    # exp(i angle) to fourth order, by a Pade approximant: w / conj(w), so that its length is 1
    # for any angle. One Newton step toward length 1 then keeps rounding from adding up.
    half = complex(12.0 - angle * angle, 6.0 * angle)
    turned = point * scale(half * half, 1.0 / dot(half, half))
    return scale(turned, 1.5 - 0.5 * dot(turned, turned))


@compiled
def wander(me: Vehicle, point: complex, distance: float = 2.0, radius: float = 1.2) -> complex:
    """Steers for a point on a circle ahead: p + h (distance + radius * point).

    Reynolds 1999 in Buckland's dimensions.

    Args:
        me: the vehicle that wanders.
        point: unit vector exp(i angle) in the own frame; see `turn_wander_point`.
        distance: of the circle's center ahead of the vehicle, in meters.
        radius: of the circle, in meters.
    """
    return seek(me, me.position + me.heading * (distance + scale(point, radius)))
