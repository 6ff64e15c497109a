"""Overlap: pushing round bodies apart, and finding the places where a body overlaps nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue
from steer_env.machine_code.addresses import address_of, column, record_at
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, left, norm, scale, shortest_offset, unit
from steer_env.steering.vehicle import VEHICLE, Obstacles, Vehicle

_CONTACT = 1e-9  # bodies may overlap obstacles by this much, in meters: rounding


@compiled
def overlap_by_radii(distance: float, radius: float, other_radius: float) -> float:
    """The depth to which two bodies overlap: r + r' - d, at least 0.

    Example:
        >>> overlap_by_radii(2.0, 1.5, 1.0)
        0.5
    """
    return max(radius + other_radius - distance, 0.0)


@compiled
def overlap_by_diameters(distance: float, size: float, other_size: float) -> float:
    """`overlap_by_radii`, with sizes that are diameters: (size + size') / 2 - d.

    Example:
        >>> overlap_by_diameters(2.0, 3.0, 2.0)
        0.5
    """
    return overlap_by_radii(distance, 0.5 * size, 0.5 * other_size)


@compiled
def push_out(
    position: complex, radius: float, other_position: complex, other_radius: float
) -> complex:
    """The shift that takes a body out of another one at rest: overlap * u(p - q).

    Bodies whose centers coincide part along x.

    Example:
        >>> push_out(2j, 1.5, 0j, 1.0)
        0.5j
        >>> push_out(0j, 1.0, 0j, 1.0)
        (2+0j)
    """
    offset = position - other_position
    direction = unit(offset)
    if direction == 0j:
        direction = 1 + 0j
    return scale(direction, overlap_by_radii(norm(offset), radius, other_radius))


@compiled
def part(me: Vehicle, other: Vehicle) -> tuple[complex, complex]:
    """The shifts of two overlapping vehicles, each of which takes half.

    Example:
        >>> part(Vehicle(2 + 0j, radius=1.5), Vehicle(0j, radius=1.0))
        ((0.25+0j), (-0.25-0j))
    """
    shift = scale(push_out(me.position, me.radius, other.position, other.radius), 0.5)
    return shift, -shift


@routine
def part_vehicles(vehicles_at: int, stride: int, fixed_at: int, count: int) -> int:
    """`part_all` of records ``stride`` bytes apart."""
    overlapping, fixed = 0, column(fixed_at, 0, count, np.uint8)
    for one in range(count):
        me = record_at(vehicles_at + one * stride, VEHICLE)
        for two in range(one + 1, count):
            other = record_at(vehicles_at + two * stride, VEHICLE)
            shift = push_out(me.position, me.radius, other.position, other.radius)
            if shift == 0j:
                continue
            overlapping += 1
            if fixed[one] != 0 and fixed[two] != 0:
                continue
            mine = 0.0 if fixed[one] != 0 else (1.0 if fixed[two] != 0 else 0.5)
            me.position += scale(shift, mine)
            other.position -= scale(shift, 1.0 - mine)
    return overlapping


def part_all(vehicles: NDArray[np.void], fixed: NDArray[np.bool_] | None = None) -> int:
    """Pushes every overlapping pair apart, in place.

    Each of a pair takes half, unless the other is fixed. Parting a pair may create another
    overlap: call it once a step, or some dozen times. The vehicles are (N,) records of
    `VEHICLE`, and flags (N,) mark the fixed ones. Returns the number of overlapping pairs, also
    of fixed bodies.

    Example:
        >>> crowd = np.zeros(3, VEHICLE)
        >>> crowd["position"], crowd["radius"] = (0, 1, 5), 1.0
        >>> part_all(crowd)
        1
        >>> crowd["position"].real.tolist()
        [-0.5, 1.5, 5.0]
    """
    if not isinstance(vehicles, np.ndarray) or vehicles.dtype != VEHICLE:
        got = getattr(vehicles, "dtype", type(vehicles).__name__)
        raise InvalidType(f"vehicles must be an array of dtype VEHICLE, got {got}")
    flags = np.zeros(vehicles.shape) if fixed is None else fixed
    held = np.ascontiguousarray(flags, np.bool_)
    if vehicles.ndim != 1 or held.shape != vehicles.shape:
        raise InvalidValue(
            f"vehicles and fixed must be (N,), got {vehicles.shape} and {held.shape}"
        )
    if not vehicles.flags.writeable:
        raise InvalidValue("vehicles must be writable, since their positions change")
    places = address_of(vehicles), vehicles.strides[0], address_of(held)
    return int(part_vehicles.call(*places, len(vehicles)))


@compiled
def is_free(
    point: complex, radius: float, half_size: float, obstacles: Obstacles, period: float
) -> bool:
    """True if a body at a point is within ``half_size`` of the middle and of no obstacle."""
    if max(abs(point.real), abs(point.imag)) > half_size + _CONTACT:
        return False
    for obstacle in obstacles:
        distance = norm(shortest_offset(obstacle.center, point, period))
        if distance < obstacle.radius + radius - _CONTACT:
            return False
    return True


@compiled
def nearest_free_point(
    point: complex, body: Vehicle, half_size: float, obstacles: Obstacles, period: float
) -> complex:
    """The free point nearest to a point inside the walls, or the body's own place.

    Candidates are the point itself, points beside one obstacle, and points where the body
    touches two obstacles, or an obstacle and a wall.
    """
    radius, best = body.radius, body.position
    if is_free(point, radius, half_size, obstacles, period):
        return point
    back = unit(body.position - point)
    for number in range(len(obstacles)):
        outward = shortest_offset(obstacles[number].center, point, period)
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
            next_center = point - shortest_offset(obstacles[second].center, point, period)
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
    """A point where two circles cross, or a point of the first circle's axis."""
    offset = two - one
    square = max(dot(offset, offset), TINY)
    share = 0.5 * (square + one_radius * one_radius - two_radius * two_radius) / square
    height = math.sqrt(max(one_radius * one_radius / square - share * share, 0.0))
    return one + scale(offset, share) + scale(left(offset), turn * height)
