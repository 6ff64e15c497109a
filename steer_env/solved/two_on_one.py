"""Several faster pursuers after one evader, in simple motion.

All choose their velocity freely in the open plane: the evader E with the speed nu < 1, every
pursuer P with the speed 1. The first pursuer to come within the distance l ends the game. The
payoff is the time to capture.

**Value.** Pursuer i can be within l of a point x after |x - P| - l, and the evader is there
after |x - E| / nu. Let R be the points that the evader reaches before all of them: the
intersection of the regions of `steer_env.steering.targets`, circles of Apollonius if l = 0. On
a straight way to a point of R it is not caught, and there it can wait. So it takes the point of
R to which the pursuers take longest, and all of them run there:

    V = the largest value over x in R of the least |x - P| - l.

Between pursuers on all sides x can be a place to wait: the center of the circle through three
of them, if it is in R and in their triangle. They come there at once. Elsewhere x is on the
edge of R, and V = |x - E| / nu. Either x is straight away from one pursuer, who decides alone:
V = (|P - E| - l) / (1 - nu). Or x is on the edges of two regions. Then

    |x - E| = nu T,    |x - P| = l + T for both.

Let e and a be the unit vectors to x from E and from each P. If x is farthest, e lies between
the two a: e = s a + s' a' with s, s' >= 0, and s + s' >= 1 since all are unit vectors. If E and
P move by dE and dP, then e . dx = e . dE + nu dT and a . dx = a . dP + dT, so

    dT (s + s' - nu) = e . dE - s a . dP - s' a' . dP'.

The velocities enter as separate terms. The evader makes its own largest along e, each pursuer
along its a, and dT is -1 for a unit of time: T solves Isaacs' equation (with s = 1 and s' = 0
for one alone). V is the largest of such solutions. Where two of them are equal the evader
chooses, and the pursuers answer. (Of three with a center to wait at, whose weights w are above
0 and w a + w' a' + w'' a'' = 0, each shortens the circle's radius by its w, together by 1.) A
pursuer that is not needed for x may run anywhere, for example for x as well.

Sources: R. Isaacs, Differential Games, 1965. P. Hagedorn and J. V. Breakwell, A differential
game with two pursuers and one evader, J. Optim. Theory Appl. 18, 1976. A. Von Moll, D. Casbeer,
E. Garcia, D. Milutinovic and M. Pachter, The multi-pursuer single-evader game, J. Intelligent &
Robotic Systems 96, 2019.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.machine_code.addresses import address_of, column, matrix_at
from steer_env.machine_code.routines import routine
from steer_env.solved.elementwise import Numbers, as_given, broadcast, complex_parts, flat
from steer_env.steering.compilation import compiled
from steer_env.steering.targets import reach_along
from steer_env.steering.vectors import TINY, cross, dot, left, norm, scale, unit

_MOST = 1e12  # of any number: then nothing overflows
_LEAST, _FASTEST = 1e-6, 1.0 - 1e-9  # of nu
_ROUNDING = 1e-9  # share of a distance
_NEWTON_STEPS = 16


def value(evader: Any, pursuers: Any, nu: Any, l: Any = 0.0) -> Any:  # noqa: E741
    """The time to capture under perfect play.

    Args:
        evader: its place, a complex number x + iy, or an array (...).
        pursuers: their places, (..., N) with N from 1 on; their speed is 1.
        nu: the evader's speed, from 1e-6 to 1 - 1e-9; a number or an array (...), as l.
        l: the capture radius, 0 or more.

    Returns:
        Times, 0 within l of a pursuer. A float for one state, else an array.

    Raises:
        InvalidType, InvalidValue: for anything but such numbers, or shapes that do not fit.

    Example:
        >>> round(value(0j, [-1.0, 1.0], 0.6), 9)  # along the bisector; one alone takes 2.5
        1.25
    """
    return as_given(_solve(evader, pursuers, nu, l)[0])


def tie_margin(evader: Any, pursuers: Any, nu: Any, l: Any = 0.0) -> Any:  # noqa: E741
    """The time by which the evader's best way takes longer than the next best one.

    Where it is 0 both are equally good, and the pursuers have to see what the evader does. In
    an engine with steps they see that a step late. It is infinite without another way that is
    the best of those near it. Arguments and errors are those of `value`.
    """
    return as_given(_solve(evader, pursuers, nu, l)[1])


def _solve(evader: Any, pursuers: Any, nu: Any, l: Any) -> tuple[Numbers, Numbers]:  # noqa: E741
    x, y = complex_parts("evader", evader)
    right, up = complex_parts("pursuers", pursuers)
    if right.ndim == 0 or right.shape[-1] == 0:
        raise InvalidValue(f"pursuers must have the shape (..., N), got {right.shape}")
    count = right.shape[-1]
    others: dict[str, Numbers] = {}
    for i in range(count):
        others |= {f"pursuers[{i}].real": right[..., i], f"pursuers[{i}].imag": up[..., i]}
    given = broadcast(
        **{
            name: (numbers, -_MOST, _MOST)
            for name, numbers in {"evader.real": x, "evader.imag": y, **others}.items()
        },
        nu=(nu, _LEAST, _FASTEST),
        l=(l, 0.0, _MOST),
    )
    rows, room = flat(given), np.empty(count, np.complex128)
    found = np.empty((2, *given[0].shape))
    addresses = address_of(rows), address_of(room), address_of(found)
    solve_two_on_one.call(*addresses, count, given[0].size)
    return found[0, ...], found[1, ...]


@routine
def solve_two_on_one(
    rows_at: int, room_at: int, found_at: int, pursuers: int, count: int
) -> None:
    """Writes the value and the tie margin of every state."""
    rows = matrix_at(rows_at, 4 + 2 * pursuers, count, np.float64)
    found = matrix_at(found_at, 2, count, np.float64)
    gaps = column(room_at, 0, pursuers, np.complex128)
    for k in range(count):
        evader = complex(rows[0, k], rows[1, k])
        for i in range(pursuers):
            gaps[i] = complex(rows[2 + 2 * i, k], rows[3 + 2 * i, k])
        nu, l = rows[2 + 2 * pursuers, k], rows[3 + 2 * pursuers, k]  # noqa: E741
        _, best, second = _best_ways(evader, gaps, pursuers, nu, l)
        found[0, k], found[1, k] = best, best - second if second >= 0.0 else math.inf


@compiled
def capture_point(
    evader: complex,
    pursuers: NDArray[np.complex128],
    count: int,
    nu: float,
    l: float,  # noqa: E741
) -> complex:
    """The point for which all run in best play, the evader's own place if it is caught.

    Arguments are those of `value` for one state, with the places of the pursuers in the first
    entries of an array. Of two points that are equally good it is the one found first.
    """
    return evader + _best_ways(evader, pursuers, count, nu, l)[0]


@compiled
def _best_ways(
    evader: complex,
    pursuers: NDArray[np.complex128],
    count: int,
    nu: float,
    l: float,  # noqa: E741
) -> tuple[complex, float, float]:
    """The evader's best way, a vector, its time, and that of the next best, -1 for none."""
    best = 0j, 0.0, -1.0
    for i in range(count):
        if norm(pursuers[i] - evader) <= l:
            return best
    for i in range(count):
        gap = pursuers[i] - evader
        away = unit(-gap)
        way = scale(away, reach_along(gap, away, nu, l))
        if _is_free(way, evader, pursuers, count, nu, l, i, i):
            best = _ranked(best, way, norm(way) / nu)
        for j in range(i + 1, count):
            other = pursuers[j] - evader
            for way in _on_both_edges(gap, other, nu, l):
                is_best = _is_farthest(way, gap, other)
                if is_best and _is_free(way, evader, pursuers, count, nu, l, i, j):
                    best = _ranked(best, way, norm(way) / nu)
            for third in range(j + 1, count):
                way = _center_between(gap, other, pursuers[third] - evader)
                time = norm(way - gap) - l
                if norm(way) < nu * time and _is_nearest(
                    way, time + l, evader, pursuers, count
                ):
                    best = _ranked(best, way, time)
    return best


