"""Guidance laws: formulas, edge cases, and how soon they catch with how little turning."""

from __future__ import annotations

import cmath
import itertools
import math

import pytest

from steer_env.steering import (
    Vehicle,
    advance,
    apollonius_circle,
    augmented_navigation,
    closing_speed,
    constant_bearing,
    deviated_pursuit,
    intercept,
    line_of_sight_rate,
    linear,
    pure_navigation,
    pursuit,
    seek,
    true_navigation,
)

from .vehicles import mirrored, moving, vehicle

NAVIGATION = (true_navigation, pure_navigation, augmented_navigation)
LAWS = (*NAVIGATION, constant_bearing, deviated_pursuit)


def names(law):
    return getattr(law, "__name__", None)


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
    assert constant_bearing(me, moving(6, 1.5j)) == 2 + 1.5j - me.velocity
    along = moving(6, 1.5j - 40)  # how fast it comes or goes along the line is all the same
    assert constant_bearing(me, along) == 2 + 1.5j - me.velocity
    assert constant_bearing(me, moving(6, -2.5j)) == -2.5j - me.velocity
    assert constant_bearing(me, moving(6, 9j)) == 2.5j - me.velocity  # too fast across
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
    assert abs(center) > 1e9
    assert radius > 1e9


def test_who_is_not_closing_in_seeks():
    quarry = moving(4, 5, acceleration=7j)
    for me in (vehicle(0, 0, max_speed=3), moving(0, 3j, max_speed=3), moving(0, -1)):
        for law in NAVIGATION:
            assert law(me, quarry) == seek(me, 4 + 0j)
    for law in NAVIGATION:  # nor does the one that goes beside it, at the same speed
        assert law(moving(0, 2j), moving(4, 2j)) == seek(moving(0, 2j), 4 + 0j)


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_on_the_quarry_nobody_is_lost(law):
    me = vehicle(2 + 1j, 1 - 1j, max_speed=3)
    resting, fleeing = vehicle(2 + 1j), moving(2 + 1j, 2j)
    assert line_of_sight_rate(me, fleeing) == closing_speed(me, fleeing) == 0.0
    assert law(me, resting) == -me.velocity
    assert abs(law(me, fleeing) + me.velocity) <= 3.0


def pure_pursuit(me, quarry):
    return seek(me, quarry.position)


def intercepting(me, quarry):
    return pursuit(me, quarry, intercept, linear, False)


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
    slowest, its_rate, effort = fly(pure_pursuit, 90, 0.0)
    assert its_rate > 0.5
    assert effort > 1.0
    for law, gain in itertools.product(NAVIGATION, (3.0, 5.0)):
        time, rate, effort = fly(lambda *two, law=law, gain=gain: law(*two, gain), 90, 0.0)
        assert rate < 0.02
        assert effort < 0.25
        assert time < slowest - 0.5
    for law in (constant_bearing, deviated_pursuit, intercepting):
        assert fly(law, 90, 0.0)[0] < slowest - 0.5


@pytest.mark.parametrize("turn", [0.5, -0.5])
def test_a_quarry_that_turns_evenly_costs_augmented_navigation_less(turn):
    degrees = math.copysign(90, turn)
    _, _, effort = fly(augmented_navigation, degrees, turn)
    _, _, without = fly(true_navigation, degrees, turn)
    assert effort < 0.2 * without
