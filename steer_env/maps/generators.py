"""Generators of maps: rooms, mazes, caves and pillars, the same on every machine."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.random import RandomState

from steer_env.errors import check_integer, check_number
from steer_env.maps.map import Map
from steer_env.maps.polygons import Places
from steer_env.maps.tracing import Grid, components, simplified

MOST_MAPS = 1024
Line = list[tuple[float, float]]


def _many(count: int, seed: int, make: Callable[[RandomState], Map]) -> list[Map]:
    check_integer("count", count, 1, MOST_MAPS)
    check_integer("seed", seed, 0, 2**32 - 1 - MOST_MAPS)
    return [make(RandomState(seed + k)) for k in range(count)]  # whose numbers never change


def _square(size: float) -> Line:
    half = size / 2
    return [(-half, -half), (half, -half), (half, half), (-half, half)]


def rooms(
    count: int,
    seed: int = 0,
    size: float = 20.0,
    across: int = 4,
    door: float = 1.8,
    loops: float = 0.4,
) -> list[Map]:
    """See `Map.rooms`."""
    check_number("size", size, 1.0, 1e4)
    check_integer("across", across, 2, 12)

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

    return _many(count, seed, make)


def _point(axis: int, at: float, along: float) -> tuple[float, float]:
    return (at, along) if axis == 0 else (along, at)


def _cuts(random: RandomState, size: float, across: int, shift: float) -> list[float]:
    """The borders between rooms, from -size / 2 on, shifted by at most this much."""
    even = np.linspace(-size / 2, size / 2, across + 1)
    even[1:-1] += random.uniform(-shift, shift, across - 1)
    return list(map(float, even))


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
    for number in random.permutation(len(walls)):
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
    check_number("size", size, 1.0, 1e4)
    check_integer("across", across, 2, 15)

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

    return _many(count, seed, make)


def caves(count: int, seed: int = 0, size: float = 20.0, solid: float = 0.42) -> list[Map]:
    """See `Map.caves`."""
    check_number("size", size, 1.0, 1e4)
    across, rounds = 32, 5

    def make(random: RandomState) -> Map:
        while True:
            free: Grid = random.uniform(size=(across, across)) >= solid
            for _ in range(rounds):
                around = sum(
                    np.roll(np.pad(free, 1), shift, (0, 1))[1:-1, 1:-1].astype(int)
                    for shift in product((-1, 0, 1), repeat=2)
                )
                free = around >= 5
            if free.any():
                whole = components(free)[0]
                parts = [simplified(one, 0.8) for one in (whole.outline, *whole.holes)]
                wide = [(_scaled(one, size / across)) for one in parts if len(one) > 2]
                if _covered(whole.outline) > 0.35 * across**2:
                    return Map(wide[0], wide[1:])

    return _many(count, seed, make)


def _covered(corners: Places) -> float:
    return 0.5 * float((corners.conjugate() * np.roll(corners, -1)).imag.sum())


def _scaled(places: Places, factor: float) -> Line:
    return list(zip((places.real * factor).tolist(), (places.imag * factor).tolist()))


def pillars(
    count: int, seed: int = 0, size: float = 20.0, number: int = 14, gap: float = 1.5
) -> list[Map]:
    """See `Map.pillars`."""
    check_number("size", size, 1.0, 1e4)
    check_integer("number", number, 0, 60)

    def make(random: RandomState) -> Map:
        placed: list[tuple[complex, float]] = []
        solids: list[Line] = []
        for _ in range(100 * number):
            if len(placed) == number:
                break
            radius = random.uniform(0.03, 0.08) * size
            room = size / 2 - radius - gap
            center = complex(*random.uniform(-room, room, 2))
            if any(abs(center - one) < radius + other + gap for one, other in placed):
                continue
            placed.append((center, radius))
            corners = random.randint(3, 8)
            turn = np.sort(random.uniform(0.7, 1.3, corners).cumsum())
            angles = 2 * np.pi * (turn / turn[-1] + random.uniform())
            solids.append(_scaled(center + radius * np.exp(1j * angles), 1.0))
        return Map(_square(size), solids)

    return _many(count, seed, make)
