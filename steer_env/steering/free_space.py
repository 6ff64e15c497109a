"""Where a round body can be: inside the walls, and out of the obstacles."""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, left, norm, scale, unit, wrap
from steer_env.steering.vehicle import Obstacles, Vehicle

_CONTACT = 1e-9  # bodies may overlap obstacles by this much, in meters: rounding


@compiled
def is_free(
    point: complex, radius: float, half_size: float, obstacles: Obstacles, period: float
) -> bool:
    """Whether a body at a point is inside the walls and overlaps no obstacle.

    Args:
        point: of its center, in meters.
        radius: of the body, in meters.
        half_size: how far from the middle its center can be along x and y, in meters.
        obstacles: a list of `Obstacle`, or a record array of `OBSTACLE`.
        period: the side of a torus, in meters; 0 elsewhere.
    """
    if max(abs(point.real), abs(point.imag)) > half_size + _CONTACT:
        return False
    for obstacle in obstacles:
        distance = norm(_from_image(point, obstacle.center, period))
        if distance < obstacle.radius + radius - _CONTACT:
            return False
    return True


@compiled
def nearest_free_point(
    point: complex, body: Vehicle, half_size: float, obstacles: Obstacles, period: float
) -> complex:
    """The free point nearest to another one; the body's own place if none is nearer.

    It is the point itself, or the point beside one obstacle, or one where the body touches two
    obstacles, or an obstacle and a wall.

    Args:
        point: inside the walls, in meters.
        body: whose radius and place count.
        half_size: see `is_free`, as the next two.
        obstacles: likewise.
        period: likewise.
    """
    radius = body.radius
    if is_free(point, radius, half_size, obstacles, period):
        return point
    best = body.position
    back = unit(body.position - point)
    for number in range(len(obstacles)):
        outward = _from_image(point, obstacles[number].center, period)
        center, reach = point - outward, obstacles[number].radius + radius
        away = unit(outward)
        if away == 0j:  # in its very center: back where the body comes from
            away = back if back != 0j else 1 + 0j
        beside = center + scale(away, reach)
        best = _better(beside, best, point, radius, half_size, obstacles, period)
        for side in (-half_size, half_size):
            along = math.sqrt(max(reach * reach - (side - center.real) ** 2, 0.0))
            for y in (center.imag - along, center.imag + along):
                at = complex(side, y)
                best = _better(at, best, point, radius, half_size, obstacles, period)
            along = math.sqrt(max(reach * reach - (side - center.imag) ** 2, 0.0))
            for x in (center.real - along, center.real + along):
                at = complex(x, side)
                best = _better(at, best, point, radius, half_size, obstacles, period)
        for second in range(number + 1, len(obstacles)):
            next_center = point - _from_image(point, obstacles[second].center, period)
            next_reach = obstacles[second].radius + radius
            for turn in (-1.0, 1.0):
                at = _crossing(center, reach, next_center, next_reach, turn)
                best = _better(at, best, point, radius, half_size, obstacles, period)
    return best


@compiled
def _better(
    candidate: complex,
    best: complex,
    point: complex,
    radius: float,
    half_size: float,
    obstacles: Obstacles,
    period: float,
) -> complex:
    """The nearer to a point of two candidates, as far as the first is free."""
    if not norm(candidate - point) < norm(best - point):
        return best
    return candidate if is_free(candidate, radius, half_size, obstacles, period) else best


@compiled
def _crossing(
    one: complex, one_radius: float, two: complex, two_radius: float, turn: float
) -> complex:
    """A point where two circles cross; a point of the first circle's axis if they do not."""
    offset = two - one
    square = max(dot(offset, offset), TINY)
    share = 0.5 * (square + one_radius * one_radius - two_radius * two_radius) / square
    height = math.sqrt(max(one_radius * one_radius / square - share * share, 0.0))
    return one + scale(offset, share) + scale(left(offset), turn * height)


@compiled
def _from_image(point: complex, center: complex, period: float) -> complex:
    """The offset to a point from the nearest image of a center on a torus."""
    return wrap(point - center, 0.5 * period) if period > TINY else point - center
