"""Team behaviors: encirclement, flanking and guarding, as each member of a team decides them.

Each sees its teammates and the opponents, and works out its own place by the same rule. Their
order does not matter.

Flanking and guarding are made of behaviors of Reynolds 1999 and Buckland 2005, chapter 3.
"""

from __future__ import annotations

import math

from steer_env.steering.basic import arrive, seek
from steer_env.steering.chase import (
    Lookahead,
    Predictor,
    evade,
    interpose_aim,
    offset_pursuit_aim,
)
from steer_env.steering.compilation import compiled
from steer_env.steering.prediction import closing, linear
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import cross, dot, norm, scale, shortest_offset
from steer_env.steering.vehicle import Vehicle, Vehicles


@compiled
def nearest_of(me: Vehicle, others: Vehicles, period: float = 0.0) -> int:
    """The place of the nearest vehicle in a list, counted from 0, or -1 in an empty one.

    Example:
        >>> nearest_of(Vehicle(), [Vehicle(position=5 + 0j), Vehicle(position=3j)])
        1
    """
    nearest, nearest_square = -1, math.inf
    for place in range(len(others)):
        offset = shortest_offset(me.position, others[place].position, period)
        square = dot(offset, offset)
        if square < nearest_square:
            nearest, nearest_square = place, square
    return nearest


@compiled
def encirclement_bearing(
    me: Vehicle, mates: Vehicles, quarry: Vehicle, period: float = 0.0
) -> complex:
    """The direction from the quarry in which a hunter's place of an encirclement is.

    With the hunters' angles a_0 <= a_1 <= ... around the quarry, the place of the k-th is at
    mean(a) + (k - (n - 1) / 2) 2 pi / n, which takes the least turning (compare cyclic pursuit,
    Kim and Sugie 2007). A hunter alone keeps its direction; one exactly on the quarry gets 0,
    and is ignored by its mates.

    Example:
        >>> me, quarry = Vehicle(position=4 + 0j), Vehicle()
        >>> bearing = encirclement_bearing(me, [Vehicle(position=9j)], quarry)
        >>> round(bearing.real, 3), round(bearing.imag, 3)  # 45 degrees back, as does the mate
        (0.707, -0.707)
    """
    mine = shortest_offset(quarry.position, me.position, period)
    if mine == 0j:
        return 0j
    angle, square = angle_of(mine), dot(mine, mine)
    total, rank, count = angle, 0, 1
    for mate in mates:
        theirs = shortest_offset(quarry.position, mate.position, period)
        if theirs == 0j:
            continue
        its_angle = angle_of(theirs)
        total += its_angle
        count += 1
        is_nearer = dot(theirs, theirs) < square
        if its_angle < angle or (its_angle == angle and is_nearer):
            rank += 1
    step = 2.0 * math.pi / count
    return direction(total / count + (rank - 0.5 * (count - 1)) * step)


@compiled
def encirclement_point(
    me: Vehicle,
    mates: Vehicles,
    quarry: Vehicle,
    place: complex,
    spread: float = 0.25,
    period: float = 0.0,
) -> complex:
    """The point of an encirclement of a quarry that is expected at ``place``, in meters.

    Example:
        >>> encirclement_point(Vehicle(position=4 + 0j), [], Vehicle(), place=2j, spread=0.25)
        (1+2j)
    """
    bearing = encirclement_bearing(me, mates, quarry, period)
    return place + scale(bearing, spread * norm(quarry.position - me.position))


@compiled
def encirclement_aim(
    me: Vehicle,
    mates: Vehicles,
    quarry: Vehicle,
    spread: float = 0.25,
    lookahead: Lookahead = closing,
    predict: Predictor = linear,
    period: float = 0.0,
) -> complex:
    """The point that `encirclement` seeks, in meters.

    Example:
        >>> me, quarry = Vehicle(position=4 + 0j), Vehicle()
        >>> encirclement_aim(me, [], quarry, spread=0.25)  # alone: straight on
        (1+0j)
    """
    place = predict(quarry, lookahead(me, quarry))
    return encirclement_point(me, mates, quarry, place, spread, period)


@compiled
def encirclement(
    me: Vehicle,
    mates: Vehicles,
    quarry: Vehicle,
    spread: float = 0.25,
    lookahead: Lookahead = closing,
    predict: Predictor = linear,
    period: float = 0.0,
) -> complex:
    """Closes in on a quarry from a side of its own: seeks its place around where that will be.

    The place is in the direction of `encirclement_bearing`, ``spread`` times as far from the
    quarry's predicted position as the hunter is from the quarry now (Muro et al. 2011; Janosov
    et al. 2017). With a spread of 0 it is `pursuit`. On a torus the quarry is at its image
    nearest to me.

    Example:
        >>> me, mate = Vehicle(position=4 + 0j), Vehicle(position=4 + 0.5j)
        >>> force = encirclement(me, [mate], Vehicle())
        >>> force.real < 0 > force.imag  # it closes in, and keeps to the right of its mate
        True
    """
    return seek(me, encirclement_aim(me, mates, quarry, spread, lookahead, predict, period))


