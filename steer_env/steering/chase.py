"""Pursuit, evade and their kin: steering by the places at which others will be.

Sources: Reynolds 1999; Buckland 2005, chapter 3 (the facing test, the closing law, offset
pursuit, interpose and hide). Lookahead law and predictor can be any functions; see
`prediction`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from steer_env.machine_code.marking import is_same
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.compilation import compiled
from steer_env.steering.prediction import FOREVER, closing, linear
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import TINY, cross, dot, norm, scale, unit
from steer_env.steering.vehicle import Obstacle, Obstacles, Vehicle

Lookahead = Callable[[Vehicle, Vehicle], float]
Predictor = Callable[[Vehicle, float], complex]

_NEARLY_OPPOSITE = -0.95  # the cosine of about 162 degrees (Buckland 2005)


@compiled
def comes_at_me(me: Vehicle, other: Vehicle) -> bool:
    """The facing test: the other is ahead, and its heading within 18 degrees of opposite.

    Headings, not velocities, and the cosine is negative (Buckland 2005).

    Example:
        >>> comes_at_me(Vehicle(), Vehicle(position=5 + 0j, heading=-1 + 0j))
        True
    """
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
    facing_test: bool | None = None,
) -> complex:
    """The point that `pursuit` seeks, in meters.

    The predicted position of the quarry, or its present one when it comes straight at me.

    Example:
        >>> quarry = Vehicle(position=9 + 0j, velocity=1j, heading=1j)
        >>> pursuit_aim(Vehicle(max_speed=2), quarry)  # 9 / (2 + 1) = 3 seconds ahead
        (9+3j)
        >>> pursuit_aim(Vehicle(max_speed=2), quarry, lookahead=lambda me, quarry: 0.5)
        (9+0.5j)
    """
    is_tested = is_same(lookahead, closing) if facing_test is None else facing_test
    if is_tested and comes_at_me(me, quarry):
        return quarry.position
    return predict(quarry, lookahead(me, quarry))


# The game's loop runs the pieces of `pursuit` and `evade` (lookahead law, predictor, `seek` or
# `flee`), each on a whole column of vehicles: a script names its law and its predictor by
# numbers, and only a loop over one function becomes vector instructions.
@compiled
def pursuit(
    me: Vehicle,
    quarry: Vehicle,
    lookahead: Lookahead = closing,
    predict: Predictor = linear,
    facing_test: bool | None = None,
) -> complex:
    """Steers for where the quarry will be: seek(predict(quarry, lookahead(me, quarry))).

    The lookahead law T(me, quarry) gives seconds, the predictor position(quarry, T) meters. The
    facing test seeks a quarry that comes straight at me where it is now; None does so with the
    `closing` law only, as its source does.

    Example:
        >>> quarry = Vehicle(position=9 + 0j, velocity=1j, heading=1j)
        >>> force = pursuit(Vehicle(max_speed=2), quarry)
        >>> round(force.imag / force.real, 3)  # it leads the quarry: 3 to the left on 9
        0.333
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
    """Steers away from where the menace will be: flee(predict(menace, lookahead(me, menace))).

    0 if the menace is beyond ``threat_range`` meters. It is not minus pursuit: -seek - 2v.

    Example:
        >>> menace = Vehicle(position=9 + 0j, velocity=1j, heading=1j)
        >>> evade(Vehicle(max_speed=2), menace, threat_range=5.0)
        0j
        >>> evade(Vehicle(max_speed=2), menace).real < 0
        True
    """
    if norm(menace.position - me.position) > threat_range:
        return 0j
    return flee(me, pursuit_aim(me, menace, lookahead, predict, False))


@compiled
def offset_pursuit_aim(me: Vehicle, leader: Vehicle, offset: complex) -> complex:
    """The point that `offset_pursuit` arrives at, in meters.

    Example:
        >>> leader = Vehicle(position=4 + 0j, velocity=1j, heading=1j)
        >>> offset_pursuit_aim(Vehicle(), leader, offset=4j)  # in 0 s: it is there
        0j
        >>> offset_pursuit_aim(Vehicle(), leader, offset=0j)  # in 4 / (1 + 1) = 2 s
        (4+2j)
    """
    place = leader.position + leader.heading * offset
    speeds = me.max_speed + norm(leader.velocity)
    time = min(norm(place - me.position) / max(speeds, TINY), FOREVER)
    return place + scale(leader.velocity, time)


@compiled
def offset_pursuit(
    me: Vehicle, leader: Vehicle, offset: complex, deceleration_time: float = 0.6
) -> complex:
    """Keeps a place beside a leader: in formation, in an escort, or all around a quarry.

    The place is q + g * offset, with the offset in the leader's frame, forward + i left, in
    meters, after T = distance / (V + leader's speed) seconds (Buckland 2005).

    Example:
        >>> leader = Vehicle(position=4 + 0j, heading=1j)
        >>> offset_pursuit(Vehicle(), leader, offset=-2 + 4j)  # the place is 0 - 2j
        -1j
    """
    return arrive(me, offset_pursuit_aim(me, leader, offset), deceleration_time)


