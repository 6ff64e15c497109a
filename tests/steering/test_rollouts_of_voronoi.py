"""The cell of a quarry that runs never grows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steer_env.steering import (
    Vehicle,
    advance,
    flee,
    voronoi_pursuit,
)
from steering.test_voronoi import HALF, area_of_cell, diagram, mirrored_in_walls, points

pytestmark = pytest.mark.weekly


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
