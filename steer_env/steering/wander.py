"""Wander: steering that drifts without a goal, yet never twitches.

docs/steering/wander.md has the three forms; the draws of their random walks are arguments.
"""

from __future__ import annotations

from steer_env.steering.basic import seek
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import dot, left, scale, unit
from steer_env.steering.vehicle import Vehicle


@compiled
def turn_wander_point(point: complex, angle: float) -> complex:
    """One step of the random walk of the wander point on its unit circle.

    The angle should be ``rate * sqrt(dt)`` times a draw of mean 0 and variance 1; the rate is
    the spread after a second, in radians. The point is a unit vector in the vehicle's own
    frame.

    Example:
        >>> import random
        >>> point, dt, rate = 1 + 0j, 1 / 60, 2.0
        >>> for _ in range(60):
        ...     point = turn_wander_point(point, rate * dt**0.5 * random.gauss(0.0, 1.0))
        >>> round(abs(point), 12)
        1.0
    """
    # exp(i angle) to fourth order, by a Pade approximant: w / conj(w), so that its length is 1
    # for any angle. One Newton step toward length 1 then keeps rounding from adding up.
    half = complex(12.0 - angle * angle, 6.0 * angle)
    turned = point * scale(half * half, 1.0 / dot(half, half))
    return scale(turned, 1.5 - 0.5 * dot(turned, turned))


@compiled
def wander_circle(
    me: Vehicle, distance: float = 2.0, radius: float = 1.2
) -> tuple[complex, float]:
    """The circle that the targets of `wander` lie on: its center, p + h distance, and radius.

    Example:
        >>> wander_circle(Vehicle(position=1 + 0j, heading=1j))
        ((1+2j), 1.2)
    """
    return me.position + scale(me.heading, distance), radius


@compiled
def wander_target(
    me: Vehicle, point: complex, distance: float = 2.0, radius: float = 1.2
) -> complex:
    """The point that `wander` seeks, in meters: p + h (distance + radius * point).

    Example:
        >>> wander_target(Vehicle(position=1 + 0j, heading=1j), -1j, distance=1.6)
        (2.2+1.6j)
    """
    return me.position + me.heading * (distance + scale(point, radius))


@compiled
def wander(me: Vehicle, point: complex, distance: float = 2.0, radius: float = 1.2) -> complex:
    """Steers for a point on a circle ahead: p + h (distance + radius * point).

    Reynolds 1999 in Buckland's dimensions, in meters. The point is a unit vector exp(i angle)
    in the own frame; see `turn_wander_point`.

    Example:
        >>> wander(Vehicle(max_speed=5), 1j, distance=1.6)  # to 1.6 + 1.2j
        (4+3j)
    """
    return seek(me, wander_target(me, point, distance, radius))


@compiled
def jitter_wander_point(point: complex, jitter: complex) -> complex:
    """One step of Buckland's random walk: jitter the point, put it back on the unit circle.

    His jitter is 80 / 1.2 * dt times a draw from the square [-1, 1] x [-1, 1], which depends on
    the frame rate.

    Example:
        >>> jitter_wander_point(1 + 0j, -0.4 + 0.8j)
        (0.6+0.8j)
    """
    moved = unit(point + jitter)
    return point if moved == 0j else moved


@compiled
def walk_sideways(side: float, step: float) -> float:
    """One step of OpenSteer's random walk between -1 and 1.

    The side is a share of the largest force to the left. The step is rate * dt times a draw
    from [-1, 1]; 12 * dt in OpenSteer.

    Example:
        >>> walk_sideways(0.25, 0.25), walk_sideways(0.9, 0.2)
        (0.5, 1.0)
    """
    return min(max(side + step, -1.0), 1.0)


@compiled
def wander_sideways(me: Vehicle, side: float) -> complex:
    """Pushes to the left by a share of ``max_force``, -1 to 1 (Reynolds 1999, OpenSteer).

    The force never brakes nor speeds up: a vehicle at rest needs another behavior as well.

    Example:
        >>> wander_sideways(Vehicle(heading=1j, max_force=4.0), 0.5)
        (-2+0j)
    """
    return scale(left(me.heading), side * me.max_force)
