"""Targets: places that evaders want to reach while pursuers guard them.

A target is a disc, a strip around a segment (a gap in a wall), or a half-plane. In a race at
top speeds the evader comes first to its dominance region, with the capture radius l,

    |x - E| / vE < (|x - P| - l) / vP,

and `contested_point` is the point of it nearest to the target; see `solved.reach_avoid`.
"""

# ruff: noqa: E741
from __future__ import annotations

import math
from typing import NamedTuple

from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import TINY, cross, dot, left, norm, scale, unit

_HALVINGS = 54  # of a right angle, down to the rounding of a direction


class Target(NamedTuple):
    """A place to reach, in meters."""

    center: complex  # of a disc or a gap; a point on the edge of a half-plane
    direction: complex  # a unit vector along the gap, or out of the half-plane
    half_length: float  # of the gap; 0 for a disc
    radius: float  # of the disc, or around the gap; a disc of radius 0 is a point
    is_half_plane: bool


@compiled
def disc(center: complex, radius: float) -> Target:
    """A disc, or with the radius 0 a point, as a `Target`."""
    return Target(center, 1.0 + 0.0j, 0.0, radius, False)


@compiled
def half_plane(edge: complex, outward: complex) -> Target:
    """All beyond a line, as a `Target`: its edge has a point, and a unit vector out of it."""
    return Target(edge, outward, 0.0, 0.0, True)


@compiled
def offset_to_target(target: Target, place: complex) -> complex:
    """The vector from a place to the nearest point of a target, 0 inside it, in meters."""
    out = place - target.center
    if target.is_half_plane:
        return scale(target.direction, -max(dot(out, target.direction), 0.0))
    away = place - nearest_on_axis(target, place)
    distance = norm(away)
    return scale(away, min(target.radius / max(distance, TINY), 1.0) - 1.0)


@compiled
def nearest_on_axis(target: Target, place: complex) -> complex:
    """The point of a target's segment, or the disc's center, that is nearest to a place."""
    along = dot(place - target.center, target.direction)
    along = min(max(along, -target.half_length), target.half_length)
    return target.center + scale(target.direction, along)


@compiled
def lead(attacker: complex, defender: complex, nu: float, l: float, place: complex) -> float:
    """The distance in meters by which an evader is early at a place, in its own steps.

    Above 0 inside the dominance region; ``nu`` is the speed ratio, ``l`` the capture radius.
    """
    return nu * (norm(place - defender) - l) - norm(place - attacker)


@compiled
def reach_along(gap: complex, course: complex, nu: float, l: float) -> float:
    """The distance that an evader runs along a course until the pursuer can catch it.

    The course is a unit vector, the gap goes from the evader to the pursuer, in meters, longer
    than l; nu is at most 1. The distance r, infinite if it is never caught, solves (r / nu +
    l)**2 = |gap - r course|**2.
    """
    behind = l / nu + dot(gap, course)
    square = max(dot(gap, gap) - l * l, 0.0)
    root = math.sqrt(behind * behind + (1.0 / (nu * nu) - 1.0) * square)
    return square / (behind + root) if behind + root > 0.0 else math.inf


@compiled
def contested_point(
    attacker: complex, defender: complex, nu: float, l: float, target: Target
) -> complex:
    """The point for which both run in a race for a target, in meters.

    It is a point of the target that the evader (the attacker) reaches first if there is one,
    else the point of its dominance region that is nearest to the target. Of a gap, the point
    nearest to the evader counts. ``nu`` is the evader's top speed over the pursuer's, above 0
    and at most 1, ``l`` the capture radius, 0 or more, in meters.
    """
    gap = defender - attacker
    if norm(gap) <= l:
        return attacker
    if target.is_half_plane:
        to_line = offset_to_target(target, attacker)
        goal, toward = attacker + to_line, -target.direction
    else:
        goal = nearest_on_axis(target, attacker)
        toward = unit(goal - attacker)
    if lead(attacker, defender, nu, l, goal) >= 0.0:
        return goal
    # The nearest point of the edge is less than a right angle away from the way to the goal.
    # Up to it the edge comes nearer; then it goes away, faces away, and is perhaps infinite.
    low = toward
    side = 1.0 if _slope(gap, low, nu, l, goal - attacker, target) > 0.0 else -1.0
    high = scale(left(toward), side)
    for _ in range(_HALVINGS):
        middle = unit(low + high)
        is_below = side * _slope(gap, middle, nu, l, goal - attacker, target) > 0.0
        low, high = (middle, high) if is_below else (low, middle)
    return attacker + scale(low, reach_along(gap, low, nu, l))


@compiled
def _slope(
    gap: complex, course: complex, nu: float, l: float, goal: complex, target: Target
) -> float:
    """A number above 0 if the edge is nearer to the target to the left of a course.

    Below 0 to the right; 0 where the edge is infinitely far, or faces away.
    """
    reach = reach_along(gap, course, nu, l)
    if reach == math.inf:
        return 0.0
    place = scale(course, reach)
    outward = course - scale(unit(place - gap), nu)
    toward = -target.direction if target.is_half_plane else goal - place
    return cross(outward, toward) if dot(outward, toward) > 0.0 else 0.0


@compiled
def on_rim(target: Target, place: complex) -> complex:
    """The point of a disc's rim in the direction of a place, to the right for its center."""
    out = unit(place - target.center)
    return target.center + scale(out if out != 0j else 1.0 + 0j, target.radius)


@compiled
def along_rim(target: Target, start: complex, step: complex) -> complex:
    """The end of a straight step from a point of a disc's rim, bent along the rim.

    The length of the arc, in meters, is the step's part along the rim.
    """
    out = unit(start - target.center)
    angle = dot(step, left(out)) / target.radius
    return target.center + scale(out * direction(angle), target.radius)


@compiled
def share_until_reached(target: Target, start: complex, step: complex) -> float:
    """The share of a straight step after which a target is reached, infinite if it is not.

    The start is in meters; it is 0 for one inside the target.
    """
    if norm(offset_to_target(target, start)) == 0.0:
        return 0.0
    out = start - target.center
    if target.is_half_plane:
        approach = -dot(step, target.direction)
        above = dot(out, target.direction)
        return above / approach if approach >= above else math.inf
    first = math.inf
    for end in (-1.0, 1.0):
        away = out - scale(target.direction, end * target.half_length)
        first = min(first, _share_until_disc(away, step, target.radius))
    own_frame = target.direction.conjugate()
    out, step = out * own_frame, step * own_frame
    if target.half_length > 0.0 and abs(out.imag) > target.radius:
        approach = abs(out.imag) - target.radius
        way = step.imag if out.imag < 0.0 else -step.imag
        share = approach / way if way >= approach else math.inf
        if way >= approach and abs(out.real + step.real * share) <= target.half_length:
            first = min(first, share)
    return first


@compiled
def arc_between(target: Target, one: complex, other: complex) -> float:
    """The length of the shorter way along a disc's rim between two of its points, in meters."""
    turned = (one - target.center) * (other - target.center).conjugate()
    return abs(angle_of(turned)) * target.radius


@compiled
def _share_until_disc(away: complex, step: complex, radius: float) -> float:
    """`share_until_reached` for a disc around 0, from a start outside of it."""
    square, along = dot(step, step), dot(away, step)
    root = along * along - square * (dot(away, away) - radius * radius)
    if along >= 0.0 or root < 0.0:
        return math.inf
    share = (dot(away, away) - radius * radius) / (math.sqrt(root) - along)
    return share if share <= 1.0 else math.inf
