"""Pursuit and evasion, wandering, and walls."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from steer_env.steering import (
    OBSTACLE,
    Obstacle,
    arrive,
    closing,
    comes_at_me,
    containment,
    evade,
    flee,
    hide,
    hiding_place,
    interpose,
    linear,
    none,
    offset_pursuit,
    offset_pursuit_aim,
    pursuit,
    pursuit_aim,
    seek,
)

from .vehicles import advance, moving, vehicle


def test_pursuit_seeks_the_predicted_point():
    me, quarry = moving(0, 1, max_speed=3), moving(8 + 0j, 2j, max_speed=2)
    aim = pursuit_aim(me, quarry, closing, linear, True)
    assert aim == pytest.approx(8 + 2j * 8 / 5)
    assert pursuit(me, quarry, closing, linear, True) == seek(me, aim)
    assert pursuit(me, quarry, none, linear, False) == seek(me, quarry.position)


@pytest.mark.parametrize(
    ("degrees", "place", "head_on"),
    [(180, 5, True), (163, 5, True), (161, 5, False), (0, 5, False), (180, -5, False)],
)
def test_the_facing_test_asks_for_headings_and_place(degrees, place, head_on):
    heading = cmath.exp(1j * math.radians(degrees))
    for speed in (0.0, 0.1, 5.0):  # headings decide, whatever the speeds
        other = vehicle(place, speed * heading, heading)
        assert comes_at_me(vehicle(), other) is head_on


def test_evasion_flees_the_predicted_point_within_its_range():
    me, menace = vehicle(0, 0, max_speed=3), moving(8 + 0j, 2j, max_speed=2)
    aim = linear(menace, closing(me, menace))
    assert evade(me, menace, closing, linear, math.inf) == flee(me, aim, math.inf)
    assert evade(me, menace, closing, linear, 7.9) == 0j
    assert evade(me, menace, closing, linear, 8.1) != 0j


def chase(pursuer_force, quarry_force, me, quarry, steps=1200, dt=1 / 60):
    for step in range(steps):
        if abs(me.position - quarry.position) < 0.3:
            return step * dt
        force, counter = pursuer_force(me, quarry), quarry_force(quarry, me)
        me, quarry = advance(me, force, dt), advance(quarry, counter, dt)
    return math.inf


def pursue(me, quarry):
    return pursuit(me, quarry, closing, linear, True)


def follow(me, quarry):
    return seek(me, quarry.position)


def keep_on(quarry, menace):
    return 0j


def test_pursuit_catches_a_crossing_quarry_sooner_than_seek():
    me = moving(0, 1, max_speed=3, max_force=9)
    for angle in (60, 90, 120):
        heading = 2 * cmath.exp(1j * math.radians(angle))
        quarry = moving(6, heading, max_speed=2)
        assert chase(pursue, keep_on, me, quarry) < chase(follow, keep_on, me, quarry) - 0.1


def test_containment_turns_rather_than_brakes():
    me = moving(9 + 0j, 2 + 1j)
    push = containment(me, 10.0, 1.0)
    assert push != 0j
    assert abs((push * me.heading.conjugate()).real) < 1e-12
    assert (push * me.heading.conjugate()).imag > 0.0  # to the left, away from the wall
    assert containment(moving(9, 2), 10.0, 1.0) == pytest.approx(-1.0)  # head-on it brakes
    assert containment(moving(0, 2), 10.0, 1.0) == 0j


# ---- Formation, guard and hiding ----------------------------------------------------------


def test_offset_pursuit_by_hand():
    leader = moving(4 + 2j, 2j, max_speed=2)  # its left is -x
    me = vehicle(0, 0.5, max_speed=3)
    place = 4 + 2j - 2j - 1  # 2 m behind it, and 1 m to its left
    then = place + 2j * abs(place) / (3 + 2)
    assert offset_pursuit_aim(me, leader, -2 + 1j) == pytest.approx(then)
    assert offset_pursuit(me, leader, -2 + 1j, 0.6) == pytest.approx(arrive(me, then, 0.6))
    assert offset_pursuit(me, vehicle(4), 0j, 0.6) == arrive(me, 4 + 0j, 0.6)


def test_offset_pursuit_uses_the_heading_of_a_leader_at_rest():
    for heading in (1, 1j, -1, cmath.exp(2j)):
        force = offset_pursuit(vehicle(), vehicle(5, 0, heading), 3j, 0.6)
        assert force == pytest.approx(arrive(vehicle(), 5 + 3j * heading, 0.6))


def test_in_its_place_it_wants_the_leaders_speed_only_after_a_lag():
    leader = moving(4, 2, max_speed=2)
    me = moving(2, 2, max_speed=3)
    assert offset_pursuit(me, leader, -2 + 0j, 0.3) == -2
    assert offset_pursuit(vehicle(4, max_speed=0), vehicle(4), 0j, 0.3) == 0j


@pytest.mark.parametrize("turn", [0.0, 0.3, 0.6, -0.6])
@pytest.mark.parametrize("offset", [-2 + 0j, -1.5 + 1.5j])
def test_offset_pursuit_keeps_its_place_behind_a_turning_leader(turn, offset):
    leader = moving(0, 2, max_speed=2, max_force=50)
    me, errors = vehicle(-5 + 1j, max_speed=4, max_force=30), []
    for _ in range(1200):
        me = advance(me, 6 * offset_pursuit(me, leader, offset, 0.3), 1 / 60)
        leader = advance(leader, 1j * turn * leader.velocity, 1 / 60)
        errors.append(abs(leader.position + leader.heading * offset - me.position))
    assert max(errors[600:]) < 0.7
    if not turn:  # behind a straight leader, at its speed: (d + 2 d / (4 + 2)) / 0.3 = 2
        assert errors[-1] == pytest.approx(0.45, abs=1e-3)


def test_interpose_by_hand():
    me = vehicle(0, 1j, max_speed=2)
    guarded, menace = moving(4 + 3j, 1), moving(4 - 3j, -1 + 1j)
    middle = 4 + 0.5j * 2.0  # they are watched for 4 m / 2 m/s
    assert interpose(me, guarded, menace, 0.6) == pytest.approx(arrive(me, middle, 0.6))
    assert interpose(me, menace, guarded, 0.6) == pytest.approx(arrive(me, middle, 0.6))


@pytest.mark.parametrize("hunter", [0j, 9 + 4j, 5 - 8j])
def test_the_hiding_place_lies_behind_the_obstacle(hunter):
    rock = Obstacle(3 + 1j, 2.0)
    place = hiding_place(vehicle(hunter), rock, 0.7)
    assert abs(place - rock.center) == pytest.approx(2.7)
    assert abs(place - hunter) == pytest.approx(abs(rock.center - hunter) + 2.7)
    assert hiding_place(vehicle(3 + 1j), rock, 0.7) == 3 + 1j  # no side is behind


def test_hide_goes_to_the_nearest_place():
    hunter, me = vehicle(), vehicle(0, 0.5j, max_speed=2)
    near, far = Obstacle(4 + 0j, 1.0), Obstacle(8j, 1.0)
    for rocks in ([near, far], [far, near], [near]):
        force = hide(me, hunter, np.array(rocks, OBSTACLE), 1.0, 0.6)
        assert force == arrive(me, 6 + 0j, 0.6)
    above = me._replace(position=5j)
    force = hide(above, hunter, np.array([near, far], OBSTACLE), 1.0, 0.6)
    assert force == arrive(above, 10j, 0.6)


def test_where_there_is_nowhere_to_hide_it_evades():
    me, hunter = vehicle(3, 1j, max_speed=2), moving(0, 1 + 1j, max_speed=2)
    nothing = np.zeros(0, OBSTACLE)
    force = evade(me, hunter, closing, linear, math.inf)
    assert hide(me, hunter, nothing, 1.0, 0.6) == force
    assert force.real > 0.0
