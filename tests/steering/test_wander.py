"""Three forms of wandering: their random walks, their forces, and where they lead."""

from __future__ import annotations

import cmath
import math

import pytest

from steer_env.steering import (
    jitter_wander_point,
    seek,
    turn_wander_point,
    walk_sideways,
    wander,
    wander_circle,
    wander_sideways,
    wander_target,
)

from .vehicles import vehicle


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


def test_sideways_steps_by_hand():
    assert walk_sideways(0.25, -0.5) == -0.25
    assert walk_sideways(0.25, 2.0) == 1.0
    assert walk_sideways(-0.75, -0.5) == -1.0
    assert walk_sideways(1.0, 0.1) == 1.0
    assert walk_sideways(1.0, -0.25) == 0.75


@pytest.mark.parametrize("side", [-1.0, -0.3, 0.0, 0.5, 1.0])
def test_the_sideways_force_is_a_share_of_the_largest_to_the_left(side):
    me = vehicle(3 - 1j, 2 + 1j, cmath.exp(0.8j), max_force=4)
    force = wander_sideways(me, side)
    assert force == pytest.approx(4 * side * 1j * cmath.exp(0.8j))
    assert (force * me.heading.conjugate()).real == pytest.approx(0.0)  # no brake, no thrust
