"""Overlap: pushing round bodies apart that have run into each other.

Two readings of a body's size are in use, and both are here. As radii, two bodies overlap
by r + r' - d. As diameters (a sprite's size), the sum is halved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue
from steer_env.machine_code.addresses import address_of, column, record_at
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import norm, scale, unit
from steer_env.steering.vehicle import VEHICLE, Vehicle


@compiled
def overlap_by_radii(distance: float, radius: float, other_radius: float) -> float:
    """How deep two bodies sit in each other: r + r' - d; 0 if they do not.

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
    """The shift that takes a body out of another, if it alone moves: overlap * u(p - q).

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
    """`part_all` of records that are so many bytes apart."""
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

    Each of a pair takes half, unless the other is fixed. A body in a crowd may be pushed
    into the next one: call it once a step, which spreads a crowd too, or some dozen times. In
    a dense crowd rounding may keep it from ever returning 0.

    Args:
        vehicles: (N,) records of `VEHICLE`; their positions change.
        fixed: (N,), which of them do not move; None for none.

    Returns:
        How many pairs overlapped; pairs of fixed bodies are counted and stay as they are.

    Raises:
        TypeError: if the vehicles are not such an array.
        ValueError: if the shapes differ.

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
    held = np.zeros(vehicles.shape, np.bool_)
    if fixed is not None:
        held = np.ascontiguousarray(fixed, np.bool_)
    if vehicles.ndim != 1 or held.shape != vehicles.shape:
        raise InvalidValue(
            f"vehicles and fixed must be (N,), got {vehicles.shape} and {held.shape}"
        )
    if not vehicles.flags.writeable:
        raise InvalidValue("vehicles must be writable, since their positions change")
    stride = vehicles.strides[0]
    return int(
        part_vehicles.call(address_of(vehicles), stride, address_of(held), len(vehicles))
    )
