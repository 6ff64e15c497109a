"""Maps: their form, equality and files, and errors for what cannot be one."""

import copy
import itertools
import json
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env import Map
from steer_env.errors import InvalidType, InvalidValue, UsageError
from steer_env.maps.map import checked_maps
from steer_env.maps.polygons import (
    MOST_SEGMENTS,
    area_of,
    complexes,
    crossing_of,
    distances,
    is_within,
)

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
TRIANGLE = [(3, 3), (5, 3), (4, 5)]
YARD = Map([(0, 0), (12, 0), (12, 8), (0, 8)], [TRIANGLE], [[(7, 1), (7, 5)]])
FINITE = st.floats(-1000.0, 1000.0)


# ---- Form ------------------------------------------------------------------------------------


def test_a_map_is_moved_to_the_middle_of_its_outline():
    assert YARD.middle == 6 + 4j
    assert YARD.outline == ((-6.0, -4.0), (6.0, -4.0), (6.0, 4.0), (-6.0, 4.0))
    assert YARD.solids == (((-3.0, -1.0), (-1.0, -1.0), (-2.0, 1.0)),)
    assert YARD.walls == (((1.0, -3.0), (1.0, 1.0)),)
    assert YARD.half_size == 6.0
    assert (YARD.segments[-1] == [1 - 3j, 1 + 1j]).all()
    assert YARD.segments.shape == (8, 2)
    assert (YARD.segments[3] == [-6 + 4j, -6 - 4j]).all()  # the outline's last side


def test_places_are_in_the_outline_and_in_no_solid():
    places = [0j, 5.9 + 3.9j, 6.1 + 0j, -2 + 0.9j, -2 - 0.5j, -2 - 1.1j, 1 + 0j]
    assert YARD.contains(places).tolist() == [True, True, False, False, False, True, True]
    assert YARD.contains(np.zeros((2, 3), complex)).shape == (2, 3)


def test_what_a_map_shows_of_itself():
    assert repr(YARD) == f"<Map {YARD.digest}: 12 m x 8 m, 8 segments>"


@given(st.lists(st.tuples(FINITE, FINITE), min_size=3, max_size=8), st.tuples(FINITE, FINITE))
def test_a_map_of_a_maps_points_is_the_same(points, shift):
    try:
        once = Map([(x + shift[0], y + shift[1]) for x, y in points])
    except InvalidValue:
        return
    again = Map(once.outline, once.solids, once.walls)
    assert again.outline == once.outline
    assert again == once
    assert again.middle == 0j
    assert Map.from_dict(json.loads(json.dumps(once.to_dict()))).digest == once.digest


def test_maps_with_the_same_walls_are_one():
    same = Map(
        [(1, 0), (13, 0), (13, 8), (1, 8)], [[(4, 3), (6, 3), (5, 5)]], [[(8, 1), (8, 5)]]
    )
    other = Map(same.outline, same.solids)
    assert same == YARD
    assert hash(same) == hash(YARD)
    assert same.middle != YARD.middle
    assert other != YARD
    assert len({same, YARD, other}) == 2
    assert YARD != "a map"
    assert -(2**63) <= YARD.key < 2**63
    assert YARD.key != other.key


def test_copies_are_equal_and_have_their_middle(tmp_path):
    YARD.save(tmp_path / "yard.json")
    for same in (pickle.loads(pickle.dumps(YARD)), Map.load(tmp_path / "yard.json")):
        assert same == YARD
        assert same.middle == YARD.middle
        assert (same.segments == YARD.segments).all()
    assert copy.deepcopy(YARD) is YARD
    assert set(json.loads((tmp_path / "yard.json").read_text())) == {
        "outline",
        "solids",
        "walls",
        "middle",
    }


def test_a_map_cannot_be_changed():
    with pytest.raises(AttributeError):
        YARD.outline = ()


def test_the_package_loads_maps_when_they_are_asked_for():
    code = "import sys, steer_env; assert 'steer_env.maps.generators' not in sys.modules"
    code += "; steer_env.Map.rooms(1); assert not {'imageio', 'numba'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- Errors ----------------------------------------------------------------------------------

