"""Laps around closed paths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steer_env.steering import (
    advance,
    follow_path,
    nearest_on_path,
    path_length,
)
from steering.vehicles import moving, vehicle

pytestmark = pytest.mark.weekly

SQUARE = np.array([-5 - 5j, 5 - 5j, 5 + 5j, -5 + 5j])


def around(me, path, seconds, steps=4800, dt=1 / 60):
    """Laps around a closed path; how far off it was after the first quarter of the time."""
    total = path_length(path, True)
    before = nearest_on_path(path, me.position, True)[0]
    travelled, farthest = 0.0, 0.0
    for step in range(steps):
        me = advance(me, follow_path(me, path, 1.0, seconds, True), dt)
        along, nearest = nearest_on_path(path, me.position, True)
        travelled += math.remainder(along - before, total)
        before = along
        if step >= steps // 4:
            farthest = max(farthest, abs(nearest - me.position))
    return travelled / total, farthest


@pytest.mark.parametrize("path", [SQUARE, SQUARE[::-1].copy()], ids=["left", "right"])
@pytest.mark.parametrize("place", [-5j, 1 + 0.5j, 9 + 9j], ids=["on it", "inside", "outside"])
@pytest.mark.parametrize(("speed", "force"), [(3, 9), (4, 8)])
def test_it_goes_around_and_around_near_the_path(path, place, speed, force):
    along = 1 if path is SQUARE else -1  # on the lower side
    me = moving(place, along * speed, max_speed=speed, max_force=force)
    laps, farthest = around(me, path, 1.0)
    assert 0.7 < laps / (speed * 80 / 40) < 1.2
    assert farthest < 1.0 + 0.6


@pytest.mark.parametrize("velocity", [0, -2], ids=["at rest", "the wrong way"])
def test_whoever_starts_in_the_tube_goes_around_too(velocity):
    me = vehicle(-5j, velocity, 1 if velocity == 0 else -1, max_speed=2, max_force=6)
    laps, _ = around(me, SQUARE, 1.0, steps=2400)
    assert laps > 1.0
