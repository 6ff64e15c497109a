"""Neighborhoods, separation, alignment and cohesion, one by one and as a flock."""

from __future__ import annotations

import cmath
import itertools
import math
import random

import numpy as np
import pytest

from steer_env.steering import (
    VEHICLE,
    advance,
    alignment,
    cohesion,
    compiled,
    in_neighborhood,
    scale,
    separation,
    unit,
)

from .vehicles import mirrored, moving, rotated, vehicle

FORCES = (separation, alignment, cohesion)
EVERYBODY = (0.0, 1e9, -1.1)


def array(vehicles):
    return np.array([tuple(one) for one in vehicles], VEHICLE)


def at(distance, degrees):
    return vehicle(cmath.rect(distance, math.radians(degrees)))


@pytest.mark.parametrize("degrees", [0, 59, -59, 61, -61, 90, 180])
@pytest.mark.parametrize("distance", [1e-3, 0.5, 2.0, 8.0, 4e3])
def test_the_field_of_view_is_an_angle_at_any_distance(degrees, distance):
    # A dot product with an offset that is not normalized sees too much afar, too little near.
    seen = in_neighborhood(vehicle(), at(distance, degrees), 0.0, 1e4, 0.5)
    assert seen is (abs(degrees) < 60)


@pytest.mark.parametrize("distance", [1e-3, 0.5, 2.0, 8.0, 4e3])
def test_a_field_of_view_of_more_than_a_half_circle(distance):
    for degrees, expected in ((90, True), (119, True), (121, False), (-119, True)):
        seen = in_neighborhood(vehicle(), at(distance, degrees), 0.0, 1e4, -0.5)
        assert seen is expected


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


def test_who_is_far_is_not_noticed():
    assert in_neighborhood(vehicle(), vehicle(5), 1.5, 5.0, 0.7)
    assert not in_neighborhood(vehicle(), vehicle(5.001), 1.5, 5.0, 0.7)


def test_separation_by_hand():
    me = vehicle(1 + 1j, 1, 1j)
    near, far = vehicle(2 + 1j), vehicle(1 + 3j)  # pushes of 1 and 2/4: the nearer the more
    assert separation(me, [near, far], *EVERYBODY) == pytest.approx(unit(-1 - 0.5j))
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


@pytest.mark.parametrize("steer", FORCES, ids=lambda steer: steer.__name__)
def test_without_neighbors_there_is_no_force(steer):
    for nobody in ([], (), array([])):
        assert steer(vehicle(1, 2, 1j), nobody) == 0j


@pytest.mark.parametrize("steer", FORCES, ids=lambda steer: steer.__name__)
def test_coincident_vehicles_are_no_nan(steer):
    me = vehicle(2 + 1j, 1)
    twin = vehicle(2 + 1j, 1j, 1j)
    for limits in ((1.5, 5.0, -0.7), (0.0, 5.0, -0.7)):
        alone = steer(me, [twin, twin], *limits)
        assert alone == (pytest.approx(unit(-1 + 1j)) if steer is alignment else 0j)
        if steer is separation:  # the twin adds nothing
            other = vehicle(3 + 1j)
            assert steer(me, [twin, other], *limits) == steer(me, [other], *limits) == -1
    for offset, sign in itertools.product((1e-9, 1e-155, 1e-170, 1e-320), (1, -1j)):
        force = steer(vehicle(), [vehicle(offset * sign), vehicle(3j)])
        assert cmath.isfinite(force)
        assert abs(force) < 1 + 1e-9


@pytest.mark.parametrize("steer", FORCES, ids=lambda steer: steer.__name__)
def test_rotation_shift_reflection_and_order_carry_over(steer):
    draw = random.Random(0).uniform
    for _ in range(20):
        me, *others = (
            moving(complex(draw(-4, 4), draw(-4, 4)), complex(draw(-2, 2), draw(-2, 2)))
            for _ in range(7)
        )
        force = steer(me, array(others))
        assert abs(force) == pytest.approx(1.0) or force == 0j
        turned = steer(rotated(me, 0.7, 3 - 8j), array(rotated(o, 0.7, 3 - 8j) for o in others))
        assert turned == pytest.approx(force * cmath.exp(0.7j))
        reflected = steer(mirrored(me), array(map(mirrored, others)))
        assert reflected == pytest.approx(force.conjugate())
        assert steer(me, array(others[::-1])) == pytest.approx(force)


