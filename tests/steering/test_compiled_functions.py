"""Compiled code gets what Python gets, for each public function."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from steering.test_invariants import CASES, SQUARE_CASES, make_scene
from steering.vehicles import vehicle

pytestmark = pytest.mark.weekly

ANGLES = np.exp(1j * np.arange(40.0))


SPEEDS = (0.0, 0.5, 1.0, 3.0, 2.9)


def make_scenes(count=60):
    """Scenes with vehicles that stand, meet, coincide, and move anywhere."""
    draw = np.random.default_rng(3)

    def body():
        heading = complex(draw.choice(ANGLES))
        place, change = draw.uniform(-8, 8, 2) @ (1, 1j), draw.uniform(-3, 3, 2) @ (1, 1j)
        velocity = heading * float(draw.choice(SPEEDS))
        return vehicle(place, velocity, heading, 3.0, 9.0, change)

    scenes = []
    for number in range(count):
        me, other, third = body(), body(), body()
        if number % 6 == 0:
            other = other._replace(position=me.position)
        vector, own = (complex(*draw.normal(size=2)) * (number % 5) for _ in range(2))
        side, share = float(draw.uniform(-1, 1)), float(draw.choice([0.0, 1.0, draw.random()]))
        reach = float(draw.choice([np.inf, 1.0, 4.0, 9.0]))
        scenes.append(make_scene(me, other, third, vector, own, side, share, reach))
    return scenes


SCENES = make_scenes()


NOT_COMPILED = {"advance", "assignment", "Blend"}  # they make objects, and explain


CALLS = [
    pytest.param(call, id=name)
    for group in (*CASES.values(), *SQUARE_CASES.values())
    for name, call in group.items()
    if name not in NOT_COMPILED
]


@pytest.mark.compiled
@pytest.mark.parametrize("call", CALLS)
def test_compiled_code_gets_what_python_gets(call):
    in_machine_code = numba.njit(call, error_model="numpy")
    for scene in SCENES:
        plain, machine = call(scene), in_machine_code(scene)
        assert machine == pytest.approx(plain, rel=1e-12, abs=1e-12, nan_ok=True), scene
