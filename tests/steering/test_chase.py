"""Seek, pursuit, evasion and guidance laws; formation, guard and hiding."""

from __future__ import annotations

import cmath
import functools
import itertools
import math

import numpy as np
import pytest

from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.chase import (
    evade,
    hide,
    hiding_place,
    interpose,
    offset_pursuit,
    pursuit,
    pursuit_aim,
)
from steer_env.steering.guidance import (
    apollonius_circle,
    augmented_navigation,
    closing_speed,
    constant_bearing,
    deviated_pursuit,
    line_of_sight_rate,
    pure_navigation,
    true_navigation,
)
from steer_env.steering.prediction import closing, intercept, linear, none
from steer_env.steering.vectors import (
    clamp_to_square,
    cross,
    dot,
    left,
    norm,
    scale,
    truncate,
    unit,
)
from steer_env.steering.vehicle import OBSTACLE, Obstacle, Vehicle, advance

from .vehicles import mirrored, moving, played, vehicle

NAVIGATION = (true_navigation, pure_navigation, augmented_navigation)
LAWS = (*NAVIGATION, constant_bearing, deviated_pursuit)


def follow(me, quarry):
    return seek(me, quarry.position)


# ---- Vectors, seek and arrive -------------------------------------------------------------


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
    assert truncate(3 + 4j, 0.0) == truncate(0j, 0.0) == 0j
    assert clamp_to_square(3 - 4j, 2.0) == 2 - 2j
    assert clamp_to_square(3 - 4j, math.inf) == 3 - 4j


def test_seek_flee_and_arrive_by_hand():
    me = vehicle(1 + 1j, 0.5j, 1j, max_speed=2)
    assert seek(me, 4 + 5j) == pytest.approx(1.2 + 1.6j - 0.5j)
    assert flee(me, 4 + 5j, math.inf) == pytest.approx(-1.2 - 1.6j - 0.5j)
    assert flee(me, 4 + 5j, 4.9) == 0j  # beyond the panic distance
    assert flee(me, 4 + 5j, 5.0) == flee(me, 4 + 5j)
    me = vehicle(0, 0, max_speed=10)
    assert arrive(me, 3 + 0j, 0.6) == pytest.approx(5.0)
    assert arrive(me, 30 + 0j, 0.6) == pytest.approx(10.0)
    for velocity in (0j, 1 - 2j):  # on the target the force takes the velocity away
        me = vehicle(2 + 3j, velocity, max_speed=3)
        for force in (seek(me, 2 + 3j), flee(me, 2 + 3j, math.inf), arrive(me, 2 + 3j, 0.6)):
            assert force == -velocity


def test_seek_reaches_a_point_and_arrive_stops_there():
    start = [moving(0, 2j, max_speed=3, max_force=9)]
    sought = [me for (me,) in played(start, [lambda me: seek(me, 8 + 0j)], 600)]
    assert min(abs(me.position - 8) for me in sought) < 0.05
    *_, (arrived,) = played(start, [lambda me: arrive(me, 8 + 0j, 0.9)], 900)
    assert abs(arrived.position - 8) < 0.01
    assert abs(arrived.velocity) < 0.01
    passing = next(me for me in sought if abs(me.position - 8) < 0.3)
    assert abs(passing.velocity) > 2.0  # while seek runs past it, again and again


# ---- Pursuit and evasion ------------------------------------------------------------------


def test_pursuit_seeks_the_predicted_point():
    me, quarry = moving(0, 1, max_speed=3), moving(8 + 0j, 2j, max_speed=2)
    aim = pursuit_aim(me, quarry, closing, linear, True)
    assert aim == pytest.approx(8 + 2j * 8 / 5)
    assert pursuit(me, quarry, closing, linear, True) == seek(me, aim)
    assert pursuit(me, quarry, none, linear, False) == seek(me, quarry.position)


def test_evasion_flees_the_predicted_point_within_its_range():
    me, menace = vehicle(0, 0, max_speed=3), moving(8 + 0j, 2j, max_speed=2)
    aim = linear(menace, closing(me, menace))
    assert evade(me, menace, closing, linear, math.inf) == flee(me, aim, math.inf)
    assert evade(me, menace, closing, linear, 7.9) == 0j
    assert evade(me, menace, closing, linear, 8.1) != 0j


def seconds_to_catch(law, me, quarry, counter=lambda quarry, me: 0j):
    forces = [law, lambda me, quarry: counter(quarry, me)]
    for step, (one, other) in enumerate(played([me, quarry], forces, 1200)):
        if abs(one.position - other.position) < 0.3:
            return step / 60
    return math.inf


