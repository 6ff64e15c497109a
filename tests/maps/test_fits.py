"""The vehicles that fit a map: exact widths, parts that none reaches, and places to be."""

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

from steer_env import Map
from steer_env.errors import InvalidValue
from steer_env.machine_code.marking import IS_PLAIN
from steer_env.maps.cells import make_walls
from steer_env.maps.fits import fits, ground_of, largest_radius
from steer_env.maps.polygons import distances
from steer_env.steering.ground import is_on_ground

HALL = [(0, 0), (20, 0), (20, 10), (0, 10)]
CELL = Map.from_text("#######\n#.#...#\n#.#...#\n#...#.#\n#######", cell=1.0)


def door(width):
    return Map(HALL, walls=[[(10, 0), (10, 4.2)], [(10, 4.2 + width), (10, 10)]])


def corridor(width):
    low = [(5, 0), (15, 0), (15, 4.3), (5, 4.3)]
    return Map(HALL, [low, [(5, 4.3 + width), (15, 4.3 + width), (15, 10), (5, 10)]])


def slanted(width):
    """Two rooms beside a wall of two parts that are turned, which leave a gap."""
    along = np.exp(0.7j)
    ends = [-20 * along, -0.5 * width * along, 0.5 * width * along, 20 * along]
    first, second = [[(one.real + 10, one.imag + 5) for one in ends[k : k + 2]] for k in (0, 2)]
    return Map(HALL, walls=[first, second])


def zigzag(width):
    """A corridor with a bend between two turned walls, as wide everywhere."""
    line = np.array([0 + 5j, 7 + 3j, 13 + 7j, 20 + 5j])
    sides = [[(z.real, z.imag + shift) for z in line] for shift in (-width / 2, width / 2)]
    below = [*sides[0], (20, 0), (0, 0)]
    return Map([(-3, 0), (23, 0), (23, 10), (-3, 10)], [below, [*sides[1], (20, 10), (0, 10)]])


@pytest.mark.parametrize("make", [door, corridor, slanted])
@pytest.mark.parametrize("width", [0.44, 0.6, 1.3])
def test_a_disc_fits_if_the_narrowest_way_is_as_wide(make, width):
    world = make(width)
    assert fits(world, width / 2)
    assert fits(world, width / 2 - 1e-4)
    assert not fits(world, width / 2 + 1e-4)
    assert largest_radius(world, 9.0) == pytest.approx(width / 2, abs=1.1e-3)


def test_the_narrowest_part_of_a_bent_corridor_counts():
    # Its steepest part climbs 4 m in 6 m.
    width = 0.9 * 6 / np.hypot(6, 4)
    assert fits(zigzag(0.9), width / 2 - 1e-3)
    assert not fits(zigzag(0.9), width / 2 + 1e-3)


def test_what_no_vehicle_reaches_is_said():
    with pytest.raises(InvalidValue) as caught:
        ground_of(door(0.9), 0.5)
    text = str(caught.value)
    assert "parts that no vehicle of radius 0.5 m can reach" in text
    assert "the largest radius that fits is 0.450 m" in text
    x, y = map(float, re.search(r"around \((\S+), (\S+)\)", text).groups())
    assert abs(x) > 0.5
    assert door(0.9).contains([complex(x, y)])[0]
    ground_of(door(0.9), 0.45)


def test_a_vehicle_without_room_is_told_the_largest_radius():
    with pytest.raises(
        InvalidValue, match=r"no room for a vehicle of radius 6 m: the largest .*5"
    ):
        ground_of(Map(HALL), 6.0)
    with pytest.raises(InvalidValue, match=r"radius 1\.2 m: the largest radius .* is 1\.000 m"):
        ground_of(CELL, 1.2)
    assert largest_radius(Map(HALL), 9.0) == pytest.approx(5.0, abs=1e-3)


def test_no_radius_fits_a_room_without_a_door():
    sealed = Map(HALL, walls=[[(10, 0), (10, 10)]])
    with pytest.raises(InvalidValue, match=r"no radius fits, so open it or fill it"):
        ground_of(sealed, 0.3)
    assert largest_radius(sealed, 9.0) == 0.0


def test_a_pocket_matters_to_those_only_that_have_room_in_it():
    pocket = [[(2, 2), (2, 3), (3, 3), (3, 2), (2, 2)]]  # a sealed square with a side of 1 m
    world = Map(HALL, walls=pocket)
    assert not fits(world, 0.3)
    assert fits(world, 0.6)


