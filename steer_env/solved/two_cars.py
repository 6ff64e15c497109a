"""Two identical cars: how near does the pursuer come?

Isaacs' game of two cars (1965) with identical cars (Merz 1972), with v = 5 and w = 1 air3D
(Mitchell, Bayen and Tomlin 2005). The payoff is the least distance over the whole future. The
evader is at the origin and heads along x; y points to its left; the pursuer is at r = (x, y)
with the heading psi. In units of R = v / w, for turns by a (evader) and b (pursuer) to a course

    V = max over u of W(u),    W(u) = -r.u - max(0, (a - sin a) - (b - sin b)).

Seven courses have to be compared; docs/game/derivations.md derives them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import check_integer, check_number
from steer_env.machine_code.addresses import address_of, matrix_at
from steer_env.machine_code.routines import routine
from steer_env.solved.elementwise import Numbers, as_given, broadcast, flat
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import cross, dot, left, scale, unit

_LARGEST = 1e20  # of any argument, so that nothing overflows
_ROUNDING = 1e-13  # of distances in turning radii
_SAME_TURN = 1e-6  # radians
_TOLERATED = 0.05  # of a step's length: what a turn that ends within the step costs is less
_SHORT = 0.5  # radians: the turn of a step after which the evader is looked at again


def value(
    x: Any, y: Any, psi: Any, speed: Any = 5.0, turn_rate: Any = 1.0, beta: Any = 5.0
) -> Any:
    """The least distance under perfect play, less beta.

    The formula is exact, but for about 1e-15 of the distance and the turning radius.

    Args:
        x: the pursuer's place ahead of the evader, in meters; numbers or arrays, as the rest.
        y: its place to the left of the evader, in meters.
        psi: its heading in the evader's frame, in radians, counter-clockwise.
        speed: of both, in m/s, above 0.
        turn_rate: the largest of both, in rad/s, above 0.
        beta: the capture radius, in meters; a negative result means a forced capture.

    Returns:
        Meters; a float if all arguments are numbers, else an array of their common shape.

    Raises:
        InvalidType, InvalidValue: for anything but such numbers, or shapes that do not fit.

    Example:
        >>> value(-20.0, 0.0, 0.0), round(value(10.0, -3.0, 2.5), 2)
        (15.0, -3.46)
    """
    distance, _, radius = _solve(x, y, psi, speed, turn_rate, beta)
    return as_given(distance - radius)


def tie_margin(x: Any, y: Any, psi: Any, speed: Any = 5.0, turn_rate: Any = 1.0) -> Any:
    """By how much the best course is better than any to which the pursuer turns the other way.

    Near 0, a pursuer in an engine with steps sees the evader's choice a step late. In meters,
    infinite without such a course; arguments and errors as in `value`.
    """
    return as_given(_solve(x, y, psi, speed, turn_rate, 0.0)[1])


def _solve(
    x: Any, y: Any, psi: Any, speed: Any, turn_rate: Any, beta: Any
) -> tuple[Numbers, Numbers, Numbers]:
    """Least distances, tie margins and betas, in meters, from the arguments of `value`."""
    state = {"x": x, "y": y, "psi": psi}
    limits = {"speed": speed, "turn_rate": turn_rate}
    x, y, psi, speed, turn_rate, beta = broadcast(
        **{name: (numbers, -_LARGEST, _LARGEST) for name, numbers in state.items()},
        **{name: (numbers, 1.0 / _LARGEST, _LARGEST) for name, numbers in limits.items()},
        beta=(beta, 0.0, np.inf),
    )
    radius = speed / turn_rate
    rows = flat([x / radius, y / radius, np.fmod(psi, 2.0 * np.pi)])
    found = np.empty((2, *radius.shape))
    solve_two_cars.call(address_of(rows), address_of(found), radius.size)
    return found[0, ...] * radius, found[1, ...] * radius, beta


@routine
def solve_two_cars(states_at: int, found_at: int, count: int) -> None:
    """Writes the least distance and the tie margin of every state, in turning radii."""
    states = matrix_at(states_at, 3, count, np.float64)
    found = matrix_at(found_at, 2, count, np.float64)
    for k in range(count):
        place, psi = complex(states[0, k], states[1, k]), states[2, k]
        found[0, k], found[1, k] = best_course(place, psi)[0], lead_of_best(place, psi)


class Barrier(NamedTuple):
    """The pursuer's places from which it can just reach the capture radius.

    A side, (points, 2) in meters in the evader's frame, goes from the circle to the tip.
    """

    left: Numbers  # the side that starts on the left of the evader
    right: Numbers
    tip: Numbers  # where the two sides meet, (2,)


def barrier(psi: float, points: int = 200) -> Barrier:
    """The barrier for the speed 5 m/s, the turn rate 1 rad/s and the capture radius 5 m.

    Between its sides and the capture circle the pursuer can force a capture; at psi = 0
    nowhere. The value of all points is 0 to 1e-6 m, and the sides end within 1e-5 m of each
    other.

    Args:
        psi: the pursuer's heading in the evader's frame, in radians, of any size.
        points: the number of points of each side, at least 2.

    Raises:
        InvalidType, InvalidValue: for anything but such numbers.

    Example:
        >>> barrier(np.pi / 4).tip.round(5).tolist()
        [8.00598, -6.26252]
    """
    given = check_number("psi", psi, -_LARGEST, _LARGEST)
    count = check_integer("points", points, 2, 10**6)
    angle = math.remainder(given, 2.0 * math.pi)
    sides = [_side(abs(angle), side, count) for side in (-1.0, 1.0)]
    if angle < 0.0:  # the mirror image
        sides = [side.conj() for side in reversed(sides)]
    rows = [np.stack([side.real, side.imag], axis=-1) * 5.0 for side in sides]
    return Barrier(rows[0], rows[1], rows[1][-1].copy())


def _side(psi: float, side: float, points: int) -> NDArray[np.complex128]:
    """One side of the barrier, from the capture circle to the tip, in turning radii.

    The side is 1 for the right one, where the evader turns left, or -1; psi is from 0 to pi.
    """
    half = 0.5 * psi if side > 0.0 else math.pi - 0.5 * psi
    low, high = 0.0, 2.0 - 2.0 * math.cos(half) + math.pi - half
    for _ in range(60):  # beyond the tip the evader does better with another course
        middle = 0.5 * (low + high)
        is_beyond = best_course(_barrier_point(psi, side, middle), psi)[0] > 1.0 + _ROUNDING
        low, high = (low, middle) if is_beyond else (middle, high)
    return np.array([_barrier_point(psi, side, at) for at in np.linspace(0.0, high, points)])


def _barrier_point(psi: float, side: float, along: float) -> complex:
    """A place from which one of the seven courses keeps the evader at the distance 1.

    ``along`` is the length of the straight part and, behind it, the angle of the course from
    the bisector of the headings.
    """
    half = 0.5 * psi if side > 0.0 else math.pi - 0.5 * psi
    bend = 2.0 - 2.0 * math.cos(half)
    off = max(0.0, along - bend)
    course, heading = direction(side * (half + off)), direction(psi)
    other_side = side if off > half else -side
    # Backward from the end, where the evader is 1 in front of the pursuer.
    place = -scale(course, 1.0 + 2.0 * min(half, off))
    place += scale(left(1.0 - course), side) - scale(left(heading - course), other_side)
    return place + scale(left(direction(0.5 * psi)), max(0.0, bend - along))


@compiled
def best_course(place: complex, psi: float) -> tuple[float, complex]:
    """The least distance under perfect play, and the course to which both cars turn.

    All in the evader's frame and in turning radii. Ties go to the first of the seven courses.
    """
    heading = direction(psi)
    best, distance = 0j, -math.inf
    for course in _seven_courses(place, psi):
        lead = least_lead(place, heading, course)
        if course != 0j and lead > distance:
            best, distance = course, lead
    return distance, best


@compiled
def _seven_courses(place: complex, psi: float) -> tuple[complex, ...]:
    heading, middle = direction(psi), direction(0.5 * psi)
    return (
        unit(0j - place),
        middle,
        -middle,
        tangent(place, heading, 1.0, 1.0),
        tangent(place, heading, -1.0, -1.0),
        tangent(place, heading, 1.0, -1.0),
        tangent(place, heading, -1.0, 1.0),
    )


@compiled
def lead_of_best(place: complex, psi: float) -> float:
    """`tie_margin` in turning radii."""
    heading, (distance, best) = direction(psi), best_course(place, psi)
    turn, second = turn_to(heading, best), -math.inf
    for course in _seven_courses(place, psi):
        other = turn_to(heading, course)
        if course != 0j and abs(other - turn) > _SAME_TURN and other * turn <= _SAME_TURN:
            second = max(second, least_lead(place, heading, course))
    return distance - second


@compiled
def least_lead(place: complex, heading: complex, course: complex) -> float:
    """The evader's least lead W along a course to which both turn and drive straight on."""
    lost = lost_by_turning(1.0 + 0j, course) - lost_by_turning(heading, course)
    return -dot(place, course) - max(0.0, lost)


