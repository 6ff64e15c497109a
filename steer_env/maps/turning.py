"""The tables of the shortest ways on a map: where a body turns, and what each cell may see."""

from __future__ import annotations

import math

import numpy as np

from steer_env.machine_code.addresses import address_of
from steer_env.maps.cells import joined, make_walls
from steer_env.maps.map import Map, has_room
from steer_env.maps.polygons import Places
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import scale
from steer_env.steering.walls import ROUNDING, Walls
from steer_env.steering.ways import SLACK, TABLES, Ways, fill_ways

_QUARTER = 0.5 * math.pi
_CELLS_PER_WALL = 8.0
_FINEST = 4  # parts of a quarter turn, where there is little room


def make_ways(world: Map, walls: Walls, radius: float) -> Ways:
    """Returns the ways of a body on a map, with walls of a margin of at least its radius."""
    turns = turning_places(world, radius)
    size = complex(walls.columns, walls.rows) * walls.cell
    cell = max(walls.cell, math.sqrt(size.real * size.imag / (_CELLS_PER_WALL * walls.number)))
    columns, rows = math.ceil(size.real / cell), math.ceil(size.imag / cell)
    grid = np.arange(columns) + 1j * np.arange(rows)[:, None] + 0.5 + 0.5j
    centers: Places = (walls.corner + cell * grid).ravel().astype(np.complex128)
    known = np.concatenate([centers[has_room(world, centers, radius)], turns])
    count, cells = len(turns), len(centers)
    lengths, homes = np.zeros(count * count), np.zeros(cells, complex)
    sees, tables = np.zeros((cells, count), np.uint8), np.zeros(1, TABLES)
    arrays = joined([walls])
    arrays |= {"turns": turns, "lengths": lengths, "homes": homes, "known": known}
    arrays["sees"] = sees
    for name, array in arrays.items():
        tables[name] = address_of(array)
    numbers = {"count": count, "known_count": len(known), "columns": columns, "rows": rows}
    for name, number in {**numbers, "cell": cell, "radius": radius}.items():
        tables[name] = number
    fill_ways.call(address_of(tables))
    begins = np.concatenate([[0], np.cumsum(sees.sum(1, dtype=np.int32))]).astype(np.int32)
    cell_turns = np.nonzero(sees)[1].astype(np.int16)
    scratch, spaces = np.zeros(4 * count), np.zeros((3, count))
    return Ways(
        *(turns, lengths, begins, cell_turns, homes, scratch, spaces[0], spaces[1], spaces[2]),
        count,
        radius,
        walls.corner,
        cell,
        columns,
        rows,
    )


def ways_on(world: Map, radius: float) -> Ways:
    """Returns the ways of a body on a map, with walls made for it."""
    return make_ways(world, make_walls(world, radius + SLACK), radius)


def turning_places(world: Map, radius: float) -> Places:
    """The places at which the ways of a body turn: at convex corners and at ends of walls.

    One for each quarter turn around a corner; more and nearer ones where those are not free.
    """
    left, found = _convex_corners(world), [np.zeros(0, complex)]
    for finer in (1, 2, _FINEST):
        around = [_places_around(*one, radius, finer) for one in left]
        ends = np.cumsum([len(places) for places in around])
        is_free = np.split(has_room(world, np.concatenate([*around, found[0]]), radius), ends)
        narrow = [finer < _FINEST and not free.all() for free in is_free]
        found += [one[free] for one, free, more in zip(around, is_free, narrow) if not more]
        left = [corner for corner, more in zip(left, narrow) if more]
    places = np.concatenate(found)
    # Corners that are two radii apart may have a place in common.
    keys = [(round(one.real, 9), round(one.imag, 9)) for one in places.tolist()]
    return np.array([*dict(zip(keys, places)).values()], complex)


def _places_around(
    corner: complex, begin: float, turn: float, radius: float, finer: int
) -> Places:
    """The places around a corner, one for each equal part of a turn."""
    parts = finer * math.ceil(turn / _QUARTER - 1e-9)
    reach = radius / direction(0.5 * turn / parts).real
    angles = [begin + _QUARTER + (part + 0.5) * turn / parts for part in range(parts)]
    return np.array([corner + scale(direction(angle), reach) for angle in angles])


def _convex_corners(world: Map) -> list[tuple[complex, float, float]]:
    """The ends of segments with a free sector of more than half a turn.

    Each with the direction from which the sector begins, and by how much it is larger.
    """
    starts, ends = world.segments.T
    at: dict[tuple[float, float], complex] = {}
    directions: dict[complex, dict[float, float]] = {}

    def add(corner: complex, toward: complex) -> None:
        corner = at.setdefault((round(corner.real, 9), round(corner.imag, 9)), corner)
        angle = angle_of(toward - corner)
        directions.setdefault(corner, {}).setdefault(round(angle, 9), angle)

    for start, end in zip(starts.tolist(), ends.tolist()):
        add(start, end)
        add(end, start)
    corners = np.array([*directions])
    # Where a wall ends at the side of another, that goes on in both directions.
    along = ends - starts
    place = ((corners[:, None] - starts) * along.conjugate()).real / np.abs(along) ** 2
    touches = np.abs(starts + place * along - corners[:, None]) < ROUNDING
    for number, wall in np.argwhere(touches & (place > 0.0) & (place < 1.0)):
        for tip in (complex(starts[wall]), complex(ends[wall])):
            if abs(tip - corners[number]) > ROUNDING:
                add(complex(corners[number]), tip)
    found = []
    for corner, angles in directions.items():
        around = sorted(angles.values())
        for one, other in zip(around, [*around[1:], around[0] + 2.0 * math.pi]):
            if (turn := other - one - math.pi) > 1e-6:
                found.append((corner, one, turn))
    return found
