"""Neighborhoods, separation, alignment and cohesion, one by one and as a flock."""

from __future__ import annotations

import cmath
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

from .vehicles import moving, vehicle

FORCES = (separation, alignment, cohesion)
EVERYBODY = (0.0, 1e9, -1.1)


def at(distance, degrees):
    return vehicle(cmath.rect(distance, math.radians(degrees)))


def test_the_neighborhood_by_hand():
    me = vehicle(3 + 1j, -2, 1j)  # the heading counts, not the velocity
    assert in_neighborhood(me, vehicle(3 + 5j), 1.0, 9.0, 0.7)
    assert not in_neighborhood(me, vehicle(-3 + 1j), 1.0, 9.0, 0.7)
    assert not in_neighborhood(me, vehicle(7 + 1j), 1.0, 9.0, 0.7)
    for degrees in (0, 90, 180):  # very near
        assert in_neighborhood(vehicle(), at(1.4, degrees), 1.5, 5.0, 0.7)
    assert not in_neighborhood(vehicle(), at(1.6, 180), 1.5, 5.0, 0.7)
    assert in_neighborhood(vehicle(), at(6.0, 180), 7.0, 5.0, 0.7)  # that goes first
    assert in_neighborhood(vehicle(), vehicle(5), 1.5, 5.0, 0.7)
    assert not in_neighborhood(vehicle(), vehicle(5.001), 1.5, 5.0, 0.7)


def test_where_neighbors_cancel_out_there_is_no_force():
    me = vehicle(1 + 1j, 1, 1j)
    assert separation(me, [vehicle(2 + 1j), vehicle(1j)], *EVERYBODY) == 0j
    assert cohesion(me, [vehicle(0), vehicle(2 + 2j)], *EVERYBODY) == 0j
    assert alignment(me, [vehicle(2, 0, 1j)], *EVERYBODY) == 0j  # it faces where I do
    # Headings count, not velocities, and the nearer a neighbor the more it pushes.
    turned, back = vehicle(2 + 1j, 9, 1), vehicle(5j, 0, -1j)
    assert alignment(me, [turned, back], *EVERYBODY) == pytest.approx(unit(1 - 3j))
    near, far = vehicle(2 + 1j), vehicle(1 + 3j)  # pushes of 1 and 2/4
    assert separation(me, [near, far], *EVERYBODY) == pytest.approx(unit(-1 - 0.5j))


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


def flock(boids, force_of, steps, half_size=math.inf, dt=1 / 30):
    """All of them, step by step; who leaves the square comes in on the other side."""
    for _ in range(steps):
        rows = np.array([tuple(one) for one in boids], VEHICLE)
        others = [np.delete(rows, number) for number in range(len(boids))]
        forces = [force_of(me, neighbors) for me, neighbors in zip(boids, others)]
        boids = [advance(me, force, dt) for me, force in zip(boids, forces)]
        if half_size < math.inf:
            places = np.array([one.position for one in boids]) + half_size * (1 + 1j)
            places = places.real % (2 * half_size) + 1j * (places.imag % (2 * half_size))
            places -= half_size * (1 + 1j)
            boids = [one._replace(position=z) for one, z in zip(boids, places.tolist())]
        yield boids


def width(boids):
    return float(np.std([one.position for one in boids]))


def least_distance(boids):
    places = np.array([one.position for one in boids])
    gaps = np.abs(places[:, None] - places) + np.diag([math.inf] * len(boids))
    return gaps.min()


@compiled
def without_alignment(me, neighbors):
    return scale(separation(me, neighbors), 12.0) + scale(cohesion(me, neighbors), 8.0)


@compiled
def demonstration(me, neighbors):
    return without_alignment(me, neighbors) + scale(alignment(me, neighbors), 8.0)


@pytest.mark.weekly
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


def test_separation_alone_spreads_a_crowd():
    start = crowd(0, 2.0, 0.01, max_speed=2, max_force=2)
    *_, end = flock(
        start, lambda me, others: 2 * separation(me, others, 1.5, 5.0, -1.1) - me.velocity, 200
    )
    assert width(end) > 4 * width(start)
    assert least_distance(end) > 3.0
    assert least_distance(start) < 0.5


def test_cohesion_alone_contracts_it():
    start = crowd(0, 2.0, 0.01, max_speed=2, max_force=2)
    *_, end = flock(
        start, lambda me, others: 2 * cohesion(me, others, 1.5, 9.0, -1.1) - me.velocity, 60
    )
    assert width(end) < 0.4 * width(start)
