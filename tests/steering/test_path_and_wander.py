"""Ways of its own: paths to follow, in a tube or from point to point, and wandering."""

import cmath
import functools
import math
import random

import numpy as np
import pytest

from steer_env.steering import (
    advance,
    follow_path,
    follow_waypoints,
    jitter_wander_point,
    nearest_on_path,
    next_waypoint,
    path_length,
    point_on_path,
    seek,
    turn_wander_point,
    walk_sideways,
    wander,
    wander_sideways,
)

from .vehicles import moving, played, vehicle

ELBOW = np.array([0j, 3 + 0j, 3 + 4j])  # 3 m and 4 m, and 5 m back
SQUARE = np.array([-5 - 5j, 5 - 5j, 5 + 5j, -5 + 5j])
POINT = np.array([2 + 1j])
STRAIGHT = np.array([0j, 10 + 0j])


@pytest.mark.parametrize("closed", [False, True])
def test_a_path_of_a_single_point(closed):
    for path in (POINT, np.array([2 + 1j] * 3)):
        assert nearest_on_path(path, 9 + 9j, closed) == (0.0, 2 + 1j)
        for along in (-3.0, 0.0, 1e-9, 7.0):
            assert point_on_path(path, along, closed) == 2 + 1j
        for me in (vehicle(7j), moving(-4, 1 + 1j), vehicle(2 + 1j)):
            assert follow_path(me, path, 1.0, 1.0, closed) == seek(me, 2 + 1j)
        assert follow_waypoints(vehicle(7j), path, 0, 0.6, True) == seek(vehicle(7j), 2 + 1j)


@pytest.mark.parametrize("closed", [False, True])
def test_no_point_of_a_path_is_nearer_than_the_nearest(closed):
    draw = random.Random(0).uniform
    for _ in range(20):
        path = np.array([complex(draw(-9, 9), draw(-9, 9)) for _ in range(6)])
        total = path_length(path, closed)
        samples = [point_on_path(path, total * k / 400, closed) for k in range(401)]
        steps = np.abs(np.diff(samples))
        assert steps.max() <= total / 400 + 1e-9  # a point moves no faster than its distance
        for _ in range(10):
            position = complex(draw(-12, 12), draw(-12, 12))
            along, nearest = nearest_on_path(path, position, closed)
            assert point_on_path(path, along, closed) == pytest.approx(nearest)
            least = np.abs(np.array(samples) - position).min()
            assert -total / 400 < abs(nearest - position) - least < 1e-9


# Vehicles, the tube's radius, how far ahead they look in seconds, and what they seek.
FOLLOWED = {
    "carries on in the tube": [(moving(p, 1), 1.0, 1.0, None) for p in (2, 2 + 0.9j, 2 - 0.9j)],
    "leaves a narrower tube": [
        (moving(2, 0.8 + 0.6j), 0.65, 1.0, None),
        (moving(2, 0.8 + 0.6j), 0.55, 1.0, 3.8),
        (moving(2, 0.8 + 0.6j), 0.65, 1.2, 4.16),
    ],
    "is soon inside": [(moving(2 + 1.5j, 0.8 - 0.6j), 1.0, 1.0, None)],
    # In 1 s it is beside 2.5, and top speed takes it 2 m on; in 3 s beside 3.5, and 6 m.
    "seeks a point ahead": [
        (moving(2 + 3j, 0.5, max_speed=2), 1.0, seconds, sought)
        for seconds, sought in ((1.0, 4.5), (3.0, 9.5), (9.0, 10.0))
    ],
    "starts along the path": [
        (vehicle(p, 0, -1, max_speed=2), 1.0, 1.0, 4.0) for p in (2, 2 + 0.5j, 2 + 5j)
    ],
    "turns back": [(moving(5 + 0.2j, -1, max_speed=3), 1.0, 1.0, 7.0)],
    "brakes": [(moving(5, -3, max_speed=3), 1.0, 1.0, 5.0)],  # it seeks where it stands
    "seeks the last point": [
        (moving(9.5, 1), 1.0, 1.0, None),
        (moving(9.5, 2, max_speed=2), 1.0, 1.0, 10.0),
        (moving(12 + 1j, 1), 1.0, 1.0, 10.0),
    ],
}


@pytest.mark.parametrize("what", FOLLOWED)
def test_a_vehicle_that_follows_a_straight_path(what):
    for me, radius, seconds, sought in FOLLOWED[what]:
        expected = 0j if sought is None else seek(me, complex(sought))
        assert follow_path(me, STRAIGHT, radius, seconds) == pytest.approx(expected, abs=1e-9)


