"""Bodies, lines and rays among the straight walls of a map, found by a grid of cells.

Each cell lists all walls within a margin of it. So whatever happens to a body within the
margin is decided by the list of one cell, and a line looks at the cells that it crosses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.marking import record_dtype
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import cross, dot, left, norm, scale, unit
from steer_env.steering.vehicle import Obstacles

ROUNDING = 1e-9
"""Bodies may overlap walls by this much, in meters."""

_SEAM = 1e-9  # meters beyond a wall's ends: no line passes between two that join


WALL = record_dtype(
    [
        ("start", np.complex128),  # x + iy, in meters
        ("end", np.complex128),
        ("along", np.complex128),  # the unit vector from start to end
        ("length", np.float64),  # in meters
        # That it is a side of: 0 the outline, 1 the first solid, -1 none.
        ("polygon", np.int64),
    ]
)
"""A straight wall."""

CELL = record_dtype([("begin", np.int32), ("room", np.float32)])
"""A cell: where its walls begin in the list of all, and a distance, in meters, within which
none is."""


_WALL_SIZE, _CELL_SIZE = WALL.itemsize, CELL.itemsize


class Walls(NamedTuple):
    """The walls of a map, and the cells in which they are found."""

    number: int  # of walls
    walls: Any  # `WALL` records
    cells: Any  # `CELL` records, and one more, at which the last ends
    cell_walls: Any  # the numbers of the walls, cell by cell
    corner: complex  # the lower left one of the first cell
    cell: float  # the side of a cell, in meters
    per_meter: float  # cells
    columns: int
    rows: int
    margin: float  # walls this near to a cell are in its list, in meters


MAP = record_dtype(
    [
        ("first_wall", np.int64),  # among those of all maps, as the next two
        ("first_cell", np.int64),
        ("first_entry", np.int64),
        ("corner", np.complex128),  # see `Walls`, as the next six
        ("per_meter", np.float64),
        ("margin", np.float64),
        ("columns", np.int32),
        ("rows", np.int32),  # up to here in one line of the processor's cache
        ("number", np.int64),
        ("cell", np.float64),
        ("digest", np.int64),
        ("first_place", np.int64),  # among the ground of all maps
        ("ground_corner", np.complex128),  # see `Ground`, as the rest
        ("ground_step", np.float64),
        ("ground_columns", np.int32),
        ("ground_rows", np.int32),
    ]
)
"""The places of a map's walls and ground in tables of several maps."""


@compiled
def walls_at(walls: int, maps: int, cells: int, cell_walls: int, number: int) -> Walls:
    """The walls of a map by its number, from the addresses of tables of several maps."""
    one = records_at(maps, number + 1, MAP)[number]
    listed = records_at(cells + one.first_cell * _CELL_SIZE, one.columns * one.rows + 1, CELL)
    entries = listed[one.columns * one.rows].begin + 1
    return Walls(
        one.number,
        records_at(walls + one.first_wall * _WALL_SIZE, one.number, WALL),
        listed,
        column(cell_walls, one.first_entry, entries, np.int16),
        one.corner,
        one.cell,
        one.per_meter,
        one.columns,
        one.rows,
        one.margin,
    )


@compiled
def cell_at(walls: Walls, place: complex) -> int:
    """The number of the cell that a place is in, or the nearest one."""
    offset = place - walls.corner
    column = min(max(int(offset.real * walls.per_meter), 0), walls.columns - 1)
    row = min(max(int(offset.imag * walls.per_meter), 0), walls.rows - 1)
    return row * walls.columns + column


@compiled
def is_near_walls(walls: Walls, place: complex, reach: float) -> bool:
    """Returns False if no wall is within reach of a place, by the room of its cell alone."""
    return walls.cells[cell_at(walls, place)].room < reach