ZIGZAG = [(0.1 + 0.005 * k, 1 + k % 2) for k in range(MOST_SEGMENTS)]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"outline": [(0, 0), (4, 4), (4, 0), (0, 4)]}, r"crosses or touches .* at \(2, 2\)"),
        ({"outline": [(0, 0), (4, 0), (4, 4), (4, 0)]}, "outline crosses or touches itself"),
        ({"outline": [(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)]}, r"touches itself at \(2, 0\)"),
        ({"outline": [(0, 0), (6, 0), (3, 0)]}, "outline crosses or touches itself"),
        (
            {"outline": [(0, 0), (1, 1), (2, 2), (2, 0), (1, 1), (0, 2)]},
            r"touches itself at \(1, 1\), by the sides after its points 1 and 4",
        ),
        (
            {"outline": [*SQUARE, (0, 0)]},
            "points 4 and 0 are at one place.*joined to the first",
        ),
        (
            {"outline": SQUARE[:2]},
            r"outline must be at least 3 points \(x, y\), got \[\(0, 0\)",
        ),
        ({"outline": [(0, 0), (4, 0, 1), (4, 4)]}, "outline must be at least 3 points"),
        ({"outline": "abc"}, "outline must be at least 3 points.*'abc'"),
        ({"outline": [(0, 0), (math.nan, 0), (4, 4)]}, "outline must be finite and within"),
        ({"outline": [(0, 0), (1e6, 0), (4, 4)]}, "within 100,000 m of the origin"),
        ({"solids": 5}, "solids must be a list"),
        ({"solids": [TRIANGLE[:2]]}, r"solids\[0\] must be at least 3 points"),
        ({"solids": [[(1, 1), (3, 3), (3, 1), (1, 3)]]}, r"solids\[0\] crosses"),
        ({"solids": [[(5, 5), (6, 5), (6, 6)]]}, r"solids\[0\] is outside the outline"),
        ({"solids": [SQUARE]}, r"solids\[0\] covers the whole outline"),
        ({"solids": [[(-1, -1), (5, -1), (5, 5), (-1, 5)]]}, r"solids\[0\] covers the whole"),
        ({"walls": [[(1, 1)]]}, r"walls\[0\] must be at least 2 points"),
        ({"walls": [[(1, 1), (2, 1), (2, 1)]]}, r"walls\[0\]: its points 1 and 2 are at one"),
        ({"walls": [[(1, 1), (2, 1)], [(5, 5), (6, 5)]]}, r"walls\[1\] is outside"),
        (
            {"walls": [ZIGZAG]},
            "at most 512 segments, and this one has 515.*511 of walls.*leave",
        ),
        ({"middle": "1"}, "middle must be a complex number"),
        ({"middle": math.nan}, "middle must be within"),
        ({"middle": 10**400}, "middle must be within"),
    ],
)
def test_what_cannot_be_a_map_is_said(parts, message):
    with pytest.raises(UsageError, match=message):
        Map(**{"outline": SQUARE, **parts})


@pytest.mark.parametrize(
    "parts",
    [
        {"outline": [(0, 0), (4, 0), (2, 2), (4, 4), (0, 4)]},
        {"outline": [(0, 0), (1, 1), (2, 0), (2, 2), (1, 1), (0, 2)]},  # two that touch
        {"solids": [[(4, 2), (4, 4), (2, 4)]]},  # in a corner, with all points on the outline
        {"solids": [[(-1, -1), (2, -1), (2, 2), (-1, 2)]]},  # partly outside
        {"solids": [[(1, 1), (3, 1), (3, 3)], [(1.5, 1), (3, 2), (1, 3)]]},  # that overlap
        {"walls": [[(-1, 2), (5, 2)], [(1, 1), (3, 3), (3, 1), (1, 3)]]},
        {"walls": [[(0, 2), (4, 2)], ZIGZAG[:500]]},
        {"outline": np.array(SQUARE), "solids": (), "walls": ()},
    ],
)
def test_what_a_map_may_be(parts):
    assert Map(**{"outline": SQUARE, **parts}).contains(0j).shape == ()


