"""Guidance laws: how missiles, and prey-catching bats and dragonflies, close in.

They use the line of sight to the quarry instead of a predicted point. Sources: Shneydor 1998,
"Missile guidance and pursuit"; Zarchan 2012, "Tactical and strategic missile guidance"; Isaacs
1965, "Differential games" (the Apollonius circle). Plain pure pursuit is `seek`.
"""

from __future__ import annotations

import math

from steer_env.steering.basic import seek
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import TINY, cross, dot, left, norm, scale, unit
from steer_env.steering.vehicle import Vehicle

_FULL_LEAD = 0.05  # share of the own top speed at which a quarry crosses, for the whole lead
_ROUNDING = 1e-12  # the share that counts as 0


@compiled
def line_of_sight_rate(me: Vehicle, quarry: Vehicle) -> float:
    """The turn rate of the line of sight, in radians a second, counter-clockwise.

    cross(q - p, w - v) / |q - p|^2; 0 where the two coincide.

    Example:
        >>> line_of_sight_rate(Vehicle(0j), Vehicle(position=4 + 0j, velocity=2j))
        0.5
    """
    offset = quarry.position - me.position
    square = dot(offset, offset)
    return cross(offset, quarry.velocity - me.velocity) / square if square > TINY else 0.0


@compiled
def closing_speed(me: Vehicle, quarry: Vehicle) -> float:
    """The speed at which the distance shrinks, in meters a second: -dot(u(q - p), w - v).

    Example:
        >>> closing_speed(Vehicle(0j, velocity=3 + 0j), Vehicle(position=4 + 0j, velocity=2j))
        3.0
    """
    return -dot(unit(quarry.position - me.position), quarry.velocity - me.velocity)


@compiled
def _thrust(me: Vehicle) -> complex:
    # Toward top speed along the heading: none for a missile that flies at top speed.
    return scale(me.heading, me.max_speed) - me.velocity


@compiled
def true_navigation(me: Vehicle, quarry: Vehicle, gain: float = 3.0) -> complex:
    """True proportional navigation: turns in proportion to the line of sight's rotation.

    The force is the mass times gain * closing speed * line-of-sight rate, across the line of
    sight (Zarchan 2012); the gain is the navigation constant N, 3 to 5. Below top speed V h - v
    is added. While the distance does not shrink it seeks the quarry.

    Example:
        >>> me = Vehicle(velocity=2 + 0j, max_speed=2)
        >>> true_navigation(me, Vehicle(position=4 + 0j, velocity=1j))  # 3 * 2 * 1/4
        1.5j
    """
    closing = closing_speed(me, quarry)
    if not closing > 0.0:
        return seek(me, quarry.position)
    turn = me.mass * gain * closing * line_of_sight_rate(me, quarry)
    return scale(left(unit(quarry.position - me.position)), turn) + _thrust(me)


@compiled
def pure_navigation(me: Vehicle, quarry: Vehicle, gain: float = 3.0) -> complex:
    """Pure proportional navigation: `true_navigation` with the own speed, across the own path.

    An acceleration of gain * speed * line-of-sight rate, to the left of the heading, which
    changes the direction only (Shneydor 1998).

    Example:
        >>> me = Vehicle(velocity=2 + 0j, max_speed=2)
        >>> pure_navigation(me, Vehicle(position=4 + 0j, velocity=1j), gain=4.0)
        2j
    """
    if not closing_speed(me, quarry) > 0.0:
        return seek(me, quarry.position)
    turn = me.mass * gain * norm(me.velocity) * line_of_sight_rate(me, quarry)
    return scale(left(me.heading), turn) + _thrust(me)


@compiled
def augmented_navigation(me: Vehicle, quarry: Vehicle, gain: float = 3.0) -> complex:
    """`true_navigation` plus gain / 2 times the quarry's acceleration across the line of sight.

    With it a quarry that turns evenly costs as much effort as a straight one (Zarchan 2012).

    Example:
        >>> me = Vehicle(velocity=2 + 0j, max_speed=2)
        >>> augmented_navigation(me, Vehicle(4 + 0j, 1j, acceleration=1j))
        3j
    """
    if not closing_speed(me, quarry) > 0.0:
        return seek(me, quarry.position)
    across = left(unit(quarry.position - me.position))
    turn = 0.5 * gain * me.mass * dot(quarry.acceleration, across)
    return true_navigation(me, quarry, gain) + scale(across, turn)


@compiled
def constant_bearing(me: Vehicle, quarry: Vehicle) -> complex:
    """Parallel navigation: keeps the line of sight from turning at all (Shneydor 1998).

    Matches the quarry's velocity across the line of sight, as far as its top speed goes, and
    closes with the rest. Against a straight runner it is the path of the exact intercept.

    Example:
        >>> constant_bearing(Vehicle(max_speed=5), Vehicle(position=9 + 0j, velocity=3j))
        (4+3j)
    """
    ahead = unit(quarry.position - me.position)
    across = quarry.velocity - scale(ahead, dot(quarry.velocity, ahead))
    left_over = me.max_speed * me.max_speed - dot(across, across)
    if left_over < 0.0:
        return scale(unit(across), me.max_speed) - me.velocity
    return across + scale(ahead, math.sqrt(left_over)) - me.velocity


@compiled
def deviated_pursuit(me: Vehicle, quarry: Vehicle, lead_angle: float = 0.3) -> complex:
    """Points a fixed angle ahead of the quarry (Shneydor 1998).

    The angle is in radians, at most 2**20 either way; at 0 it is `seek`. The lead is to the
    side that the quarry moves to across the line of sight, and fades below a twentieth of the
    own top speed, so that it does not follow rounding errors.

    Example:
        >>> quarry = Vehicle(position=9 + 0j, velocity=3j)
        >>> force = deviated_pursuit(Vehicle(max_speed=2), quarry, lead_angle=math.pi / 6)
        >>> round(force.real, 3), round(force.imag, 3)
        (1.732, 1.0)
    """
    offset = quarry.position - me.position
    crossing_speed = cross(unit(offset), quarry.velocity)
    share = crossing_speed / max(_FULL_LEAD * me.max_speed, TINY)
    angle = lead_angle * min(max(share, -1.0), 1.0)
    return scale(unit(offset) * direction(angle), me.max_speed) - me.velocity


@compiled
def apollonius_circle(me: Vehicle, quarry: Vehicle) -> tuple[complex, float]:
    """The circle of points that a pursuer at top speed and a quarry at its speed reach at once.

    Center (V^2 q - s^2 p) / (V^2 - s^2), radius V s d / |V^2 - s^2|, with the quarry's speed s
    (Isaacs 1965). The slower one is inside. At equal speeds it is a line, with a huge or
    infinite center and radius.

    Example:
        >>> apollonius_circle(Vehicle(max_speed=2), Vehicle(position=3 + 0j, velocity=1j))
        ((4+0j), 2.0)
    """
    square, quarrys_square = me.max_speed * me.max_speed, dot(quarry.velocity, quarry.velocity)
    gap = square - quarrys_square
    divisor = math.copysign(max(abs(gap), _ROUNDING * square, TINY), gap)
    offset = quarry.position - me.position
    center = me.position + scale(offset, square / divisor)
    speeds = me.max_speed * norm(quarry.velocity)
    return center, speeds / abs(divisor) * norm(offset)
