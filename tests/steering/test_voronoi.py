"""Voronoi pursuit: the borders of cells are those of scipy, and their edges by hand."""

from __future__ import annotations

import cmath
import itertools
import math

import numpy as np
import pytest

from steer_env.steering import (
    Vehicle,
    linear,
    seek,
    voronoi_aim,
    voronoi_border,
    voronoi_pursuit,
)

from .vehicles import vehicle

HALF = 8.0
CLOSE = {"rel": 1e-9, "abs": 1e-9}


def points(dice, count):
    return list(map(complex, *dice.uniform(-HALF, HALF, (2, count))))


def mirrored_in_walls(places):
    """Points whose Voronoi diagram has the walls among its edges."""
    found = list(places)
    for place in places:
        x, y = place.real, place.imag
        found += [complex(s * 2 * HALF - x, y) for s in (-1, 1)]
        found += [complex(x, s * 2 * HALF - y) for s in (-1, 1)]
    return found


def tiled(places):
    """Points and their images all around on a torus."""
    shifts = [2 * HALF * complex(x, y) for x, y in itertools.product((-1, 0, 1), repeat=2)]
    shifts.remove(0)
    return [*places, *(place + shift for shift in shifts for place in places)]


def diagram(places):
    from scipy.spatial import Voronoi

    return Voronoi([(place.real, place.imag) for place in places])


def borders(found, mine, quarry=0):
    """(point, middle, length) of the edges between the quarry and my points."""
    for pair, ends in zip(found.ridge_points.tolist(), found.ridge_vertices, strict=True):
        if quarry in pair and (set(pair) - {quarry}) & mine and -1 not in ends:
            a, b = (complex(*found.vertices[end]) for end in ends)
            other = (set(pair) - {quarry}).pop()
            yield complex(*found.points[other]), (a + b) / 2, abs(b - a)


ARENAS = {
    "walls": (mirrored_in_walls, {"half_size": HALF}),
    "torus": (tiled, {"period": 2 * HALF}),
}


@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("seed", range(20))
def test_borders_are_those_of_scipy(seed, arena):
    images, keywords = ARENAS[arena]
    count = 2 + seed % 4
    places = points(np.random.default_rng(seed), count)
    quarry, *hunters = map(vehicle, places)
    found = diagram(images(places))
    for number, me in enumerate(hunters, 1):
        mates = [mate for mate in hunters if mate is not me]
        middle, length = voronoi_border(me, mates, quarry, **keywords)
        mine = {number + k * count for k in range(9 if arena == "torus" else 1)}
        expected = list(borders(found, mine))
        assert length == pytest.approx(sum(edge[2] for edge in expected), **CLOSE)
        if expected:
            weights = [size / abs(image - quarry.position) for image, _, size in expected]
            ways = [center - image for image, center, _ in expected]
            way = np.dot(weights, ways) / sum(weights)
            assert middle - me.position == pytest.approx(way, **CLOSE)
        elif arena == "walls":
            assert middle == quarry.position


def test_by_hand():
    me, quarry = vehicle(-2), vehicle(2)
    assert voronoi_border(me, [], quarry, 6.0) == (0j, 12.0)
    other = vehicle(2 + 1j)  # one that does not border on its cell runs at it
    assert voronoi_aim(vehicle(-6), [vehicle(1 + 1j)], other, 9.0) == other.position
    assert voronoi_border(me, [vehicle(2 + 4j)], quarry, 6.0) == (-2j, 8.0)
    assert voronoi_pursuit(me, [vehicle(2 + 4j)], quarry, 6.0) == seek(me, -2j)


def test_in_the_open_a_border_may_have_no_end():
    quarry = vehicle()
    ring = [vehicle(cmath.rect(4, turn * math.pi / 3)) for turn in (0, 2, 4)]
    for me in ring:
        mates = [mate for mate in ring if mate is not me]
        middle, length = voronoi_border(me, mates, quarry)
        assert 0.0 < length < math.inf  # it is surrounded
        assert middle == pytest.approx(me.position / 2)
    assert voronoi_border(ring[0], ring[1:2], quarry) == (0j, math.inf)
    assert voronoi_pursuit(ring[0], [], quarry) == seek(ring[0], 0j)


def test_seconds_ahead_everybody_has_moved_on():
    me, mate, quarry = (
        Vehicle(place, velocity)
        for place, velocity in ((-3 + 1j, 1 + 2j), (4 - 4j, -1j), (1 + 0j, 2 - 1j))
    )
    then = [one._replace(position=linear(one, 0.5)) for one in (me, mate, quarry)]
    aim = voronoi_aim(me, [mate], quarry, HALF, seconds=0.5)
    way = voronoi_aim(then[0], [then[1]], then[2], HALF) - then[0].position
    assert aim - me.position == pytest.approx(way)
