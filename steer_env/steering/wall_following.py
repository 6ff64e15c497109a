"""Steering among the walls of a map: clear of them, and along them."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from steer_env.steering.avoidance import wall_feelers
from steer_env.steering.basic import seek
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import cross, dot, left, norm, scale, unit
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.walls import (
    ROUNDING,
    Walls,
    cell_at,
    first_wall,
    from_wall,
    meeting,
    normal_of_wall,
)

Met: TypeAlias = tuple[float, float, complex]
"""The first wall that a line meets: the share of the line up to it, as a numerator and a
denominator, and the push off it."""

_NO_WALL = 1.0, 0.0, 0j


@compiled
def avoid_map_walls(
    me: Vehicle, walls: Walls, feeler_length: float = 2.0, gap: float = 0.0
) -> complex:
    """Pushes along walls' normals by as much as three feelers overshoot them (Buckland 2005).

    Each of `wall_feelers` feels the first wall that it meets. The result is the sum of their
    overshoots, in meters, toward the vehicle; walls are taken to be nearer by a gap.
    """
    place, found = me.position, (_NO_WALL, _NO_WALL, _NO_WALL)
    tips = wall_feelers(me, feeler_length)
    ahead, to_left, to_right = tips[0] - place, tips[1] - place, tips[2] - place
    begin, end, is_listed = _walls_within(walls, place, feeler_length + gap)
    for entry in range(begin, end):
        wall = walls.walls[walls.cell_walls[entry] if is_listed else entry]
        along, offset = wall.along, place - wall.start
        side = cross(along, offset)
        sign = 1.0 if side >= 0.0 else -1.0
        distance, before = sign * side - gap, dot(along, offset)
        # All feelers at once: few of the walls that are near are met.
        across = min(cross(along, ahead) * sign, cross(along, to_left) * sign)
        across = distance + min(across, cross(along, to_right) * sign)
        if across >= ROUNDING:
            continue
        one, other, third = dot(along, ahead), dot(along, to_left), dot(along, to_right)
        first = before + min(min(one, other), min(third, 0.0))
        last = before + max(max(one, other), max(third, 0.0))
        if max(-last, first - wall.length) < ROUNDING:
            found = (
                _nearer_wall(wall, side, gap, before, ahead, found[0]),
                _nearer_wall(wall, side, gap, before, to_left, found[1]),
                _nearer_wall(wall, side, gap, before, to_right, found[2]),
            )
    return found[0][2] + found[1][2] + found[2][2]


@compiled
def map_containment(
    me: Vehicle, walls: Walls, seconds: float = 1.0, gap: float = 0.0
) -> complex:
    """`containment` between walls: turns away from one that is reached within some seconds."""
    step, found = scale(me.velocity, seconds), _NO_WALL
    begin, end, is_listed = _walls_within(walls, me.position, norm(step) + gap)
    for entry in range(begin, end):
        wall = walls.walls[walls.cell_walls[entry] if is_listed else entry]
        offset = me.position - wall.start
        side, before = cross(wall.along, offset), dot(wall.along, offset)
        found = _nearer_wall(wall, side, gap, before, step, found)
    push = found[2]
    sideways = push - scale(me.heading, dot(push, me.heading))
    return push if sideways == 0j else sideways


@compiled
def _walls_within(walls: Walls, place: complex, reach: float) -> tuple[int, int, bool]:
    """The entries of a place's cell, or all walls where some are farther than its margin."""
    cell = cell_at(walls, place)
    if reach > walls.margin:
        return 0, walls.number, False
    return walls.cells[cell].begin, walls.cells[cell + 1].begin, True


@compiled
def _nearer_wall(
    wall: np.record, side: float, gap: float, before: float, line: complex, found: Met
) -> Met:
    """The first that a line meets of a wall and what was found.

    The line begins at a distance to the left of the wall, negative to the right, and ``before``
    meters along it, from its start.
    """
    sign = 1.0 if side >= 0.0 else -1.0
    distance = sign * side - gap
    beyond, room = distance + sign * cross(wall.along, line), max(distance, 0.0)
    # Shares are compared without a division, which would take longer than all else.
    whole = room - beyond
    where = before * whole + room * dot(wall.along, line)
    is_nearer = room * found[1] < found[0] * whole
    push = scale(left(wall.along), -sign * beyond)
    is_met = (beyond < 0.0) & is_nearer & (where >= 0.0) & (where <= wall.length * whole)
    return (
        room if is_met else found[0],
        whole if is_met else found[1],
        push if is_met else found[2],
    )


@compiled
def nearest_wall(walls: Walls, place: complex) -> tuple[int, complex]:
    """The number of the wall nearest to a place, and the vector from there to the place.

    Example:
        >>> from steer_env.maps import Map, make_walls
        >>> walls = make_walls(Map([(-9, -5), (9, -5), (9, 5), (-9, 5)]), margin=1.0)
        >>> nearest_wall(walls, 8 + 1j), nearest_wall(walls, 3j)
        ((1, (-1+0j)), (2, -2j))
    """
    cell = cell_at(walls, place)
    begin, end = walls.cells[cell].begin, walls.cells[cell + 1].begin
    nearest, number = math.inf, -1
    for entry in range(begin, end + walls.number):
        if entry == end and nearest <= walls.margin:
            break  # all that are so near are in the list
        wall = int(walls.cell_walls[entry]) if entry < end else int(entry - end)
        one = walls.walls[wall]
        distance = norm(from_wall(one.start, one.along, one.length, place))
        if distance < nearest:
            nearest, number = distance, wall
    one = walls.walls[number]
    return number, complex(from_wall(one.start, one.along, one.length, place))


@compiled
def wall_following_aim(
    me: Vehicle, walls: Walls, seconds: float = 0.5, offset: float = 1.0
) -> complex:
    """The point that `wall_following` seeks, in meters."""
    line = scale(me.heading, me.max_speed * seconds)
    share, ahead = first_wall(walls, me.position, line, meeting, 0.0)
    if ahead < 0:
        _, outward = nearest_wall(walls, me.position + line)
        return me.position + line - outward + scale(unit(outward), offset)
    normal = normal_of_wall(walls, ahead, me.position)
    point = me.position + scale(line, share) + scale(normal, offset)
    along, rest = left(normal), (1.0 - share) * norm(line)
    reach = scale(along, 2.0 * offset)
    to_left, _ = first_wall(walls, point, reach, meeting, 0.0)
    to_right, _ = first_wall(walls, point, -reach, meeting, 0.0)
    turns_left = to_left > to_right
    if to_left == to_right:
        turns_left = dot(along, me.heading) >= 0.0
    return point + scale(along, rest if turns_left else -rest)


@compiled
def wall_following(
    me: Vehicle, walls: Walls, seconds: float = 0.5, offset: float = 1.0
) -> complex:
    """Moves along walls at an offset from them, in meters (Reynolds 1999).

    It seeks the point beside the wall that is nearest to where it will be, at its top speed,
    after some seconds. If a wall is in the way there, the rest of its way goes along that wall
    to the side that is free: so it turns in corners.

    Example:
        >>> from steer_env.maps import Map, make_walls
        >>> walls = make_walls(Map([(-9, -5), (9, -5), (9, 5), (-9, 5)]), margin=1.0)
        >>> me = Vehicle(position=3.5j, velocity=2 + 0j, max_speed=2)
        >>> force = wall_following(me, walls, offset=1.0)  # it seeks 1 + 4j
        >>> force.imag > 0, wall_following_aim(me, walls)
        (True, (1+4j))
    """
    return seek(me, wall_following_aim(me, walls, seconds, offset))
