"""The walls of a map as compiled functions find them: in the cells of a grid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steer_env.machine_code.addresses import address_of
from steer_env.maps.polygons import Mask, Places, area_of
from steer_env.steering.walls import CELL, MAP, ROUNDING, WALL, Walls

if TYPE_CHECKING:
    from steer_env.maps.map import Map

_PARTS = {"wall": "walls", "cell": "cells", "entry": "cell_walls"}
_LINE = 64  # bytes


def make_walls(
    world: Map,
    margin: float,
    cells_of_wall: float = 32.0,
    for_rays: bool = False,
    finest: float | None = None,
) -> Walls:
    """Returns a map's walls in cells, each of which lists all walls within a margin of it.

    A cell's side is the finest one, in meters, or more: so that there are as many cells for
    each wall, or in long thin maps up to twice as many. The finest is the margin, or 0 for
    rays. Cells for these lack the sides of polygons that are seen from behind everywhere in
    them: others are nearer there.
    """
    starts, ends = world.segments.T.copy()
    beyond = 0.0 if for_rays else margin
    low = complex(starts.real.min() - beyond, starts.imag.min() - beyond)
    size = complex(starts.real.max() + beyond, starts.imag.max() + beyond) - low
    most = cells_of_wall * len(starts)
    longer = 2.0 * max(size.real, size.imag) / most
    finest = beyond if finest is None else finest
    cell = max(finest, math.sqrt(size.real * size.imag / most), longer)
    columns, rows = math.ceil(size.real / cell), math.ceil(size.imag / cell)

    # The first and the last column, and row, near each wall.
    tips = np.sort([[starts.real, ends.real], [starts.imag, ends.imag]], axis=1)
    tips -= np.array([low.real, low.imag])[:, None, None]
    spans = np.floor((tips + np.array([[-margin], [margin]])) / cell).astype(int)
    (left, right), (down, up) = np.clip(spans, 0, np.reshape([columns, rows], (2, 1, 1)) - 1)
    width = right - left + 1
    wall, entry = spread(width * (up - down + 1))
    column, row = left[wall] + entry % width[wall], down[wall] + entry // width[wall]
    centers = low + cell * (column + 0.5 + 1j * (row + 0.5))
    apart = _distances_to_squares(starts[wall], ends[wall], centers, 0.5 * cell)
    is_near = apart <= margin
    wall, apart, place = wall[is_near], apart[is_near], (row * columns + column)[is_near]
    nearest = np.full(columns * rows, np.inf)
    np.minimum.at(nearest, place, apart)
    farther = np.maximum(cell * _gaps((nearest == 0.0).reshape(rows, columns)), margin)
    rooms = np.where(nearest < np.inf, nearest, farther.ravel()).astype(np.float32)
    walls, cells = np.zeros(len(starts), WALL), np.zeros(columns * rows + 1, CELL)
    along = ends - starts
    walls["start"], walls["end"] = starts, ends
    walls["length"] = np.sqrt(along.real * along.real + along.imag * along.imag)
    walls["along"] = along / walls["length"]
    sides = [len(one) for one in world.polygons]
    walls["polygon"] = -1
    walls["polygon"][: sum(sides)] = np.repeat(np.arange(len(sides)), sides)
    if for_rays:
        is_seen = _in_front(world, walls[wall], centers[is_near], 0.5 * cell)
        wall, place = wall[is_seen], place[is_seen]
    cells["begin"][1:] = np.cumsum(np.bincount(place, minlength=columns * rows))
    cells["room"][:-1] = np.nextafter(rooms, np.float32(0.0))
    # One more, so that the first of any cell can be read.
    entries = np.append(wall[np.argsort(place, kind="stable")], 0).astype(np.int16)
    grid = low, cell, 1.0 / cell, columns, rows
    return Walls(len(walls), walls, cells, entries, *grid, margin)


def joined(made: Sequence[Walls]) -> dict[str, Any]:
    """The tables of several maps, for `walls_at`, with `MAP` records that have no ground."""
    records, tables = in_tables(made, MAP, _PARTS)
    return {"maps": records, **tables}


def in_tables(
    made: Sequence[Any], kind: np.dtype[Any], parts: Mapping[str, str]
) -> tuple[NDArray[np.void], dict[str, Any]]:
    """Records of named tuples with arrays, and the arrays of all, one after the other.

    A record has the tuple's numbers by their names, and for each of the parts, by the name of
    their field, where it begins in the array of all.
    """
    records = _in_lines(np.zeros(len(made), kind))
    for name, field in parts.items():
        ends = np.cumsum([len(getattr(one, field)) for one in made])
        records[f"first_{name}"][1:] = ends[:-1]
    for record, one in zip(records, made):
        for name in {*one._fields} & {*(kind.names or ())}:
            record[name] = getattr(one, name)
    arrays = {field: [getattr(one, field) for one in made] for field in parts.values()}
    return records, {
        field: _in_lines(np.concatenate(several)) for field, several in arrays.items()
    }


def _in_lines(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that begins where a line of the processor's cache does."""
    space = np.zeros(array.nbytes + _LINE, np.uint8)
    first = -address_of(space) % _LINE
    aligned = space[first : first + array.nbytes].view(array.dtype)
    aligned[...] = array
    return aligned


