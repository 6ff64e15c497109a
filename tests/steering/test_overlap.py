"""Pushing round bodies apart: both readings of size, all pairs, fixed bodies, one spot."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.steering import (
    VEHICLE,
    overlap_by_diameters,
    overlap_by_radii,
    part,
    part_all,
    push_out,
)

from .vehicles import vehicle


def crowd(positions, radii=1.0):
    vehicles = np.zeros(len(positions), VEHICLE)
    vehicles["position"], vehicles["radius"] = positions, radii
    return vehicles


def deepest_overlap(vehicles):
    return max(
        overlap_by_radii(abs(one["position"] - two["position"]), one["radius"], two["radius"])
        for one, two in itertools.combinations(vehicles, 2)
    )


@pytest.mark.parametrize(
    ("distance", "expected"), [(0.0, 2.5), (1.0, 1.5), (2.5, 0.0), (2.6, 0.0), (1e6, 0.0)]
)
def test_overlap_by_radii_and_by_diameters(distance, expected):
    assert overlap_by_radii(distance, 1.5, 1.0) == expected
    assert overlap_by_diameters(distance, 3.0, 2.0) == expected


def test_pushed_out_two_bodies_just_touch():
    for place in (0.3 + 0.4j, -1j, -2 - 1j, 1e-9j):
        shift = push_out(place, 1.5, 0j, 1.0)
        assert abs(place + shift) == pytest.approx(2.5)
        assert (shift / place).imag == pytest.approx(0.0)
        assert (shift / place).real > 0.0
    assert push_out(2.5j, 1.5, 0j, 1.0) == 0j
    assert push_out(9j, 1.5, 0j, 1.0) == 0j
    assert push_out(3j, 1.5, 3j, 1.0) == 2.5  # on one spot they part along x
    assert push_out(3j, 0.0, 3j, 0.0) == 0j
    assert part(vehicle(3j), vehicle(3j)) == (0.5, -0.5)


def test_two_vehicles_take_half_each():
    me, other = vehicle(3 + 4j)._replace(radius=4.0), vehicle()._replace(radius=3.0)
    mine, its = part(me, other)
    assert mine == pytest.approx(0.6 + 0.8j) == -its
    assert part(other, me) == (its, mine)
    assert part(vehicle(9), vehicle(0)) == (0j, 0j)


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
