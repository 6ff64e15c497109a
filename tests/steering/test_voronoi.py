"""Voronoi pursuit: cells are those of scipy, and hunters shrink them as fast as they can."""

from __future__ import annotations

import cmath
import itertools
import math

import numpy as np
import pytest

from steer_env.steering import (
    Vehicle,
    advance,
    clamp_to_square,
    flee,
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


def area_of_cell(found, number=0):
    from scipy.spatial import ConvexHull

    region = found.vertices[found.regions[found.point_region[number]]]
    return ConvexHull(region).volume


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


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("arena", ARENAS)
def test_the_aim_is_where_the_cell_shrinks_fastest(seed, arena):
    """Against the numerical gradient of the cell's area."""
    images, keywords = ARENAS[arena]
    places = points(np.random.default_rng(seed), 4)
    quarry, me, *mates = map(vehicle, places)
    way = voronoi_aim(me, mates, quarry, **keywords) - me.position
    if voronoi_border(me, mates, quarry, **keywords)[1] == 0.0:
        return

    def area(step):
        return area_of_cell(diagram(images([places[0], places[1] + step, *places[2:]])))

    nudge = 1e-5
    slopes = [(area(nudge * d) - area(-nudge * d)) / (2 * nudge) for d in (1, 1j)]
    downhill = -complex(*slopes)
    assert downhill / abs(downhill) == pytest.approx(way / abs(way), abs=1e-4)


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


@pytest.mark.weekly
def test_the_cell_of_a_quarry_that_runs_never_grows():
    """Equal speeds, velocities taken up at once: what the capture theorem rests on."""
    places = points(np.random.default_rng(3), 4)
    quarry, *hunters = (Vehicle(place, max_force=1e9, max_speed=1.0) for place in places)
    dt, before = 0.02, math.inf
    for _ in range(400):
        places = [one.position for one in (quarry, *hunters)]
        nearest = min(places[1:], key=lambda place: abs(place - quarry.position))
        if abs(nearest - quarry.position) < 0.1:
            break
        area = area_of_cell(diagram(mirrored_in_walls(places)))
        assert area <= before + 0.02  # a step is no moment
        before = area
        mates = [[mate for mate in hunters if mate is not me] for me in hunters]
        forces = [voronoi_pursuit(*two, quarry, HALF) for two in zip(hunters, mates)]
        hunters = [advance(me, force / dt, dt) for me, force in zip(hunters, forces)]
        quarry = advance(quarry, flee(quarry, nearest) / dt, dt)
        inside = clamp_to_square(quarry.position, HALF - 1e-6)  # else its own mirror image
        quarry = quarry._replace(position=inside)
    else:
        pytest.fail("it was not captured")
