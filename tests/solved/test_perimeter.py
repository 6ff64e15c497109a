"""Perimeter defense: the formula against search, integration and Isaacs' equation."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.solved.perimeter import arc_to, barrier, breach_point, margin, value

SPEEDS = (1e-6, 0.1, 0.5, 0.8, 1.0 - 1e-9, 1.0)


def states(count, seed=0):
    """Random places of the attacker and the defender, and ratios of the speeds."""
    rng = np.random.default_rng(seed)
    azimuth, rim = rng.uniform(-math.pi, math.pi, (2, count))
    r = 1.0 + rng.exponential(1.0, count)
    return r * np.exp(1j * azimuth), np.exp(1j * rim), rng.uniform(0.05, 1.0, count)


@pytest.mark.parametrize(
    ("r", "theta", "nu", "expected"),
    [
        (1.0, 1.2, 0.3, 1.2),  # on the rim
        (1.0, math.pi, 1.0, math.pi),
        (2.0, math.pi / 2, 1.0, math.pi / 2 + math.pi / 3 - math.sqrt(3.0)),
        (math.sqrt(2.0), math.pi, 1.0, 1.25 * math.pi - 1.0),
        # phi = pi/3 - pi/6, s = 3/2 - 1/2.
        (math.sqrt(3.0), 2.0, math.sqrt(0.75), 2.0 + math.pi / 6 - 2.0 / math.sqrt(3.0)),
        (1.0, 0.0, 0.5, 0.0),
        (2.0, 0.0, 1.0, math.pi / 3 - math.sqrt(3.0)),  # at its azimuth
        (1e9, 2.0, 1.0, 2.0 + math.pi / 2 - 1e9),  # far away
        (1.5, 3.0, 1e-6, 3.0 - 0.5e6),  # slow: straight to the rim
    ],
)
def test_figures_by_hand(r, theta, nu, expected):
    for side in (1.0, -1.0):
        found = margin(cmath.rect(r, side * theta), 1.0, nu)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert value(cmath.rect(r, side * theta), 1.0, nu) == max(0.0, found)
    assert value(1j - 1e-12j, 1.0, 1.0) == math.pi / 2  # in the disc by rounding


def test_no_breach_point_is_better():
    """Of all that the attacker sees, and of those on the other side."""
    attacker, defender, nu = states(100)
    r, theta = np.abs(attacker), np.abs(np.angle(attacker / defender))
    share = np.linspace(-1.0, 1.0, 4001)[:, None]
    phi = share * np.arccos(1.0 / r)
    s = np.abs(r - np.exp(1j * phi))
    late = (theta + phi - s / nu).max(axis=0)
    found = margin(attacker, defender, nu)
    assert np.all(found >= late - 1e-12)
    assert np.all(found <= late + 2e-5)


def test_isaacs_equation_holds():
    """Except on the rim, at the defender and opposite to it, where the margin has kinks."""
    attacker, defender, nu = states(2000)
    theta = np.abs(np.angle(attacker / defender))
    smooth = (np.abs(attacker) > 1.01) & (theta > 0.01) & (theta < math.pi - 0.01)
    attacker, defender, nu = attacker[smooth], defender[smooth], nu[smooth]
    h = 1e-6

    def slope(step, turn=1.0):
        high = margin(attacker + h * step, defender * turn, nu)
        return (high - margin(attacker - h * step, defender / turn, nu)) / (2.0 * h)

    gradient = np.hypot(slope(1.0), slope(1j))
    run = np.abs(slope(0.0, np.exp(1j * h)))
    assert run == pytest.approx(1.0, abs=1e-8)
    assert nu * gradient == pytest.approx(run, abs=1e-6)


@pytest.mark.parametrize("nu", SPEEDS)
def test_the_barrier_is_where_the_margin_is_0(nu):
    places = barrier(nu, 301)
    assert places.shape == (301,)
    assert np.abs(margin(places, 1.0, nu)).max() < 2e-9
    assert places[0] == 1.0
    assert places[-1].real < -1.0
    assert places[-1].imag == pytest.approx(0.0, abs=1e-12)
    assert np.all(places[1:-1].imag > 0.0)
    assert margin(1.01 * places[1:], 1.0, nu).max() < 0.0
    within = 0.5 * (places + places / np.abs(places))[1:]
    assert np.all((margin(within, 1.0, nu) > 0.0) & (margin(within.conj(), 1.0, nu) > 0.0))


angle = st.floats(-math.pi, math.pi)
ratio = st.floats(1e-3, 1.0)


@given(st.floats(1.0, 50.0), angle, angle, ratio, angle, st.floats(1e-3, 1e3))
def test_the_frame_and_the_unit_do_not_matter(r, azimuth, rim, nu, turn, size):
    attacker, defender = cmath.rect(r, azimuth), cmath.rect(1.0, rim)
    one = pytest.approx(margin(attacker, defender, nu), rel=1e-9, abs=1e-9)
    assert margin(attacker.conjugate(), defender.conjugate(), nu) == one
    turned = cmath.rect(1.0, turn)
    assert margin(attacker * turned, defender * turned, nu) == one
    scaled = margin(attacker * size, defender * size, nu, size)
    assert scaled / size == one


@given(st.floats(1.0, 50.0), angle, angle, ratio, st.floats(1e-3, 1e3))
def test_the_breach_point_is_on_the_rim_and_as_late_as_the_margin(r, azimuth, rim, nu, size):
    attacker, defender = cmath.rect(size * r, azimuth), cmath.rect(size, rim)
    place = breach_point(attacker, defender, nu, size)
    assert abs(place) == pytest.approx(size, rel=1e-12)
    between = abs(cmath.phase(attacker / defender)) + abs(cmath.phase(place / attacker))
    late = size * between - abs(place - attacker) / nu
    assert late == pytest.approx(margin(attacker, defender, nu, size), abs=1e-6 * size)


STARTS = [
    (2 + 0.5j, 1j, 0.3), (1.2 - 1j, 1j, 0.8), (1.4 + 1.4j, -1 + 0j, 0.5),
    (-3 + 1j, 1 + 0j, 0.9), (1 - 0.5j, -1j, 0.2), (0.3 - 1.2j, -1 + 0j, 0.95),
    (-1.5 + 0j, 1 + 0j, 0.7), (-2 + 0j, 1 + 0j, 1.0), (1.3 + 0j, 1 + 0j, 1.0),
    (2j, 1 + 0j, 0.1), (-1.01 + 0j, 1 + 0j, 0.6), (-2 + 0.01j, 1 + 0j, 0.8),
]  # fmt: skip


def test_the_defender_never_runs_beyond_the_breach_point():
    for attacker, defender, nu in STARTS:
        run = arc_to(attacker, defender, nu, 1.0, 99.0)  # the whole way
        place = breach_point(attacker, defender, nu, 1.0)
        assert defender * cmath.exp(1j * run) == pytest.approx(place, abs=1e-12)
        little = arc_to(attacker, defender, nu, 1.0, 1e-3)
        assert 0.0 <= little / math.copysign(1e-3, run) <= 1.0
        for length in (0.1, 1.0, 3.0):  # the radius is the unit
            run = arc_to(attacker, defender, nu, 1.0, length)
            scaled = arc_to(5.0 * attacker, 5.0 * defender, nu, 5.0, 5.0 * length)
            assert scaled == pytest.approx(5.0 * run, abs=1e-12)


def test_play_at_its_edges():
    # A defender in time stops at the attacker's azimuth, here in a disc of radius 2.
    assert arc_to(3 + 0j, 1 + 0j, 0.5, 1.0, 0.1) == 0.0
    for side in (1.0, -1.0):
        attacker = 2.0 * cmath.rect(3.0, 0.05 * side)
        assert arc_to(attacker, 2 + 0j, 0.5, 2.0, 0.3) == pytest.approx(0.1 * side)
    # In line with the center both go counter-clockwise.
    assert breach_point(2 + 0j, 1 + 0j, 0.8, 1.0).imag > 0.0
    assert breach_point(-2 + 0j, 1 + 0j, 0.8, 1.0).imag < 0.0
    assert arc_to(-2 + 0j, 1 + 0j, 0.8, 1.0, 0.1) == 0.1
    # An attacker in the disc counts as one on the rim.
    assert breach_point(0.9j, 1 + 0j, 1.0, 1.0) == 1j
    assert arc_to(0.9j, 1 + 0j, 1.0, 1.0, 9.0) == math.pi / 2


@pytest.mark.compiled
def test_compiled_and_plain_python_give_the_same_bits():
    import numba

    both = numba.njit(lambda *at: (breach_point(*at), arc_to(*at, 0.1)))
    for attacker, defender, nu in STARTS:
        at = attacker, defender, nu, 1.0
        assert both(*at) == (breach_point(*at), arc_to(*at, 0.1))
