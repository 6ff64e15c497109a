"""The cell of a quarry that runs never grows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Voronoi

from steer_env.steering import (
    Vehicle,
    advance,
    flee,
    voronoi_pursuit,
)

HALF = 8.0


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


def diagram(places):
    return Voronoi([(place.real, place.imag) for place in places])


def area_of_cell(found, number=0):
    region = found.vertices[found.regions[found.point_region[number]]]
    return ConvexHull(region).volume


def test_the_cell_of_a_quarry_that_runs_never_grows():
    """Equal speeds, velocities taken up at once: what the capture theorem rests on."""
    dice = np.random.default_rng(3)
    quarry, *hunters = (
        Vehicle(place, max_force=1e9, max_speed=1.0) for place in points(dice, 4)
    )
    before = math.inf
    for _ in range(400):
        places = [one.position for one in (quarry, *hunters)]
        gaps = [abs(place - quarry.position) for place in places[1:]]
        if min(gaps) < 0.1:
            break
        area = area_of_cell(diagram(mirrored_in_walls(places)))
        assert area <= before + 0.02  # a step of 0.02 s is no moment
        before = area
        forces = [
            voronoi_pursuit(me, [mate for mate in hunters if mate is not me], quarry, HALF)
            for me in hunters
        ]
        run = flee(quarry, places[1 + gaps.index(min(gaps))])
        hunters = [
            advance(me, force / 0.02, 0.02) for me, force in zip(hunters, forces, strict=True)
        ]
        quarry = advance(quarry, run / 0.02, 0.02)
        x, y = quarry.position.real, quarry.position.imag
        room = HALF - 1e-6  # on a wall it would be its own mirror image
        inside = complex(min(max(x, -room), room), min(max(y, -room), room))
        quarry = quarry._replace(position=inside)
    else:
        pytest.fail("it was not captured")
