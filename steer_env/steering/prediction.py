"""Lookahead laws and predictors: how far ahead to look, and the other's place at that time.

A lookahead law is a function ``T(me, other)`` in seconds; a predictor is a function
``position(other, time)``. Both are plain arguments of `pursuit` and `evade`, so your own
function, decorated with `compiled`, works in their place. Every law is cut at a finite time,
`FOREVER` unless given, since an infinite time times a velocity of zero is NaN.
"""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.overlap import nearest_free_point
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import (
    TINY,
    clamp_to_square,
    cross,
    dot,
    norm,
    scale,
    truncate,
    unit,
)
from steer_env.steering.vehicle import Obstacles, Vehicle

FOREVER = 1e9
"""The longest lookahead, in seconds."""

_ROUNDING = 1e-12  # speeds, and directions, that differ by less count as the same
_COSINE_45 = 0.707  # Reynolds' threshold for "ahead", "behind", "parallel", ...


@compiled
def none(me: Vehicle, other: Vehicle) -> float:
    """T = 0: pursuit becomes seek, evade becomes flee.

    Example:
        >>> none(Vehicle(), Vehicle(position=9 + 0j))
        0.0
    """
    return 0.0


@compiled
def constant(me: Vehicle, other: Vehicle, seconds: float = 1.0) -> float:
    """The same time always.

    Example:
        >>> constant(Vehicle(), Vehicle(position=9 + 0j), seconds=0.5)
        0.5
    """
    return seconds


@compiled
def closing(me: Vehicle, other: Vehicle, cap: float = FOREVER) -> float:
    """T = d / (V + s_q): the time to meet if both came straight on (Buckland 2005).

    Example:
        >>> closing(Vehicle(max_speed=2), Vehicle(position=9 + 0j, velocity=1j))
        3.0
    """
    speeds = me.max_speed + norm(other.velocity)
    return min(norm(other.position - me.position) / max(speeds, TINY), cap)


@compiled
def target_speed(me: Vehicle, other: Vehicle, cap: float = FOREVER) -> float:
    """T = d / V_q, with the other's top speed.

    It predicts a quarry that runs straight at me at full speed on my own position.

    Example:
        >>> target_speed(Vehicle(max_speed=2), Vehicle(position=9 + 0j, max_speed=3))
        3.0
    """
    distance = norm(other.position - me.position)
    return min(distance / max(other.max_speed, TINY), cap)


@compiled
def own_speed(me: Vehicle, other: Vehicle, cap: float = FOREVER) -> float:
    """T = d / s with my speed now, or ``cap`` seconds when I stand still (Millington).

    Example:
        >>> quarry = Vehicle(position=9 + 0j)
        >>> own_speed(Vehicle(velocity=3j), quarry), own_speed(Vehicle(), quarry, cap=5.0)
        (3.0, 5.0)
    """
    distance = norm(other.position - me.position)
    return min(distance / max(norm(me.velocity), TINY), cap)


@compiled
def reynolds(me: Vehicle, other: Vehicle, cap: float = FOREVER) -> float:
    """T = d / s * factor, with the factor from a table of nine cases (OpenSteer).

    Rows: the other is ahead, aside or behind; columns: its heading is parallel, perpendicular
    or anti-parallel to mine.

    Example:
        >>> reynolds(Vehicle(velocity=3 + 0j), Vehicle(position=9 + 0j))  # ahead, parallel: 4
        12.0
    """
    offset = other.position - me.position
    forwardness = _sign(dot(me.heading, unit(offset)))
    parallelness = _sign(dot(me.heading, other.heading))
    if forwardness > 0:  # ahead
        factor = 4.0 if parallelness > 0 else (0.85 if parallelness < 0 else 1.8)
    elif forwardness < 0:  # behind
        factor = 0.5 if parallelness > 0 else 2.0
    else:  # aside
        factor = 1.0 if parallelness > 0 else (4.0 if parallelness < 0 else 0.8)
    return min(norm(offset) / max(norm(me.velocity), TINY) * factor, cap)


@compiled
def _sign(cosine: float) -> int:
    return int(cosine > _COSINE_45) - int(cosine < -_COSINE_45)


@compiled
def intercept(me: Vehicle, other: Vehicle, cap: float = FOREVER) -> float:
    """The exact time to meet a quarry that runs straight on when I turn at once.

    The smallest positive root of |offset + w T| = V T. Where the quarry cannot be
    met (it is as fast and runs away), the time is that of `closing`.

    Example:
        >>> intercept(Vehicle(max_speed=5), Vehicle(position=8 + 0j, velocity=3j))
        2.0
    """
    offset = other.position - me.position
    distance_squared = dot(offset, offset)
    opening = dot(offset, other.velocity)
    speed_gap = dot(other.velocity, other.velocity) - me.max_speed * me.max_speed
    square = max(me.max_speed * me.max_speed, dot(other.velocity, other.velocity))
    time = -1.0
    if abs(speed_gap) <= _ROUNDING * square:  # equally fast
        if opening < -_ROUNDING * math.sqrt(distance_squared * square):
            time = -0.5 * distance_squared / opening
    else:
        root = opening * opening - speed_gap * distance_squared
        if root >= 0.0:
            # The stable form of both roots: neither subtracts nearly equal numbers.
            sum_of_terms = -(opening + math.copysign(math.sqrt(root), opening))
            one = sum_of_terms / speed_gap
            two = distance_squared / sum_of_terms if sum_of_terms != 0.0 else one
            time = min(one, two) if min(one, two) > 0.0 else max(one, two)
    if not time > 0.0:
        return closing(me, other, cap)
    return min(time, cap)


