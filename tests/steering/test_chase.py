"""Seek, pursuit, evasion and guidance laws; formation, guard and hiding."""

import cmath
import functools
import itertools
import math

import numpy as np
import pytest

from steer_env.steering import chase, guidance
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.prediction import closing, intercept, linear
from steer_env.steering.vehicle import OBSTACLE, Obstacle, advance

from .vehicles import moving, played, vehicle

NAVIGATION = (guidance.true_navigation, guidance.pure_navigation, guidance.augmented_navigation)
LAWS = (*NAVIGATION, guidance.constant_bearing, guidance.deviated_pursuit)


def follow(me, quarry):
    return seek(me, quarry.position)


# ---- Seek and arrive ----------------------------------------------------------------------


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


def test_evasion_flees_the_predicted_point_within_its_range():
    me, menace = vehicle(0, 0, max_speed=3), moving(8 + 0j, 2j, max_speed=2)
    aim = linear(menace, closing(me, menace))
    assert chase.evade(me, menace, closing, linear, math.inf) == flee(me, aim, math.inf)
    assert chase.evade(me, menace, closing, linear, 7.9) == 0j
    assert chase.evade(me, menace, closing, linear, 8.1) != 0j


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
        sooner = seconds_to_catch(chase.pursuit, me, quarry)
        assert sooner < seconds_to_catch(follow, me, quarry) - 0.1
    quarry = moving(4, 1j, max_speed=2.5, max_force=9)
    longer = seconds_to_catch(chase.pursuit, me, quarry, chase.evade)
    assert longer > 2 * seconds_to_catch(chase.pursuit, me, quarry)


# ---- Guidance laws ------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.9, 2.1, 6.0])
def test_both_reach_the_apollonius_circle_at_once(speed):
    me, quarry = vehicle(1 - 2j, 0.3, max_speed=2), moving(4 + 1j, speed * 1j)
    center, radius = guidance.apollonius_circle(me, quarry)
    for angle in range(7):
        place = center + cmath.rect(radius, angle)
        mine, its = abs(place - me.position) / 2, abs(place - quarry.position) / speed
        assert mine == pytest.approx(its)
    slower = quarry if speed < 2 else me
    assert abs(slower.position - center) < radius
    center, radius = guidance.apollonius_circle(me, moving(4, 2j))  # equally fast: a line
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
    assert (
        guidance.line_of_sight_rate(me, fleeing) == guidance.closing_speed(me, fleeing) == 0.0
    )
    assert law(me, resting) == -me.velocity
    assert abs(law(me, fleeing) + me.velocity) <= 3.0


def fly(law, degrees, turn):
    """Catches a quarry that turns evenly; what was seen over the last half second."""
    me = moving(0, 3, max_speed=3, max_force=60)
    quarry = moving(9, cmath.rect(1, math.radians(degrees)), max_speed=1, max_force=50)
    rates, efforts, dt = [], [], 1 / 240
    while abs(quarry.position - me.position) > 0.3 and len(rates) < 3000:
        force = law(me, quarry)
        rates.append(guidance.line_of_sight_rate(me, quarry))
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
    intercepting = functools.partial(chase.pursuit, lookahead=intercept, facing_test=False)
    for law in (guidance.constant_bearing, guidance.deviated_pursuit, intercepting):
        assert fly(law, 90, 0.0)[0] < slowest - 0.5


@pytest.mark.parametrize("turn", [0.5, -0.5])
def test_a_quarry_that_turns_evenly_costs_augmented_navigation_less(turn):
    degrees = math.copysign(90, turn)
    _, _, effort = fly(guidance.augmented_navigation, degrees, turn)
    _, _, without = fly(guidance.true_navigation, degrees, turn)
    assert effort < 0.2 * without


# ---- Formation, guard and hiding ----------------------------------------------------------


@pytest.mark.parametrize("turn", [0.0, 0.6])
@pytest.mark.parametrize("offset", [-2 + 0j, -1.5 + 1.5j])
def test_offset_pursuit_keeps_its_place_behind_a_turning_leader(turn, offset):
    bodies = (
        vehicle(-5 + 1j, max_speed=4, max_force=30),
        moving(0, 2, max_speed=2, max_force=50),
    )
    forces = (
        lambda me, leader: 6 * chase.offset_pursuit(me, leader, offset, 0.3),
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
    place = chase.hiding_place(vehicle(hunter), rock, 0.7)
    assert abs(place - rock.center) == pytest.approx(2.7)
    assert abs(place - hunter) == pytest.approx(abs(rock.center - hunter) + 2.7)


@pytest.mark.parametrize("start", [-2 - 6j, 9 + 0j])
def test_interpose_stays_between_two_movers(start):
    movers = moving(-4, 1 + 0.3j, max_speed=1.5), moving(4 + 2j, -0.5 + 1j, max_speed=1.5)
    forces = (
        lambda me, one, two: 6 * chase.interpose(me, one, two, 0.3),
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
        lambda me, hunter: 6 * chase.hide(me, hunter, rocks, 1.0, 0.3),
        lambda me, hunter: 0.15j * hunter.velocity,
    )
    bodies = prey, moving(-12, 1, max_speed=1, max_force=10)
    for me, hunter in [*played(bodies, forces, 900)][301:]:
        assert not sees(hunter.position, me.position, rocks)