def test_pursuit_catches_a_crossing_quarry_sooner_than_seek_and_evasion_lives_longer():
    me = moving(0, 1, max_speed=3, max_force=9)
    for angle in (60, 90, 120):
        quarry = moving(6, cmath.rect(2, math.radians(angle)), max_speed=2)
        sooner = seconds_to_catch(pursuit, me, quarry)
        assert sooner < seconds_to_catch(follow, me, quarry) - 0.1
    quarry = moving(4, 1j, max_speed=2.5, max_force=9)
    longer = seconds_to_catch(pursuit, me, quarry, evade)
    assert longer > 2 * seconds_to_catch(pursuit, me, quarry)


# ---- Guidance laws ------------------------------------------------------------------------

# The line of sight is 4j, the relative velocity -2-2j: it turns by 1/2, and shrinks by 2.
ME = Vehicle(1 + 0j, 3 + 0j, 1 + 0j, max_speed=5.0, mass=2.0)
QUARRY = vehicle(1 + 4j, 1 - 2j, 1, max_speed=3, acceleration=1 + 5j)


def test_the_line_of_sight_by_hand():
    assert line_of_sight_rate(ME, QUARRY) == 0.5
    assert closing_speed(ME, QUARRY) == 2.0
    assert line_of_sight_rate(mirrored(ME), mirrored(QUARRY)) == -0.5
    runaway = moving(4, 5)
    assert closing_speed(moving(0, 2), runaway) == -3.0
    assert line_of_sight_rate(moving(0, 2), runaway) == 0.0


@pytest.mark.parametrize("gain", [3.0, 4.0])
def test_proportional_navigation_by_hand(gain):
    # 2 kg times the gain times 1/2 times the speed, and 5 - 3 ahead toward top speed
    assert true_navigation(ME, QUARRY, gain) == -2 * gain * 0.5 * 2 + 2
    assert pure_navigation(ME, QUARRY, gain) == 2 * gain * 0.5 * 3 * 1j + 2
    # the quarry's acceleration to the left of the line of sight, which is -x, is -1
    augmented = true_navigation(ME, QUARRY, gain) + 2 * gain / 2
    assert augmented_navigation(ME, QUARRY, gain) == augmented


def test_constant_bearing_by_hand():
    me = vehicle(0, 1 + 1j, max_speed=2.5)
    for velocity, wanted in (
        (1.5j, 2 + 1.5j),
        (1.5j - 40, 2 + 1.5j),  # how fast it comes or goes along the line is all the same
        (-2.5j, -2.5j),
        (9j, 2.5j),  # too fast across
    ):
        assert constant_bearing(me, moving(6, velocity)) == wanted - me.velocity
    assert constant_bearing(me, vehicle(6j)) == seek(me, 6j)


def test_deviated_pursuit_leads_to_the_side_that_the_quarry_moves_to():
    me = vehicle(0, 1j, max_speed=2)
    lead = 2 * cmath.exp(0.4j)
    assert deviated_pursuit(me, moving(5, 3 + 1j), 0.4) == pytest.approx(lead - 1j)
    right = deviated_pursuit(me, moving(5, 3 - 1j), 0.4)
    assert right == pytest.approx(lead.conjugate() - 1j)
    for quarry in (vehicle(5), moving(5, 3), moving(5, -3)):
        assert deviated_pursuit(me, quarry, 0.4) == seek(me, 5 + 0j)
    assert deviated_pursuit(me, moving(5, 3 + 1j), 0.0) == seek(me, 5 + 0j)


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.9, 2.1, 6.0])
def test_both_reach_the_apollonius_circle_at_once(speed):
    me, quarry = vehicle(1 - 2j, 0.3, max_speed=2), moving(4 + 1j, speed * 1j)
    center, radius = apollonius_circle(me, quarry)
    for angle in range(7):
        place = center + cmath.rect(radius, angle)
        mine, its = abs(place - me.position) / 2, abs(place - quarry.position) / speed
        assert mine == pytest.approx(its)
    slower = quarry if speed < 2 else me
    assert abs(slower.position - center) < radius


def test_the_apollonius_circle_at_its_limits():
    me = vehicle(1, 0, max_speed=2)
    assert apollonius_circle(me, vehicle(4)) == (4 + 0j, 0.0)
    assert apollonius_circle(vehicle(1, max_speed=0), moving(4, 1j)) == (1 + 0j, 0.0)
    assert apollonius_circle(me, moving(1, 1j)) == (1 + 0j, 0.0)  # they have met
    center, radius = apollonius_circle(me, moving(4, 2j))  # equally fast: a line
    assert min(abs(center), radius) > 1e9


