"""The walls of a map as compiled functions find them: in the cells of a grid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.maps.map import Map
from steer_env.maps.polygons import Places
from steer_env.steering.walls import Walls

_CELLS = 8  # of each wall, about; long thin maps have up to twice as many


def make_walls(world: Map, margin: float) -> Walls:
    """Returns a map's walls in cells, each of which lists all walls within a margin of it.

    A cell's side is the margin, in meters, or more: so that there are about eight cells a wall.
    """
    starts, ends = world.segments.T.copy()
    low = complex(starts.real.min() - margin, starts.imag.min() - margin)
    size = complex(starts.real.max() + margin, starts.imag.max() + margin) - low
    most = _CELLS * len(starts)
    longer = 2.0 * max(size.real, size.imag) / most
    cell = max(margin, math.sqrt(size.real * size.imag / most), longer)
    columns, rows = math.ceil(size.real / cell), math.ceil(size.imag / cell)

    def span(one: Any, other: Any, count: int) -> Any:  # the first cell beside a wall, the last
        first = (np.minimum(one, other) - margin) / cell
        last = (np.maximum(one, other) + margin) / cell
        return (np.clip(np.floor(k).astype(int), 0, count - 1) for k in (first, last))

    left, right = span(starts.real - low.real, ends.real - low.real, columns)
    down, up = span(starts.imag - low.imag, ends.imag - low.imag, rows)
    width = right - left + 1
    wall, entry = spread(width * (up - down + 1))
    column, row = left[wall] + entry % width[wall], down[wall] + entry // width[wall]
    centers = low + cell * (column + 0.5 + 1j * (row + 0.5))
    is_near = _distances_to_squares(starts[wall], ends[wall], centers, 0.5 * cell) <= margin
    places = (row * columns + column)[is_near]
    order = np.argsort(places, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=columns * rows))])
    listed = wall[is_near][order]
    return Walls(starts, ends, begins, listed, low, cell, columns, rows)


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
    begins = walls.cell_begins[cells]
    place, entry = spread(walls.cell_begins[cells + 1] - begins)
    return place, walls.cell_walls[begins[place] + entry]


def _distances_to_squares(starts: Places, ends: Places, centers: Places, half: float) -> Any:
    """The distances of segments from squares of a half side, with the center of each.

    They are exact but for segments near a square's corner, where they may be up to 30 % less.
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
