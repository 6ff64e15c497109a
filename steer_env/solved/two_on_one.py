"""Two on one: several faster pursuers after one evader, until the first of them catches it.

All choose their velocity freely in the open plane. The pursuers have the speed 1, the evader
has the speed nu < 1 and is caught within the distance l. The time to capture is

    V = max z  with  |x - E| <= nu z  and  |x - P_i| - l >= z for all i,

and the evader runs straight for x. Inside the triangle of three pursuers, near ties, V is a
lower bound (Isaacs 1965; Hagedorn and Breakwell 1976; Von Moll et al. 2019;
docs/game/derivations.md).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from steer_env.errors import InvalidValue
from steer_env.machine_code.addresses import address_of, matrix_at
from steer_env.machine_code.routines import routine
from steer_env.solved.elementwise import LARGEST, Numbers, as_given, broadcast, flat, parts_of
from steer_env.steering.compilation import compiled
from steer_env.steering.targets import reach_along
from steer_env.steering.vectors import cross, dot, left, norm, scale, unit

_LEAST = 1e-6  # of nu, and of 1 - nu
_ROUNDING = 1e-9  # of a point that all who matter reach at the same time, relative
_APART = 1e-4  # of the evader's way: nearer points do not ask for another course
_FLAT = 1e-12  # of the sine of a triangle's angle
_STEPS = 60  # of Newton's method, at a double root


class Chase(NamedTuple):
    """A state of the game, as in `capture_point`."""

    evader: complex
    pursuers: Any
    number: int
    nu: float
    l: float  # noqa: E741


def value(evader: Any, pursuers: Any, nu: Any, l: Any = 0.0) -> Any:  # noqa: E741
    """The time to capture under perfect play.

    With three or more pursuers it is a lower bound, exact where play does not lead to ties.

    Args:
        evader: its place, a complex number x + iy, or an array of them.
        pursuers: their places, complex numbers (..., N) with at least one pursuer along the
            last axis. The other axes broadcast with the other arguments.
        nu: the evader's speed over the pursuers', from 1e-6 to 1 - 1e-6.
        l: the capture radius, 0 or more.

    Returns:
        Times, in units of length over the pursuers' speed. 0 within the capture radius. A float
        for a single state, else an array of the common shape.

    Raises:
        InvalidType, InvalidValue: for anything but such numbers, or shapes that do not fit.

    Example:
        >>> value(0j, [1 + 0j, -1 + 0j], 0.6)
        1.25
    """
    return as_given(_solve(evader, pursuers, nu, l, False)[0])


def tie_margin(evader: Any, pursuers: Any, nu: Any, l: Any = 0.0) -> Any:  # noqa: E741
    """The time that the evader loses if it runs for the second best of its capture points.

    Near 0, pursuers in an engine with steps see its choice a step late. Only local maxima
    count. Infinite without a second one, or if the evader is caught. Arguments and errors
    as in `value`.
    """
    return as_given(_solve(evader, pursuers, nu, l, True)[1])


def _solve(evader: Any, pursuers: Any, nu: Any, l: Any, margins: bool) -> Numbers:  # noqa: E741
    """Times and, with ``margins``, tie margins from the arguments of `value`."""
    ratios = {"nu": (nu, _LEAST, 1.0 - _LEAST), "l": (l, 0.0, LARGEST)}
    x, y, nu, l = broadcast(**parts_of("evader", evader), **ratios)  # noqa: E741
    x_of, y_of = broadcast(**parts_of("pursuers", pursuers))
    if x_of.ndim == 0 or x_of.shape[-1] == 0:
        raise InvalidValue(
            f"pursuers must have the shape (..., N) with N >= 1, got {x_of.shape}"
        )
    try:
        shape = np.broadcast_shapes(x.shape, x_of.shape[:-1])
    except ValueError:
        raise InvalidValue(
            "the shapes must broadcast together, without the last axis of pursuers, got "
            f"pursuers {x_of.shape}, and {x.shape} of the others"
        ) from None
    rows = flat([np.broadcast_to(array, shape) for array in (x, y, nu, l)])
    places = np.empty((*shape, x_of.shape[-1]), np.complex128)
    places.real, places.imag = x_of, y_of
    found = np.full((2, *shape), np.inf)
    sizes = rows.shape[1], x_of.shape[-1], int(margins)
    solve_two_on_one.call(address_of(rows), address_of(places), address_of(found), *sizes)
    return found


@routine
def solve_two_on_one(
    rows_at: int, places_at: int, found_at: int, count: int, pursuers: int, margins: int
) -> None:
    """Writes the time to capture of every state and, with ``margins``, its tie margin."""
    rows = matrix_at(rows_at, 4, count, np.float64)
    places = matrix_at(places_at, count, pursuers, np.complex128)
    found = matrix_at(found_at, 2, count, np.float64)
    for n in range(count):
        evader = complex(rows[0, n], rows[1, n])
        chase = Chase(evader, places[n], pursuers, rows[2, n], rows[3, n])
        time, point = best_point(chase, 0j, 0.0)
        found[0, n] = time
        if margins != 0 and time > 0.0:
            second = best_point(chase, point, _APART * chase.nu * time)[0]
            found[1, n] = time - second if second > 0.0 else math.inf


@compiled
def steady_aim(
    point: complex, evader: complex, pursuers: Any, number: int, step: float
) -> complex:
    """The place to which one of two pursuers runs in an engine with steps.

    It is the capture point, but at a tie an evader that changes sides at every step would have
    both run to and fro. Within a step of the line through both, they move across it in
    proportion.

    Args:
        point: that of `capture_point`.
        evader: its place.
        pursuers: both places.
        number: of the one that runs, 0 or 1.
        step: the length of its steps, in meters.
    """
    first, second = pursuers[0], pursuers[1]
    along = unit(second - first)
    across = left(along)
    is_between = dot(evader - first, along) > 0.0 > dot(evader - second, along)
    late = abs(norm(point - first) - norm(point - second))
    if not is_between or late > _ROUNDING * norm(point - first):
        return point
    way, share = point - pursuers[number], min(abs(dot(evader - first, across)) / step, 1.0)
    return point - scale(across, dot(way, across) * (1.0 - share))


@compiled
def capture_point(evader: complex, pursuers: Any, count: int, nu: float, l: float) -> complex:  # noqa: E741
    """The point for which the evader and all pursuers that matter run.

    The evader may be there early and wait. Ties go to the first pursuers, to the left of the
    way from the first to the second.

    Args:
        evader: its place.
        pursuers: at least ``count`` places, complex numbers.
        count: the number of pursuers, at least 1.
        nu: the evader's speed over the pursuers', above 0 and below 1.
        l: the capture radius, 0 or more.

    Returns:
        The point, or the evader's place if it is caught.
    """
    return evader + best_point(Chase(evader, pursuers, count, nu, l), 0j, 0.0)[1]


@compiled
def best_point(chase: Chase, known: complex, apart: float) -> tuple[float, complex]:
    """The time to capture and the capture point from the evader, 0 if it is caught.

    With ``apart`` above 0, only local maxima count that are farther than that from ``known``.
    """
    evader, pursuers, nu, l = chase.evader, chase.pursuers, chase.nu, chase.l  # noqa: E741
    best = 0.0, 0j, False
    for i in range(chase.number):
        if norm(pursuers[i] - evader) <= l:
            return 0.0, 0j
    for i in range(chase.number):
        gap = pursuers[i] - evader
        best = _better(best, _run(chase, i, i, unit(-gap)), known, apart)
        for j in range(i + 1, chase.number):
            for side in (1.0, -1.0):
                course = course_between(gap, pursuers[j] - evader, nu, l, side)
                best = _better(best, _run(chase, i, j, course), known, apart)
            for k in range(j + 1, chase.number):
                best = _better(best, _wait(chase, i, j, k), known, apart)
    return best[0], best[1]


Found = tuple[float, complex, bool]
"""The time that the evader lasts, the point, and if none nearby is better."""


@compiled
def _better(best: Found, found: Found, known: complex, apart: float) -> Found:
    counts = apart == 0.0 or (found[2] and norm(found[1] - known) > apart)
    return found if counts and found[0] > best[0] else best


@compiled
def _run(chase: Chase, i: int, j: int, course: complex) -> Found:
    """The evader runs along a course, away from one pursuer (i = j) or from two."""
    if course == 0j:
        return 0.0, 0j, False
    nu, l = chase.nu, chase.l  # noqa: E741
    one, two = chase.pursuers[i] - chase.evader, chase.pursuers[j] - chase.evader
    longest = max(reach_along(one, course, nu, l), reach_along(two, course, nu, l))
    reach = longest
    for n in range(chase.number):
        reach = min(reach, reach_along(chase.pursuers[n] - chase.evader, course, nu, l))
    point = scale(course, reach)
    way, other = unit(point - one), unit(point - two)
    # With multipliers of at least 0, the course is between the pursuers' courses.
    is_between = cross(way, course) * cross(course, other) >= 0.0
    is_between = is_between and dot(way + other, course) > 0.0
    return reach / nu, point, is_between and reach >= longest * (1.0 - _ROUNDING)


@compiled
def _wait(chase: Chase, i: int, j: int, k: int) -> Found:
    """The evader waits at one distance from three pursuers, or 0 if it cannot."""
    one, two = chase.pursuers[i] - chase.evader, chase.pursuers[j] - chase.evader
    three = chase.pursuers[k] - chase.evader
    side, other = two - one, three - one
    area = cross(side, other)
    if not abs(area) > _FLAT * norm(side) * norm(other):
        return 0.0, 0j, False
    out = scale(left(side), dot(other, other)) - scale(left(other), dot(side, side))
    out = scale(out, 0.5 / area)  # from the first pursuer to the center
    point, radius = one + out, norm(out)
    nearest = radius
    for n in range(chase.number):
        nearest = min(nearest, norm(point - (chase.pursuers[n] - chase.evader)))
    if nearest - chase.l < norm(point) / chase.nu:
        return 0.0, 0j, False
    turns = cross(side, out), cross(three - two, point - two), cross(out, other)
    is_inside = min(turns[0] * area, turns[1] * area, turns[2] * area) > 0.0
    return nearest - chase.l, point, is_inside and nearest >= radius * (1.0 - _ROUNDING)


@compiled
def course_between(gap: complex, other: complex, nu: float, l: float, side: float) -> complex:  # noqa: E741
    """The course to a point on the bisector of two pursuers that all three reach at once.

    There are up to two, by the side, 1 or -1. Without one it is another course, or 0. The gaps
    are from the evader to the pursuers.
    """
    half, middle = scale(other - gap, 0.5), scale(other + gap, 0.5)
    across = scale(left(unit(half)), side)
    along, h, square = dot(middle, across), norm(half), 1.0 - nu * nu
    constant = dot(middle, middle) - nu * nu * (h - l) * (h - l)
    root = along * along - square * constant
    if h == 0.0 or root < 0.0:
        return 0j
    s = (math.sqrt(root) - along) / square  # exact for l = 0, else beyond the edge
    for _ in range(_STEPS if l > 0.0 else 0):
        far = math.sqrt(h * h + s * s)
        excess = (square * s + 2.0 * along) * s + constant + 2.0 * nu * nu * l * (far - h)
        slope = 2.0 * (square * s + along + nu * nu * l * s / far)
        if not (slope > 0.0 and excess > 0.0):
            break
        s -= excess / slope
    return unit(middle + scale(across, s))