@compiled
def linear(other: Vehicle, time: float) -> complex:
    """Straight on at the present velocity: q + w T.

    Example:
        >>> linear(Vehicle(position=8 + 0j, velocity=3j), 2.0)
        (8+6j)
    """
    return other.position + scale(other.velocity, time)


@compiled
def turn_rate(vehicle: Vehicle) -> float:
    """The signed turn rate in radians a second, cross(v, a) / |v|^2, or 0 at rest.

    Example:
        >>> turn_rate(Vehicle(velocity=2 + 0j, acceleration=1j))
        0.5
    """
    square = dot(vehicle.velocity, vehicle.velocity)
    return cross(vehicle.velocity, vehicle.acceleration) / square if square > 0.0 else 0.0


@compiled
def turning(other: Vehicle, time: float) -> complex:
    """On along the circle that the other is on now, for a quarter of it at most.

    q + w / (ik) * (exp(ikT) - 1) with the turn rate k; past a quarter circle straight on
    (OpenSteer).

    Example:
        >>> where = turning(Vehicle(velocity=2 + 0j, acceleration=2j), math.pi / 2)
        >>> round(where.real, 6), round(where.imag, 6)  # a quarter circle of radius 2
        (2.0, 2.0)
    """
    rate = turn_rate(other)
    angle = rate * time
    if abs(angle) < 1e-6:
        return linear(other, time)
    arc_time = time if abs(angle) <= 0.5 * math.pi else 0.5 * math.pi / abs(rate)
    turned = direction(rate * arc_time)
    chord = other.velocity * (turned - 1.0) * complex(0.0, -1.0 / rate)
    return other.position + chord + scale(other.velocity * turned, time - arc_time)


@compiled
def braking(other: Vehicle, time: float) -> complex:
    """Straight on with the present deceleration, to a stop but never backward.

    With no deceleration along the velocity this is `linear`.

    Example:
        >>> braking(Vehicle(velocity=4 + 0j, acceleration=-2 + 0j), 9.0)  # stops after 2 s
        (4+0j)
    """
    speed = norm(other.velocity)
    deceleration = -dot(other.acceleration, other.velocity) / max(speed, TINY)
    if deceleration <= 0.0:
        return linear(other, time)
    until_stop = min(time, speed / deceleration)
    path = (speed - 0.5 * deceleration * until_stop) * until_stop
    return other.position + scale(unit(other.velocity), path)


@compiled
def accelerating(other: Vehicle, time: float) -> complex:
    """On with the present acceleration until top speed, then straight on.

    q + w T + a T^2 / 2 while |w + a T| is below the other's top speed.

    Example:
        >>> accelerating(Vehicle(velocity=2 + 0j, acceleration=2 + 0j, max_speed=4), 2.0)
        (7+0j)
    """
    boost = min(time, _time_to_top_speed(other))
    last_velocity = truncate(other.velocity + scale(other.acceleration, boost), other.max_speed)
    return (
        other.position
        + scale(other.velocity, boost)
        + scale(other.acceleration, 0.5 * boost * boost)
        + scale(last_velocity, time - boost)
    )


@compiled
def _time_to_top_speed(other: Vehicle) -> float:
    # The positive root of |w + a T| = V; 0 if the other is at top speed and pushes on.
    a = dot(other.acceleration, other.acceleration)
    b = dot(other.acceleration, other.velocity)
    c = dot(other.velocity, other.velocity) - other.max_speed * other.max_speed
    if a < TINY:
        return FOREVER
    return max(0.0, (math.sqrt(max(0.0, b * b - a * c)) - b) / a)


@compiled
def contained(
    other: Vehicle,
    time: float,
    half_size: float = math.inf,
    obstacles: Obstacles | None = None,
    period: float = 0.0,
) -> complex:
    """The linear point, brought back inside the walls and out of the obstacles.

    It is clamped to the walls and, if the other's body would overlap an obstacle there, moved
    to the nearest free point.

    Example:
        >>> contained(Vehicle(position=8 + 0j, velocity=3j), 9.0, half_size=10.0)
        (8+10j)
        >>> rock = Obstacle(8 + 10j, 2.0)  # and 0.5 m for the body
        >>> contained(Vehicle(position=8 + 0j, velocity=3j), 3.0, 10.0, [rock])
        (8+7.5j)
    """
    point = clamp_to_square(linear(other, time), half_size)
    if obstacles is None:
        return point
    return nearest_free_point(point, other, half_size, obstacles, period)
