"""No finite input of extreme numbers gives NaN."""

from __future__ import annotations

import cmath
import functools
import math

import numpy as np
import pytest

from steer_env.machine_code.marking import IS_PLAIN
from steer_env.steering import OBSTACLE, VEHICLE, Vehicle
from steering.test_invariants import CASES, SQUARE_CASES, Scene, flat, make_scene

pytestmark = pytest.mark.weekly

COUNT = 2_000 if IS_PLAIN else 100_000


EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -3.0, 1e6, -1e6, 1e-9, -1e-9, 1e-160, -1e-160]


DRAW = np.random.default_rng(0)


def random_numbers():
    numbers = DRAW.normal(size=COUNT) * 10.0 ** DRAW.uniform(-3, 3, COUNT)
    return np.where(DRAW.random(COUNT) < 0.6, DRAW.choice(EDGES, COUNT), numbers)


def some_repeated(values, share=0.2):
    """Every fifth value again in the next vehicle: coincident, equally fast, facing alike."""
    again = DRAW.random(COUNT) < share
    return np.where(again, np.roll(values, 1), values)


def random_vectors():
    return some_repeated(random_numbers() + 1j * random_numbers())


def random_headings(velocities):
    speeds = np.abs(velocities)
    along = np.divide(velocities, speeds, where=speeds > 0, out=np.ones(COUNT, complex))
    any_way = np.exp(1j * DRAW.uniform(-math.pi, math.pi, COUNT))
    axis = DRAW.choice([1, -1, 1j, -1j], COUNT)
    headings = np.choose(DRAW.integers(0, 3, COUNT), [along, any_way, axis])
    return np.where(DRAW.random(COUNT) < 0.1, -np.roll(headings, 1), headings)


@functools.cache
def edge_scenes():
    velocities, positions = random_vectors(), random_vectors()
    fleet = np.zeros(COUNT, VEHICLE)
    fleet["position"], fleet["velocity"] = positions, velocities
    fleet["heading"], fleet["acceleration"] = random_headings(velocities), random_vectors()
    tops = np.where(DRAW.random(COUNT) < 0.3, np.abs(velocities), np.abs(random_numbers()))
    fleet["max_speed"], fleet["max_force"] = some_repeated(tops), np.abs(random_numbers())
    fleet["mass"] = DRAW.choice([1e-9, 1.0, 70.0, 1e6], COUNT)
    fleet["radius"] = np.abs(random_numbers())
    rocks = np.zeros(COUNT, OBSTACLE)
    rocks["center"], rocks["radius"] = np.roll(positions, 1), np.abs(random_numbers())
    bodies = [Vehicle(*record) for record in fleet.tolist()]
    points = random_vectors()
    more = [list(map(complex, random_vectors())) for _ in range(2)]
    sides, shares = DRAW.uniform(-1, 1, COUNT).tolist(), DRAW.random(COUNT)
    shares = np.where(DRAW.random(COUNT) < 0.2, DRAW.choice([0.0, 1.0, 1e-9], COUNT), shares)
    reach = DRAW.choice([0.0, 1e6, 1.0, math.inf], COUNT).tolist()
    columns = (*more, sides, shares.tolist(), reach)
    return [
        Scene(
            *(bodies[i], bodies[i - 1], bodies[i - 2]),
            *(fleet[i : i + i % 4], rocks[i : i + i % 4], points[i : i + 1 + i % 4]),
            *(column[i] for column in columns),
        )
        for i in range(COUNT - 4)
    ] + [make_scene(*bodies[:3], 0j, 0j, 0.0, 0.0, 0.0)] * 4


@pytest.mark.parametrize(("kind", "call"), flat(CASES) + flat(SQUARE_CASES))
def test_no_input_gives_nan(kind, call):
    # Equally fast, two vehicles have a line in place of Apollonius' circle: that is infinite.
    is_line = "apollonius_circle" in call.__code__.co_names
    is_good = (lambda number: not cmath.isnan(number)) if is_line else cmath.isfinite
    for scene in edge_scenes():
        if not is_good(call(scene)):
            pytest.fail(f"{call(scene)} for {scene}")
