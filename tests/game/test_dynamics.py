"""The three models of motion do what their formulas say."""

from __future__ import annotations

import cmath
import math

import pytest
from hypothesis import given, strategies as st

from steer_env.game.dynamics import (
    CAR,
    DOUBLE_INTEGRATOR,
    MODELS,
    POINT_MASS,
    SIMPLE_MOTION,
    accelerate,
    action_of_force,
    coast,
    drag_of_step,
    force_of_action,
    largest_turn,
    mean_velocity,
    next_heading,
)
from steer_env.steering import Vehicle, truncate

DT = 1 / 30

EVERY_MODEL = pytest.mark.parametrize("model", range(len(MODELS)), ids=MODELS)

numbers = st.floats(-100.0, 100.0).map(lambda x: 0.0 if abs(x) < 1e-9 else x)
vectors = st.builds(complex, numbers, numbers)
angles = st.floats(-math.pi, math.pi)
limits = st.floats(0.01, 200.0)
actions = st.builds(cmath.rect, st.floats(0.0, 1.0), angles)


@st.composite
def vehicles(draw, model):
    """Vehicles as the game holds them: headings along velocities, within their limits."""
    heading = cmath.exp(1j * draw(angles))
    max_speed = draw(limits)
    speed = max_speed * (1.0 if model == CAR else draw(st.sampled_from([0.0, 0.5, 1.0])))
    return Vehicle(
        draw(vectors), speed * heading, heading, max_speed, draw(limits), draw(limits), 0.3
    )


def close(one, other, scale=1.0):
    return abs(one - other) <= 1e-9 * max(scale, abs(one), abs(other))


@pytest.mark.parametrize("model", [POINT_MASS, SIMPLE_MOTION])
@given(st.data())
def test_point_mass_and_simple_motion(model, data):
    me, force = data.draw(vehicles(model)), data.draw(vectors)
    velocity, heading = accelerate(model, me, force, DT)
    gain = force if model == SIMPLE_MOTION else truncate(force, me.max_force) / me.mass * DT
    expected = truncate(me.velocity + gain, me.max_speed)
    assert close(velocity, expected)
    if abs(expected) > 1e-6:
        assert abs(heading - expected / abs(expected)) < 1e-6


@given(vehicles(CAR), vectors)
def test_car(me, force):
    velocity, heading = accelerate(CAR, me, force, DT)
    wanted = me.velocity + force
    turned = cmath.phase(heading * me.heading.conjugate())
    limit = me.max_force / (me.mass * me.max_speed) * DT
    if limit < math.pi:
        assert largest_turn(me, DT) == pytest.approx(limit, rel=1e-12)
    assert abs(turned) <= limit + 1e-9
    assert close(abs(velocity), me.max_speed)
    assert abs(heading - velocity / me.max_speed) < 1e-9
    if abs(wanted) > 1e-6:
        angle = cmath.phase(wanted * me.heading.conjugate())
        expected = max(-limit, min(limit, angle))
        assert abs(cmath.exp(1j * turned) - cmath.exp(1j * expected)) < 1e-6


def test_a_car_drives_along_the_arc_of_its_turning_circle():
    # Constantly turning left with radius m V^2 / F, it comes back after a full circle.
    me = Vehicle(velocity=4 + 0j, heading=1 + 0j, max_speed=4.0, max_force=12.0)
    radius = me.mass * me.max_speed**2 / me.max_force
    steps = 7
    dt = 2 * math.pi * radius / me.max_speed / steps
    position = 0j
    for step in range(steps):
        force = force_of_action(CAR, me, 1j, dt)
        position += mean_velocity(CAR, me, force, drag_of_step(0.0, dt), dt) * dt
        velocity, heading = accelerate(CAR, me, force, dt)
        me = me._replace(velocity=velocity, heading=heading)
        angle = 2 * math.pi * (step + 1) / steps
        expected = radius * 1j * (1 - cmath.exp(1j * angle))
        assert abs(position - expected) < 1e-12 * radius
    assert abs(position) < 1e-12
    assert abs(heading - 1) < 1e-12


@pytest.mark.parametrize("drag", [0.0, 0.4])
def test_a_double_integrator_is_where_the_differential_equation_has_it(drag):
    """A force held for a step: the same place and velocity as in a thousand small ones."""
    me = Vehicle(velocity=1 + 0.5j, heading=1 + 0j, max_speed=1e3, max_force=5.0, mass=2.0)
    force, dt, parts = 3 - 2j, 0.5, 20_000
    step = drag_of_step(drag, dt)
    moved = mean_velocity(DOUBLE_INTEGRATOR, me, force, step, dt) * dt
    velocity, _ = accelerate(DOUBLE_INTEGRATOR, coast(me, step.kept), force, step.seconds)
    place, speed = 0j, me.velocity
    for _ in range(parts):  # the midpoint rule
        half = speed + (force / 2.0 - drag * speed) * (0.5 * dt / parts)
        place += half * (dt / parts)
        speed += (force / 2.0 - drag * half) * (dt / parts)
    assert abs(moved - place) < 1e-8
    assert abs(velocity - speed) < 1e-8


