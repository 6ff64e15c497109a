"""The courses of two identical cars: which is the best, and how both turn to it.

`steer_env.solved.two_cars` explains the game and the formulas. Compiled code inlines these
functions; they are plain Python as well.
"""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import cross, dot, left, scale, unit

ROUNDING = 1e-13  # of distances in turning radii
_SAME_TURN = 1e-6  # radians
_TOLERATED = 0.05  # of a step's length: what a turn that ends within the step costs is less
_SHORT = 0.5  # radians: the turn of a step after which the evader is looked at again


@compiled
def best_course(place: complex, psi: float) -> tuple[float, complex]:
    """The least distance under perfect play, and the course to which both cars turn.

    Args:
        place: the pursuer's in the evader's frame, in turning radii.
        psi: the pursuer's heading there, in radians.

    Returns:
        The distance in turning radii, and a unit vector in the evader's frame. Ties go to the
        first of the seven courses, but for rounding.
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
    """W: the evader's least lead along a course, if both turn to it and drive straight on.

    Args:
        place: the pursuer's in the evader's frame, in turning radii.
        heading: the pursuer's there, a unit vector.
        course: a unit vector.
    """
    lost = lost_by_turning(1.0 + 0j, course) - lost_by_turning(heading, course)
    return -dot(place, course) - max(0.0, lost)


@compiled
def lost_by_turning(heading: complex, course: complex) -> float:
    """How far a car that turns to a course falls behind one that is on course, in radii."""
    return abs(turn_to(heading, course)) - abs(cross(heading, course))


@compiled
def turn_to(heading: complex, course: complex) -> float:
    """The angle from a heading to a course, -pi to pi, positive to the left."""
    return angle_of(complex(dot(heading, course), cross(heading, course)))


@compiled
def tangent(place: complex, heading: complex, side: float, other_side: float) -> complex:
    """The course along the common tangent of two turning circles, the evader in front.

    Args:
        place: the pursuer's in the evader's frame, in turning radii.
        heading: the pursuer's there, a unit vector.
        side: 1 for the evader's circle to the left, -1 for that to the right.
        other_side: likewise for the pursuer.

    Returns:
        A unit vector; if there is no such tangent, another one, or 0 if the centers coincide.
    """
    between = place + scale(left(heading), other_side) - complex(0.0, side)
    apart = other_side - side  # of the centers, across the tangent
    along = math.sqrt(max(0.0, dot(between, between) - apart * apart))
    return -unit(scale(between, along) + scale(left(between), apart))


@compiled
def turns(
    x: float, y: float, psi: float, speed: float, turn_rate: float, seconds: float
) -> tuple[float, float]:
    """The angles by which the evader and the pursuer turn next.

    Args:
        x: how far the pursuer is ahead of the evader, in meters.
        y: how far it is to the left of the evader, in meters.
        psi: its heading in the evader's frame, in radians.
        speed: of both, in m/s, above 0.
        turn_rate: the largest of both, in rad/s, above 0.
        seconds: for how long.

    Returns:
        The evader's turn and the pursuer's in radians, positive to the left: at most
        ``turn_rate * seconds``, and less for the last step to the course.

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
    """The least distance after a step with one turn of the pursuer and the worst of the evader.

    Args:
        place: the pursuer's in the evader's frame, in turning radii.
        psi: the pursuer's heading there, in radians.
        turn: the best for the evader, which is tried beside the hardest turns and none.
        other_turn: of the pursuer.
        most: the largest turn, in radians.
    """
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
