"""The motion of a body among walls and obstacles: up to what it touches, and along it."""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, cross, dot, left, norm, scale, unit
from steer_env.steering.vehicle import Obstacles
from steer_env.steering.walls import ROUNDING, Walls, cell_at, from_wall_of

_MOST_CONTACTS = 4  # in one step; whoever touches more stays there
_PUSHES = 4  # out of what rounding has left a body in
_SLACK = 1e-10  # meters of overlap that are left as they are


@compiled
def contact_with_point(
    center: complex, reach: float, place: complex, step: complex
) -> tuple[float, complex]:
    """`contact` with a point, or for the sum of both radii with a disc.

    Example:
        >>> contact_with_point(4 + 0j, 1.0, 0j, 6 + 0j)
        (0.5, (-1+0j))
    """
    outward = place - center
    toward, square = dot(outward, step), dot(step, step)
    if toward >= -ROUNDING * reach * math.sqrt(square):
        return 1.0, 0j
    # The smaller root of |outward + share * step| = reach.
    gap = dot(outward, outward) - reach * reach
    root = toward * toward - square * gap
    if root <= 0.0:
        return 1.0, 0j
    share = max(gap / (math.sqrt(root) - toward), 0.0)
    return (share, unit(outward + scale(step, share))) if share < 1.0 else (1.0, 0j)


@compiled
def contact(
    start: complex,
    unit_along: complex,
    length: float,
    radius: float,
    place: complex,
    step: complex,
) -> tuple[float, complex]:
    """The share of a body's step that is free of a wall, and the wall's normal at its end.

    They are 1 and 0 for no contact; the normal is a unit vector toward the body. A body that
    touches the wall and moves away from it, or along it but for rounding, is free. The wall has
    a length along a unit vector.

    Example:
        >>> contact(-1 + 0j, 1 + 0j, 2.0, 0.5, 2j, -3j)
        (0.5, (-0+1j))
    """
    offset = place - start
    side = 1.0 if cross(unit_along, offset) >= 0.0 else -1.0
    distance, approach = side * cross(unit_along, offset), -side * cross(unit_along, step)
    before, forward = dot(offset, unit_along), dot(step, unit_along)
    if approach > 0.0:
        share = max((distance - radius) / approach, 0.0)
        if share < 1.0 and 0.0 <= before + share * forward <= length:
            return share, scale(left(unit_along), side)
    free, normal = 1.0, 0j
    if min(before, before + forward) >= 0.0 and max(before, before + forward) <= length:
        return free, normal  # it is beside the wall all the way
    for tip in (start, start + scale(unit_along, length)):
        share, outward = contact_with_point(tip, radius, place, step)
        if share < free:
            free, normal = share, outward
    return free, normal


@compiled
def first_contact(
    walls: Walls, discs: Obstacles, cell: int, radius: float, place: complex, step: complex
) -> tuple[bool, float, complex]:
    """`contact` with the first of a cell's walls and of the obstacles.

    Before it stands whether the step ends near a wall or an obstacle: False if it begins and
    ends on one and the same side of each wall's line, or beyond one end of it, a radius away.
    """
    is_near, free, normal, reach = len(discs) > 0, 1.0, 0j, radius - _SLACK
    for entry in range(walls.cells[cell].begin, walls.cells[cell + 1].begin):
        wall = walls.walls[walls.cell_walls[entry]]
        offset = place - wall.start
        before = cross(wall.along, offset)
        after = before + cross(wall.along, step)
        if min(before, after) >= reach or max(before, after) <= -reach:
            continue
        before = dot(wall.along, offset)
        after = before + dot(wall.along, step)
        if max(before, after) <= -reach or min(before, after) >= wall.length + reach:
            continue
        share, outward = contact(wall.start, wall.along, wall.length, radius, place, step)
        is_near = True
        if share < free:
            free, normal = share, outward
    for disc in discs:
        if disc.radius > 0.0:
            share, outward = contact_with_point(disc.center, disc.radius + radius, place, step)
            if share < free:
                free, normal = share, outward
    return is_near, free, normal


