"""Seek, flee and arrive: the behaviors that steer for a fixed point.

Each returns the desired velocity minus the velocity, not truncated (Reynolds 1999; Buckland
2005, chapter 3): one newton per meter a second, a response time of 1 s for 1 kg. A `Script` has
its own ``response_time``; docs/steering/vehicles.md compares those of the sources.
"""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, norm, scale, unit
from steer_env.steering.vehicle import Vehicle


@compiled
def seek(me: Vehicle, target: complex) -> complex:
    """Steers straight for a point at full speed: V u(target - p) - v.

    On the target itself the desired velocity is zero, so the force is -v.

    Example:
        >>> seek(Vehicle(velocity=1j, max_speed=2.0), 5 + 0j)
        (2-1j)
    """
    return scale(unit(target - me.position), me.max_speed) - me.velocity


@compiled
def flee(me: Vehicle, target: complex, panic_distance: float = math.inf) -> complex:
    """Steers straight away from a point at full speed: V u(p - target) - v.

    Beyond ``panic_distance`` meters the force is 0. Not minus seek: flee = -seek - 2v.

    Example:
        >>> flee(Vehicle(velocity=1j, max_speed=2.0), 5 + 0j)
        (-2-1j)
        >>> flee(Vehicle(velocity=1j, max_speed=2.0), 5 + 0j, panic_distance=4.0)
        0j
    """
    if norm(me.position - target) > panic_distance:
        return 0j
    return scale(unit(me.position - target), me.max_speed) - me.velocity


@compiled
def arrive(me: Vehicle, target: complex, deceleration_time: float = 0.6) -> complex:
    """Steers for a point and slows down on the way, to stop on it.

    The desired speed is the distance divided by ``deceleration_time`` (seconds; 0.3
    brakes hard, 0.9 gently: Buckland), at most ``max_speed``. Reynolds' form is the
    same with deceleration_time = slowing distance / max_speed. On the target: -v.

    Example:
        >>> me = Vehicle(max_speed=2.0)
        >>> arrive(me, 5 + 0j, deceleration_time=0.5), arrive(me, 0.5 + 0j, 0.5)
        ((2+0j), (1+0j))
    """
    offset = target - me.position
    speed = min(me.max_speed, norm(offset) / max(deceleration_time, TINY))
    return scale(unit(offset), speed) - me.velocity