@compiled
def _ranked(
    best: tuple[complex, float, float], way: complex, time: float
) -> tuple[complex, float, float]:
    """The best way, its time and that of the second best, with one more."""
    first, longest, second = best
    if time > longest * (1.0 + _ROUNDING):
        return way, time, longest if longest > 0.0 else -1.0
    is_other = norm(way - first) > _ROUNDING * time
    return first, longest, max(second, time) if is_other else second


@compiled
def _center_between(one: complex, two: complex, three: complex) -> complex:
    """The center of the circle through three points if it is between them, else a far point."""
    to_two, to_three = two - one, three - one
    double_area = cross(to_two, to_three)
    corners = (
        dot(to_two, to_three),
        dot(one - two, three - two),
        dot(one - three, two - three),
    )
    if abs(double_area) < TINY or min(corners) < 0.0:
        return complex(math.inf, 0.0)
    two_square, three_square = dot(to_two, to_two), dot(to_three, to_three)
    out = scale(left(to_three), -two_square) + scale(left(to_two), three_square)
    return one + scale(out, 0.5 / double_area)


@compiled
def _is_nearest(
    way: complex,
    distance: float,
    evader: complex,
    pursuers: NDArray[np.complex128],
    count: int,
) -> bool:
    """Tests if no pursuer is nearer than a distance to the end of a way."""
    for other in range(count):
        if norm(evader + way - pursuers[other]) < distance * (1.0 - _ROUNDING):
            return False
    return True


