"""Simple motion, drag and reach-avoid: values by other derivations, invariants and edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.solved import drag, simple
from steer_env.solved.reach_avoid import barrier, value
from steer_env.steering.targets import Target, disc, half_plane

places = st.builds(complex, st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))


def by_circle(attacker: complex, defender: complex, nu: float, target: complex) -> float:
    """The value for a point and l = 0 by the circle of Apollonius, or the bisector."""
    if nu == 1.0:
        middle, normal = 0.5 * (attacker + defender), defender - attacker
        far = ((target - middle) * (normal / abs(normal)).conjugate()).real
        return max(0.0, far)
    center = (attacker - nu**2 * defender) / (1.0 - nu**2)
    radius = nu * abs(attacker - defender) / (1.0 - nu**2)
    return max(0.0, abs(target - center) - radius)


@given(places, places, st.one_of(st.floats(0.05, 0.95), st.just(1.0)), places)
def test_points_by_the_circle_of_apollonius(attacker, defender, nu, target):
    if abs(attacker - defender) < 1e-2:
        return
    expected = by_circle(attacker, defender, nu, target)
    assert value(attacker, defender, nu, target=target) == pytest.approx(expected, abs=1e-9)


def test_states_by_hand():
    # On one line, the defender in between: the attacker makes nu / (1 + nu) of the gap.
    assert value(4.0, 1.0, 0.5) == pytest.approx(3.0)
    # With a capture radius of 0.3 only 2.7 m are left of the gap.
    assert value(4.0, 1.0, 0.5, 0.3) == pytest.approx(4.0 - 0.9)
    # The attacker in between: caught after 3 s * nu / (1 - nu).
    assert value(5.0, 8.0, 0.5) == pytest.approx(2.0)
    assert value(5.0, 8.0, 0.5, 0.5) == pytest.approx(2.5)
    # Equally fast: the bisector. The attacker runs to (0, 0.5) of it.
    assert value(-1.0 + 0.5j, 1.0 + 0.5j, 1.0, target=0.6 + 0.5j) == pytest.approx(0.6)
    # A disc is its radius nearer, and a line takes the foot of the perpendicular.
    assert value(4.0, 1.0, 0.5, target=disc(0j, 0.75)) == pytest.approx(2.25)
    line = half_plane(-1.0 + 0j, 1.0 + 0j)
    assert value(4.0 + 2j, 4.0 - 2j, 1.0, target=line) == 0.0
    assert value(4.0, 1.0, 0.5, target=line) == pytest.approx(4.0)


def test_the_edges_of_the_game():
    assert value(3.0, 3.1, 0.5, 0.2) == 3.0  # caught
    assert value(3.0, 3.0, 0.5) == 3.0  # on each other
    assert value(0.3, 0.4, 0.5, 0.2, disc(0j, 1.0)) == 0.0  # in the target, though caught
    assert value(0.0, 5.0, 0.5) == 0.0
    assert value(5.0, 0.0, 1e-6) == pytest.approx(5.0, abs=1e-4)


@given(
    places, places, st.floats(0.1, 1.0), st.floats(0.0, 0.8), st.floats(-math.pi, math.pi),
    st.floats(0.1, 10.0),
)  # fmt: skip
def test_turned_mirrored_moved_and_scaled(attacker, defender, nu, share, angle, size):
    radius = share * abs(attacker - defender)
    spin, target = complex(math.cos(angle), math.sin(angle)), 1.0 - 0.5j
    known = value(attacker, defender, nu, radius, target)
    near = {"abs": 1e-8 * size + 1e-8}

    def moved(place: complex) -> complex:
        return size * spin * place + 2.0 + 1j

    found = value(moved(attacker), moved(defender), nu, size * radius, moved(target))
    assert found == pytest.approx(size * known, **near)
    mirrored = (place.conjugate() for place in (attacker, defender))
    assert value(*mirrored, nu, radius, target.conjugate()) == pytest.approx(known, **near)


@given(places, places, st.floats(0.1, 0.95), st.floats(0.0, 0.3))
def test_isaacs_equation(attacker, defender, nu, radius):
    """Whatever one does, the other can hold it to V."""
    target = disc(0j, 0.3)
    now = value(attacker, defender, nu, radius, target)
    if abs(attacker - defender) < radius + 0.5 or now < 0.1:
        return
    dt = 1e-4
    steps = dt * np.exp(2j * np.pi * np.arange(180) / 180)
    then = value((attacker + nu * steps)[:, None], defender + steps, nu, radius, target)
    assert then.max(axis=1).min() == pytest.approx(now, abs=3e-7 + 2e-4 * dt)
    assert then.min(axis=0).max() == pytest.approx(now, abs=3e-7 + 2e-4 * dt)


def test_the_barrier_is_where_the_value_begins():
    for target in (0.2 + 0.1j, disc(0.2 + 0.1j, 0.5), half_plane(-0.5 + 0j, 0.6 + 0.8j)):
        for radius in (0.0, 0.2):
            line = barrier(1.5 + 1j, 0.7, radius, target)
            assert np.abs(value(line, 1.5 + 1j, 0.7, radius, target)).max() < 1e-12
            center = target.center if isinstance(target, Target) else target
            out = line - center
            if isinstance(target, Target) and target.is_half_plane:
                out = np.full(len(line), target.direction)
            beyond = value(line + 1e-3 * out / np.abs(out), 1.5 + 1j, 0.7, radius, target)
            assert beyond.min() > 1e-5
    assert len(barrier(0.5 + 0j, 0.7, 0.6)) == 0  # the defender is on the spot


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
