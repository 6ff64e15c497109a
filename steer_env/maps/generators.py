"""Generators of maps: rooms, mazes, caves and pillars, the same on every machine.

Of `RandomState` they use uniform numbers only, whose bits are the same everywhere.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import RandomState

from steer_env.errors import InvalidValue, check_integer, check_number
from steer_env.maps.fits import fits
from steer_env.maps.polygons import Mask, pairs_of
from steer_env.maps.tracing import components, opened, simple_polygons
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import norm, scale

if TYPE_CHECKING:
    from steer_env.maps.map import Map

MOST_MAPS = 1024
"""Maps that a game can have, and that a generator makes at once."""

_MOST_TRIES = 100
_ACROSS = 32  # cells of caves
_FINE = 4  # parts of these, in which walls become smooth
Line = list[tuple[float, float]]


def rooms(
    cls: Any,
    count: int,
    seed: int = 0,
    size: float = 20.0,
    across: int = 4,
    door: float = 1.8,
    loops: float = 0.4,
) -> list[Map]:
    """Returns maps of rooms with doors between them.

    As by all generators, the k-th map depends on ``seed + k`` and the arguments after it alone,
    so that ``Map.rooms(64)`` and ``Map.rooms(9, seed=64)`` have none in common, and every
    machine makes the same ones.

    Args:
        cls: the class of the maps.
        count: how many maps, from 1 to 1,024.
        seed: of the first map, from 0 to 4,294,966,271.
        size: the side of the square, in meters, from 1 to 10,000.
        across: rooms beside each other, in both directions, from 2 to 11.
        door: the width of doors, in meters, at most 0.9 times ``size / across``.
        loops: the share of doors between rooms that have another way, from 0 to 1.

    Raises:
        UsageError: for values that are out of range, and rooms too small for their doors.
    """
    size, across = check_number("size", size, 1.0, 1e4), check_integer("across", across, 2, 11)
    widest = math.floor(900.0 * size / across) / 1e3  # so that walls are left beside it
    door = check_number(
        f"door in size={size:g} with across={across}", door, 1e-3 * size, widest
    )
    loops = check_number("loops", loops, 0.0, 1.0)

    def make(random: RandomState) -> Map:
        shift = 0.5 * (size / across - door) * 0.8
        cuts = [size * (np.arange(across + 1) / across - 0.5) for _ in "xy"]
        for borders in cuts:
            borders[1:-1] += random.uniform(-shift, shift, across - 1)
        doors = _open_doors(random, across, loops)
        walls: list[Line] = []
        for axis, place, number in product((0, 1), range(1, across), range(across)):
            at, (first, last) = cuts[axis][place], cuts[1 - axis][number : number + 2]
            if (axis, place, number) not in doors:
                walls.append(_wall(axis, at, first, last))
                continue
            begin = first + (last - first - door) * random.uniform(0.15, 0.85)
            walls.append(_wall(axis, at, first, begin))
            walls.append(_wall(axis, at, begin + door, last))
        return cls(_square(size), walls=walls)

    return _many(rooms, (size, across, door, loops), count, seed, make)


def maze(
    cls: Any, count: int, seed: int = 0, size: float = 20.0, across: int = 8, loops: float = 0.1
) -> list[Map]:
    """Returns mazes: squares between thin walls, with one way or more between any two.

    See `rooms` for the first arguments, and the errors. ``across`` is the number of squares
    beside each other, in both directions, from 2 to 15. ``loops`` is the share of walls left
    out though there is another way, from 0 to 1.
    """
    size, across = check_number("size", size, 1.0, 1e4), check_integer("across", across, 2, 15)
    loops = check_number("loops", loops, 0.0, 1.0)

    def make(random: RandomState) -> Map:
        doors, pitch = _open_doors(random, across, loops), size / across
        walls: list[Line] = []
        for axis, place in product((0, 1), range(1, across)):
            gaps = [k for k in range(across) if (axis, place, k) in doors]
            for before, gap in zip([-1, *gaps], [*gaps, across]):
                if gap > before + 1:
                    at, begin, end = (k * pitch - size / 2 for k in (place, before + 1, gap))
                    walls.append(_wall(axis, at, begin, end))
        return cls(_square(size), walls=walls)

    return _many(maze, (size, across, loops), count, seed, make)


def caves(
    cls: Any,
    count: int,
    seed: int = 0,
    size: float = 20.0,
    solid: float = 0.42,
    width: float = 1.2,
) -> list[Map]:
    """Returns caves: connected holes with rough walls, made by a cellular automaton.

    See `rooms` for the first arguments, and the errors. ``solid`` is the share of solid cells
    at first, from 0 to 0.45. Discs with the diameter ``width`` can go everywhere, in meters,
    from 0.05 to 0.25 times the size.
    """
    size, solid = check_number("size", size, 1.0, 1e4), check_number("solid", solid, 0.0, 0.45)
    width = check_number(f"width in size={size:g}", width, 0.05 * size, 0.25 * size)
    part, tolerance = size / (_ACROSS * _FINE), 0.2 * width

    def make(random: RandomState) -> Map:
        for _ in range(_MOST_TRIES):
            free: Mask = random.uniform(size=(_ACROSS, _ACROSS)) >= solid
            for _ in range(5):  # cells become free if they and their neighbors mostly are
                rows = np.pad(free, 1).astype(int)
                columns = rows[:-2] + rows[1:-1] + rows[2:]
                free = columns[:, :-2] + columns[:, 1:-1] + columns[:, 2:] >= 5
            free = free.repeat(_FINE, 0).repeat(_FINE, 1)
            free = opened(free, (0.5 * width + tolerance) / part + 0.71)
            if free.sum() >= 0.35 * free.size:
                polygons = simple_polygons(components(free)[0], part, tolerance)
                outline, *solids = map(pairs_of, polygons)
                if fits(made := cls(outline, solids), 0.5 * width):
                    return made
        raise InvalidValue(
            f"no cave of width={width:g} was found in {_MOST_TRIES} tries with size={size:g} "
            f"and solid={solid:g}: make the size larger, or one of the others smaller"
        )

    return _many(caves, (size, solid, width), count, seed, make)


def pillars(
    cls: Any, count: int, seed: int = 0, size: float = 20.0, number: int = 14, gap: float = 1.5
) -> list[Map]:
    """Returns squares with convex pillars of three to seven corners.

    See `rooms` for the first arguments, and the errors. ``number`` is the most pillars, from 0
    to 60; there are fewer if there is no room for another. ``gap`` is the least distance
    between pillars, and to the border, in meters, at most 0.4 times the size.
    """
    size, number = check_number("size", size, 1.0, 1e4), check_integer("number", number, 0, 60)
    gap = check_number(f"gap in size={size:g}", gap, 0.0, 0.4 * size)

    def make(random: RandomState) -> Map:
        placed: dict[complex, float] = {}
        solids = []
        for _ in range(_MOST_TRIES * number):
            if len(placed) == number:
                break
            radius = random.uniform(0.03, 0.08) * size
            room = size / 2 - radius - gap
            center = complex(*random.uniform(-room, room, 2).tolist())
            if any(norm(center - one) < radius + placed[one] + gap for one in placed):
                continue
            placed[center] = radius
            turn = random.uniform(0.7, 1.3, 3 + int(5 * random.uniform())).cumsum()
            angles = 2.0 * math.pi * (turn / turn[-1] + random.uniform())
            rim = [center + scale(direction(angle), radius) for angle in angles.tolist()]
            solids.append(pairs_of(np.array(rim)))
        return cls(_square(size), solids)

    return _many(pillars, (size, number, gap), count, seed, make)


def _many(made_by: Any, others: Any, count: int, seed: int, make: Any) -> list[Map]:
    """Returns maps, with names if a generator's other arguments are the defaults."""
    check_integer("count", count, 1, MOST_MAPS)
    first = check_integer("seed", seed, 0, 2**32 - 1 - MOST_MAPS)
    made = [make(RandomState(first + k)) for k in range(count)]
    for k, one in enumerate(made if others == made_by.__defaults__[1:] else ()):
        vars(one)["name"] = f"{made_by.__name__}/{first + k}"
    return made


def _square(size: float) -> Line:
    half = size / 2
    return [(-half, -half), (half, -half), (half, half), (-half, half)]


def _wall(axis: int, at: float, begin: float, end: float) -> Line:
    """A wall across an axis, at one place of it."""
    return [(at, along) if axis == 0 else (along, at) for along in (begin, end)]


def _open_doors(random: RandomState, across: int, loops: float) -> set[tuple[int, int, int]]:
    """The walls with doors of a square of cells: a random tree's, and a share of the others.

    They are named by the axis that they cut, the cells before them along it, and across it.
    """
    cells = product(range(across), range(across), (0, 1))
    walls = [(x, y, axis) for x, y, axis in cells if (x, y)[axis] < across - 1]
    group, doors = np.arange(across * across).reshape(across, across), set()
    for number in np.argsort(random.uniform(size=len(walls)), kind="stable"):
        x, y, axis = walls[number]
        one, other = group[x, y], group[x + 1 - axis, y + axis]
        if one != other or random.uniform() < loops:
            doors.add((axis, y + 1, x) if axis else (axis, x + 1, y))
        group[group == other] = one
    return doors
