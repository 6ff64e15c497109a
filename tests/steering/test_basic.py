"""Vectors, seek, flee and arrive."""

from __future__ import annotations

import math

import pytest

from steer_env.steering import (
    advance,
    arrive,
    clamp_to_square,
    cross,
    dot,
    flee,
    left,
    norm,
    scale,
    seek,
    truncate,
    unit,
)

from .vehicles import moving, vehicle


def test_vectors_by_hand():
    assert norm(3 + 4j) == 5.0
    assert unit(3 + 4j) == pytest.approx(0.6 + 0.8j)
    assert unit(0j) == 0j
    assert dot(1 + 2j, 3 + 4j) == 11.0
    assert cross(1 + 2j, 3 + 4j) == -2.0
    assert cross(1 + 0j, 0 + 1j) > 0.0  # to the left is positive
    assert left(1 + 0j) == 1j
    assert scale(1 - 2j, 3.0) == 3 - 6j
    assert truncate(3 + 4j, 10.0) == 3 + 4j
    assert truncate(3 + 4j, 1.0) == pytest.approx(0.6 + 0.8j)
    assert truncate(3 + 4j, 0.0) == 0j
    assert truncate(0j, 0.0) == 0j
    assert clamp_to_square(3 - 4j, 2.0) == 2 - 2j
    assert clamp_to_square(3 - 4j, math.inf) == 3 - 4j


def test_seek_and_flee_by_hand():
    me = vehicle(1 + 1j, 0.5j, 1j, max_speed=2)
    assert seek(me, 4 + 5j) == pytest.approx(1.2 + 1.6j - 0.5j)
    assert flee(me, 4 + 5j, math.inf) == pytest.approx(-1.2 - 1.6j - 0.5j)
    assert flee(me, 4 + 5j, 4.9) == 0j  # beyond the panic distance
    assert flee(me, 4 + 5j, 5.0) == flee(me, 4 + 5j)


@pytest.mark.parametrize("velocity", [0j, 1 - 2j])
def test_on_the_target_the_force_takes_the_velocity_away(velocity):
    me = vehicle(2 + 3j, velocity, max_speed=3)
    for force in (seek(me, 2 + 3j), flee(me, 2 + 3j, math.inf), arrive(me, 2 + 3j, 0.6)):
        assert force == -velocity


def test_arrive_slows_down_by_the_distance():
    me = vehicle(0, 0, max_speed=10)
    assert arrive(me, 3 + 0j, 0.6) == pytest.approx(5.0)
    assert arrive(me, 30 + 0j, 0.6) == pytest.approx(10.0)


def rollout(me, force_of, steps, dt=1 / 60):
    path = [me]
    for _ in range(steps):
        path.append(advance(path[-1], force_of(path[-1]), dt))
    return path


def test_seek_reaches_a_point_and_arrive_stops_there():
    me = moving(0, 2j, max_speed=3, max_force=9)
    sought = rollout(me, lambda now: seek(now, 8 + 0j), 600)
    assert min(abs(now.position - 8) for now in sought) < 0.05
    arrived = rollout(me, lambda now: arrive(now, 8 + 0j, 0.9), 900)[-1]
    assert abs(arrived.position - 8) < 0.01
    assert abs(arrived.velocity) < 0.01
    passing = next(now for now in sought if abs(now.position - 8) < 0.3)
    assert abs(passing.velocity) > 2.0  # while seek runs past it, again and again
