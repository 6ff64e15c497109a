"""Generators of maps: rooms, mazes, caves and pillars, the same on every machine.

Of `RandomState` they use uniform numbers only, whose bits are the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.random import RandomState

from steer_env.errors import InvalidValue, check_integer, check_number
from steer_env.maps.fits import fits
from steer_env.maps.map import MOST_MAPS, Map
from steer_env.maps.polygons import pairs_of
from steer_env.maps.tracing import Grid, components, opened, simple_polygon
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import norm, scale

_MOST_TRIES = 100
_ACROSS = 32  # cells of caves
Line = list[tuple[float, float]]


def _many(
    generator: Callable[..., list[Map]],
    arguments: tuple[float, ...],
    count: int,
    seed: int,
    make: Callable[[RandomState], Map],
) -> list[Map]:
    check_integer("count", count, 1, MOST_MAPS)
    first = check_integer("seed", seed, 0, 2**32 - 1 - MOST_MAPS)
    made = [make(RandomState(first + k)) for k in range(count)]
    if arguments == generator.__defaults__[1:]:  # type: ignore[index]
        for k, one in enumerate(made):
            object.__setattr__(one, "name", f"{generator.__name__}/{first + k}")
    return made


def _square(size: float) -> Line:
    half = size / 2
    return [(-half, -half), (half, -half), (half, half), (-half, half)]


def _check_size(size: float) -> float:
    return check_number("size", size, 1.0, 1e4)


def rooms(
    count: int,
    seed: int = 0,
    size: float = 20.0,
    across: int = 4,
    door: float = 1.8,
    loops: float = 0.4,
) -> list[Map]:
    """See `Map.rooms`."""
    size, across = _check_size(size), check_integer("across", across, 2, 11)
    widest = 0.9 * size / across  # so that walls are left beside it
    door = check_number(
        f"door in size={size:g} with across={across}",
        door,
        1e-3 * size,
        math.floor(1e3 * widest) / 1e3,
    )
    loops = check_number("loops", loops, 0.0, 1.0)

    def make(random: RandomState) -> Map:
        pitch = size / across
        cuts = [_cuts(random, size, across, 0.5 * (pitch - door) * 0.8) for _ in "xy"]
        doors = _open_doors(random, across, loops)
        walls: list[Line] = []
        for axis, place, number in product((0, 1), range(1, across), range(across)):
            # The wall between two neighbors along an axis, and where it begins and ends.
            first, last = cuts[1 - axis][number : number + 2]
            at = cuts[axis][place]
            cell = (place - 1, number) if axis == 0 else (number, place - 1)
            if (cell, axis) not in doors:
                walls.append([_point(axis, at, first), _point(axis, at, last)])
                continue
            free = last - first - door
            begin = first + free * random.uniform(0.15, 0.85)
            walls.append([_point(axis, at, first), _point(axis, at, begin)])
            walls.append([_point(axis, at, begin + door), _point(axis, at, last)])
        return Map(_square(size), walls=walls)

    return _many(rooms, (size, across, door, loops), count, seed, make)


def _point(axis: int, at: float, along: float) -> tuple[float, float]:
    return (at, along) if axis == 0 else (along, at)


def _cuts(random: RandomState, size: float, across: int, shift: float) -> list[float]:
    """The borders between rooms, from -size / 2 on, shifted by at most this much."""
    cuts = size * (np.arange(across + 1) / across - 0.5)
    cuts[1:-1] += random.uniform(-shift, shift, across - 1)
    return cuts.tolist()


def _open_doors(
    random: RandomState, across: int, loops: float
) -> set[tuple[tuple[int, int], int]]:
    """The walls (cell, axis) with doors: those of a random tree, and a share of the others."""
    walls = [
        ((x, y), axis)
        for x, y, axis in product(range(across), range(across), (0, 1))
        if (x, y)[axis] < across - 1
    ]
    group = {cell: cell for cell in product(range(across), range(across))}

    def root(cell: tuple[int, int]) -> tuple[int, int]:
        while group[cell] != cell:
            cell = group[cell]
        return cell

    doors = set()
    for number in np.argsort(random.uniform(size=len(walls)), kind="stable"):
        cell, axis = walls[number]
        one, other = root(cell), root((cell[0] + (axis == 0), cell[1] + (axis == 1)))
        if one != other or random.uniform() < loops:
            doors.add(walls[number])
        group[one] = other
    return doors


def maze(
    count: int, seed: int = 0, size: float = 20.0, across: int = 8, loops: float = 0.1
) -> list[Map]:
    """See `Map.maze`."""
    size, across = _check_size(size), check_integer("across", across, 2, 15)
    loops = check_number("loops", loops, 0.0, 1.0)

    def make(random: RandomState) -> Map:
        doors, pitch = _open_doors(random, across, loops), size / across
        walls: list[Line] = []
        for axis, place in product((0, 1), range(1, across)):
            at, begin = place * pitch - size / 2, None
            for number in range(across + 1):
                cell = (place - 1, number) if axis == 0 else (number, place - 1)
                is_wall = number < across and (cell, axis) not in doors
                along = number * pitch - size / 2
                if is_wall and begin is None:
                    begin = along
                elif not is_wall and begin is not None:
                    walls.append([_point(axis, at, begin), _point(axis, at, along)])
                    begin = None
        return Map(_square(size), walls=walls)

    return _many(maze, (size, across, loops), count, seed, make)


def caves(
    count: int, seed: int = 0, size: float = 20.0, solid: float = 0.42, width: float = 1.2
) -> list[Map]:
    """See `Map.caves`."""
    size, solid = _check_size(size), check_number("solid", solid, 0.0, 0.45)
    width = check_number(f"width in size={size:g}", width, 0.05 * size, 0.25 * size)
    fine = 4  # parts of a cell, in which walls become smooth
    part = size / (_ACROSS * fine)
    tolerance = 0.2 * width

    def make(random: RandomState) -> Map:
        for _ in range(_MOST_TRIES):
            free = _automaton(random, solid).repeat(fine, 0).repeat(fine, 1)
            free = opened(free, (0.5 * width + tolerance) / part + 0.71)
            if free.sum() < 0.35 * free.size:
                continue
            whole = components(free)[0]
            polygons = [
                simple_polygon(one * part, tolerance) for one in (whole.outline, *whole.holes)
            ]
            outline, *solids = [pairs_of(one) for one in polygons if len(one) > 2]
            made = Map(outline, tuple(solids))
            if fits(made, 0.5 * width):
                return made
        raise InvalidValue(
            f"no cave of width={width:g} was found in {_MOST_TRIES} tries with size={size:g} "
            f"and solid={solid:g}: make the size larger, or one of the others smaller"
        )

    return _many(caves, (size, solid, width), count, seed, make)


def _automaton(random: RandomState, solid: float) -> Grid:
    """Cells that become free in five rounds if they and their neighbors mostly are."""
    free: Grid = random.uniform(size=(_ACROSS, _ACROSS)) >= solid
    for _ in range(5):
        rows = np.pad(free, 1).astype(int)
        columns = rows[:-2] + rows[1:-1] + rows[2:]
        free = columns[:, :-2] + columns[:, 1:-1] + columns[:, 2:] >= 5
    return free


def pillars(
    count: int, seed: int = 0, size: float = 20.0, number: int = 14, gap: float = 1.5
) -> list[Map]:
    """See `Map.pillars`."""
    size, number = _check_size(size), check_integer("number", number, 0, 60)
    gap = check_number(f"gap in size={size:g}", gap, 0.0, 0.4 * size)

    def make(random: RandomState) -> Map:
        placed: list[tuple[complex, float]] = []
        solids: list[Line] = []
        for _ in range(_MOST_TRIES * number):
            if len(placed) == number:
                break
            radius = random.uniform(0.03, 0.08) * size
            room = size / 2 - radius - gap
            center = complex(*random.uniform(-room, room, 2).tolist())
            if any(norm(center - one) < radius + other + gap for one, other in placed):
                continue
            placed.append((center, radius))
            turn = random.uniform(0.7, 1.3, 3 + int(5 * random.uniform())).cumsum()
            angles = 2.0 * math.pi * (turn / turn[-1] + random.uniform())
            rim = [center + scale(direction(angle), radius) for angle in angles.tolist()]
            solids.append([(corner.real, corner.imag) for corner in rim])
        return Map(_square(size), solids)

    return _many(pillars, (size, number, gap), count, seed, make)
