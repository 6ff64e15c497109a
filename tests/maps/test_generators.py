"""Generators: their maps fit vehicles, differ by seeds, and have the same bits everywhere."""

import hashlib

import numpy as np
import pytest

from steer_env import Map
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config.parts import VehicleConfig
from steer_env.maps.fits import fits, largest_radius

RADIUS = VehicleConfig().radius + 0.1
GENERATORS = {  # with the numbers of segments, and a digest of 30 maps
    "rooms": (Map.rooms, range(40, 60), "b126889cdf80e234"),
    "maze": (Map.maze, range(20, 50), "a669f544f28f88b9"),
    "caves": (Map.caves, range(30, 120), "f795f1ebfe6e7ae6"),
    "pillars": (Map.pillars, range(50, 100), "5b02e2775c414ad2"),
}
ALL = pytest.mark.parametrize("name", GENERATORS)


@ALL
def test_vehicles_fit_all_maps_and_they_have_the_same_bits_everywhere(name):
    make, segments, digest = GENERATORS[name]
    maps = make(30)
    assert all(fits(one, RADIUS) for one in maps)
    assert {len(one.segments) for one in maps} <= {*segments}
    assert len(set(maps)) == 30
    digests = "".join(one.digest for one in maps)
    assert hashlib.sha256(digests.encode()).hexdigest()[:16] == digest


@pytest.mark.weekly
@ALL
def test_vehicles_fit_a_thousand_maps(name):
    make, segments, _ = GENERATORS[name]
    maps = make(1000, seed=30)
    assert [k for k, one in enumerate(maps) if not fits(one, RADIUS)] == []
    assert {len(one.segments) for one in maps} <= {*segments}


@ALL
def test_a_map_depends_on_its_own_seed_alone(name):
    make = GENERATORS[name][0]
    assert make(3, seed=5)[2] == make(1, seed=7)[0]


def test_rooms_have_doors_of_their_width():
    (narrow,), (wide,) = Map.rooms(1, door=1.0), Map.rooms(1, door=2.0, loops=1.0)
    assert largest_radius(narrow, 0.9) == pytest.approx(0.5, abs=2e-3)
    assert fits(wide, 0.999)
    assert len(wide.walls) == 2 * 24  # each of the walls has a door
    assert len(Map.rooms(1, loops=0.0)[0].walls) == 24 + 15
    assert Map.rooms(1, size=40.0, across=11, loops=1.0)[0].half_size == 20.0


def test_a_maze_without_loops_has_one_way_between_any_two_squares():
    (maze,) = Map.maze(1, across=5, loops=0.0, size=10.0)
    lengths = np.abs(maze.segments[4:, 1] - maze.segments[4:, 0])
    # Of 40 sides between squares 24 are open, those of a tree.
    assert lengths.sum() == pytest.approx(2.0 * (40 - 24))
    assert len(Map.maze(1, across=5, loops=1.0)[0].walls) == 0


def test_caves_let_discs_of_their_width_pass():
    for width in (1.0, 2.0):
        (cave,) = Map.caves(1, seed=3, width=width)
        assert fits(cave, width / 2)


def test_pillars_keep_their_gap():
    (few,) = Map.pillars(1, number=5, gap=2.0)
    assert len(few.solids) == 5
    assert fits(few, 0.999)
    assert Map.pillars(1, number=0)[0].solids == ()
    assert (
        len(Map.pillars(1, number=60, gap=3.0)[0].solids) < 20
    )  # as many as there is room for
    assert all(3 <= len(one) <= 7 for one in few.solids)


@ALL
def test_sizes_scale_maps(name):
    make = GENERATORS[name][0]
    scaled = {"rooms": "door", "caves": "width", "pillars": "gap"}.get(name)
    default = {"door": 1.8, "width": 1.2, "gap": 1.5, None: 0}[scaled]
    (one,) = make(1, size=20.0)
    (large,) = make(1, size=200.0, **{scaled: 10 * default} if scaled else {})
    assert np.allclose(large.segments, 10 * one.segments, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "keywords", "message"),
    [
        ("rooms", {"count": 0}, "count must be from 1 to 1024, got 0"),
        ("rooms", {"count": 1025}, "count must be from 1 to 1024"),
        ("rooms", {"seed": -1}, "seed must be from 0 to 4294966271, got -1"),
        ("rooms", {"size": 0.5}, "size must be finite and at least 1"),
        ("rooms", {"across": 12}, "across must be from 2 to 11"),
        (
            "rooms",
            {"door": 5.0},
            r"door in size=20 with across=4 must be finite and at least 0.02 and at most 4.5",
        ),
        ("rooms", {"loops": 1.5}, "loops must be finite and at least 0 and at most 1"),
        ("maze", {"across": 16}, "across must be from 2 to 15"),
        ("maze", {"loops": -0.1}, "loops must be"),
        ("maze", {"size": "big"}, "size must be a number"),
        ("caves", {"solid": 0.5}, "solid must be finite and at least 0 and at most 0.45"),
        (
            "caves",
            {"width": 0.5},
            "width in size=20 must be finite and at least 1 and at most 5",
        ),
        ("caves", {"width": 5.0, "solid": 0.45}, "no cave of width=5 was found in 100 tries"),
        ("pillars", {"number": 61}, "number must be from 0 to 60"),
        ("pillars", {"number": 1.0}, "number must be an integer"),
        ("pillars", {"gap": 9.0}, "gap in size=20 must be finite and at least 0 and at most 8"),
    ],
)
def test_arguments_are_checked(name, keywords, message):
    with pytest.raises((InvalidType, InvalidValue), match=message):
        GENERATORS[name][0](**{"count": 1, **keywords})