@compiled
def _is_free(
    way: complex,
    evader: complex,
    pursuers: NDArray[np.complex128],
    count: int,
    nu: float,
    l: float,  # noqa: E741
    i: int,
    j: int,
) -> bool:
    """Tests if no pursuer but i and j is in time to shorten a way."""
    if way == 0j:
        return False
    length = norm(way)
    for other in range(count):
        if other not in (i, j):
            reach = reach_along(pursuers[other] - evader, unit(way), nu, l)
            if length > reach * (1.0 + _ROUNDING):
                return False
    return True


@compiled
def _is_farthest(way: complex, gap: complex, other: complex) -> bool:
    """Tests if no way near this one is longer: it is between those of the two pursuers."""
    one, two, course = unit(way - gap), unit(way - other), unit(way)
    side = cross(one, two)
    if abs(side) < TINY:
        return dot(one, course) > 0.0
    return cross(one, course) * side >= 0.0 and cross(course, two) * side >= 0.0


@compiled
def _on_both_edges(
    gap: complex,
    other: complex,
    nu: float,
    l: float,  # noqa: E741
) -> tuple[complex, complex]:
    """The two ways that end on the edges of two regions, 0 for none.

    They end on the perpendicular bisector of the pursuers. At the place t along it, with r the
    way's length, k (r**2) + 2 l r / nu + 2 gap . way + l**2 - |gap|**2 is 0 on the edge. This
    is convex in t, and for l > 0 larger than for l = 0, whose solution begins Newton's method.
    """
    across = other - gap
    apart = norm(across)
    if apart < TINY:
        return 0j, 0j
    normal = scale(across, 1.0 / apart)
    along, offset = left(normal), 0.5 * dot(across, gap + other) / apart
    k, slope = 1.0 / (nu * nu) - 1.0, dot(gap, along)
    rest = 2.0 * offset * dot(gap, normal) - dot(gap, gap)
    root = slope * slope - k * (k * offset * offset + rest)
    if root <= 0.0:
        return 0j, 0j
    first = _edge_at((math.sqrt(root) - slope) / k, offset, k, slope, rest, nu, l)
    second = _edge_at(-(math.sqrt(root) + slope) / k, offset, k, slope, rest, nu, l)
    if first != first or second != second:  # nan: the bisector misses the region
        return 0j, 0j
    base = scale(normal, offset)
    return base + scale(along, first), base + scale(along, second)


@compiled
def _edge_at(
    start: float,
    offset: float,
    k: float,
    slope: float,
    rest: float,
    nu: float,
    l: float,  # noqa: E741
) -> float:
    """The place along the bisector where it leaves the region, from a start outside, or nan."""
    t, push, side = start, 2.0 * l / nu, 1.0 if start > -slope / k else -1.0
    for _ in range(_NEWTON_STEPS if l > 0.0 else 0):
        r = math.sqrt(offset * offset + t * t)
        height = k * r * r + push * r + 2.0 * slope * t + l * l + rest
        rate = 2.0 * k * t + push * t / max(r, TINY) + 2.0 * slope
        if rate * side <= 0.0:  # past the least height: it is above 0 all along
            return math.nan
        t -= height / rate
    return t
