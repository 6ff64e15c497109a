"""The two games whose value fits into a line: figures of derivations, limits, edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.solved import drag, simple

MISSES = [  # by an independent derivation, to five digits
    (((10, 0), (0, 1), 4, 1, 0.6, 0), 7.57033),
    (((10, 0), (-1, 0.5), 5, 1, 0.5, 0.2), 2.42110),
    (((5, 5), (-1, -1), 3, 1, 0.8, 0.5), 4.29524),
    (((3, 0), (0, 2), 3, 0.5, 1, 0.3), 6.66820),
]


def test_misses():
    r, v, *numbers = (np.array(column, float) for column in zip(*(g for g, _ in MISSES)))
    found = drag.miss(r, v, *numbers)
    np.testing.assert_allclose(found, [value for _, value in MISSES], atol=5e-6)
    # A strong pursuer reaches a near evader.
    assert drag.miss((1.0, 0.0), (0.0, 0.0), 4.0, 1.0, 0.5, 0.0) == 0.0
    assert drag.miss((0.0, 0.0), (0.0, 0.0), 4.0, 0.5, 1.0, 0.0) == 0.5 * 16 / 2


@pytest.mark.parametrize("k", [0.0, 1e-12, 1e-6, 3e-3, 3.4e-3, 0.1, 2.0, 300.0])
def test_coasting_solves_its_differential_equation(k):
    """The derivative of psi is exp(-k t), that of Psi is psi."""
    t, h = 3.0, 1e-4
    (low, first, high), (low_sum, _, high_sum) = drag.coasting([t - h, t, t + h], k)
    assert (high - low) / (2 * h) == pytest.approx(math.exp(-k * t), abs=1e-7)
    assert (high_sum - low_sum) / (2 * h) == pytest.approx(first, rel=1e-7)
    assert drag.coasting(0.0, k) == (0.0, 0.0)


numbers = st.floats(-20.0, 20.0)


@given(numbers, numbers, numbers, numbers, st.floats(0, 2 * math.pi), st.floats(0, 2))
def test_misses_do_not_depend_on_the_frame(x, y, vx, vy, angle, k):
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    r, v = np.array([x, y]), np.array([vx, vy])
    one = drag.miss(r, v, 3.0, 1.0, 0.7, k)
    assert drag.miss(turn @ r, turn @ v, 3.0, 1.0, 0.7, k) == pytest.approx(one, abs=1e-9)
    assert drag.miss(r * (1, -1), v * (1, -1), 3.0, 1.0, 0.7, k) == pytest.approx(one)


def test_simple_motion():
    assert simple.value(10.0, 2.0, 1.0, 0.5) == 9.5
    assert simple.value(10.0, 1.0, 1.0, 0.5) == math.inf
    assert simple.value(10.0, 1.0, 2.0, 0.5) == math.inf
    assert simple.value(0.4, 1.0, 2.0, 0.5) == 0.0
    assert simple.value(0.0, 0.0, 0.0, 0.0) == 0.0
    found = simple.value([1.0, 2.0], 1.0, [[0.0], [0.5]], 0.0)
    np.testing.assert_allclose(found, [[1, 2], [2, 4]])


def test_pushes_go_along_the_miss_and_do_not_overshoot():
    assert drag.push(3 + 4j, 1j, 2.0, 0.0) == pytest.approx(1.2 + 1.6j)
    assert drag.push(0j, 1j, 2.0, 0.0) == 2j  # there is none: straight on
    assert drag.push(3 + 4j, 1j, 2.0, 10.0) == pytest.approx(0.3 + 0.4j)
    assert drag.push(3 + 4j, 1j, 2.0, 1.0) == pytest.approx(1.2 + 1.6j)


def test_both_choose_the_line_of_sight():
    assert simple.velocity(3 + 4j, 1j, 2.0) == pytest.approx(1.2 + 1.6j)
    assert simple.velocity(0j, 1j, 2.0) == 2j