@compiled
def interpose_aim(me: Vehicle, a: Vehicle, b: Vehicle) -> complex:
    """The point that `interpose` arrives at, in meters.

    Example:
        >>> interpose_aim(Vehicle(), Vehicle(position=4 + 3j, velocity=1j), Vehicle(4 - 3j))
        (4+2j)
    """
    middle = scale(a.position + b.position, 0.5)
    distance = norm(middle - me.position)
    time = min(distance / max(me.max_speed, TINY), FOREVER)
    return scale(linear(a, time) + linear(b, time), 0.5)


@compiled
def interpose(me: Vehicle, a: Vehicle, b: Vehicle, deceleration_time: float = 0.6) -> complex:
    """Gets between two others: arrives at the midpoint of where they will be (Buckland 2005).

    T = distance to their midpoint now / V.

    Example:
        >>> guarded, menace = Vehicle(position=8 + 4j), Vehicle(position=8 - 4j)
        >>> interpose(Vehicle(max_speed=2), guarded, menace)
        (2+0j)
    """
    return arrive(me, interpose_aim(me, a, b), deceleration_time)


@compiled
def hiding_place(hunter: Vehicle, obstacle: Obstacle, margin: float = 1.0) -> complex:
    """The point behind an obstacle, seen from a hunter: o + u(o - hunter) (R + margin).

    Example:
        >>> hiding_place(Vehicle(position=-5 + 0j), Obstacle(1 + 0j, 2.0))
        (4+0j)
    """
    away = unit(obstacle.center - hunter.position)
    return obstacle.center + scale(away, obstacle.radius + margin)


@compiled
def nearest_hiding_place(
    me: Vehicle, hunter: Vehicle, obstacles: Obstacles, margin: float = 1.0
) -> tuple[complex, float]:
    """The nearest `hiding_place` and its distance, in meters (inf without an obstacle).

    Example:
        >>> me, hunter = Vehicle(position=4 + 2j), Vehicle(position=-5 + 0j)
        >>> nearest_hiding_place(me, hunter, [Obstacle(1 + 0j, 2.0), Obstacle(1 + 9j, 2.0)])
        ((4+0j), 2.0)
        >>> nearest_hiding_place(me, hunter, [])
        (0j, inf)
    """
    place, nearest = 0j, math.inf
    for obstacle in obstacles:
        candidate = hiding_place(hunter, obstacle, margin)
        distance = norm(candidate - me.position)
        if distance < nearest:
            place, nearest = candidate, distance
    return place, nearest


@compiled
def blind_side_place(me: Vehicle, hunter: Vehicle, view_angle: float) -> complex:
    """A place in a hunter's blind side, as far from the hunter as I am now, in meters.

    A hunter sees within ``view_angle``, from 0 to pi, of its heading on both sides. The place
    is on my side of it, halfway between the edge of its view and straight behind it, or my own
    if that is farther behind.

    Example:
        >>> place = blind_side_place(Vehicle(position=2j), Vehicle(), math.pi / 2)
        >>> round(place.real, 3), round(place.imag, 3)  # 135 degrees to the left
        (-1.414, 1.414)
        >>> blind_side_place(Vehicle(position=-3 + 1j), Vehicle(), math.pi / 2)
        (-3+1j)
    """
    offset = me.position - hunter.position
    place = direction(0.5 * (view_angle + math.pi))
    if dot(hunter.heading, offset) <= place.real * norm(offset):
        return me.position
    side = place if cross(hunter.heading, offset) >= 0.0 else place.conjugate()
    return hunter.position + scale(hunter.heading * side, norm(offset))


@compiled
def hide(
    me: Vehicle,
    hunter: Vehicle,
    obstacles: Obstacles,
    margin: float = 1.0,
    deceleration_time: float = 0.6,
) -> complex:
    """Arrives at the nearest `hiding_place`, or evades without one (Buckland 2005).

    The place is ``margin`` meters behind the obstacle.

    Example:
        >>> me, hunter = Vehicle(position=4 + 2j, max_speed=2), Vehicle(position=-5 + 0j)
        >>> hide(me, hunter, [Obstacle(1 + 0j, 2.0)])
        -2j
        >>> hide(me, hunter, []) == evade(me, hunter)
        True
    """
    place, distance = nearest_hiding_place(me, hunter, obstacles, margin)
    if distance == math.inf:
        return evade(me, hunter)
    return arrive(me, place, deceleration_time)