@EVERY_MODEL
@given(st.data())
def test_limits_hold(model, data):
    me, force = data.draw(vehicles(model)), data.draw(vectors)
    velocity, heading = accelerate(model, me, force, DT)
    assert abs(velocity) <= me.max_speed * (1 + 1e-9)
    assert abs(abs(heading) - 1.0) < 1e-9
    assert abs(velocity - abs(velocity) * heading) <= 1e-9 * me.max_speed
    change = abs(velocity - me.velocity) / DT
    if model == SIMPLE_MOTION:
        assert change <= 2 * me.max_speed / DT * (1 + 1e-9)
    else:
        assert change <= me.max_force / me.mass * (1 + 1e-9) + 1e-9 * me.max_speed


@EVERY_MODEL
@given(st.data())
def test_the_action_of_a_force_has_its_effect(model, data):
    me, force = data.draw(vehicles(model)), data.draw(vectors)
    action = action_of_force(model, me, force, DT)
    assert abs(action) <= 1.0 + 1e-9
    expected, _ = accelerate(model, me, force, DT)
    velocity, _ = accelerate(model, me, force_of_action(model, me, action, DT), DT)
    if model == CAR and abs(cmath.phase(-expected * me.heading.conjugate())) < 1e-6:
        return  # straight back is as near to the left as to the right
    assert close(velocity, expected, scale=me.max_speed)


def test_actions_are_in_the_own_frame():
    me = Vehicle(velocity=2j, heading=1j, max_speed=4.0, max_force=12.0)
    assert close(force_of_action(POINT_MASS, me, 1 + 0j, DT), 12j)
    assert close(force_of_action(POINT_MASS, me, 0.5j, DT), -6 + 0j)
    assert close(force_of_action(SIMPLE_MOTION, me, 1 + 0j, DT), 2j)
    assert close(force_of_action(SIMPLE_MOTION, me, 1j, DT), -4 - 2j)
    left, _ = accelerate(CAR, me, force_of_action(CAR, me, 0.5j, DT), DT)
    assert cmath.phase(left / 1j) == pytest.approx(0.5 * 12 / 4 * DT)


@pytest.mark.parametrize("model", [POINT_MASS, SIMPLE_MOTION])
def test_the_heading_is_kept_at_rest(model):
    heading = cmath.exp(0.7j)
    me = Vehicle(heading=heading)
    assert accelerate(model, me, 0j, DT) == (0j, heading)
    moving = Vehicle(velocity=0.01 * heading, heading=heading, max_force=10.0)
    stop = force_of_action(SIMPLE_MOTION, moving, 0j, DT)
    assert accelerate(SIMPLE_MOTION, moving, stop, DT) == (0j, heading)
    assert next_heading(heading, 0j) == heading
    assert next_heading(heading, -3j) == -1j


@pytest.mark.parametrize("drag", [0.0, 1e-6, 0.3, 2.0, 500.0])
@pytest.mark.parametrize("dt", [1e-6, DT, 1.0])
def test_drag_is_that_of_the_differential_equation(drag, dt):
    kept, seconds, meters = drag_of_step(drag, dt)
    assert kept == pytest.approx(math.exp(-drag * dt), rel=1e-15)
    expected = -math.expm1(-drag * dt) / drag if drag > 0.0 else dt
    assert seconds == pytest.approx(expected, rel=1e-15)
    assert 0.0 <= kept <= 1.0
    assert 0.0 < seconds <= dt
    x = drag * dt
    series = dt * dt * (0.5 - x / 6 + x * x / 24 - x**3 / 120)
    assert meters == pytest.approx(series if x < 1e-3 else (dt - seconds) / drag, rel=1e-9)


@EVERY_MODEL
@given(st.data())
def test_actions_are_cut_to_the_unit_disc(model, data):
    me, action = data.draw(vehicles(model)), data.draw(actions.filter(lambda a: abs(a) > 0.01))
    inside = action / abs(action)
    for longer in (1.5, 1e3, 1e30):
        force = force_of_action(model, me, inside * longer, DT)
        assert close(force, force_of_action(model, me, inside, DT), scale=me.max_speed)