@compiled
def flank_offset(
    me: Vehicle, mates: Vehicles, quarry: Vehicle, spread: float = 0.25, period: float = 0.0
) -> complex:
    """A hunter's place in a pincer movement, in the quarry's frame: forward + i left, meters.

    Hunters are ranked from the quarry's right, s = -1, to its left, s = 1. The place is (|s| +
    i s) * spread * own distance; a hunter alone runs at the quarry itself.

    Example:
        >>> me, quarry = Vehicle(position=-4 + 1j), Vehicle()
        >>> flank_offset(me, [Vehicle(position=-4 - 1j), Vehicle(-4 + 9j)], quarry)
        0j
        >>> flank_offset(Vehicle(-3 + 4j), [Vehicle(position=-4 - 1j)], quarry, spread=0.2)
        (1+1j)
    """
    mine = shortest_offset(quarry.position, me.position, period)
    side, square = cross(quarry.heading, mine), dot(mine, mine)
    rank, count = 0, 1
    for mate in mates:
        theirs = shortest_offset(quarry.position, mate.position, period)
        its_side = cross(quarry.heading, theirs)
        count += 1
        is_nearer = dot(theirs, theirs) < square
        if its_side < side or (its_side == side and is_nearer):
            rank += 1
    share = 2.0 * rank / (count - 1) - 1.0 if count > 1 else 0.0
    return scale(complex(abs(share), share), spread * norm(mine))


@compiled
def flanking_aim(
    me: Vehicle, mates: Vehicles, quarry: Vehicle, spread: float = 0.25, period: float = 0.0
) -> complex:
    """The point that `flanking` seeks, in meters.

    Example:
        >>> flanking_aim(Vehicle(position=-4 + 0j), [], Vehicle(velocity=1 + 0j))  # in 2 s
        (2+0j)
    """
    return offset_pursuit_aim(me, quarry, flank_offset(me, mates, quarry, spread, period))


@compiled
def flanking(
    me: Vehicle, mates: Vehicles, quarry: Vehicle, spread: float = 0.25, period: float = 0.0
) -> complex:
    """A pincer movement by offset pursuit: the outer hunters pass the quarry on both sides.

    Seeks the point of `offset_pursuit` (Reynolds 1999) with the place of `flank_offset`. With a
    spread of 0 it is `pursuit` without its facing test.

    Example:
        >>> me, mate = Vehicle(position=-4 + 1j), Vehicle(position=-4 - 1j)
        >>> flanking(me, [mate], Vehicle()).imag > 0  # it is on the left, and goes there
        True
    """
    return seek(me, flanking_aim(me, mates, quarry, spread, period))


@compiled
def ward_and_menace(mates: Vehicles, menaces: Vehicles, period: float = 0.0) -> tuple[int, int]:
    """The indices of the teammate and the menace that are nearest to each other, or -1.

    Example:
        >>> ward_and_menace([Vehicle(), Vehicle(position=5 + 0j)], [Vehicle(position=8 + 0j)])
        (1, 0)
        >>> ward_and_menace([], [Vehicle()])
        (-1, -1)
    """
    ward, menace, nearest = -1, -1, math.inf
    for one in range(len(mates)):
        for other in range(len(menaces)):
            offset = shortest_offset(mates[one].position, menaces[other].position, period)
            square = dot(offset, offset)
            if square < nearest:
                ward, menace, nearest = one, other, square
    return ward, menace


@compiled
def guard_aim(
    me: Vehicle, mates: Vehicles, menaces: Vehicles, period: float = 0.0
) -> tuple[bool, complex]:
    """True if there is a teammate to guard, and the point that `guard` arrives at, in meters.

    Example:
        >>> guard_aim(Vehicle(), [Vehicle(position=2 + 4j)], [Vehicle(position=2 - 4j)])
        (True, (2+0j))
    """
    ward, menace = ward_and_menace(mates, menaces, period)
    if ward < 0:
        return False, me.position
    guarded, other = mates[ward], menaces[menace]
    offset = shortest_offset(guarded.position, other.position, period)
    place, velocity = guarded.position + offset, other.velocity
    seen = Vehicle(place, velocity, other.heading, 0.0, 0.0, 0.0, 0.0, 0j)  # its motion counts
    return True, interpose_aim(me, guarded, seen)


@compiled
def guard(
    me: Vehicle,
    mates: Vehicles,
    menaces: Vehicles,
    deceleration_time: float = 0.6,
    period: float = 0.0,
) -> complex:
    """Stands between the most threatened teammate and its menace: `interpose` (Buckland 2005).

    The two are the pair nearest to each other. Without a teammate it evades its nearest menace;
    without a menace it does nothing.

    Example:
        >>> ward, menace = Vehicle(position=8 + 4j), Vehicle(position=8 - 4j)
        >>> guard(Vehicle(max_speed=2), [ward], [menace])
        (2+0j)
        >>> guard(Vehicle(), [], [menace]) == evade(Vehicle(), menace)
        True
    """
    has_ward, aim = guard_aim(me, mates, menaces, period)
    if has_ward:
        return arrive(me, aim, deceleration_time)
    nearest = nearest_of(me, menaces, period)
    return evade(me, menaces[nearest]) if nearest >= 0 else 0j
