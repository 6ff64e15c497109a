"""Vehicles that fit a map: that have room in it, and ways to wherever they have room."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.maps.cells import beside, make_walls, spread
from steer_env.maps.polygons import Mask, Places, distances, segments_cross
from steer_env.steering.ground import Ground
from steer_env.steering.walls import ROUNDING, Walls

if TYPE_CHECKING:
    from steer_env.maps.map import Map

_PLACES = 16  # of the coarsest lattice, of each wall
_FEWEST = 32  # walls for that
_LEVELS = 3  # of lattices, each with half the other's step
_REACH = 3.0  # steps to other places to which a straight way is looked for
_EXACT = 1e-3  # meters, of the largest radius
Numbers = NDArray[np.int64]


@lru_cache(4096)
def ground_of(world: Map, radius: float) -> Ground:
    """Returns the places of a map that a vehicle of a radius can reach from any of them.

    Raises:
        InvalidValue: unless it has room, and a way to wherever it has room; with the largest
            radius that fits, or a smaller one where several ranges do.
    """
    found = _search(world, radius)
    if isinstance(found, Ground):
        return found
    fault = f"no room for a vehicle of radius {radius:g} m"
    if found is not None:
        fault = f"parts that no vehicle of radius {radius:g} m can reach, one of them "
        fault += f"around ({found.real:.2f}, {found.imag:.2f})"
    largest = largest_radius(world, radius)
    remedy = f"the largest radius that fits is {largest:.3f} m"
    remedy = remedy if largest else "no radius fits, so open it or fill it"
    raise InvalidValue(f"the map has {fault}: {remedy}")


def largest_radius(world: Map, most: float) -> float:
    """Returns the largest radius below one in meters that fits, to 1 mm, or 0 if none does.

    Several ranges may fit: discs that pass all doors, and those with room in one hall only. It
    is of the range of the first that fits of 1/2, 1/4, ... of ``most``.
    """
    most = min(most, world.half_size)
    low = next((most * 0.5**k for k in range(1, 7) if fits(world, most * 0.5**k)), 0.0)
    high = 2.0 * low
    while high - low > 0.1 * _EXACT:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if fits(world, middle) else (low, middle)
    rounded = round(low / _EXACT) * _EXACT
    return rounded if not rounded or fits(world, rounded) else rounded - _EXACT


def fits(world: Map, radius: float) -> bool:
    """Returns whether a disc has room, and ways to wherever it has room."""
    return isinstance(_search(world, radius), Ground)


def _search(world: Map, radius: float) -> Ground | complex | None:
    """Returns the ground of a disc, or a place that it cannot reach, or None without room.

    The lattice is finer if ways cannot be found on a coarse one.
    """
    found, fewest = None, max(len(world.segments), _FEWEST)
    least = max(radius - ROUNDING, ROUNDING)  # from walls: above 0 for points
    x, y = (float(np.ptp(part)) for part in (world.polygons[0].real, world.polygons[0].imag))
    step = max(math.sqrt(x * y / (_PLACES * fewest)), max(x, y) / (8 * fewest))
    for level in range(_LEVELS):
        columns, rows = int(x / step) + 1, int(y / step) + 1
        # Symmetric around the origin, the middle of the outline.
        corner = -0.5 * step * complex(columns - 1, rows - 1)
        grid: Any = np.arange(columns) + 1j * np.arange(rows)[:, None]
        lattice = corner + step * grid.ravel()
        walls = make_walls(world, radius + 0.5 * _REACH * step)
        has_room = _have_room(world, walls, least, lattice)
        places = lattice[has_room]
        if level > 0:
            places = np.append(places, _narrows(world, walls, least, step))
        group = np.arange(1, len(places) + 1)
        for reach in (1.01 * step, _REACH * step):
            pairs = _pairs(places, np.flatnonzero(group), reach)
            pairs = pairs[:, group[pairs[0]] > group[pairs[1]]]
            pairs = pairs[:, _have_ways(walls, least, *places[pairs])]
            group = _joined(group, *pairs)
        apart = places[group > 0]
        if len(places) and not len(apart):
            if not has_room.any():  # narrow ways alone: move the lattice to the middle of one
                offset = (places[0] - corner) / step
                column, row = np.floor(offset.real), np.floor(offset.imag)
                corner = places[0] - step * complex(column, row)
                has_room = _have_room(world, walls, least, corner + step * grid.ravel())
            return Ground(has_room.astype(np.uint8), corner, step, columns, rows)
        if len(places):
            found = complex(apart[np.argmax(_clearances(walls, apart))])
        step *= 0.5
    return found


def _clearances(walls: Walls, places: Places) -> NDArray[np.float64]:
    """The distances of places to the nearest walls that their cells list, inf without one."""
    place, wall = beside(walls, places)
    nearest, one = np.full(len(places), np.inf), walls.walls[wall]
    np.minimum.at(nearest, place, distances(one["start"], one["end"], places[place]))
    return nearest


def _have_room(world: Map, walls: Walls, least: float, places: Places) -> Mask:
    return (_clearances(walls, places) >= least) & world.contains(places)


def _have_ways(walls: Walls, least: float, ones: Places, others: Places) -> Mask:
    """Returns which discs can go straight from a place to another, with room at both."""
    way, wall = beside(walls, 0.5 * (ones + others))
    tips, one, other = walls.walls[wall], ones[way], others[way]
    is_blocked = segments_cross(one, other, tips["start"], tips["end"])
    for tip in ("start", "end"):
        is_blocked |= distances(one, other, tips[tip]) < least
    return np.bincount(way[is_blocked], minlength=len(ones)) == 0


def _joined(group: Numbers, ones: Numbers, others: Numbers) -> Numbers:
    """Returns the groups of places after pairs of places are joined, 0 for the largest one."""
    label = np.arange(len(group) + 2)
    while True:
        low, high = np.sort(label[group[[ones, others]]], axis=0)
        if (low == high).all():
            break
        np.minimum.at(label, high, low)
        while (label != label[label]).any():
            label = label[label]
    group = label[group]
    return np.where(group == np.argmax(np.bincount(group, minlength=1)), 0, 1 + group)


def _pairs(places: Places, some: Numbers, reach: float) -> Numbers:
    """Returns pairs of places within reach of each other, the first among some: (2, pairs)."""
    cell = np.floor(places.real / reach) + 1j * np.floor(places.imag / reach)
    order = np.argsort(cell, kind="stable")  # by columns, and by rows in these
    pairs = []
    for column in (-1, 0, 1):
        begin = np.searchsorted(cell[order], cell[some] + column - 1j)
        end = np.searchsorted(cell[order], cell[some] + column + 1j, "right")
        one, entry = spread(end - begin)
        pair = np.stack([some[one], order[begin[one] + entry]])
        apart = places[pair[0]] - places[pair[1]]
        pairs.append(pair[:, apart.real**2 + apart.imag**2 < reach**2])
    return np.concatenate(pairs, axis=1)


def _narrows(world: Map, walls: Walls, least: float, step: float) -> Places:
    """Returns places with room for a disc in the middle of narrow ways, and beside these.

    They are in the middle between points of walls, at most a step from each other, and the
    nearest points of other walls. A way is narrowest at one of them.
    """
    start, along = walls.walls["start"], walls.walls["end"] - walls.walls["start"]
    square = along.real**2 + along.imag**2
    parts = np.ceil(np.sqrt(square) / step).astype(int)
    wall, part = spread(parts + 1)
    tips = np.unique(np.round(start[wall] + along[wall] * (part / parts[wall]), 9))
    found = []
    for some in np.array_split(tips[:, None], 1 + len(tips) * len(along) // 2**18):
        offset = some - start
        dots = offset.real * along.real + offset.imag * along.imag
        outward = 0.5 * (offset - np.clip(dots / square, 0.0, 1.0) * along)
        half = np.sqrt(outward.real**2 + outward.imag**2)
        is_narrow = (half >= max(least, 1e-6)) & (half <= least + 1.5 * step)
        outward = outward[is_narrow]
        middle = np.broadcast_to(some, is_narrow.shape)[is_narrow] - outward
        found += [middle, middle + 1j * outward, middle - 1j * outward]
    places = np.unique(np.round(np.concatenate(found), 9))
    return places[_have_room(world, walls, least, places)]
