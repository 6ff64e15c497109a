"""Seek, pursuit and evasion, formation, guard and hiding."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from steer_env.steering import (
    OBSTACLE,
    Obstacle,
    advance,
    arrive,
    clamp_to_square,
    closing,
    comes_at_me,
    cross,
    dot,
    evade,
    flee,
    hide,
    hiding_place,
    interpose,
    left,
    linear,
    none,
    norm,
    offset_pursuit,
    pursuit,
    pursuit_aim,
    scale,
    seek,
    truncate,
    unit,
)

from .vehicles import moving, vehicle


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


def test_evasion_lives_longer_than_waiting():
    me = moving(0, 1, max_speed=3, max_force=9)
    quarry = moving(4, 1j, max_speed=2.5, max_force=9)
    assert chase(pursue, evade, me, quarry) > 2 * chase(pursue, keep_on, me, quarry)


# ---- Formation, guard and hiding ----------------------------------------------------------


def test_offset_pursuit_at_its_limits():
    assert offset_pursuit(vehicle(), vehicle(4), 0j, 0.6) == arrive(vehicle(), 4 + 0j, 0.6)
    for heading in (1, 1j, -1, cmath.exp(2j)):  # a leader at rest has a heading, too
        force = offset_pursuit(vehicle(), vehicle(5, 0, heading), 3j, 0.6)
        assert force == pytest.approx(arrive(vehicle(), 5 + 3j * heading, 0.6))
    # In its place it wants the leader's speed only after a lag.
    leader, me = moving(4, 2, max_speed=2), moving(2, 2, max_speed=3)
    assert offset_pursuit(me, leader, -2 + 0j, 0.3) == -2
    assert offset_pursuit(vehicle(4, max_speed=0), vehicle(4), 0j, 0.3) == 0j


@pytest.mark.parametrize("turn", [0.0, 0.6])
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


@pytest.mark.parametrize("hunter", [0j, 9 + 4j, 5 - 8j])
def test_the_hiding_place_lies_behind_the_obstacle(hunter):
    rock = Obstacle(3 + 1j, 2.0)
    place = hiding_place(vehicle(hunter), rock, 0.7)
    assert abs(place - rock.center) == pytest.approx(2.7)
    assert abs(place - hunter) == pytest.approx(abs(rock.center - hunter) + 2.7)
    assert hiding_place(vehicle(3 + 1j), rock, 0.7) == 3 + 1j  # no side is behind


def test_hide_goes_to_the_nearest_place_or_evades():
    hunter, me = vehicle(), vehicle(0, 0.5j, max_speed=2)
    near, far = Obstacle(4 + 0j, 1.0), Obstacle(8j, 1.0)
    for rocks in ([near, far], [far, near], [near]):
        assert hide(me, hunter, rocks, 1.0, 0.6) == arrive(me, 6 + 0j, 0.6)
    above = me._replace(position=5j)
    assert hide(above, hunter, [near, far], 1.0, 0.6) == arrive(above, 10j, 0.6)
    me, hunter = vehicle(3, 1j, max_speed=2), moving(0, 1 + 1j, max_speed=2)
    assert hide(me, hunter, [], 1.0, 0.6) == evade(me, hunter, closing, linear, math.inf)


@pytest.mark.parametrize("start", [-2 - 6j, 9 + 0j])
def test_interpose_stays_between_two_movers(start):
    one, two = moving(-4, 1 + 0.3j, max_speed=1.5), moving(4 + 2j, -0.5 + 1j, max_speed=1.5)
    me = vehicle(start, max_speed=3, max_force=30)
    for step in range(900):
        force = 6 * interpose(me, one, two, 0.3)
        one = advance(one, 0.4j * one.velocity, 1 / 60)
        two = advance(two, -0.5j * two.velocity, 1 / 60)
        me = advance(me, force, 1 / 60)
        along = (me.position - one.position) / (two.position - one.position)
        if step > 240:
            assert 0.3 < along.real < 0.7
            assert abs(along.imag) * abs(two.position - one.position) < 0.4


def sees(hunter, prey, rocks):
    way = prey - hunter
    for center, radius in rocks.tolist():
        share = ((center - hunter) / way).real
        if abs(hunter + min(max(share, 0.0), 1.0) * way - center) < radius:
            return False
    return True


@pytest.mark.parametrize("seed", range(2))
def test_hide_breaks_the_line_of_sight_to_the_hunter(seed):
    draw = np.random.default_rng(seed)
    places = [complex(*draw.uniform(-6, 6, 2)) for _ in range(3)]
    rocks = np.array([(place, 1.5) for place in places], OBSTACLE)
    hunter = moving(-12, 1, max_speed=1, max_force=10)
    me = vehicle(complex(*draw.uniform(-8, 8, 2)), max_speed=3, max_force=30)
    for step in range(900):
        force = 6 * hide(me, hunter, rocks, 1.0, 0.3)
        hunter = advance(hunter, 0.15j * hunter.velocity, 1 / 60)
        me = advance(me, force, 1 / 60)
        if step > 300:
            assert not sees(hunter.position, me.position, rocks)


def test_vectors_by_hand():
    assert norm(3 + 4j) == 5.0
    assert unit(3 + 4j) == pytest.approx(0.6 + 0.8j)
    assert unit(0j) == 0j
    assert dot(1 + 2j, 3 + 4j) == 11.0
    assert cross(1 + 2j, 3 + 4j) == -2.0
    assert cross(1 + 0j, 0 + 1j) > 0.0  # to the left is positive
    assert left(1 + 0j) == 1j
    assert scale(1 - 2j, 3.0) == 3 - 6j
    assert truncate(3 + 4j, 10.0) == 3 + 4j
    assert truncate(3 + 4j, 1.0) == pytest.approx(0.6 + 0.8j)
    assert truncate(3 + 4j, 0.0) == 0j
    assert truncate(0j, 0.0) == 0j
    assert clamp_to_square(3 - 4j, 2.0) == 2 - 2j
    assert clamp_to_square(3 - 4j, math.inf) == 3 - 4j


def test_seek_and_flee_by_hand():
    me = vehicle(1 + 1j, 0.5j, 1j, max_speed=2)
    assert seek(me, 4 + 5j) == pytest.approx(1.2 + 1.6j - 0.5j)
    assert flee(me, 4 + 5j, math.inf) == pytest.approx(-1.2 - 1.6j - 0.5j)
    assert flee(me, 4 + 5j, 4.9) == 0j  # beyond the panic distance
    assert flee(me, 4 + 5j, 5.0) == flee(me, 4 + 5j)


@pytest.mark.parametrize("velocity", [0j, 1 - 2j])
def test_on_the_target_the_force_takes_the_velocity_away(velocity):
    me = vehicle(2 + 3j, velocity, max_speed=3)
    for force in (seek(me, 2 + 3j), flee(me, 2 + 3j, math.inf), arrive(me, 2 + 3j, 0.6)):
        assert force == -velocity


def test_arrive_slows_down_by_the_distance():
    me = vehicle(0, 0, max_speed=10)
    assert arrive(me, 3 + 0j, 0.6) == pytest.approx(5.0)
    assert arrive(me, 30 + 0j, 0.6) == pytest.approx(10.0)


def rollout(me, force_of, steps, dt=1 / 60):
    path = [me]
    for _ in range(steps):
        path.append(advance(path[-1], force_of(path[-1]), dt))
    return path


def test_seek_reaches_a_point_and_arrive_stops_there():
    me = moving(0, 2j, max_speed=3, max_force=9)
    sought = rollout(me, lambda now: seek(now, 8 + 0j), 600)
    assert min(abs(now.position - 8) for now in sought) < 0.05
    arrived = rollout(me, lambda now: arrive(now, 8 + 0j, 0.9), 900)[-1]
    assert abs(arrived.position - 8) < 0.01
    assert abs(arrived.velocity) < 0.01
    passing = next(now for now in sought if abs(now.position - 8) < 0.3)
    assert abs(passing.velocity) > 2.0  # while seek runs past it, again and again
