"""Lookahead laws and predictors."""

import cmath
import itertools
import math

import numpy as np
import pytest

from steer_env.steering import Obstacle, closing, contained, intercept, linear, reynolds

from .vehicles import moving, vehicle

# Reynolds' table: where the other is, and how it heads, against my heading of 0 degrees.
FACTORS = {
    0: {0: 4.0, 90: 1.8, 180: 0.85},
    90: {0: 1.0, 90: 0.8, 180: 4.0},
    180: {0: 0.5, 90: 2.0, 180: 2.0},
}


def test_the_nine_cases_of_reynolds():
    for (place, row), other_heading in itertools.product(FACTORS.items(), (0, 90, 180)):
        aside, heading = (cmath.exp(1j * math.radians(one)) for one in (place, other_heading))
        time = reynolds(moving(0, 2), vehicle(6 * aside, heading, heading))
        assert time == pytest.approx(3.0 * row[other_heading])


@pytest.mark.parametrize("heading", [0.3, 1.2, 2.0, 3.0, -2.5])
@pytest.mark.parametrize("speed", [0.2, 1.0, 1.9])
def test_intercept_is_when_a_straight_run_meets(heading, speed):
    me = moving(1 + 2j, 1j, max_speed=2)
    quarry = moving(6 - 1j, speed * cmath.exp(1j * heading), max_speed=2)
    time = intercept(me, quarry)
    assert abs(linear(quarry, time) - me.position) == pytest.approx(2 * time)
    sooner = 0.99 * time
    assert abs(linear(quarry, sooner) - me.position) > 2 * sooner


def test_intercept_of_a_quarry_that_is_as_fast_or_faster():
    me, quarry = moving(0, 1, max_speed=1), moving(4 + 1j, -3, max_speed=3)
    time = intercept(me, quarry)
    assert abs(linear(quarry, time)) == pytest.approx(time)
    assert linear(quarry, time).real > 0.0  # the second time is when it has passed
    approaching = moving(4 + 0j, cmath.exp(1j * math.radians(120)), max_speed=1)
    assert intercept(me, approaching) == pytest.approx(4.0)
    runaway = moving(4 + 0j, 1, max_speed=1)
    assert intercept(me, runaway) == closing(me, runaway)


# ---- Among obstacles ----------------------------------------------------------------------

ROCKS = [Obstacle(6 + 0j, 1.0), Obstacle(-3 + 4j, 2.0), Obstacle(0 - 8j, 1.5)]


def is_free(point, radius, rocks, half_size=math.inf):
    inside = max(abs(point.real), abs(point.imag)) <= half_size
    return inside and all(abs(point - c) >= size + radius - 1e-9 for c, size in rocks)


def test_contained_between_obstacles_without_a_gap_stays_where_it_is():
    # Two rocks that touch, in a corner: beside one is inside the other or the walls.
    rocks = [Obstacle(9 + 5.5j, 4.0), Obstacle(5.5 + 9j, 4.0), Obstacle(9 + 9j, 2.0)]
    other = moving(0, 3 + 3j)
    found = contained(other, 3.0, 9.5, rocks)
    assert found == 0 or is_free(found, 0.5, rocks, 9.5)
    walled = [Obstacle(9 + 0j, 20.0)]  # covers everything that the walls leave
    assert contained(moving(-12, 1), 3.0, 9.5, walled) == -12


def test_contained_is_the_nearest_free_point():
    generator, checked = np.random.default_rng(4), 0
    disc = np.linspace(0.0, 4.0, 50) * np.exp(0.1j * np.arange(63))[:, None]
    for x, y, *velocity in generator.uniform(-9, 9, (300, 4)).tolist():
        other = vehicle(complex(x, y), complex(*velocity))
        wanted, found = contained(other, 1.3, 9.5), contained(other, 1.3, 9.5, ROCKS)
        if not is_free(other.position, 0.5, ROCKS) or found == wanted:
            continue
        checked += 1
        assert is_free(found, 0.5, ROCKS, 9.5)
        distances = [abs(p) for p in disc.ravel() if is_free(wanted + p, 0.5, ROCKS, 9.5)]
        assert abs(found - wanted) <= min(distances) + 1e-9
    assert checked > 10