def test_a_closed_path_goes_on_over_its_seam():
    me = moving(-5 - 4.5j, -1j)
    assert follow_path(me, SQUARE, 1.0, 1.0, True) == 0j
    fast = moving(-5 - 4.5j, -2j, max_speed=2)  # out at the corner; 2 m along the next side
    assert follow_path(fast, SQUARE, 1.0, 1.0, True) == seek(fast, -3 - 5j)
    back = moving(-4.5 - 5j, -1, max_speed=2)  # the wrong way
    assert follow_path(back, SQUARE, 1.0, 1.0, True) == seek(back, -3 - 5j)


def test_waypoints_are_passed_in_order_and_at_the_last_one_it_stops():
    me, waypoint, passed = moving(-3, 2j, max_speed=3, max_force=9), 0, []
    for _ in range(1800):
        following = next_waypoint(me, SQUARE, waypoint, 1.0)
        if following != waypoint:
            passed.append(waypoint)
        waypoint = following
        me = advance(me, follow_waypoints(me, SQUARE, waypoint, 0.9), 1 / 60)
    assert passed == [0, 1, 2]
    assert abs(me.position - SQUARE[-1]) < 0.01
    assert abs(me.velocity) < 0.01


def around(me, path, seconds):
    """Laps around a closed path in 30 s, after 10 s, and how far off it was."""
    states = played([me], [lambda me: follow_path(me, path, 1.0, seconds, True)], 2400)
    places = [me.position for (me,) in states][599:]
    found = [nearest_on_path(path, place, True) for place in places]
    farthest = max(abs(point - place) for (_, point), place in zip(found[1:], places[1:]))
    total, steps = path_length(path, True), np.diff([along for along, _ in found])
    return sum(math.remainder(step, total) for step in steps) / total, farthest


@pytest.mark.parametrize("path", [SQUARE, SQUARE[::-1].copy()], ids=["left", "right"])
@pytest.mark.parametrize(
    ("place", "along"),
    [(-5j, 1), (1 + 0.5j, 1), (9 + 9j, 1), (-5j, 0), (-5j, -1)],
    ids=["on it", "inside", "outside", "at rest", "the wrong way"],
)
def test_it_goes_around_and_around_near_the_path(path, place, along):
    along *= 1 if path is SQUARE else -1  # on the lower side
    me = moving(place, along * 3, max_speed=3, max_force=9)
    laps, farthest = around(me, path, 1.0)
    assert 0.7 < laps / (3 * 30 / 40) < 1.2
    assert farthest < 1.0 + 0.6


# ---- Wandering, in three forms --------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 0.05, -0.3, 0.7, -1.0, 1.5])
def test_the_point_turns_by_the_angle(angle):
    for start in (1 + 0j, cmath.exp(2.5j)):
        turned = turn_wander_point(start, angle)
        error = cmath.phase(turned / start) - angle
        assert abs(error) <= abs(angle) ** 5 / 600 + 1e-15  # of fourth order
        assert abs(turned) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("angle", [math.pi, -4.0, 12**0.5, 50.0, -1e9])
def test_no_angle_takes_the_point_off_its_circle(angle):
    assert abs(turn_wander_point(cmath.exp(1j), angle)) == pytest.approx(1.0, abs=1e-12)


def angle_form(generator, dt):
    """2 radians a second of spread."""
    point = 1 + 0j
    while True:
        point = turn_wander_point(point, 2.0 * math.sqrt(dt) * generator.standard_normal())
        yield functools.partial(wander, point=point, distance=2.0, radius=1.2)


def jitter_form(generator, dt):
    """Buckland's, with his jitter of 80 a second on a circle of 1.2."""
    point = 1 + 0j
    while True:
        jitter = 80 / 1.2 * dt * complex(*generator.uniform(-1, 1, 2))
        point = jitter_wander_point(point, jitter)
        yield functools.partial(wander, point=point, distance=2.0, radius=1.2)


def sideways_form(generator, dt):
    """Reynolds', with OpenSteer's 12 a second."""
    side = 0.0
    while True:
        side = walk_sideways(side, 12 * dt * float(generator.uniform(-1, 1)))
        yield functools.partial(wander_sideways, side=side)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("form", [angle_form, jitter_form, sideways_form])
def test_who_wanders_never_stops_and_gets_about(form, seed):
    start = moving(1 + 1j, 2, max_speed=2, max_force=4)
    forces = form(np.random.default_rng(seed), 1 / 60)
    rolled = played([start], [lambda me: next(forces)(me)], 2400)
    states = [start, *(me for (me,) in rolled)]
    speeds = np.abs([me.velocity for me in states])
    assert speeds.min() > 1.0
    assert speeds.max() < 2.0 + 1e-9
    places = np.array([me.position for me in states])
    assert np.abs(places - places[0]).max() > 4.0
    headings = np.array([me.heading for me in states])
    steps = np.angle(headings[1:] / headings[:-1])
    assert np.abs(steps).max() < 4 / 60 / 1.0 + 1e-9  # no more than the force can turn it
    assert steps.min() < -0.001
    assert steps.max() > 0.001  # to both sides
    assert np.abs(headings.mean()) < 0.98  # not straight on