def test_bodies_without_size_fit_where_there_is_a_way():
    assert fits(CELL, 0.0)
    assert not fits(Map(HALL, walls=[[(10, 0), (10, 10)]]), 0.0)


def groups_on_a_fine_lattice(world, radius, step=0.1):
    """Numbers of joined places with room, row by row, by another library; and the places."""
    half = world.half_size
    side = np.arange(-half + step / 2, half, step)
    places = side + 1j * side[:, None]
    apart = np.full(places.shape, np.inf)
    for start, end in world.segments:
        apart = np.minimum(apart, distances(start, end, places))
    return ndimage.label((apart >= radius) & world.contains(places))[0], places


RANDOM_MAPS = [
    *Map.rooms(2, door=1.0),
    *Map.maze(2, across=15, size=14.0),
    *Map.caves(2, seed=3),
    *Map.pillars(2, gap=0.3, number=30),
]


@pytest.mark.parametrize("number", range(1, len(RANDOM_MAPS), 2))
@pytest.mark.parametrize("radius", [0.3, 0.55])
def test_maps_fit_as_on_a_fine_lattice(number, radius):
    world = RANDOM_MAPS[number]
    if fits(world, radius):  # the lattice needs a little more room
        groups, _ = groups_on_a_fine_lattice(world, radius - 0.06)
        sizes = np.bincount(groups.ravel())[1:]
        assert sizes.max() > 0.97 * sizes.sum()
    else:
        groups, _ = groups_on_a_fine_lattice(world, radius)
        assert groups.max() != 1


@cache
def fits_well(world, radius):
    return fits(world, radius)


@pytest.mark.parametrize("radius", [0.1, 0.3])
@given(st.integers(0, 10**6))
def test_a_body_starts_where_it_can_go_everywhere(radius, seed):
    random = np.random.RandomState(seed)
    world = RANDOM_MAPS[random.randint(len(RANDOM_MAPS))]
    if not fits_well(world, radius):
        return
    ground, walls = ground_of(world, radius), make_walls(world, radius)
    half = world.half_size
    starts, ends = world.segments.T
    for x, y in random.uniform(-half, half, (4, 2)):
        place = complex(x, y)
        room = distances(starts, ends, place).min()
        is_in = bool(world.contains([place])[0])
        if is_on_ground(ground, walls, radius, place):
            assert is_in
            assert room >= radius - 1e-9
        elif is_in:  # there is a little that no straight way joins to the lattice
            assert room < radius + 0.45


def test_most_places_with_room_are_on_the_ground():
    for world in RANDOM_MAPS[::2]:
        groups, places = groups_on_a_fine_lattice(world, 0.2, step=0.25)
        ground, walls = ground_of(world, 0.2), make_walls(world, 0.2)
        free = places[groups > 0].tolist()
        found = [is_on_ground(ground, walls, 0.2, place) for place in free]
        assert np.mean(found) > 0.98


def test_nothing_starts_in_a_pocket_that_the_lattice_misses():
    tiny = [[(2.0, 2.0), (2.0, 2.3), (2.3, 2.3), (2.3, 2.0), (2.0, 2.0)]]
    world = Map(HALL, walls=tiny)
    ground, walls = ground_of(world, 0.05), make_walls(world, 0.05)
    middle = 2.15 + 2.15j - world.middle
    assert not is_on_ground(ground, walls, 0.05, middle)
    assert is_on_ground(ground, walls, 0.05, middle + 1.0)
    assert not is_on_ground(ground, walls, 0.05, -10.5 + 0j)  # outside


@pytest.mark.compiled
@pytest.mark.skipif(IS_PLAIN, reason="nothing is compiled")
def test_compiled_code_finds_the_same_ground():
    numba = pytest.importorskip("numba")

    @numba.njit
    def found(ground, walls, radius, places, out):
        for k in range(len(places)):
            out[k] = is_on_ground(ground, walls, radius, places[k])

    world = RANDOM_MAPS[0]
    ground, walls = ground_of(world, 0.3), make_walls(world, 0.3)
    random = np.random.RandomState(0)
    places = random.uniform(-10.0, 10.0, 200) + 1j * random.uniform(-10.0, 10.0, 200)
    out = np.zeros(200, bool)
    found(ground, walls, 0.3, places, out)
    assert out.tolist() == [
        is_on_ground(ground, walls, 0.3, place) for place in places.tolist()
    ]
    assert 0 < out.sum() < 200
