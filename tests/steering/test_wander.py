"""Three forms of wandering: their random walks, their forces, and where they lead."""

from __future__ import annotations

import cmath
import functools
import itertools
import math

import numpy as np
import pytest

from steer_env.steering import (
    advance,
    jitter_wander_point,
    seek,
    turn_wander_point,
    walk_sideways,
    wander,
    wander_circle,
    wander_sideways,
    wander_target,
)

from .vehicles import moving, vehicle


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


def test_the_target_is_on_the_circle_and_is_what_wander_seeks():
    me = vehicle(3 - 1j, 0.5 - 0.2j, 1j, max_speed=2)
    assert wander_circle(me, 5.0, 2.0) == (3 + 4j, 2.0)
    assert wander_circle(me) == (3 + 1j, 1.2)
    assert wander_target(me, -1j) == wander_target(me, -1j, 2.0, 1.2) == pytest.approx(4.2 + 1j)
    for angle in (0.0, 0.7, -2.0, 3.1):
        point = cmath.exp(1j * angle)
        target = wander_target(me, point, 5.0, 2.0)
        assert target == pytest.approx(3 + 4j + 2j * point)
        assert wander(me, point, 5.0, 2.0) == seek(me, target)


def test_wander_at_its_limits():
    me = vehicle(3 - 1j, 0.5j, 1j, max_speed=2)
    assert wander(me, -1 + 0j, 1.5, 1.5) == -0.5j  # the point is where the vehicle is
    assert wander(me, 1j, 0.0, 0.0) == -0.5j
    assert wander(me, 1j, 2.0, 0.0) == 1.5j  # straight on
    resting = vehicle(3 - 1j, 0, 1j, max_speed=2)
    assert wander(resting, 1 + 0j, 2.0, 1.2) == 2j  # off it goes
    assert wander(vehicle(max_speed=0), 1j) == 0j


def test_jitter_by_hand():
    assert jitter_wander_point(1j, 3 + 3j) == pytest.approx(0.6 + 0.8j)
    assert jitter_wander_point(1j, 0j) == 1j
    assert jitter_wander_point(0.6 + 0.8j, -3.6 - 4.8j) == pytest.approx(-0.6 - 0.8j)
    assert jitter_wander_point(1j, -1j) == 1j  # at the center there is no direction


def test_sideways_by_hand():
    assert walk_sideways(0.25, -0.5) == -0.25
    assert walk_sideways(0.25, 2.0) == 1.0
    assert walk_sideways(-0.75, -0.5) == -1.0
    assert walk_sideways(1.0, -0.25) == 0.75
    me = vehicle(3 - 1j, 2 + 1j, cmath.exp(0.8j), max_force=4)
    for side in (-1.0, -0.3, 0.0, 1.0):  # a share of the largest force, to the left
        force = 4 * side * 1j * cmath.exp(0.8j)
        assert wander_sideways(me, side) == pytest.approx(force)


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


def rollout(form, generator, seconds, dt, me):
    states = [me]
    for force_of in itertools.islice(form(generator, dt), round(seconds / dt)):
        states.append(advance(states[-1], force_of(states[-1]), dt))
    return states


@pytest.mark.parametrize("form", [angle_form, jitter_form, sideways_form])
def test_who_wanders_never_stops_and_gets_about(form):
    start = moving(1 + 1j, 2, max_speed=2, max_force=4)
    for seed in range(2):
        states = rollout(form, np.random.default_rng(seed), 40.0, 1 / 60, start)
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
