"""Sines, cosines and angles against mpmath, their symmetries, and the same bits compiled."""

import itertools
import json
import math
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from steer_env.steering import angle_of, direction
from steer_env.steering.trigonometry import LARGEST_ANGLE

# By mpmath to 60 digits: the nearest double, and what is missing in units of its last place.
# Angles are eighths of turns and their neighbors, the 100 floats up to 2**20 that are nearest
# to quarter turns, powers of 2 and random ones. Vectors have slopes of quarters and their
# neighbors, powers of 2 and random ones, at random lengths and in all quadrants.
FIGURES = json.loads((Path(__file__).parent.parent / "data/trigonometry.json").read_text())
MOST = 0.6  # units in the last place; the best there can be is 0.5

angles = st.floats(-LARGEST_ANGLE, LARGEST_ANGLE)
lengths = st.floats(-1e300, 1e300)
INFINITE = (math.inf, -math.inf, math.nan)


def error(found, nearest, missing):
    """In units in the last place of the figure."""
    return abs((found - nearest) / math.ulp(nearest) - missing)


def is_same(one, other):
    """True if two numbers are equal to the bit, the sign of zero included, or both nan."""
    return math.copysign(1.0, one) == math.copysign(1.0, other) and one == other


def test_directions_and_angles_are_those_of_mpmath():
    for angle, *figures in FIGURES["directions"]:
        found = direction(angle)
        assert error(found.real, *figures[:2]) < MOST, angle
        assert error(found.imag, *figures[2:]) < MOST, angle
    for x, y, *figures in FIGURES["angles"]:
        assert error(angle_of(complex(x, y)), *figures) < MOST, (x, y)


@given(angle=angles, x=lengths, y=lengths)
def test_mirrored_vectors_have_opposite_angles(angle, x, y):
    one, other = direction(angle), direction(-angle)
    assert is_same(one.real, other.real)
    assert is_same(one.imag, -other.imag)
    assert is_same(angle_of(complex(x, y)), -angle_of(complex(x, -y)))


@given(x=lengths, y=lengths, power=st.integers(-30, 2))
def test_the_angle_does_not_depend_on_the_length(x, y, power):
    scaled = complex(x * 2.0**power, y * 2.0**power)
    assume(scaled * 2.0**-power == complex(x, y))  # no bits are lost to underflow
    assert angle_of(complex(x, y)) == angle_of(scaled)


@pytest.mark.parametrize(("x", "y"), [(1e147, 1e-132), (1.3e-120, 1.7e-309), (9e300, 7e-7)])
def test_a_very_short_component_keeps_its_bits(x, y):
    assert angle_of(complex(x, y)) == y / x


@given(angle=st.floats(-math.pi, math.pi))
def test_the_angle_of_a_direction_is_the_angle(angle):
    assert angle_of(direction(angle)) == pytest.approx(angle, rel=1e-15, abs=1e-300)


def test_what_is_exact_is_exact():
    assert direction(0.0) == 1
    assert is_same(direction(-0.0).imag, -0.0)
    assert direction(5e-324) == complex(1.0, 5e-324)
    tau = 2.0 * math.pi
    known = {1: 0.0, 1 + 1j: tau / 8, 1j: tau / 4, -1 + 1j: 3 * tau / 8, -1: tau / 2}
    for vector, angle in known.items():
        for length in (1e-320, 1e-160, 1.0, 2.5, 1e300):
            long = complex(vector * length)
            assert angle_of(long) == angle
            assert angle_of(long.conjugate()) == -angle
    for zero in (0.0, -0.0):
        assert is_same(angle_of(complex(zero, 0.0)), 0.0)
        assert is_same(angle_of(complex(zero, -0.0)), -0.0)
    assert is_same(angle_of(complex(2.0, -0.0)), -0.0)
    assert angle_of(complex(-2.0, -0.0)) == -math.pi


def test_what_is_out_of_range_is_nan():
    for number in (*INFINITE, math.nextafter(LARGEST_ANGLE, math.inf), -1e300):
        assert math.isnan(direction(number).real)
        assert math.isnan(direction(number).imag)
    for number, other in itertools.product(INFINITE, (0.0, 1.0, *INFINITE)):
        assert math.isnan(angle_of(complex(number, other)))
        assert math.isnan(angle_of(complex(other, number)))


@numba.njit(error_model="numpy")
def fill(angles, xs, ys):
    for k in range(len(angles)):
        turned = direction(angles[k])
        xs[k], ys[k] = turned.real, turned.imag


@numba.njit(error_model="numpy")
def fill_angles(xs, ys, angles):
    for k in range(len(angles)):
        angles[k] = angle_of(complex(xs[k], ys[k]))


@pytest.mark.compiled
def test_compiled_loops_have_the_same_bits():
    """The processor's vector instructions included; a product fused with a sum would differ."""
    given = np.array([row[0] for row in FIGURES["directions"]] + [-0.0, 2e6, *INFINITE])
    xs, ys = np.empty((2, len(given)))
    fill(given, xs, ys)
    plain = [direction(angle) for angle in given.tolist()]
    np.testing.assert_array_equal(xs, [vector.real for vector in plain])
    np.testing.assert_array_equal(ys, [vector.imag for vector in plain])
    rows = [row[:2] for row in FIGURES["angles"]]
    rows += [(x, y) for x in (0.0, -0.0, 1.0, *INFINITE) for y in (0.0, -0.0, 1.0, *INFINITE)]
    xs, ys = np.array(rows).T.copy()
    found = np.empty(len(xs))
    fill_angles(xs, ys, found)
    plain = [angle_of(complex(x, y)) for x, y in rows]
    np.testing.assert_array_equal(found, plain)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(plain))
