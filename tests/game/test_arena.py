"""Walls and obstacles are solid, and a torus has no edge."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from steer_env.game.arena import (
    ARENAS,
    OPEN,
    TORUS,
    WALLS,
    inside_obstacle,
    move,
    nearest_image,
    nearest_offset,
    path_to_contact,
    room,
)
from steer_env.steering import OBSTACLE
from steer_env.steering.vectors import wrap

HALF = 10.0
DT = 1 / 30
RADIUS = 0.3

coordinates = st.floats(-HALF, HALF)
places = st.builds(complex, coordinates, coordinates)
points = st.builds(complex, st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
velocities = st.builds(cmath.rect, st.floats(0.0, 200.0), st.floats(-math.pi, math.pi))
discs = st.lists(st.tuples(places, st.floats(0.01, 3.0)), min_size=1, max_size=5)


def obstacles_of(*placed):
    """Obstacles as the loop sees them, from (center, radius)."""
    return np.array(list(placed), OBSTACLE)


def gaps(arena, placed, position):
    """From the body's edge to the obstacles' edges, in meters."""
    return [
        abs(nearest_offset(arena, HALF, position, center)) - radius - RADIUS
        for center, radius in placed
    ]


@given(points)
def test_wrapping_goes_round_whole_times(point):
    wrapped = wrap(point, HALF)
    assert max(abs(wrapped.real), abs(wrapped.imag)) <= HALF * (1 + 1e-12)
    turns = (point - wrapped) / (2 * HALF)
    assert abs(turns - complex(round(turns.real), round(turns.imag))) < 1e-9
    assert wrap(wrapped, HALF) == wrapped


@given(places, places)
def test_offsets_on_a_torus_go_to_the_nearest_image(start, end):
    images = [end + 20 * x + 20j * y for x in (-1, 0, 1) for y in (-1, 0, 1)]
    nearest = min(abs(image - start) for image in images)
    offset = nearest_offset(TORUS, HALF, start, end)
    assert abs(offset) == pytest.approx(nearest, abs=1e-9)
    assert min(abs(start + offset - image) for image in images) < 1e-9
    assert nearest_image(TORUS, HALF, start, end) == start + offset
    for arena in (WALLS, OPEN):
        assert nearest_offset(arena, HALF, start, end) == end - start
        assert nearest_image(arena, HALF, start, end) == end


TURNS = [1, 1j, -1, -1j]


@pytest.mark.parametrize(
    ("arena", "discs", "start", "velocity", "end", "after"),
    [
        # A wall stops the velocity into it, and none other; a corner stops everything.
        *((WALLS, (), (9.65 + 2j) * t, (6 + 3j) * t, (9.7 + 2.1j) * t, 3j * t) for t in TURNS),
        *((WALLS, (), 9.7 * t, (-6 + 3j) * t, (9.5 + 0.1j) * t, (-6 + 3j) * t) for t in TURNS),
        (WALLS, (), 9.69 - 9.69j, 6 - 6j, 9.7 - 9.7j, 0j),
        # Head on, also across the seam of a torus; a disc of radius zero is not there.
        (OPEN, [(0j, 1.0)], -1.4 + 0j, 6 + 0j, -1.3 + 0j, 0j),
        (TORUS, [(9.5 + 0j, 1.0)], -9.1 + 0j, -6 + 0j, -9.2 + 0j, 0j),
        (OPEN, [(0j, 0.0)], -0.4 + 0j, 6 + 0j, -0.2 + 0j, 6 + 0j),
    ],
)
def test_what_is_solid_stops_a_body(arena, discs, start, velocity, end, after):
    start, velocity = complex(start), complex(velocity)
    found = move(arena, HALF, obstacles_of(*discs), RADIUS, start, velocity, DT)
    assert found == pytest.approx((end, after))


@pytest.mark.parametrize(
    ("arena", "disc", "is_inside"),
    [
        (TORUS, (9.5 + 0j, 1.0), True),
        (OPEN, (9.5 + 0j, 1.0), False),
        (OPEN, (-9.3 + 0j, 0.0), False),  # not there
    ],
)
def test_obstacles_have_an_inside(arena, disc, is_inside):
    assert inside_obstacle(arena, HALF, obstacles_of(disc), RADIUS, -9.3 + 0j) is is_inside


@pytest.mark.parametrize("arena", range(3), ids=ARENAS)
@given(placed=discs, start=places, velocity=velocities)
def test_the_first_contact_is_where_the_path_meets_an_obstacle(arena, placed, start, velocity):
    assume(min(gaps(arena, placed, start)) > 1e-6)
    step = velocity * DT
    free, normal = path_to_contact(arena, HALF, obstacles_of(*placed), RADIUS, start, step)
    assert 0.0 <= free <= 1.0
    # Contact before that, by sampling the way: none deeper than a sample's error.
    for share in np.linspace(0.0, free, 50):
        assert min(gaps(arena, placed, start + share * step)) > -1e-9
    if free < 1.0:
        at_contact = gaps(arena, placed, start + free * step)
        assert min(at_contact, key=abs) == pytest.approx(0.0, abs=1e-9)
        assert abs(normal) == pytest.approx(1.0)
        assert (normal.conjugate() * step).real < 0.0


@pytest.mark.parametrize("center", [0j, 1.7 - 2.3j, -3.1 + 0.6j])
@pytest.mark.parametrize("turn", [1j, -1j], ids=["left", "right"])
def test_sliding_is_smooth(center, turn):
    # Rounding may make the tangent point into what is slid along: no reason to stop.
    obstacles, position = obstacles_of((center, 1.1)), center + 1.4
    for _ in range(200):
        outward = (position - center) / abs(position - center)
        end, velocity = move(
            OPEN, HALF, obstacles, RADIUS, position, outward * (3 * turn - 1), DT
        )
        assert abs(velocity - 3 * turn * outward) < 0.1
        assert abs(end - position) == pytest.approx(3 * DT, rel=0.05)
        position = end


@pytest.mark.parametrize("turn", np.linspace(0.0, 6.0, 9))
def test_who_slides_into_another_obstacle_stops_at_it(turn):
    # Rounding must not decide whether it counts as inside, and is thrown back to the start.
    ahead = cmath.exp(1j * turn)
    first, second = 0.7 - 0.4j, 0.7 - 0.4j + ahead * (-1.3 - 0.3 + 0.85j)
    start = first - 1.3 * ahead
    obstacles = obstacles_of((first, 1.0), (second, 0.5))
    end, _ = move(OPEN, HALF, obstacles, RADIUS, start, ahead * (4 + 4j), DT)
    assert abs(end - start) > 0.05
    assert gaps(OPEN, [(second, 0.5)], end)[0] == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("arena", range(3), ids=ARENAS)
@given(placed=discs, start=places, velocity=velocities)
def test_nobody_gets_into_an_obstacle(arena, placed, start, velocity):
    assume(min(gaps(arena, placed, start)) > 0.0)
    limit = room(arena, HALF, RADIUS)
    assume(max(abs(start.real), abs(start.imag)) <= limit)
    end, after = move(arena, HALF, obstacles_of(*placed), RADIUS, start, velocity, DT)
    assert min(gaps(arena, placed, end)) > -1e-8
    assert max(abs(end.real), abs(end.imag)) <= limit
    assert abs(after) <= abs(velocity) * (1 + 1e-9)
    assert abs(end - start) <= abs(velocity) * DT * (1 + 1e-9) + 1e-9


def test_who_is_wedged_stays():
    # Between two obstacles that leave no way on; neither of them is entered.
    obstacles = obstacles_of((1 + 1j, 1.0), (1 - 1j, 1.0))
    position, velocity = -2 + 0j, 4 + 0j
    for _ in range(100):
        position, velocity = move(OPEN, HALF, obstacles, RADIUS, position, 4 + 0j, DT)
        assert not inside_obstacle(OPEN, HALF, obstacles, RADIUS, position)
    assert position.real < 1.0
    assert abs(velocity) < 4.0
    away, velocity = move(OPEN, HALF, obstacles, RADIUS, position, -4 + 0j, DT)
    assert away.real < position.real
    assert velocity == -4 + 0j
