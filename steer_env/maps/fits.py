"""Vehicles that fit a map: that have room in it, and ways to wherever they have room."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.maps.cells import beside, make_walls, spread
from steer_env.maps.polygons import Places, distances, segments_cross
from steer_env.steering.ground import Ground
from steer_env.steering.walls import ROUNDING, Walls

if TYPE_CHECKING:
    from steer_env.maps.map import Map

_PLACES = 16  # of the coarsest lattice, of each wall
_FEWEST = 32  # walls for that
_LEVELS = 3  # of lattices, each with half the other's step
_REACH = 3  # steps from a place to others to which a straight way is looked for
_EXACT = 1e-3  # meters, of the largest radius


class _Rooms(NamedTuple):
    """The places of a lattice where a disc has room, and which of them a way joins."""

    ground: Ground
    places: Places
    clearances: NDArray[np.float64]
    groups: NDArray[np.int64]  # a number for each place; the largest group has 0


def check_fits(world: Map, radius: float) -> None:
    """Raises an InvalidValue unless a vehicle of a radius fits a map.

    It must have room, and a way to wherever it has room. The message has the largest radius
    that fits, or a smaller one where several ranges do.
    """
    ground_of(world, radius)


@lru_cache(4096)
def ground_of(world: Map, radius: float) -> Ground:
    """Returns the ground of a vehicle on a map, or raises the error of `check_fits`."""
    rooms = _rooms(world, radius)
    if rooms is not None and not rooms.groups.any():
        return rooms.ground
    largest = largest_radius(world, radius)
    remedy = f"the largest radius that fits is {largest:.3f} m"
    if largest == 0.0:
        remedy = "no radius fits, so open it or fill it"
    if rooms is None:
        raise InvalidValue(
            f"the map has no room for a vehicle of radius {radius:g} m: {remedy}"
        )
    apart = np.flatnonzero(rooms.groups)
    place = rooms.places[apart[np.argmax(rooms.clearances[apart])]]
    raise InvalidValue(
        f"the map has parts that no vehicle of radius {radius:g} m can reach, one of them "
        f"around ({place.real:.2f}, {place.imag:.2f}): {remedy}"
    )


def largest_radius(world: Map, most: float = math.inf) -> float:
    """Returns the largest radius of discs that fit a map, to 1 mm, or 0 if none does.

    A disc fits if it has room and can go to wherever it has room. Radii of several ranges may
    fit, say those of discs that pass all doors, and those that have room in one hall only: then
    it is the largest of one range.

    Args:
        world: the map.
        most: the radius, in meters, up to which it looks.
    """
    high = min(most, world.half_size)
    low = high / 64.0
    while low < high and not fits(world, low):
        low *= 2.0
    if low >= high:
        return 0.0
    while 2.0 * low < high and fits(world, 2.0 * low):
        low *= 2.0
    high = min(high, 2.0 * low)
    while high - low > 0.1 * _EXACT:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if fits(world, middle) else (low, middle)
    rounded = round(low / _EXACT) * _EXACT
    return rounded if fits(world, rounded) else rounded - _EXACT


def fits(world: Map, radius: float) -> bool:
    """Returns whether a disc has room, and ways to wherever it has room."""
    rooms = _rooms(world, radius)
    return rooms is not None and not rooms.groups.any()


def _rooms(world: Map, radius: float) -> _Rooms | None:
    """Returns the places where a disc has room, or None without one.

    The lattice is finer if ways cannot be found on a coarse one.
    """
    found = None
    walls = max(len(world.segments), _FEWEST)
    x, y = (np.ptp(part) for part in (world.polygons[0].real, world.polygons[0].imag))
    step = max(math.sqrt(float(x * y) / (_PLACES * walls)), float(max(x, y)) / (8 * walls))
    for level in range(_LEVELS):
        found = _rooms_on(world, radius, step, level > 0)
        if found is not None and not found.groups.any():
            break
        step *= 0.5
    return found


def _rooms_on(world: Map, radius: float, step: float, is_fine: bool) -> _Rooms | None:
    outline = world.polygons[0]
    x, y = outline.real, outline.imag
    columns, rows = (int(np.ptp(part) / step) + 1 for part in (x, y))
    # Symmetric around the origin, the middle of the outline.
    corner = -0.5 * step * complex(columns - 1, rows - 1)
    lattice: Places = np.arange(columns) + 1j * np.arange(rows)[:, None]
    lattice = corner + step * lattice.ravel()
    walls = make_walls(world, radius + 0.5 * _REACH * step)
    clearances = _clearances(walls, lattice)
    has_room = (clearances >= _least(radius)) & world.contains(lattice)
    places, clear = lattice[has_room], clearances[has_room]
    number = np.full(columns * rows, -1)
    number[has_room] = np.arange(len(places))
    grid = number.reshape(rows, columns)
    one = np.concatenate([grid[:, :-1].ravel(), grid[:-1].ravel()])
    other = np.concatenate([grid[:, 1:].ravel(), grid[1:].ravel()])
    one, other = one[joins := (one >= 0) & (other >= 0)], other[joins]
    if is_fine:
        more = _narrows(world, walls, radius, step)
        places = np.concatenate([places, more])
        clear = np.concatenate([clear, _clearances(walls, more)])
    if len(places) == 0:
        return None
    # Walls are at least this far from the way between two places, and some are looked at.
    is_sure = clear[one] + clear[other] - step >= 2.0 * radius
    ways = is_sure.copy()
    ways[~is_sure] = _has_ways(walls, radius, places[one[~is_sure]], places[other[~is_sure]])
    one, other = one[ways], other[ways]
    groups = _groups(len(places), one, other)
    if groups.any():
        links = _near(grid, places, np.flatnonzero(groups), corner, step)
        links = links[:, groups[links[0]] != groups[links[1]]]
        links = links[:, _has_ways(walls, radius, places[links[0]], places[links[1]])]
        groups = _groups(len(places), *np.concatenate([[one, other], links], axis=1))
    is_reached = np.zeros(columns * rows, np.uint8)
    is_reached[has_room] = groups[: has_room.sum()] == 0
    return _Rooms(Ground(is_reached, corner, step, columns, rows), places, clear, groups)


def _least(radius: float) -> float:
    """The distance that a disc needs from walls, but for rounding: above 0 for points."""
    return max(radius - ROUNDING, ROUNDING)


def _clearances(walls: Walls, places: Places) -> NDArray[np.float64]:
    """The distances of places to the nearest walls that their cells list, inf without one."""
    place, wall = beside(walls, places)
    nearest = np.full(len(places), np.inf)
    np.minimum.at(
        nearest,
        place,
        distances(walls.walls["start"][wall], walls.walls["end"][wall], places[place]),
    )
    return nearest


def _has_ways(walls: Walls, radius: float, ones: Places, others: Places) -> NDArray[np.bool_]:
    """Returns which discs can go straight from a place to another, with room at both."""
    way, wall = beside(walls, 0.5 * (ones + others))
    starts, ends, one, other = (
        walls.walls["start"][wall],
        walls.walls["end"][wall],
        ones[way],
        others[way],
    )
    is_blocked = segments_cross(one, other, starts, ends)
    for tip in (starts, ends):
        is_blocked |= distances(one, other, tip) < _least(radius)
    free = np.ones(len(ones), bool)
    free[way[is_blocked]] = False
    return free


def _groups(
    count: int, ones: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns 0 for each place of the largest group that ways join, and others for others."""
    label = np.arange(count)
    while True:
        low, high = np.sort([label[ones], label[others]], axis=0)
        if (low == high).all():
            break
        np.minimum.at(label, high, low)
        while (label != label[label]).any():
            label = label[label]
    return np.where(label == np.argmax(np.bincount(label)), 0, 1 + label)


