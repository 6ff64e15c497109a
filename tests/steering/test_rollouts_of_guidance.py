"""Guidance laws flown: when they catch, where, and how much they turn."""

from __future__ import annotations

import cmath
import itertools
import math
import random

import pytest

from steer_env.steering import (
    advance,
    apollonius_circle,
    augmented_navigation,
    closing,
    constant_bearing,
    deviated_pursuit,
    intercept,
    line_of_sight_rate,
    linear,
    pursuit,
    true_navigation,
)
from steering.test_guidance import NAVIGATION, chase, pure_pursuit
from steering.vehicles import moving, vehicle

pytestmark = pytest.mark.weekly


def intercepting(me, quarry):
    return pursuit(me, quarry, intercept, linear, False)


def runners(count):
    draw = random.Random(1).uniform
    for _ in range(count):
        place, velocity = (
            cmath.rect(draw(low, high), draw(-math.pi, math.pi))
            for low, high in ((3, 9), (0.2, 1.8))
        )
        yield vehicle(1 + 1j, max_speed=2), moving(1 + 1j + place, velocity, max_speed=2)


def test_parallel_navigation_catches_inside_the_apollonius_circle():
    draw = random.Random(2).uniform
    dt, depths = 0.005, []
    for me, quarry in runners(12):
        swing, frequency = draw(1, 5), draw(1, 5)
        center, radius = apollonius_circle(me, quarry)
        _, place = chase(
            constant_bearing,
            me,
            quarry,
            dt,
            0.0,
            lambda time, swing=swing, frequency=frequency: swing * math.sin(frequency * time),
        )
        depths.append((radius - abs(place - center)) / radius)
    assert min(depths) > -0.01
    assert max(depths) > 0.1  # turning cost them something


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


@pytest.mark.parametrize("degrees", [50, 90, 120])
def test_proportional_navigation_ends_without_turning_and_sooner(degrees):
    slowest, its_rate, effort = fly(pure_pursuit, degrees, 0.0)
    assert its_rate > 0.5
    assert effort > 1.0
    for law, gain in itertools.product(NAVIGATION, (3.0, 4.0, 5.0)):
        time, rate, effort = fly(lambda *two, law=law, gain=gain: law(*two, gain), degrees, 0.0)
        assert rate < 0.02
        assert effort < 0.25
        assert time < slowest - 0.5


@pytest.mark.parametrize("degrees", [90, 120])
@pytest.mark.parametrize("turn", [0.5, -0.5])
def test_a_quarry_that_turns_evenly_costs_augmented_navigation_less(degrees, turn):
    degrees = math.copysign(degrees, turn)
    _, _, effort = fly(augmented_navigation, degrees, turn)
    _, _, without = fly(true_navigation, degrees, turn)
    assert effort < 0.2 * without


@pytest.mark.parametrize("degrees", [50, 90, 120])
def test_a_lead_of_any_kind_is_sooner_than_pure_pursuit(degrees):
    slowest = fly(pure_pursuit, degrees, 0.0)[0]
    for law in (constant_bearing, deviated_pursuit, intercepting):
        assert fly(law, degrees, 0.0)[0] < slowest - 0.5


def closing_pursuit(me, quarry):
    return pursuit(me, quarry, closing, linear, True)


@pytest.mark.parametrize(
    ("law", "direction"),
    [
        (pure_pursuit, 0.6),
        (closing_pursuit, 0.6),
        (intercepting, 0.6),
        (constant_bearing, 0.6),
        (deviated_pursuit, 0.0),
    ],
)
@pytest.mark.parametrize("speed", [-2, -1, 0, 1, 2])
def test_a_chase_along_one_line_ends_when_it_must(law, direction, speed):
    along = cmath.exp(1j * direction)
    dt, radius, distance = 0.01, 0.5, 6.003
    quarry = vehicle(1 + distance * along, speed * along, along, max_speed=2)
    time, _ = chase(law, vehicle(1, max_speed=3), quarry, dt, radius)
    assert 0.0 <= time - (distance - radius) / (3 - speed) <= dt


@pytest.mark.parametrize("law", [constant_bearing, intercepting])
def test_a_straight_runner_is_met_in_the_time_of_the_intercept(law):
    dt, delays = 0.005, []
    for me, quarry in runners(12):
        time, place = chase(law, me, quarry, dt)
        assert 0.0 <= intercept(me, quarry) - time <= dt * (1 + 1e-6)
        center, radius = apollonius_circle(me, quarry)
        assert abs(place - center) == pytest.approx(radius, abs=2 * dt)
        late, outside = chase(pure_pursuit, me, quarry, dt)
        assert late > time - 1e-9
        assert abs(outside - center) > radius
        delays.append(late - time)
    assert sum(delays) / 12 > 0.5