@compiled
def _pushed_out(
    walls: Walls, discs: Obstacles, cell: int, radius: float, place: complex
) -> tuple[bool, complex]:
    """Takes a body out of what it overlaps by rounding, and says whether that was done."""
    is_out, nearest = False, radius - _SLACK
    for _ in range(_PUSHES):
        is_out = True
        for entry in range(walls.cells[cell].begin, walls.cells[cell + 1].begin):
            outward = from_wall_of(walls, walls.cell_walls[entry], place)
            if dot(outward, outward) < nearest * nearest:
                is_out = False
                place += scale(outward, radius / max(norm(outward), TINY) - 1.0)
        for disc in discs:
            outward, reach = place - disc.center, disc.radius + radius
            if disc.radius > 0.0 and norm(outward) < reach - _SLACK:
                is_out = False
                place += scale(outward, reach / max(norm(outward), TINY) - 1.0)
        if is_out:
            break
    return is_out, place


@compiled
def may_touch(walls: Walls, radius: float, place: complex, step: complex) -> bool:
    """Returns False if a body keeps to one side of the only wall near its step.

    Without any choice, so that the processor can look at many bodies at once.
    """
    cell, reach = cell_at(walls, place), radius - _SLACK
    begin, end = walls.cells[cell].begin, walls.cells[cell + 1].begin
    wall = walls.walls[walls.cell_walls[begin]]
    before = cross(wall.along, place - wall.start)
    after = before + cross(wall.along, step)
    is_beside = (min(before, after) >= reach) | (max(before, after) <= -reach)
    return not (is_beside & (end - begin == 1))


@compiled
def slide(
    walls: Walls, discs: Obstacles, radius: float, start: complex, velocity: complex, dt: float
) -> tuple[complex, complex]:
    """Moves a body for dt seconds: up to each contact, and on along what it touches.

    A long step is made in parts within the margin.

    Returns:
        Its place in meters, and its velocity in m/s without the parts into walls. In a corner
        that turns it back it stays.

    Example:
        >>> from steer_env.steering.walls import CELL, WALL
        >>> one = np.array([(-5, 5, 1, 10.0, -1)], WALL)
        >>> cells = np.array([(0, 0.0), (1, 0.0)], CELL)
        >>> wall = Walls(1, one, cells, np.zeros(1, int), -6 - 2j, 12.0, 1 / 12, 1, 1, 2.0)
        >>> slide(wall, [], 0.5, 1j, 1 - 1j, 1.0)
        ((1+0.5j), (1+0j))
    """
    place, parts = start, 1
    size, room = norm(velocity) * dt, max(walls.margin - radius, ROUNDING)
    if size > room:
        parts = int(size / room) + 1
        dt /= parts
    for _ in range(parts):
        place, velocity = _slide_along(walls, discs, radius, place, velocity, dt)
    return place, velocity


@compiled
def _slide_along(
    walls: Walls, discs: Obstacles, radius: float, start: complex, velocity: complex, dt: float
) -> tuple[complex, complex]:
    cell, place, step, last = cell_at(walls, start), start, scale(velocity, dt), 0j
    for _ in range(_MOST_CONTACTS):
        is_near, free, normal = first_contact(walls, discs, cell, radius, place, step)
        if free >= 1.0:
            place += step
            if not is_near:
                return place, velocity
            break
        place += scale(step, free)
        step = scale(step, 1.0 - free)
        step -= scale(normal, min(dot(step, normal), 0.0))
        velocity -= scale(normal, min(dot(velocity, normal), 0.0))
        if dot(step, last) < 0.0:
            velocity = 0j
            break
        last = normal
    is_out, place = _pushed_out(walls, discs, cell, radius, place)
    return (place, velocity) if is_out else (start, 0j)
