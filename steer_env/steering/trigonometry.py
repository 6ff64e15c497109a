"""Sine, cosine and the angle of a vector, the same bits on every machine.

C libraries round differently, and a chase is chaotic. These functions use +, -, *, / and
comparisons on real numbers only, which IEEE 754 fixes to the bit; numba without fastmath never
fuses a product and a sum.

Errors are below 0.6 units in the last place, and 99 of 100 results are correctly rounded. The
polynomials are those of fdlibm (Sun Microsystems 1993; k_sin.c, k_cos.c and s_atan.c); the
reduction is Cody and Waite's (1980), with the constants of fdlibm's e_rem_pio2.c. Where fdlibm
rounds early, a number is split into a head with few bits and a small tail.
"""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY

LARGEST_ANGLE = float(2**20)
"""`direction` of an angle beyond this many radians, either way, is nan."""

# pi / 2 in three parts of 33 bits and a rest: up to 2**20 quarter turns times each is exact.
_QUARTER_1 = 1.57079632673412561417e00
_QUARTER_2 = 6.07710050630396597660e-11
_QUARTER_3 = 2.02226624871116645580e-21
_QUARTER_REST = 8.47842766036889956997e-32

_TO_INTEGERS = 1.5 * 2.0**52
_TO_TWELVE_BITS = 1.5 * 2.0**40

_MINUS_A_SIXTH = -1.66666666666666324348e-01
_FEW_BITS = -43691.0 / 2.0**18  # of a sixth: its product with the cube of 12 bits is exact
_OTHER_BITS = _MINUS_A_SIXTH - _FEW_BITS


@compiled
def direction(angle: float) -> complex:
    """The unit vector exp(i angle) = cos(angle) + i sin(angle).

    The angle is in radians, at most 2**20 either way; beyond, infinite or nan, it gives
    nan + i nan. The opposite angle has exactly the conjugate.

    Example:
        >>> direction(0.0), direction(-0.5) == direction(0.5).conjugate()
        ((1+0j), True)
    """
    size = abs(angle) if abs(angle) <= LARGEST_ANGLE else math.nan
    quarters = _rounded(size * (2.0 / math.pi), _TO_INTEGERS)
    rest, late_1 = _exact_sum(size - quarters * _QUARTER_1, -quarters * _QUARTER_2)
    rest, late_2 = _exact_sum(rest, -quarters * _QUARTER_3)
    rest, late = _exact_sum(rest, late_1 + (late_2 - quarters * _QUARTER_REST))
    cosine, sine = _small_cosine(rest, late), _small_sine(rest, late)
    quadrant = quarters - 4.0 * _rounded(0.25 * quarters, _TO_INTEGERS)  # -2 to 2
    is_odd, is_half = abs(quadrant) == 1.0, abs(quadrant) == 2.0
    x, y = (sine, cosine) if is_odd else (cosine, sine)
    x = -x if quadrant == 1.0 or is_half else x
    y = -y if quadrant == -1.0 or is_half else y
    return complex(x, math.copysign(1.0, angle) * y)


@compiled
def angle_of(vector: complex) -> float:
    """The angle of a vector against the x axis, -pi to pi, positive to the left.

    It has the sign of the imaginary part. It is 0 for zero, and nan for infinite vectors.

    Example:
        >>> angle_of(-2 + 0j) == math.pi, angle_of(1 - 1j) == -math.pi / 4, angle_of(0j)
        (True, True, 0.0)
    """
    size = max(abs(vector.real), abs(vector.imag))
    # So that nothing below overflows or loses bits to underflow, unless the angle itself does.
    factor = 2.0**600 if size < 2.0**300 else 2.0**-600 if size > 2.0**900 else 1.0
    x, y = abs(vector.real) * factor, abs(vector.imag) * factor
    is_steep, is_behind = y > x, vector.real < 0.0
    long, short = (y, x) if is_steep else (x, y)
    # The angle to the nearest of three directions, 1 + i slope, of known angle.
    slope = 0.0 if 4.0 * short <= long else 0.5 if 4.0 * short < 3.0 * long else 1.0
    known = 0.0 if slope == 0.0 else _ARCTAN_HALF if slope == 0.5 else 0.25 * math.pi
    late = 0.0 if slope == 0.0 else _ARCTAN_HALF_LATE if slope == 0.5 else 0.25 * _PI_LATE
    across = short - slope * long  # exact: both are nearly equal, or the slope is 0
    along, along_late = _exact_sum(long, slope * short)
    along = max(along, TINY)
    tangent = across / along
    product, product_late = _exact_product(tangent, along)
    tangent_late = ((across - product) - product_late - tangent * along_late) / along
    late += tangent_late + tangent * _arctan_excess(tangent * tangent)
    # Reflected at the diagonal, then at the y axis.
    half_turns = 0.5 if is_steep else 1.0 if is_behind else 0.0
    sign = -1.0 if is_steep != is_behind else 1.0
    angle, late_1 = _exact_sum(half_turns * math.pi, sign * known)
    angle, late_2 = _exact_sum(angle, sign * tangent)
    angle += late_1 + late_2 + (half_turns * _PI_LATE + sign * late)
    return math.copysign(angle, vector.imag)