@compiled
def from_wall(start: complex, along: complex, length: float, place: complex) -> complex:
    """The vector from the nearest point of a wall to a place.

    The wall has a length along a unit vector.

    Example:
        >>> from_wall(0j, 1 + 0j, 4.0, 1 + 2j), from_wall(0j, 1 + 0j, 4.0, 7 + 4j)
        (2j, (3+4j))
    """
    offset = place - start
    return offset - scale(along, min(max(dot(offset, along), 0.0), length))


@compiled
def from_wall_of(walls: Walls, wall: int, place: complex) -> complex:
    """`from_wall` for one of a map's walls."""
    one = walls.walls[wall]
    return from_wall(one.start, one.along, one.length, place)


@compiled
def listed_distance(walls: Walls, place: complex) -> float:
    """The distance from a place to the nearest wall that its cell lists, else inf."""
    nearest, cell = math.inf, cell_at(walls, place)
    for entry in range(walls.cells[cell].begin, walls.cells[cell + 1].begin):
        nearest = min(nearest, norm(from_wall_of(walls, walls.cell_walls[entry], place)))
    return nearest


@compiled
def clearance(walls: Walls, discs: Obstacles, place: complex) -> float:
    """The distance from a place to the nearest wall within the margin or obstacle, else inf."""
    nearest = listed_distance(walls, place)
    for disc in discs:
        if disc.radius > 0.0:
            nearest = min(nearest, norm(place - disc.center) - disc.radius)
    return nearest


@compiled
def wall_distance(walls: Walls, place: complex) -> float:
    """The distance from a place to the nearest of all walls, in meters."""
    nearest = listed_distance(walls, place)
    for wall in range(walls.number if nearest > walls.margin else 0):
        nearest = min(nearest, norm(from_wall_of(walls, wall, place)))
    return nearest


@compiled
def has_room(walls: Walls, discs: Obstacles, radius: float, place: complex) -> bool:
    """Returns whether a body at a place overlaps nothing, but for rounding."""
    return clearance(walls, discs, place) >= radius - ROUNDING


@compiled
def contains(walls: Walls, place: complex) -> bool:
    """Returns whether a place is in the outline, and in no solid.

    A line from it to the right crosses a polygon that it is in an odd number of times.
    """
    polygon, is_in = 0, False
    for wall in range(walls.number):
        one = walls.walls[wall]
        if one.polygon != polygon:
            if is_in != (polygon == 0):
                return False
            polygon, is_in = one.polygon, False
        if polygon < 0:
            return True
        start, end = one.start, one.end
        if (start.imag > place.imag) != (end.imag > place.imag):
            share = (place.imag - start.imag) / (end.imag - start.imag)
            is_in = is_in != (place.real < start.real + share * (end.real - start.real))
    return is_in == (polygon == 0)


@compiled
def meeting(
    start: complex, along: complex, length: float, place: complex, line: complex, radius: float
) -> float:
    """The share of a line from a place at which it meets a wall, or inf.

    The wall has a length along a unit vector; the radius does not matter.

    Example:
        >>> wall = -1 + 2j, 1 + 0j, 2.0
        >>> meeting(*wall, 0j, 4j, 0.0), meeting(*wall, 0j, 1j, 0.0)
        (0.5, inf)
    """
    offset, area = start - place, cross(line, along)
    size = abs(area)
    sign = 1.0 if area > 0.0 else -1.0
    share, where = sign * cross(offset, along), sign * cross(offset, line)
    is_met = 0.0 <= share <= size and -_SEAM * size <= where <= (length + _SEAM) * size
    return share / size if is_met and size > 0.0 else math.inf