def test_errors_of_files_name_them(tmp_path):
    path = tmp_path / "map.json"
    for text, message in (
        ("[1]", "a map's data are a dict with an outline"),
        ('{"outline": [[0, 0], [1, 0]]}', "outline must be at least 3"),
        (json.dumps({"outline": SQUARE, "wals": []}), "'wals'. Did you mean 'walls'"),
        (json.dumps({"outline": SQUARE, "middle": 3}), "middle must be"),
        ("{", "is damaged"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=f"map.json.*{message}"):
            Map.load(path)
    with pytest.raises(FileNotFoundError):
        Map.load(tmp_path / "none.json")


def test_maps_of_a_game():
    assert checked_maps(None) == ()
    assert checked_maps(YARD) == (YARD,)
    assert checked_maps([YARD, YARD.to_dict()]) == (YARD, YARD)
    with pytest.raises(InvalidType, match=r"must be a steer_env.Map, or a list of them, got 3"):
        checked_maps([YARD, 3])
    with pytest.raises(InvalidValue, match="at most 1,024 maps, got 1,025"):
        checked_maps([YARD] * 1025)


# ---- Polygons --------------------------------------------------------------------------------

GRID_POINT = st.tuples(st.integers(0, 6), st.integers(0, 6))


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def have_common_points(a, b, c, d):
    """True if two segments touch, in exact integers."""

    def sign(number):
        return (number > 0) - (number < 0)

    def is_on(p, q, r):
        return turn(p, q, r) == 0 and all(
            min(x, y) <= z <= max(x, y) for x, y, z in zip(p, q, r)
        )

    crosses = sign(turn(a, b, c)) * sign(turn(a, b, d)) < 0
    crosses &= sign(turn(c, d, a)) * sign(turn(c, d, b)) < 0
    return crosses or is_on(a, b, c) or is_on(a, b, d) or is_on(c, d, a) or is_on(c, d, b)


@given(st.lists(GRID_POINT, min_size=3, max_size=7, unique=True))
def test_polygons_of_different_corners_are_simple_if_no_sides_meet(points):
    count = len(points)
    sides = [(points[k], points[(k + 1) % count]) for k in range(count)]
    is_simple = not any(
        have_common_points(*sides[j], *sides[k])
        for j, k in itertools.combinations(range(count), 2)
        if (k - j) % count not in (1, count - 1)
    )
    for k in range(count):  # neighbors have one point in common, and no more
        before, corner, after = points[k - 1], points[k], points[(k + 1) % count]
        is_back = turn(before, corner, after) == 0
        toward = sum((b - c) * (a - c) for b, c, a in zip(before, corner, after))
        is_simple &= not (is_back and toward > 0)
    assert bool(crossing_of(complexes(points))) != is_simple


@given(st.lists(st.floats(0.2, 3.0), min_size=3, max_size=9), st.floats(0.0, 6.0))
def test_stars_are_simple_and_contain_what_is_near_their_middle(radii, first):
    angles = first + 2.0 * np.pi * np.arange(len(radii)) / len(radii)
    corners = np.array(radii) * np.exp(1j * angles)
    assert not crossing_of(corners)
    assert not crossing_of(corners[::-1])
    assert area_of(corners) > 0.0 > area_of(corners[::-1])
    rays = 5.0 * np.exp(1j * np.linspace(0.0, 6.0, 7))
    inner = 0.99 * (corners + 0.01 * (np.roll(corners, -1) - corners))
    assert is_within(corners, inner).all()
    assert not is_within(corners, rays).any()


def test_the_area_of_a_polygon():
    assert area_of(complexes(SQUARE)) == 16.0
    assert area_of(complexes(TRIANGLE)) == 2.0


def test_distances_from_a_segment():
    starts, ends = np.array([0j]), np.array([4 + 0j])
    places = np.array([1 + 2j, 7 + 4j, -3 - 4j, 2 + 0j])
    assert distances(starts, ends, places).tolist() == [2.0, 5.0, 5.0, 0.0]