_PI_LATE = 1.2246467991473532e-16
_ARCTAN_HALF, _ARCTAN_HALF_LATE = 4.63647609000806093515e-01, 2.26987774529616870924e-17


@compiled
def _rounded(number: float, magnet: float) -> float:
    """A small number rounded to a multiple of u, half to even, by a magnet of 1.5 * 2**52 u."""
    return (number + magnet) - magnet


@compiled
def _exact_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum, and what rounding took from it (Knuth 1969)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


@compiled
def _exact_product(a: float, b: float) -> tuple[float, float]:
    """The rounded product, and what rounding took from it (Dekker 1971)."""
    product = a * b
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    late = (a_high * b_high - product) + a_high * b_low + a_low * b_high
    return product, late + a_low * b_low


@compiled
def _upper_half(number: float) -> float:
    """A number rounded to 26 bits (Veltkamp 1968)."""
    shifted = number * (2.0**27 + 1.0)
    return shifted - (shifted - number)


@compiled
def _small_sine(angle: float, late: float) -> float:
    """The sine of angle + late, an eighth of a turn either way at most."""
    square = angle * angle
    head = _rounded(angle, _TO_TWELVE_BITS)
    tail = angle - head
    cube = head * head * head
    term, term_late = _exact_sum(angle, cube * _FEW_BITS)
    higher = 1.58969099521155010221e-10
    higher = -2.50507602534068634195e-08 + square * higher
    higher = 2.75573137070700676789e-06 + square * higher
    higher = -1.98412698298579493134e-04 + square * higher
    higher = 8.33333333332248946124e-03 + square * higher
    cube_tail = tail * (3.0 * head * angle + tail * tail)  # angle ** 3 - head ** 3
    higher = angle * (square * square * higher)
    low = cube * _OTHER_BITS + cube_tail * _MINUS_A_SIXTH + late * (1.0 - 0.5 * square)
    return term + (term_late + (low + higher))


@compiled
def _small_cosine(angle: float, late: float) -> float:
    """The cosine of angle + late, an eighth of a turn either way at most."""
    square = angle * angle
    head = _rounded(angle, _TO_TWELVE_BITS)
    tail = angle - head
    higher = -1.13596475577881948265e-11
    higher = 2.08757232129817482790e-09 + square * higher
    higher = -2.75573143513906633035e-07 + square * higher
    higher = 2.48015872894767294178e-05 + square * higher
    higher = -1.38888888888741095749e-03 + square * higher
    higher = 4.16666666666666019037e-02 + square * higher
    low = tail * (head + 0.5 * tail) + angle * late
    return (1.0 - 0.5 * head * head) + (square * square * higher - low)


@compiled
def _arctan_excess(square: float) -> float:
    """arctan(x) / x - 1 for the square of x, at most 1/16."""
    even = 1.62858201153657823623e-02
    even = 4.97687799461593236017e-02 + square * square * even
    even = 6.66107313738753120669e-02 + square * square * even
    even = 9.09088713343650656196e-02 + square * square * even
    even = 1.42857142725034663711e-01 + square * square * even
    even = 3.33333333333329318027e-01 + square * square * even
    odd = -3.65315727442169155270e-02
    odd = -5.83357013379057348645e-02 + square * square * odd
    odd = -7.69187620504482999495e-02 + square * square * odd
    odd = -1.11111104054623557880e-01 + square * square * odd
    odd = -1.99999999998764832476e-01 + square * square * odd
    return -square * (even + square * odd)
