"""Neighborhoods, separation, alignment and cohesion, one by one and as a flock."""

from __future__ import annotations

import cmath
import math

import pytest

from steer_env.steering import (
    alignment,
    cohesion,
    in_neighborhood,
    separation,
    unit,
)

from .vehicles import vehicle

FORCES = (separation, alignment, cohesion)
EVERYBODY = (0.0, 1e9, -1.1)


def at(distance, degrees):
    return vehicle(cmath.rect(distance, math.radians(degrees)))


def test_the_field_of_view_turns_with_the_heading():
    me = vehicle(3 + 1j, -2, 1j)  # the heading counts, not the velocity
    assert in_neighborhood(me, vehicle(3 + 5j), 1.0, 9.0, 0.7)
    assert not in_neighborhood(me, vehicle(-3 + 1j), 1.0, 9.0, 0.7)
    assert not in_neighborhood(me, vehicle(7 + 1j), 1.0, 9.0, 0.7)


def test_who_is_very_near_is_noticed_behind_too():
    for degrees in (0, 90, 180):
        assert in_neighborhood(vehicle(), at(1.4, degrees), 1.5, 5.0, 0.7)
    assert not in_neighborhood(vehicle(), at(1.6, 180), 1.5, 5.0, 0.7)
    assert in_neighborhood(vehicle(), at(6.0, 180), 7.0, 5.0, 0.7)  # that goes first
    assert in_neighborhood(vehicle(), vehicle(5), 1.5, 5.0, 0.7)
    assert not in_neighborhood(vehicle(), vehicle(5.001), 1.5, 5.0, 0.7)


def test_separation_by_hand():
    me = vehicle(1 + 1j, 1, 1j)
    near, far = vehicle(2 + 1j), vehicle(1 + 3j)  # pushes of 1 and 2/4: the nearer the more
    assert separation(me, [near, far], *EVERYBODY) == pytest.approx(unit(-1 - 0.5j))
    assert separation(me, [far, near], *EVERYBODY) == separation(me, [near, far], *EVERYBODY)
    assert separation(me, [near], *EVERYBODY) == -1
    balanced = [near, vehicle(0 + 1j)]
    assert separation(me, balanced, *EVERYBODY) == 0j


def test_alignment_by_hand():
    me = vehicle(1 + 1j, 3j, 1)
    left, back = vehicle(2 + 1j, 9, 1j), vehicle(5j, 0, -1)  # headings count, not velocities
    assert alignment(me, [left], *EVERYBODY) == pytest.approx(unit(-1 + 1j))
    assert alignment(me, [left, back], *EVERYBODY) == pytest.approx(unit(-1.5 + 0.5j))
    assert alignment(me, [vehicle(2)], *EVERYBODY) == 0j  # it faces where I do


def test_cohesion_by_hand():
    me = vehicle(1 + 1j, 1, 1j)
    others = [vehicle(5 + 1j), vehicle(3 + 4j), vehicle(1 + 1j)]
    assert cohesion(me, others, *EVERYBODY) == pytest.approx(0.6 * (2 + 1j) / abs(1.2 + 0.6j))
    assert cohesion(me, [vehicle(0), vehicle(2 + 2j)], *EVERYBODY) == 0j


def test_who_is_not_in_the_neighborhood_does_not_count():
    me = vehicle()
    neighbors, strangers = [at(3, 20), at(4, -30)], [at(3, 170), at(30, 10), at(6, -60)]
    neighbors = [one._replace(heading=1j) for one in neighbors]
    for steer in FORCES:
        expected = steer(me, neighbors, 1.0, 5.0, 0.5)
        assert steer(me, neighbors + strangers, 1.0, 5.0, 0.5) == expected != 0j
        assert steer(me, strangers, 1.0, 5.0, 0.5) == 0j


@pytest.mark.parametrize(
    ("steer", "distance", "degrees"),
    [(separation, 5.0, 134), (alignment, 7.5, 45), (cohesion, 9.0, 98)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_neighborhoods_are_those_of_opensteers_demonstration(steer, distance, degrees):
    def sees(other):
        return steer(vehicle(), [other._replace(heading=1j)]) != 0j

    assert sees(at(distance - 0.01, 0))
    assert not sees(at(distance + 0.01, 0))
    assert sees(at(3, degrees))
    assert not sees(at(3, degrees + 2))
    assert sees(at(1.49, 180))
    assert not sees(at(1.51, 180))
