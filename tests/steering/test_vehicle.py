"""Vehicles are values with checked fields, and move as point masses."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from steer_env.steering import (
    OBSTACLE,
    VEHICLE,
    Obstacle,
    Vehicle,
    advance,
    truncate,
)

from .vehicles import moving, vehicle

ME = moving(0, 1, max_speed=3)
CROWD = [moving(2 + 1j, 1j), moving(-1 - 2j, 1 - 1j), moving(4 - 0.5j, -1, max_speed=2)]


def test_numbers_of_any_kind_are_stored_as_complex_and_float():
    for one, two in ((3, 2), (np.int8(3), np.float32(2)), (Fraction(3), Fraction(2))):
        made = Vehicle(position=one, heading=one, max_speed=two, mass=two, acceleration=one)
        assert made.position == made.heading == made.acceleration == 3
        assert made.max_speed == made.mass == 2
        assert [type(field) for field in made] == [complex] * 3 + [float] * 4 + [complex]
    assert type(ME._replace(max_speed=2).max_speed) is float
    assert type(Vehicle._make(range(8)).velocity) is complex


@pytest.mark.parametrize("field", Vehicle._fields)
@pytest.mark.parametrize("value", ["fast", None, [1, 2], (3.0, 4.0), object])
def test_the_error_of_a_vehicle_names_the_field(field, value):
    for make in (Vehicle, ME._replace):
        with pytest.raises(TypeError, match=f"^the {field} of a Vehicle must be a .*number"):
            make(**{field: value})


@pytest.mark.parametrize("field", ["max_speed", "max_force", "mass", "radius"])
def test_a_negative_limit_is_refused(field):
    is_known = field in ("max_speed", "radius")
    for value in (-1, -5e-324, -math.inf, *[math.nan] * is_known):
        for make in (Vehicle, ME._replace):
            with pytest.raises(ValueError, match=f"{field} of a Vehicle must be at least 0"):
                make(**{field: value})
    assert getattr(Vehicle(**{field: 0}), field) == 0.0
    assert getattr(Vehicle(**{field: math.inf}), field) == math.inf
    assert is_known or math.isnan(getattr(Vehicle(**{field: math.nan}), field))


def test_a_vehicle_is_a_value():
    assert ME == vehicle(0, 1, max_speed=3) != CROWD[0]
    assert hash(ME) == hash(vehicle(0, 1, max_speed=3))
    for copied in (copy.deepcopy(ME), pickle.loads(pickle.dumps(ME))):
        assert copied == ME
        assert type(copied) is Vehicle
    with pytest.raises(AttributeError):
        ME.position = 3j
    array = np.array([tuple(other) for other in CROWD], VEHICLE)
    assert [Vehicle(*record) for record in array.tolist()] == CROWD
    assert VEHICLE.names == Vehicle._fields
    assert OBSTACLE.names == Obstacle._fields


@pytest.mark.parametrize("force", [0j, 1 + 1j, -9 + 2j, 100j])
@pytest.mark.parametrize("mass", [0.5, 4.0])
def test_advance_is_a_point_mass(force, mass):
    me = moving(1 - 1j, 2 + 1j, max_speed=2.5, max_force=8)._replace(mass=mass)
    velocity = truncate(me.velocity + truncate(force, 8.0) / mass * 0.1, 2.5)
    after = advance(me, force, 0.1)
    assert after.velocity == pytest.approx(velocity)
    assert after.heading == pytest.approx(velocity / abs(velocity))
    assert after.position == pytest.approx(me.position + velocity * 0.1)
    assert after.acceleration == pytest.approx((velocity - me.velocity) / 0.1)
    assert (after.max_speed, after.max_force, after.mass, after.radius) == me[3:7]


def test_a_vehicle_keeps_its_heading_when_it_stops():
    me = advance(moving(0, 1j, max_force=10), -10j, 0.1)
    assert (me.velocity, me.heading, me.position) == (0j, 1j, 0j)
    assert advance(me, 0j, 0.1).heading == 1j
