"""Flocks, step by step: each force alone, and all of them."""

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
    scale,
    separation,
)
from steering.vehicles import moving

pytestmark = pytest.mark.weekly


def array(vehicles):
    return np.array([tuple(one) for one in vehicles], VEHICLE)


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