@compiled
def nearness(
    start: complex, along: complex, length: float, place: complex, line: complex, radius: float
) -> float:
    """0 if a wall is nearer than a radius to a line from a place, else inf, as `meeting`.

    Example:
        >>> wall = -1 + 2j, 1 + 0j, 2.0
        >>> nearness(*wall, 0j, 1j, 0.9), nearness(*wall, 0j, 1j, 1.1)
        (inf, 0.0)
    """
    end, tip = start + scale(along, length), place + line
    # Each wholly on one side of the other's strip: that is so for most.
    one, other = cross(along, place - start), cross(along, tip - start)
    if min(one, other) >= radius or max(one, other) <= -radius:
        return math.inf
    reach = radius * norm(line)
    left_of, right_of = cross(line, start - place), cross(line, end - place)
    if min(left_of, right_of) >= reach or max(left_of, right_of) <= -reach:
        return math.inf
    if one * other < 0.0 and left_of * right_of < 0.0:
        return 0.0
    size, way = norm(line), unit(line)
    nearest = min(
        norm(from_wall(start, along, length, place)),
        norm(from_wall(start, along, length, tip)),
        norm(from_wall(place, way, size, start)),
        norm(from_wall(place, way, size, end)),
    )
    return 0.0 if nearest < radius else math.inf


@compiled
def first_wall(
    walls: Walls, place: complex, line: complex, meet: Callable[..., float], radius: float
) -> tuple[float, int]:
    """The share of a line from a place up to the first wall that it meets, and that wall.

    They are infinity and -1 if there is none. The line goes through the grid from cell to cell
    (Amanatides and Woo 1987), and by leaps where no wall is near. ``meet`` says for one wall at
    which share it is met, as `meeting` and `nearness` do with the radius.
    """
    x = (place.real - walls.corner.real) * walls.per_meter
    y = (place.imag - walls.corner.imag) * walls.per_meter
    across, upward = line.real * walls.per_meter, line.imag * walls.per_meter
    # The shares of the line from one column, and row, to the next.
    column_share = 1.0 / abs(across) if across != 0.0 else math.inf
    row_share = 1.0 / abs(upward) if upward != 0.0 else math.inf
    size, here = norm(line), 0.0
    least_leap = 2.0 * walls.cell + radius
    found, first = math.inf, -1
    while here <= 1.0:
        column, row = math.floor(x + here * across), math.floor(y + here * upward)
        next_column, next_row = math.inf, math.inf
        if across != 0.0:
            next_column = (column + (1.0 if across > 0.0 else 0.0) - x) / across
        if upward != 0.0:
            next_row = (row + (1.0 if upward > 0.0 else 0.0) - y) / upward
        while True:
            if not (0 <= column < walls.columns and 0 <= row < walls.rows):
                return found, first
            cell = row * walls.columns + column
            room = walls.cells[cell].room
            if room <= radius:
                for entry in range(walls.cells[cell].begin, walls.cells[cell + 1].begin):
                    wall = walls.cell_walls[entry]
                    one = walls.walls[wall]
                    share = meet(one.start, one.along, one.length, place, line, radius)
                    if share < found:
                        found, first = share, wall
            end = min(next_column, next_row)
            if found <= end or end >= 1.0:
                return found, first
            if room >= least_leap:
                here += (room - radius) / size
                break
            here = end
            if next_column < next_row:
                column += 1 if across > 0.0 else -1
                next_column += column_share
            else:
                row += 1 if upward > 0.0 else -1
                next_row += row_share
    return found, first


@compiled
def normal_of_wall(walls: Walls, wall: int, place: complex) -> complex:
    """The unit vector across a wall toward the side of it that a place is on."""
    one = walls.walls[wall]
    normal = left(one.along)
    return normal if dot(normal, place - one.start) >= 0.0 else -normal


@compiled
def sees(walls: Walls, place: complex, line: complex) -> bool:
    """Returns whether no wall is between a place and the end of a line from it."""
    return first_wall(walls, place, line, meeting, 0.0)[1] < 0


@compiled
def has_way(walls: Walls, radius: float, place: complex, line: complex) -> bool:
    """Returns whether a body can go straight along a line from a place."""
    return first_wall(walls, place, line, nearness, radius - ROUNDING)[1] < 0
