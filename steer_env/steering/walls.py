"""Bodies, lines and rays among the straight walls of a map, found by a grid of cells.

Each cell lists all walls within a margin of it. So whatever happens to a body within the
margin is decided by the list of one cell, and a line looks at the cells that it crosses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, cross, dot, left, norm, scale

ROUNDING = 1e-9
"""Bodies may overlap walls by this much, in meters."""

_MOST_CONTACTS = 4  # in one step; whoever touches more walls stays there


class Walls(NamedTuple):
    """The walls of a map, and the cells in which they are found."""

    starts: Any  # x + iy of each wall, in meters
    ends: Any
    cell_begins: (
        Any  # where each cell's walls begin in the list of all, and where the last ends
    )
    cell_walls: Any  # the numbers of the walls, cell by cell
    corner: complex  # the lower left one of the first cell
    cell: float  # the side of a cell, in meters
    columns: int
    rows: int


@compiled
def cell_at(walls: Walls, place: complex) -> int:
    """The number of the cell that a place is in, or the nearest one."""
    offset = place - walls.corner
    column = min(max(int(offset.real / walls.cell), 0), walls.columns - 1)
    row = min(max(int(offset.imag / walls.cell), 0), walls.rows - 1)
    return row * walls.columns + column


@compiled
def from_wall(start: complex, end: complex, place: complex) -> complex:
    """The vector from the nearest point of a wall to a place.

    Example:
        >>> from_wall(0j, 4 + 0j, 1 + 2j), from_wall(0j, 4 + 0j, 7 + 4j)
        (2j, (3+4j))
    """
    along, offset = end - start, place - start
    share = min(max(dot(offset, along) / max(dot(along, along), TINY), 0.0), 1.0)
    return offset - scale(along, share)


@compiled
def contact(
    start: complex, end: complex, radius: float, place: complex, step: complex
) -> tuple[float, complex]:
    """The share of a body's step that is free of a wall, and the wall's normal at its end.

    They are 1 and 0 for no contact; the normal is a unit vector toward the body. A body that
    touches the wall and moves away from it, or along it but for rounding, is free.

    Example:
        >>> contact(-1 + 0j, 1 + 0j, 0.5, 2j, -3j)
        (0.5, (-0+1j))
    """
    along, offset = end - start, place - start
    length, size = norm(along), norm(step)
    along = scale(along, 1.0 / max(length, TINY))
    side = 1.0 if cross(along, offset) >= 0.0 else -1.0
    distance, approach = side * cross(along, offset), -side * cross(along, step)
    if approach > ROUNDING * size:
        share = max((distance - radius) / approach, 0.0)
        where = dot(offset + scale(step, share), along)
        if share < 1.0 and 0.0 <= where <= length:
            return share, scale(left(along), side)
    free, normal = 1.0, 0j
    for tip in (start, end):
        outward = place - tip
        toward = dot(outward, step)
        if toward >= -ROUNDING * radius * size:
            continue
        # The smaller root of |outward + share * step| = radius.
        gap = dot(outward, outward) - radius * radius
        root = toward * toward - size * size * gap
        if root <= 0.0:
            continue
        share = max(gap / (math.sqrt(root) - toward), 0.0)
        if share < free:
            at = outward + scale(step, share)
            free, normal = share, scale(at, 1.0 / max(norm(at), TINY))
    return free, normal


@compiled
def first_contact(
    walls: Walls, cell: int, radius: float, place: complex, step: complex
) -> tuple[float, complex]:
    """`contact` with the first of a cell's walls."""
    free, normal = 1.0, 0j
    for entry in range(walls.cell_begins[cell], walls.cell_begins[cell + 1]):
        wall = walls.cell_walls[entry]
        share, outward = contact(walls.starts[wall], walls.ends[wall], radius, place, step)
        if share < free:
            free, normal = share, outward
    return free, normal


@compiled
def clearance(walls: Walls, cell: int, place: complex) -> float:
    """The distance from a place to the nearest of a cell's walls, inf without one."""
    nearest = math.inf
    for entry in range(walls.cell_begins[cell], walls.cell_begins[cell + 1]):
        wall = walls.cell_walls[entry]
        nearest = min(nearest, norm(from_wall(walls.starts[wall], walls.ends[wall], place)))
    return nearest


@compiled
def out_of_walls(walls: Walls, cell: int, radius: float, place: complex) -> complex:
    """Takes a body out of the walls that it overlaps by rounding."""
    for _ in range(3):
        for entry in range(walls.cell_begins[cell], walls.cell_begins[cell + 1]):
            wall = walls.cell_walls[entry]
            outward = from_wall(walls.starts[wall], walls.ends[wall], place)
            distance = norm(outward)
            if 0.0 < distance < radius:
                place += scale(outward, radius / distance - 1.0)
    return place