def _near(
    grid: NDArray[np.int64],
    places: Places,
    some: NDArray[np.int64],
    corner: complex,
    step: float,
) -> NDArray[np.int64]:
    """Returns pairs of places not far from each other, the first among some, shape (2, pairs).

    Places after those in the grid are at no lattice's places.
    """
    offset = (places[some] - corner) / step
    around = np.pad(grid, 2 * _REACH, constant_values=-1)
    shifts = np.arange(-_REACH, _REACH + 1) + 2 * _REACH
    column, row = (
        np.rint(part).astype(int)[:, None, None] for part in (offset.real, offset.imag)
    )
    near = around[row + shifts[:, None], column + shifts].reshape(len(some), -1)
    one, entry = np.nonzero(near >= 0)
    pairs = [np.stack([some[one], near[one, entry]])]
    extra = np.arange(grid.max() + 1, len(places))
    for part in np.array_split(extra, 1 + len(extra) // 256):
        apart = places[part, None] - places[extra]
        is_near = apart.real**2 + apart.imag**2 < (_REACH * step) ** 2
        one, other = np.nonzero(is_near)
        pairs.append(np.stack([part[one], extra[other]]))
    return np.concatenate(pairs, axis=1)


def _narrows(world: Map, walls: Walls, radius: float, step: float) -> Places:
    """Returns places with room for a disc in the middle of narrow ways, and beside these.

    They are in the middle between points of walls, at most a step from each other, and the
    nearest points of other walls. A way is narrowest at one of them.
    """
    along = walls.walls["end"] - walls.walls["start"]
    length = np.sqrt(along.real**2 + along.imag**2)
    parts = np.ceil(length / step).astype(int)
    wall, part = spread(parts + 1)
    tips = np.unique(
        np.round(walls.walls["start"][wall] + along[wall] * (part / parts[wall]), 9)
    )
    found = []
    for some in np.array_split(tips[:, None], 1 + len(tips) * len(along) // 2**18):
        offset = some - walls.walls["start"]
        dots = offset.real * along.real + offset.imag * along.imag
        outward = 0.5 * (offset - np.clip(dots / length**2, 0.0, 1.0) * along)
        half = np.sqrt(outward.real**2 + outward.imag**2)
        is_narrow = (half >= max(_least(radius), 1e-6)) & (half <= radius + 1.5 * step)
        outward = outward[is_narrow]
        middle = np.broadcast_to(some, is_narrow.shape)[is_narrow] - outward
        found += [middle, middle + 1j * outward, middle - 1j * outward]
    places = np.unique(np.round(np.concatenate(found), 9))
    has_room = _clearances(walls, places) >= _least(radius)
    return places[has_room & world.contains(places)]
