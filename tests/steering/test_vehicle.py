"""Vehicles are values with checked fields, move as point masses, and are pushed apart."""

import copy
import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.steering.overlap import overlap_by_radii, part, part_all, push_out
from steer_env.steering.vectors import truncate
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Obstacle, Vehicle, advance

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


def crowd(positions, radii=1.0):
    vehicles = np.zeros(len(positions), VEHICLE)
    vehicles["position"], vehicles["radius"] = positions, radii
    return vehicles


def deepest_overlap(vehicles):
    return max(
        overlap_by_radii(abs(one["position"] - two["position"]), one["radius"], two["radius"])
        for one, two in itertools.combinations(vehicles, 2)
    )


def test_pushed_out_two_bodies_just_touch():
    for place in (0.3 + 0.4j, -1j, -2 - 1j, 1e-9j):
        shift = push_out(place, 1.5, 0j, 1.0)
        assert abs(place + shift) == pytest.approx(2.5)
        assert (shift / place).imag == pytest.approx(0.0)
        assert (shift / place).real > 0.0


def test_two_vehicles_take_half_each():
    me, other = vehicle(3 + 4j)._replace(radius=4.0), vehicle()._replace(radius=3.0)
    mine, its = part(me, other)
    assert mine == pytest.approx(0.6 + 0.8j) == -its
    assert part(other, me) == (its, mine)


def test_each_of_a_pair_takes_half_unless_one_is_fixed():
    for fixed, expected in (
        (None, [-0.5, 1.5]),
        ([False, False], [-0.5, 1.5]),
        ([True, False], [0.0, 2.0]),
        ([False, True], [-1.0, 1.0]),
        ([True, True], [0.0, 1.0]),
    ):
        pair = crowd([0, 1])
        held = None if fixed is None else np.array(fixed)
        assert part_all(pair, held) == 1  # two that are fixed count as well
        assert pair["position"].tolist() == expected


def test_who_does_not_overlap_stays():
    vehicles = crowd([0, 2, 4j, -9])
    assert part_all(vehicles) == 0
    assert vehicles["position"].tolist() == [0, 2, 4j, -9]
    assert part_all(crowd([])) == part_all(crowd([1])) == 0


def test_between_two_fixed_bodies_that_leave_room_it_comes_to_rest():
    vehicles = crowd([0, 1.2, 4.5])
    fixed = np.array([True, False, True])
    for _ in range(50):
        if not part_all(vehicles, fixed):
            break
    assert deepest_overlap(vehicles) == 0.0
    assert vehicles["position"][::2].tolist() == [0, 4.5]


coordinates = st.integers(-30, 30).map(lambda n: n / 10)
points = st.builds(complex, coordinates, coordinates)


@given(positions=st.lists(points, min_size=2, max_size=8))
def test_a_crowd_spreads_about_its_center_until_nobody_overlaps(positions):
    vehicles = crowd(positions, 0.5)
    center = np.mean(vehicles["position"])
    for _ in range(2000):
        if deepest_overlap(vehicles) < 1e-6:
            break
        part_all(vehicles)
    assert deepest_overlap(vehicles) < 1e-6
    assert abs(np.mean(vehicles["position"]) - center) < 1e-9  # each takes its half