def _in_front(world: Map, walls: NDArray[np.void], centers: Places, half: float) -> Mask:
    """Returns which walls can be seen from squares of a half side, with the center of each."""
    along, offset = walls["along"], centers - walls["start"]
    # 1 if only the place left of a wall is free, -1 if only that on its right is, 0 for both.
    turns = np.sign([area_of(one) for one in world.polygons])
    free = np.array([turns[0], *-turns[1:], 0.0])[walls["polygon"]]
    ahead = free * (along.real * offset.imag - along.imag * offset.real)
    reach = half * (np.abs(along.real) + np.abs(along.imag))
    return np.asarray((free == 0.0) | (ahead + reach > -ROUNDING))


def _distances_to_squares(starts: Places, ends: Places, centers: Places, half: float) -> Any:
    """The distances of segments from squares of a half side, with the center of each.

    They are exact but for segments near a square's corner, where they may be up to 30% less.
    """
    along, offset = ends - starts, starts - centers
    length = np.sqrt(along.real * along.real + along.imag * along.imag)
    area = np.abs(offset.real * along.imag - offset.imag * along.real)
    apart = (area - half * (np.abs(along.real) + np.abs(along.imag))) / length
    for one, step in ((offset.real, along.real), (offset.imag, along.imag)):
        nearest = np.maximum(np.minimum(one, one + step), -np.maximum(one, one + step))
        apart = np.maximum(apart, nearest - half)
    return np.maximum(apart, 0.0)


def _gaps(touched: Mask) -> NDArray[np.float64]:
    """The distances between a grid's squares and the nearest touched ones, in sides."""
    if len(touched) > touched.shape[1]:
        return _gaps(touched.T).T
    column, row = np.arange(touched.shape[1]), np.arange(len(touched))
    before = np.maximum.accumulate(np.where(touched, column, -np.inf), axis=1)
    after = np.minimum.accumulate(np.where(touched, column, np.inf)[:, ::-1], axis=1)[:, ::-1]
    across = np.maximum(np.minimum(column - before, after - column) - 1.0, 0.0) ** 2
    upward = np.maximum(np.abs(row[:, None] - row) - 1.0, 0.0) ** 2
    return np.sqrt([(across + one[:, None]).min(0) for one in upward])


def spread(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns each index as often as its count says, and 0, 1, ... beside each."""
    index = np.repeat(np.arange(len(counts)), counts)
    return index, np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)


def beside(walls: Walls, places: Places) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the numbers of places and of walls, for all walls that the places' cells list."""
    offset = (places - walls.corner) / walls.cell
    column = np.clip(np.floor(offset.real).astype(int), 0, walls.columns - 1)
    row = np.clip(np.floor(offset.imag).astype(int), 0, walls.rows - 1)
    begin, end = walls.cells["begin"][row * walls.columns + column + [[0], [1]]]
    place, entry = spread(end - begin)
    return place, walls.cell_walls[begin[place] + entry]