@compiled
def slide(
    walls: Walls, radius: float, start: complex, velocity: complex, dt: float
) -> tuple[complex, complex]:
    """Moves a body for dt seconds: up to each contact, and on along the wall.

    Returns its place, and its velocity without the parts into walls. In a corner that turns it
    back it stays.
    """
    cell, place, step, last = cell_at(walls, start), start, scale(velocity, dt), 0j
    if walls.cell_begins[cell] == walls.cell_begins[cell + 1]:
        return start + step, velocity
    for _ in range(_MOST_CONTACTS):
        free, normal = first_contact(walls, cell, radius, place, step)
        if free >= 1.0:
            place += step
            break
        place += scale(step, free)
        step = scale(step, 1.0 - free)
        step -= scale(normal, min(dot(step, normal), 0.0))
        velocity -= scale(normal, min(dot(velocity, normal), 0.0))
        if dot(step, last) < 0.0:
            velocity = 0j
            break
        last = normal
    place = out_of_walls(walls, cell, radius, place)
    if clearance(walls, cell, place) < radius - ROUNDING:
        return start, 0j
    return place, velocity


@compiled
def meeting(
    start: complex, end: complex, place: complex, line: complex, radius: float = 0.0
) -> float:
    """The share of a line from a place at which it meets a wall, or inf.

    Example:
        >>> meeting(-1 + 2j, 1 + 2j, 0j, 4j), meeting(-1 + 2j, 1 + 2j, 0j, 1j)
        (0.5, inf)
    """
    along, offset = end - start, start - place
    area = cross(line, along)
    if area == 0.0:
        return math.inf
    share, where = cross(offset, along) / area, cross(offset, line) / area
    return share if 0.0 <= share <= 1.0 and 0.0 <= where <= 1.0 else math.inf


@compiled
def nearness(
    start: complex, end: complex, place: complex, line: complex, radius: float
) -> float:
    """0 if a wall is nearer than a radius to a line from a place, else inf.

    Example:
        >>> nearness(-1 + 2j, 1 + 2j, 0j, 1j, 0.9), nearness(-1 + 2j, 1 + 2j, 0j, 1j, 1.1)
        (inf, 0.0)
    """
    along, tip = end - start, place + line
    # Each wholly on one side of the other's strip: that is so for most.
    reach = radius * norm(along)
    one, other = cross(along, place - start), cross(along, tip - start)
    if min(one, other) >= reach or max(one, other) <= -reach:
        return math.inf
    reach = radius * norm(line)
    left_of, right_of = cross(line, start - place), cross(line, end - place)
    if min(left_of, right_of) >= reach or max(left_of, right_of) <= -reach:
        return math.inf
    if one * other < 0.0 and left_of * right_of < 0.0:
        return 0.0
    nearest = min(norm(from_wall(start, end, place)), norm(from_wall(start, end, tip)))
    nearest = min(nearest, norm(from_wall(place, tip, start)), norm(from_wall(place, tip, end)))
    return 0.0 if nearest < radius else math.inf


@compiled
def free_share(
    walls: Walls,
    place: complex,
    line: complex,
    meet: Callable[[complex, complex, complex, complex, Any], float],
    radius: Any,
) -> float:
    """The share of a line from a place up to the first wall that it meets, 1 if there is none.

    The line goes through the grid from cell to cell (Amanatides and Woo 1987). ``meet`` says
    for one wall at which share, as `meeting` and `nearness` do.
    """
    x = (place.real - walls.corner.real) / walls.cell
    y = (place.imag - walls.corner.imag) / walls.cell
    across, upward = line.real / walls.cell, line.imag / walls.cell
    column, row = int(math.floor(x)), int(math.floor(y))
    to_column, to_row = 1 if across > 0.0 else -1, 1 if upward > 0.0 else -1
    # The shares of the line at which it comes to the next column and row, and from one to one.
    next_column, next_row, column_share, row_share = math.inf, math.inf, math.inf, math.inf
    if across != 0.0:
        next_column = (column + (1.0 if across > 0.0 else 0.0) - x) / across
        column_share = abs(1.0 / across)
    if upward != 0.0:
        next_row = (row + (1.0 if upward > 0.0 else 0.0) - y) / upward
        row_share = abs(1.0 / upward)
    found = math.inf
    while 0 <= column < walls.columns and 0 <= row < walls.rows:
        cell = row * walls.columns + column
        for entry in range(walls.cell_begins[cell], walls.cell_begins[cell + 1]):
            wall = walls.cell_walls[entry]
            found = min(found, meet(walls.starts[wall], walls.ends[wall], place, line, radius))
        end = min(next_column, next_row)
        if found <= end or end >= 1.0:
            break
        if next_column < next_row:
            column += to_column
            next_column += column_share
        else:
            row += to_row
            next_row += row_share
    return min(found, 1.0)


@compiled
def sees(walls: Walls, place: complex, line: complex) -> bool:
    """Returns whether no wall is between a place and the end of a line from it."""
    return free_share(walls, place, line, meeting, 0.0) >= 1.0


@compiled
def has_way(walls: Walls, radius: float, place: complex, line: complex) -> bool:
    """Returns whether a body can go straight along a line from a place."""
    return free_share(walls, place, line, nearness, radius - ROUNDING) >= 1.0
