"""Plane vectors as complex numbers.

The vector (x, y) is the complex number ``x + iy``; a position is in meters, forward is +x and
left is +y, angles are in radians and counter-clockwise. Multiplication by a unit vector ``h``
turns a vector from the frame of a vehicle with heading ``h`` (x forward, y left) into the
world's frame, and by ``h.conjugate()`` back.

Lengths are plain square roots of sums of squares: a vector shorter than 1e-150 counts
as zero, and one longer than 1e150 is out of range.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steer_env.errors import InvalidType, InvalidValue, got
from steer_env.machine_code.marking import when_compiled
from steer_env.steering.compilation import compiled

TINY = 1e-150
"""A divisor that stands in for zero: dividing by it gives a huge number, never NaN."""


@compiled
def norm(vector: complex) -> float:
    """The length of a vector, |z|.

    Example:
        >>> norm(3 + 4j)
        5.0
    """
    return math.sqrt(vector.real * vector.real + vector.imag * vector.imag)


@compiled
def unit(vector: complex) -> complex:
    """The vector of length 1 in the same direction, z/|z|, or 0 for zero.

    Example:
        >>> unit(2j), unit(0j)
        (1j, 0j)
    """
    return scale(vector, 1.0 / max(norm(vector), TINY))


@compiled
def truncate(vector: complex, limit: float) -> complex:
    """The vector, shortened to length ``limit`` (not negative) if it is longer.

    Example:
        >>> truncate(8j, 5.0), truncate(1j, 5.0)
        (5j, 1j)
    """
    if dot(vector, vector) <= limit * limit:
        return vector
    return scale(unit(vector), limit)


@compiled
def scale(vector: complex, factor: float) -> complex:
    """The vector times a real number, without the products by an imaginary zero.

    Example:
        >>> scale(1 + 2j, 3.0)
        (3+6j)
    """
    return complex(vector.real * factor, vector.imag * factor)


@compiled
def dot(a: complex, b: complex) -> float:
    """The scalar product |a| |b| cos(angle from a to b).

    Example:
        >>> dot(1 + 2j, 3 + 1j)
        5.0
    """
    return a.real * b.real + a.imag * b.imag


@compiled
def cross(a: complex, b: complex) -> float:
    """The signed area |a| |b| sin(angle from a to b): positive if b is to the left.

    Example:
        >>> cross(1 + 0j, 1 + 2j)
        2.0
    """
    return a.real * b.imag - a.imag * b.real


@compiled
def left(vector: complex) -> complex:
    """The vector turned a quarter to the left (counter-clockwise).

    Example:
        >>> left(2 + 1j)
        (-1+2j)
    """
    return complex(-vector.imag, vector.real)


def _check_half_size(half_size: float) -> None:
    if isinstance(half_size, bool | np.bool_):
        raise InvalidType(f"half_size must be a number of meters, {got(half_size)}")
    if not half_size >= 0.0:
        raise InvalidValue(f"half_size must be at least 0 meters, got {half_size!r}")


@when_compiled(_check_half_size)
def _trust_half_size(half_size: Any) -> Any:
    # A check would keep the compiler from vector instructions; `Game` has made it.
    return lambda half_size: None


@compiled
def clamp_to_square(point: complex, half_size: float) -> complex:
    """The nearest point inside the square |x|, |y| <= half_size.

    Raises:
        InvalidType: if half_size is a bool (compiled code checks neither).
        InvalidValue: if it is negative or nan.

    Example:
        >>> clamp_to_square(3 - 9j, 5.0)
        (3-5j)
    """
    _check_half_size(half_size)
    return complex(
        min(max(point.real, -half_size), half_size), min(max(point.imag, -half_size), half_size)
    )


@compiled
def wrap(offset: complex, half_size: float) -> complex:
    """The image of a point or an offset that lies in the square of a torus.

    Example:
        >>> wrap(9 - 6j, 5.0)
        (-1+4j)
    """
    size = 2.0 * half_size
    return complex(
        offset.real - size * math.floor(offset.real / size + 0.5),
        offset.imag - size * math.floor(offset.imag / size + 0.5),
    )


@compiled
def shortest_offset(start: complex, end: complex, period: float = 0.0) -> complex:
    """The vector from one point to another or, on a torus, to its nearest image.

    Example:
        >>> shortest_offset(-9 + 0j, 8 + 1j), shortest_offset(-9 + 0j, 8 + 1j, period=20.0)
        ((17+1j), (-3+1j))
    """
    return wrap(end - start, 0.5 * period) if period > TINY else end - start