@compiled
def lost_by_turning(heading: complex, course: complex) -> float:
    """The radii by which a car that turns to a course falls behind one that is on course."""
    return abs(turn_to(heading, course)) - abs(cross(heading, course))


@compiled
def turn_to(heading: complex, course: complex) -> float:
    """The angle from a heading to a course, -pi to pi, positive to the left."""
    return angle_of(complex(dot(heading, course), cross(heading, course)))


@compiled
def tangent(place: complex, heading: complex, side: float, other_side: float) -> complex:
    """The course along the common tangent of two turning circles, the evader in front.

    A side is 1 for the circle to the left and -1 for the one to the right, of the evader and of
    the pursuer. Without such a tangent it is another course, or 0 if the centers coincide.
    """
    between = place + scale(left(heading), other_side) - complex(0.0, side)
    apart = other_side - side  # of the centers, across the tangent
    along = math.sqrt(max(0.0, dot(between, between) - apart * apart))
    return -unit(scale(between, along) + scale(left(between), apart))


@compiled
def turns(
    x: float, y: float, psi: float, speed: float, turn_rate: float, seconds: float
) -> tuple[float, float]:
    """The angles by which the evader and the pursuer turn in the next ``seconds``, in radians.

    Positive to the left, at most ``turn_rate * seconds``. The other arguments as in
    `value`.

    Example:
        >>> turns(-20.0, 0.0, 0.0, 5.0, 1.0, 0.1)
        (0.0, 0.0)
    """
    per_radius, most = turn_rate / speed, turn_rate * seconds
    place = complex(x * per_radius, y * per_radius)
    distance, course = best_course(place, psi)
    turn, other_turn = turn_to(1.0 + 0j, course), turn_to(direction(psi), course)
    turn, other_turn = min(max(turn, -most), most), min(max(other_turn, -most), most)
    if most > _SHORT:
        return turn, other_turn
    # Where two courses are equally good, the pursuer cannot know which one the evader takes.
    best, least = other_turn, _worst_after(place, psi, turn, other_turn, most)
    if least < distance + _TOLERATED * most:
        return turn, other_turn
    for other in (-most, 0.0, most):
        worst = _worst_after(place, psi, turn, other, most)
        if worst < least:
            best, least = other, worst
    return turn, best


@compiled
def _worst_after(
    place: complex, psi: float, turn: float, other_turn: float, most: float
) -> float:
    """The least distance after a step with one turn of the pursuer and the best reply to it."""
    worst = 0.0
    for tried in (turn, -most, 0.0, most):
        frame = direction(-tried)
        moved = place + _chord(other_turn, most) * direction(psi) - _chord(tried, most)
        distance = best_course(moved * frame, psi + other_turn - tried)[0]
        worst = max(worst, distance)
    return worst


@compiled
def _chord(turn: float, length: float) -> complex:
    """The displacement along an arc that turns by an angle, from a heading along x."""
    half = 0.5 * turn
    halfway = direction(half)
    return scale(halfway, length * (halfway.imag / half if abs(half) > 1e-8 else 1.0))