def crowd(seed, half_size, speed, **limits):
    draw = random.Random(seed).uniform
    return [
        moving(
            complex(draw(-half_size, half_size), draw(-half_size, half_size)),
            cmath.rect(speed, draw(-math.pi, math.pi)),
            **limits,
        )
        for _ in range(20)
    ]


def spread(boids):
    """0 if all face the same way, 1 if they face all ways."""
    return 1 - abs(sum(one.heading for one in boids)) / len(boids)


def width(boids):
    return float(np.std([one.position for one in boids]))


def least_distance(boids):
    places = np.array([one.position for one in boids])
    gaps = np.abs(places[:, None] - places) + np.diag([math.inf] * len(boids))
    return gaps.min()


def flock(boids, force_of, steps, half_size=math.inf, dt=1 / 30):
    """All of them, step by step; who leaves the square comes in on the other side."""
    for _ in range(steps):
        rows = array(boids)
        others = [np.delete(rows, number) for number in range(len(boids))]
        forces = [force_of(me, neighbors) for me, neighbors in zip(boids, others)]
        boids = [advance(me, force, dt) for me, force in zip(boids, forces)]
        if half_size < math.inf:
            places = np.array([one.position for one in boids]) + half_size * (1 + 1j)
            places = places.real % (2 * half_size) + 1j * (places.imag % (2 * half_size))
            places -= half_size * (1 + 1j)
            boids = [one._replace(position=z) for one, z in zip(boids, places.tolist())]
        yield boids


@compiled
def without_alignment(me, neighbors):
    return scale(separation(me, neighbors), 12.0) + scale(cohesion(me, neighbors), 8.0)


@compiled
def demonstration(me, neighbors):
    return without_alignment(me, neighbors) + scale(alignment(me, neighbors), 8.0)


@pytest.mark.parametrize("seed", [0, 2])
def test_boids_end_up_flying_the_same_way_and_apart(seed):
    start = crowd(seed, 5.0, 2.0, max_speed=9, max_force=27)
    states = list(flock(start, demonstration, 600, half_size=12.0))
    late = np.mean([spread(boids) for boids in states[-120:]])
    assert spread(start) > 0.6
    assert late < 0.5 * spread(start)
    assert min(least_distance(boids) for boids in states) > 1e-3
    others = list(flock(start, without_alignment, 600, half_size=12.0))
    assert late < 0.6 * np.mean([spread(boids) for boids in others[-120:]])


def test_alignment_alone_turns_a_crowd_one_way():
    start = crowd(3, 3.0, 1.0, max_speed=1, max_force=9)

    def keep_pace(me, others):
        return alignment(me, others, 1.5, 50.0, -1.1) + 3 * (me.heading - me.velocity)

    *_, end = flock(start, keep_pace, 300)
    assert spread(start) > 0.6
    assert spread(end) < 0.01


@pytest.mark.parametrize("seed", [0, 1])
def test_separation_alone_spreads_a_crowd(seed):
    start = crowd(seed, 2.0, 0.01, max_speed=2, max_force=2)
    *_, end = flock(
        start, lambda me, others: 2 * separation(me, others, 1.5, 5.0, -1.1) - me.velocity, 200
    )
    assert width(end) > 4 * width(start)
    assert least_distance(end) > 3.0
    assert least_distance(start) < 0.5


@pytest.mark.parametrize("seed", [0, 1])
def test_cohesion_alone_contracts_it(seed):
    start = crowd(seed, 2.0, 0.01, max_speed=2, max_force=2)
    *_, end = flock(
        start, lambda me, others: 2 * cohesion(me, others, 1.5, 9.0, -1.1) - me.velocity, 60
    )
    assert width(end) < 0.4 * width(start)
