"""The walls of a map as compiled functions find them: in the cells of a grid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.maps.map import Map
from steer_env.maps.polygons import Places
from steer_env.steering.walls import CELL, ROUNDING, WALL, Walls

_CELLS_FOR_RAYS = 4.0  # of each wall


def make_walls(
    world: Map, margin: float, cells_of_wall: float = 32.0, rim: float | None = None
) -> Walls:
    """Returns a map's walls in cells, each of which lists all walls within a margin of it.

    The grid reaches beyond the map by a rim, in meters, by default the margin. A cell's side is as
    much or more: so that there are as many cells for each wall, or in long thin maps up to
    twice as many.
    """
    starts, ends = world.segments.T.copy()
    rim = margin if rim is None else rim
    low = complex(starts.real.min() - rim, starts.imag.min() - rim)
    size = complex(starts.real.max() + rim, starts.imag.max() + rim) - low
    most = cells_of_wall * len(starts)
    longer = 2.0 * max(size.real, size.imag) / most
    cell = max(rim, math.sqrt(size.real * size.imag / most), longer)
    columns, rows = math.ceil(size.real / cell), math.ceil(size.imag / cell)

    def span(one: Any, other: Any, count: int) -> Any:  # the first cell near a wall, the last
        first = (np.minimum(one, other) - margin) / cell
        last = (np.maximum(one, other) + margin) / cell
        return (np.clip(np.floor(k).astype(int), 0, count - 1) for k in (first, last))

    left, right = span(starts.real - low.real, ends.real - low.real, columns)
    down, up = span(starts.imag - low.imag, ends.imag - low.imag, rows)
    width = right - left + 1
    wall, entry = spread(width * (up - down + 1))
    column, row = left[wall] + entry % width[wall], down[wall] + entry // width[wall]
    centers = low + cell * (column + 0.5 + 1j * (row + 0.5))
    apart = _distances_to_squares(starts[wall], ends[wall], centers, 0.5 * cell)
    is_near = apart <= margin
    entry, apart, place = wall[is_near], apart[is_near], (row * columns + column)[is_near]
    counts = np.bincount(place, minlength=columns * rows)
    nearest = np.full(columns * rows, np.inf)
    np.minimum.at(nearest, place, apart)
    beyond = np.maximum(cell * _gaps((nearest == 0.0).reshape(rows, columns)), margin)
    rooms = np.where(counts > 0, nearest, beyond.ravel()).astype(np.float32)
    walls, cells = np.zeros(len(starts), WALL), np.zeros(len(counts) + 1, CELL)
    along = ends - starts
    walls["start"], walls["end"] = starts, ends
    walls["length"] = np.sqrt(along.real * along.real + along.imag * along.imag)
    walls["along"] = along / walls["length"]
    sides = [len(one) for one in world.polygons]
    walls["polygon"][sum(sides) :] = -1
    walls["polygon"][: sum(sides)] = np.repeat(np.arange(len(sides)), sides)
    cells["begin"][1:] = np.cumsum(counts)
    cells["room"][:-1] = np.nextafter(rooms, np.float32(0.0))
    # One more, so that the first of any cell can be read.
    entries = np.append(entry[np.argsort(place, kind="stable")], 0).astype(np.int16)
    return Walls(
        *(len(walls), walls, cells, entries, low, cell, 1.0 / cell, columns, rows, margin)
    )


def walls_in_range(world: Map, reach: float) -> Walls:
    """Returns a map's walls in small cells that list all within reach of them, for rays.

    Left out are sides of polygons that are seen from behind everywhere in a cell: there, the
    polygon's other sides are nearer.
    """
    walls = make_walls(world, reach, _CELLS_FOR_RAYS, 0.0)
    counts = np.diff(walls.cells["begin"])
    number = np.repeat(np.arange(len(counts)), counts)
    column, row = number % walls.columns, number // walls.columns
    centers = walls.corner + walls.cell * (column + 0.5 + 1j * (row + 0.5))
    one = walls.walls[walls.cell_walls]
    along, offset = one["along"], centers - one["start"]
    reach = 0.5 * walls.cell * (np.abs(along.real) + np.abs(along.imag))
    free = _free_sides(world)[walls.cell_walls]  # 1 left of the wall, -1 right, 0 both
    ahead = free * (along.real * offset.imag - along.imag * offset.real) + reach
    is_kept = (free == 0) | (ahead > -ROUNDING)
    cells = walls.cells.copy()
    cells["begin"][1:] = np.cumsum(np.bincount(number[is_kept], minlength=len(counts)))
    return walls._replace(cells=cells, cell_walls=walls.cell_walls[is_kept])


def _free_sides(world: Map) -> NDArray[np.int64]:
    found = np.zeros(len(world.segments), int)
    begin = 0
    for number, polygon in enumerate(world.polygons):
        x, y = polygon.real, polygon.imag
        area = (x * np.roll(y, -1) - y * np.roll(x, -1)).sum()
        found[begin : begin + len(polygon)] = 1 if (area > 0.0) == (number == 0) else -1
        begin += len(polygon)
    return found


def _gaps(touched: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The distances between a grid's squares and the nearest touched ones, in sides."""
    if len(touched) > touched.shape[1]:
        return _gaps(touched.T).T
    column = np.arange(touched.shape[1])
    before = np.maximum.accumulate(np.where(touched, column, -np.inf), axis=1)
    after = np.minimum.accumulate(np.where(touched, column, np.inf)[:, ::-1], axis=1)[:, ::-1]
    across = np.maximum(np.minimum(column - before, after - column) - 1.0, 0.0) ** 2
    row = np.arange(len(touched))
    upward = np.maximum(np.abs(row[:, None] - row) - 1.0, 0.0) ** 2
    return np.sqrt([(across + one[:, None]).min(0) for one in upward])


def spread(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns each index as often as its count says, and 0, 1, ... beside each.

    Example:
        >>> spread(np.array([2, 0, 3]))
        (array([0, 0, 2, 2, 2]), array([0, 1, 0, 1, 2]))
    """
    index = np.repeat(np.arange(len(counts)), counts)
    return index, np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)


def beside(walls: Walls, places: Places) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the numbers of places and of walls, for all walls that the places' cells list."""
    offset = (places - walls.corner) / walls.cell
    column = np.clip(np.floor(offset.real).astype(int), 0, walls.columns - 1)
    row = np.clip(np.floor(offset.imag).astype(int), 0, walls.rows - 1)
    cells = row * walls.columns + column
    begins = walls.cells["begin"][cells]
    place, entry = spread(walls.cells["begin"][cells + 1] - begins)
    return place, walls.cell_walls[begins[place] + entry]


def _distances_to_squares(starts: Places, ends: Places, centers: Places, half: float) -> Any:
    """The distances of segments from squares of a half side, with the center of each.

    They are exact but for segments near a square's corner, where they may be up to 30% less.
    """
    along, offset = ends - starts, starts - centers

    def beyond(one: Any, step: Any) -> Any:  # of the interval that a segment covers on an axis
        low, high = np.minimum(one, one + step), np.maximum(one, one + step)
        return np.maximum(np.maximum(low, -high), 0.0) - half

    apart = np.maximum(beyond(offset.real, along.real), beyond(offset.imag, along.imag))
    length = np.sqrt(along.real * along.real + along.imag * along.imag)
    area = np.abs(offset.real * along.imag - offset.imag * along.real)
    reach = half * (np.abs(along.real) + np.abs(along.imag))
    return np.maximum(np.maximum(apart, (area - reach) / length), 0.0)
