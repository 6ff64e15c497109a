"""Avoidance takes vehicles through obstacles, and a cornered prey stays inside."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from steer_env.steering import (
    OBSTACLE,
    Blend,
    advance,
    avoid_obstacles,
    avoid_walls,
    closing,
    evade,
    linear,
    seek,
)
from steering.vehicles import moving, vehicle

pytestmark = pytest.mark.weekly

HALF = 15.0


def random_rocks(draw, count=12):
    rocks = []
    while len(rocks) < count:
        center, radius = complex(*draw.uniform(3 - HALF, HALF - 3, 2)), draw.uniform(0.7, 2.0)
        apart = [abs(center - other) - radius - size for other, size in rocks]
        if min([abs(center + 12) - radius - 1.5, *apart]) > 0.5 + 1.0:
            rocks.append((center, radius))
    return np.array(rocks, OBSTACLE)


def clearance(me, rocks):
    return float(np.min(np.abs(rocks["center"] - me.position) - rocks["radius"])) - me.radius


def fly_through_rocks(drive, scenes=200, dt=1 / 30):
    """In how many scenes it hits a rock, its deepest overlap, and how often it arrives."""
    draw = np.random.default_rng(0)
    hit, deepest, arrived = 0, 0.0, 0
    for _ in range(scenes):
        rocks, target = random_rocks(draw), 0j
        while clearance(vehicle(target), rocks) < 1.0:
            target = complex(*draw.uniform(2 - HALF, HALF - 2, 2))
        me = moving(-12, 3 * (target + 12) / abs(target + 12), max_speed=3, max_force=15)
        least = math.inf
        for _ in range(600):
            me = advance(me, drive(me, obstacles=rocks, target=target), dt)
            least = min(least, clearance(me, rocks))
            assert max(abs(me.position.real), abs(me.position.imag)) < HALF
            if abs(me.position - target) < 0.5:
                arrived += 1
                break
        hit += least < 0.0
        deepest = max(deepest, -least)
    return hit, deepest, arrived


def stay_inside(me):
    return avoid_walls(me, HALF, 2.0)


def go_round(me, obstacles, berth):
    return avoid_obstacles(me, obstacles, 1.0, berth)


def test_avoidance_takes_a_vehicle_through_200_scenes_of_obstacles():
    def careful(berth):
        dodge = functools.partial(go_round, berth=berth)
        return Blend("budget", [(dodge, 10), (stay_inside, 8), (seek, 1)])

    def blind(me, obstacles, target):
        return seek(me, target)

    hit, deepest, arrived = fly_through_rocks(blind)
    assert (hit > 80, deepest > 2.0, arrived) == (True, True, 200)
    # It steers for where it just misses, and the pull of the target takes it a little nearer.
    _, deepest, arrived = fly_through_rocks(careful(0.0))
    assert (deepest < 0.3, arrived) == (True, 200)  # 0.20 m of a radius of 0.5 m, measured
    # With a berth of 0.3 m it touched none.
    hit, deepest, arrived = fly_through_rocks(careful(0.3))
    assert (hit <= 2, deepest < 0.1, arrived) == (True, True, 200)


def farthest_out(method, hunter, seconds=12.0, dt=1 / 60):
    """How far outside the walls a prey's center gets, that is driven into a corner."""

    def walls(me):
        return avoid_walls(me, 10.0, 2.0)

    def run(me, menace):
        return evade(me, menace, closing, linear, math.inf)

    blend = Blend(method, [(walls, 8), (run, 4)])
    prey, outside = vehicle(7 + 7j, max_speed=3, max_force=12), -math.inf
    for _ in range(round(seconds / dt)):
        force = blend(prey, menace=hunter)
        hunter = advance(hunter, seek(hunter, prey.position), dt)
        prey = advance(prey, force, dt)
        outside = max(outside, abs(prey.position.real) - 10, abs(prey.position.imag) - 10)
    return outside


@pytest.mark.parametrize("place", [0j, 2 - 3j, -5 + 1j, 6j])
def test_budget_keeps_a_cornered_prey_inside_where_the_plain_sum_does_not(place):
    hunter = vehicle(place, max_speed=2.5, max_force=12)
    assert farthest_out("sum", hunter) > 0.2
    assert farthest_out("budget", hunter) < -0.1
