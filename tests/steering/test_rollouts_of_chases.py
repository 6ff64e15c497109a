"""Formations, guards and hiding vehicles, step by step."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from steer_env.steering import (
    OBSTACLE,
    avoid_walls,
    closing,
    evade,
    hide,
    interpose,
    linear,
    wander,
)
from steering.test_chase import chase, keep_on, pursue
from steering.vehicles import advance, moving, vehicle

pytestmark = pytest.mark.weekly


def test_evasion_lives_longer_than_waiting():
    me = moving(0, 1, max_speed=3, max_force=9)
    quarry = moving(4, 1j, max_speed=2.5, max_force=9)

    def run(quarry, menace):
        return evade(quarry, menace, closing, linear, math.inf)

    assert chase(pursue, run, me, quarry) > 2 * chase(pursue, keep_on, me, quarry)


@pytest.mark.parametrize("angle", [0, 20, 45, 80])
def test_who_avoids_walls_stays_inside(angle):
    heading = cmath.exp(1j * math.radians(angle))
    me = moving(0, 3 * heading, max_speed=3, max_force=12)
    for _ in range(1200):
        force = 8 * avoid_walls(me, 10.0, 3.0) + wander(me, 1 + 0j, 2.0, 1.2)
        me = advance(me, force, 1 / 60)
        assert max(abs(me.position.real), abs(me.position.imag)) < 10.0


@pytest.mark.parametrize("start", [-2 - 6j, 3 + 5j, 9 + 0j])
def test_interpose_stays_between_two_movers(start):
    one, two = moving(-4, 1 + 0.3j, max_speed=1.5), moving(4 + 2j, -0.5 + 1j, max_speed=1.5)
    me = vehicle(start, max_speed=3, max_force=30)
    for step in range(900):
        force = 6 * interpose(me, one, two, 0.3)
        one = advance(one, 0.4j * one.velocity, 1 / 60)
        two = advance(two, -0.5j * two.velocity, 1 / 60)
        me = advance(me, force, 1 / 60)
        along = (me.position - one.position) / (two.position - one.position)
        if step > 240:
            assert 0.3 < along.real < 0.7
            assert abs(along.imag) * abs(two.position - one.position) < 0.4


def sees(hunter, prey, rocks):
    way = prey - hunter
    for center, radius in rocks.tolist():
        share = ((center - hunter) / way).real
        if abs(hunter + min(max(share, 0.0), 1.0) * way - center) < radius:
            return False
    return True


@pytest.mark.parametrize("seed", range(5))
def test_hide_breaks_the_line_of_sight_to_the_hunter(seed):
    draw = np.random.default_rng(seed)
    places = [complex(*draw.uniform(-6, 6, 2)) for _ in range(3)]
    rocks = np.array([(place, 1.5) for place in places], OBSTACLE)
    hunter = moving(-12, 1, max_speed=1, max_force=10)
    me = vehicle(complex(*draw.uniform(-8, 8, 2)), max_speed=3, max_force=30)
    for step in range(900):
        force = 6 * hide(me, hunter, rocks, 1.0, 0.3)
        hunter = advance(hunter, 0.15j * hunter.velocity, 1 / 60)
        me = advance(me, force, 1 / 60)
        if step > 300:
            assert not sees(hunter.position, me.position, rocks)
