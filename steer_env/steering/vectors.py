"""Plane vectors as complex numbers.

The vector (x, y) is the complex number ``x + iy``; a position is in meters, forward
is +x and left is +y, angles are in radians and counter-clockwise. What makes this
worth doing is multiplication:

- by ``1j`` it turns a vector a quarter to the left;
- by a unit vector ``h`` it turns a vector from the frame of a vehicle with heading
  ``h`` (x forward, y left) into the world's frame;
- by ``h.conjugate()`` it turns the world's frame into the vehicle's.

Lengths are plain square roots of sums of squares: a vector shorter than 1e-150 counts
as zero, and one longer than 1e150 is out of range.
"""

from __future__ import annotations

import math

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
    """The vector of length 1 in the same direction, z/|z|; zero stays zero.

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


@compiled
def clamp_to_square(point: complex, half_size: float) -> complex:
    """The nearest point inside the square |x|, |y| <= half_size.

    Example:
        >>> clamp_to_square(3 - 9j, 5.0)
        (3-5j)
    """
    return complex(
        min(max(point.real, -half_size), half_size),
        min(max(point.imag, -half_size), half_size),
    )
