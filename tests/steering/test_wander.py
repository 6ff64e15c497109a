"""Three forms of wandering: their random walks, their forces, and where they lead."""

from __future__ import annotations

import cmath
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

from .vehicles import mirrored, moving, rotated, vehicle


@pytest.mark.parametrize("angle", [0.0, 0.05, -0.3, 0.7, -1.0, 1.5])
def test_the_point_turns_by_the_angle(angle):
    for start in (1 + 0j, cmath.exp(2.5j)):
        turned = turn_wander_point(start, angle)
        error = cmath.phase(turned / start) - angle
        assert abs(error) <= abs(angle) ** 5 / 600 + 1e-15  # of fourth order
        assert abs(turned) == pytest.approx(1.0, abs=1e-12)


def test_turns_add_up():
    point = 1j
    for _ in range(200):
        point = turn_wander_point(point, 0.02)
    assert point == pytest.approx(cmath.exp(1j * (math.pi / 2 + 4.0)), abs=1e-6)
    for _ in range(200):
        point = turn_wander_point(point, -0.02)
    assert point == pytest.approx(1j)


@pytest.mark.parametrize("angle", [math.pi, -4.0, 12**0.5, 50.0, -1e9])
def test_no_angle_takes_the_point_off_its_circle(angle):
    assert abs(turn_wander_point(cmath.exp(1j), angle)) == pytest.approx(1.0, abs=1e-12)


def test_rounding_does_not_take_it_off_either():
    generator = np.random.default_rng(0)
    point = 1 + 0j
    for angle in generator.standard_normal(20_000).tolist():
        point = turn_wander_point(point, angle)
    assert abs(point) == pytest.approx(1.0, abs=1e-12)
    assert turn_wander_point(1.001 + 0j, 0.0) == pytest.approx(1.0, abs=2e-6)


def test_wander_seeks_a_point_on_a_circle_ahead():
    me = vehicle(3 - 1j, 0.5 - 0.2j, 1j, max_speed=2)
    # ahead is +y: the center 5 m ahead, then 2 m to the left, to the right, and ahead
    for point, target in ((1j, 1 + 4j), (-1j, 5 + 4j), (1 + 0j, 3 + 6j), (-1 + 0j, 3 + 2j)):
        assert wander(me, point, 5.0, 2.0) == pytest.approx(seek(me, target))


def test_the_circle_has_bucklands_dimensions_unless_told():
    me = vehicle(3 - 1j, 0.5, 1j, max_speed=2)
    assert wander(me, 1j) == wander(me, 1j, 2.0, 1.2) == pytest.approx(seek(me, 1.8 + 1j))


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


def test_the_circle_at_its_limits():
    me = vehicle(3 - 1j, 0, 1j)
    assert wander_circle(me, 0.0, 0.0) == (me.position, 0.0)
    assert wander_target(me, 1j, 0.0, 0.0) == me.position
    assert wander_target(me, -1 + 0j, 1.5, 1.5) == me.position


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


def test_jitter_keeps_the_point_on_its_circle():
    generator = np.random.default_rng(1)
    point, seen = 1 + 0j, []
    for x, y in generator.uniform(-4, 4, (3000, 2)).tolist():
        point = jitter_wander_point(point, complex(x, y))
        assert abs(point) == pytest.approx(1.0)
        seen.append(point)
    assert abs(np.mean(seen)) < 0.15  # it gets all around


def test_sideways_steps_by_hand():
    assert walk_sideways(0.25, -0.5) == -0.25
    assert walk_sideways(0.25, 2.0) == 1.0
    assert walk_sideways(-0.75, -0.5) == -1.0
    assert walk_sideways(1.0, 0.1) == 1.0
    assert walk_sideways(1.0, -0.25) == 0.75


def test_the_walk_sideways_is_bounded_and_uses_its_bounds():
    generator = np.random.default_rng(2)
    side, seen = 0.0, []
    for step in generator.uniform(-0.2, 0.2, 20_000).tolist():
        side = walk_sideways(side, step)
        seen.append(side)
    assert min(seen) == -1.0
    assert max(seen) == 1.0
    assert abs(np.mean(seen)) < 0.2


@pytest.mark.parametrize("side", [-1.0, -0.3, 0.0, 0.5, 1.0])
def test_the_sideways_force_is_a_share_of_the_largest_to_the_left(side):
    me = vehicle(3 - 1j, 2 + 1j, cmath.exp(0.8j), max_force=4)
    force = wander_sideways(me, side)
    assert force == pytest.approx(4 * side * 1j * cmath.exp(0.8j))
    assert (force * me.heading.conjugate()).real == pytest.approx(0.0)  # no brake, no thrust


@pytest.mark.parametrize("angle", [0.7, -2.9])
def test_rotation_shift_and_reflection_carry_over(angle):
    me, turn = moving(3 - 1j, 1 - 2j, max_speed=3, max_force=4), cmath.exp(1j * angle)
    point = cmath.exp(0.4j)  # in the own frame, so it does not turn
    assert wander(rotated(me, angle, 5j), point) == pytest.approx(turn * wander(me, point))
    sideways = wander_sideways(rotated(me, angle, 5j), 0.3)
    assert sideways == pytest.approx(turn * wander_sideways(me, 0.3))
    reflected = wander(mirrored(me), point.conjugate())
    assert reflected == pytest.approx(wander(me, point).conjugate())
    target = wander_target(rotated(me, angle, 5j), point)
    assert target == pytest.approx(turn * wander_target(me, point) + 5j)
    center, radius = wander_circle(rotated(me, angle, 5j))
    assert (center, radius) == pytest.approx((turn * wander_circle(me)[0] + 5j, 1.2))
    sideways = wander_sideways(mirrored(me), -0.3)
    assert sideways == pytest.approx(wander_sideways(me, 0.3).conjugate())


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


@pytest.mark.parametrize("form", [Angle, Jitter])
def test_from_rest_it_gets_going(form):
    resting = vehicle(0, 0, 1j, max_speed=2, max_force=4)
    states = rollout(form, np.random.default_rng(4), 5.0, 1 / 60, resting)
    assert abs(states[-1].velocity) > 1.5
