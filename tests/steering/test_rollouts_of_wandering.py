"""Three forms of wandering, step by step."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from steer_env.steering import (
    advance,
    jitter_wander_point,
    turn_wander_point,
    walk_sideways,
    wander,
    wander_sideways,
)
from steering.vehicles import moving

pytestmark = pytest.mark.weekly


class Angle:
    """The angle form: 2 radians a second of spread."""

    def __init__(self, generator, steps, dt):
        self.point = 1 + 0j
        self.draws = iter((2.0 * math.sqrt(dt) * generator.standard_normal(steps)).tolist())

    def force(self, me):
        self.point = turn_wander_point(self.point, next(self.draws))
        return wander(me, self.point, 2.0, 1.2)


class Jitter:
    """Buckland's form, with his jitter of 80 a second on a circle of 1.2."""

    def __init__(self, generator, steps, dt):
        self.point = 1 + 0j
        draws = generator.uniform(-1, 1, (steps, 2)) @ (1, 1j)
        self.draws = iter((80 / 1.2 * dt * draws).tolist())

    def force(self, me):
        self.point = jitter_wander_point(self.point, next(self.draws))
        return wander(me, self.point, 2.0, 1.2)


class Sideways:
    """Reynolds' form, with OpenSteer's 12 a second."""

    def __init__(self, generator, steps, dt):
        self.side = 0.0
        self.draws = iter((12 * dt * generator.uniform(-1, 1, steps)).tolist())

    def force(self, me):
        self.side = walk_sideways(self.side, next(self.draws))
        return wander_sideways(me, self.side)


def rollout(form, generator, seconds, dt, me):
    steps = round(seconds / dt)
    walk = form(generator, steps, dt)
    states = [me]
    for _ in range(steps):
        me = advance(me, walk.force(me), dt)
        states.append(me)
    return states


def turned(states):
    """By how much the heading has turned in all."""
    headings = np.array([me.heading for me in states])
    return np.angle(headings[1:] / headings[:-1]).sum()


def spread_after_two_seconds(form, rate, count=600):
    generator = np.random.default_rng(rate)
    start = moving(0, 2, max_speed=2, max_force=8)
    turns = [turned(rollout(form, generator, 2.0, 1 / rate, start)) for _ in range(count)]
    assert abs(np.mean(turns)) < 0.15 * np.std(turns)  # to neither side
    return np.std(turns)


def test_the_angle_form_does_not_depend_on_the_step():
    spreads = [spread_after_two_seconds(Angle, rate) for rate in (15, 30, 60, 120)]
    assert max(spreads) / min(spreads) < 1.15
    assert min(spreads) > 0.3


def test_the_known_fault_of_the_jitter_form_is_that_it_depends_on_the_step():
    coarse, fine = (spread_after_two_seconds(Jitter, rate) for rate in (15, 120))
    assert fine / coarse > 1.3


@pytest.mark.parametrize("form", [Angle, Jitter, Sideways])
def test_who_wanders_never_stops_and_gets_about(form):
    start = moving(1 + 1j, 2, max_speed=2, max_force=4)
    for seed in range(3):
        states = rollout(form, np.random.default_rng(seed), 60.0, 1 / 60, start)
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


def turned_after_a_second(step_rate, one_step):
    """The spread of the wander angle after a second, in radians."""
    draw, turns = np.random.default_rng(0), []
    for _ in range(1500):
        point = 1 + 0j
        for _ in range(step_rate):
            point = one_step(point, draw)
        turns.append(cmath.phase(point))
    return np.std(turns)


def test_a_jitter_per_call_let_the_frame_rate_change_the_wandering():
    def by_angle(rate):
        return lambda point, draw: turn_wander_point(
            point, 0.5 / math.sqrt(rate) * float(draw.standard_normal())
        )

    def per_call(point, draw):
        return jitter_wander_point(point, complex(*draw.uniform(-0.1, 0.1, 2)))

    slow, fast = (turned_after_a_second(rate, by_angle(rate)) for rate in (15, 60))
    assert fast == pytest.approx(slow, rel=0.1)
    slow, fast = (turned_after_a_second(rate, per_call) for rate in (15, 60))
    assert fast > 1.7 * slow  # what the fault looks like: twice the spread