def test_who_is_not_closing_in_seeks():
    quarry = moving(4, 5, acceleration=7j)
    for me in (vehicle(0, 0, max_speed=3), moving(0, 3j, max_speed=3), moving(0, -1)):
        for law in NAVIGATION:
            assert law(me, quarry) == seek(me, 4 + 0j)
    for law in NAVIGATION:  # nor does the one that goes beside it, at the same speed
        assert law(moving(0, 2j), moving(4, 2j)) == seek(moving(0, 2j), 4 + 0j)


@pytest.mark.parametrize("law", LAWS)
def test_on_the_quarry_nobody_is_lost(law):
    me = vehicle(2 + 1j, 1 - 1j, max_speed=3)
    resting, fleeing = vehicle(2 + 1j), moving(2 + 1j, 2j)
    assert line_of_sight_rate(me, fleeing) == closing_speed(me, fleeing) == 0.0
    assert law(me, resting) == -me.velocity
    assert abs(law(me, fleeing) + me.velocity) <= 3.0


def fly(law, degrees, turn):
    """Catches a quarry that turns evenly; what was seen over the last half second."""
    me = moving(0, 3, max_speed=3, max_force=60)
    quarry = moving(9, cmath.rect(1, math.radians(degrees)), max_speed=1, max_force=50)
    rates, efforts, dt = [], [], 1 / 240
    while abs(quarry.position - me.position) > 0.3 and len(rates) < 3000:
        force = law(me, quarry)
        rates.append(line_of_sight_rate(me, quarry))
        efforts.append(abs((force * me.heading.conjugate()).imag))
        me = advance(me, force, dt)
        quarry = advance(quarry, 1j * turn * quarry.velocity, dt)
    assert len(rates) < 3000, "no catch"
    return len(rates) * dt, abs(rates[-1]), sum(efforts[-120:]) / 120


def test_proportional_navigation_ends_without_turning_and_sooner():
    slowest, its_rate, effort = fly(follow, 90, 0.0)
    assert its_rate > 0.5
    assert effort > 1.0
    for law, gain in itertools.product(NAVIGATION, (3.0, 5.0)):
        time, rate, effort = fly(lambda *two, law=law, gain=gain: law(*two, gain), 90, 0.0)
        assert rate < 0.02
        assert effort < 0.25
        assert time < slowest - 0.5
    intercepting = functools.partial(pursuit, lookahead=intercept, facing_test=False)
    for law in (constant_bearing, deviated_pursuit, intercepting):
        assert fly(law, 90, 0.0)[0] < slowest - 0.5


@pytest.mark.parametrize("turn", [0.5, -0.5])
def test_a_quarry_that_turns_evenly_costs_augmented_navigation_less(turn):
    degrees = math.copysign(90, turn)
    _, _, effort = fly(augmented_navigation, degrees, turn)
    _, _, without = fly(true_navigation, degrees, turn)
    assert effort < 0.2 * without


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
    bodies = (
        vehicle(-5 + 1j, max_speed=4, max_force=30),
        moving(0, 2, max_speed=2, max_force=50),
    )
    forces = (
        lambda me, leader: 6 * offset_pursuit(me, leader, offset, 0.3),
        lambda me, leader: 1j * turn * leader.velocity,
    )
    errors = [
        abs(leader.position + leader.heading * offset - me.position)
        for me, leader in played(bodies, forces, 1200)
    ]
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
    movers = moving(-4, 1 + 0.3j, max_speed=1.5), moving(4 + 2j, -0.5 + 1j, max_speed=1.5)
    forces = (
        lambda me, one, two: 6 * interpose(me, one, two, 0.3),
        lambda me, one, two: 0.4j * one.velocity,
        lambda me, one, two: -0.5j * two.velocity,
    )
    states = [*played([vehicle(start, max_speed=3, max_force=30), *movers], forces, 900)]
    for me, one, two in states[241:]:
        along = (me.position - one.position) / (two.position - one.position)
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
    prey = vehicle(complex(*draw.uniform(-8, 8, 2)), max_speed=3, max_force=30)
    forces = (
        lambda me, hunter: 6 * hide(me, hunter, rocks, 1.0, 0.3),
        lambda me, hunter: 0.15j * hunter.velocity,
    )
    bodies = prey, moving(-12, 1, max_speed=1, max_force=10)
    for me, hunter in [*played(bodies, forces, 900)][301:]:
        assert not sees(hunter.position, me.position, rocks)
