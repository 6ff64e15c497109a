"""Separation, alignment and cohesion: steering by the vehicles around (Reynolds 1987).

The three return unit vectors, to be weighted and combined; see `blending`. Neighbors are near
enough and in the field of view; the defaults are those of OpenSteer's demonstration, where the
weights are 12, 8 and 8.
"""

from __future__ import annotations

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, norm, scale, unit
from steer_env.steering.vehicle import Vehicle, Vehicles


@compiled
def in_neighborhood(
    me: Vehicle, other: Vehicle, min_distance: float, max_distance: float, cos_max_angle: float
) -> bool:
    """True if a vehicle is near enough to matter and in the field of view (OpenSteer).

    Nearer than ``min_distance`` meters it is noticed on every side, and beyond
    ``max_distance`` not at all. ``cos_max_angle`` is the cosine of the widest angle from the
    heading: below -1 to look all around; at -1 a vehicle exactly behind is not seen.

    Example:
        >>> behind = Vehicle(position=-3 + 0j)
        >>> in_neighborhood(Vehicle(), behind, 1.5, 5.0, -0.707)
        False
        >>> in_neighborhood(Vehicle(), behind, 3.5, 5.0, -0.707)
        True
    """
    offset = other.position - me.position
    distance = norm(offset)
    if distance < min_distance:
        return True
    return distance <= max_distance and dot(me.heading, unit(offset)) > cos_max_angle


@compiled
def separation(
    me: Vehicle,
    neighbors: Vehicles,
    min_distance: float = 1.5,
    max_distance: float = 5.0,
    cos_max_angle: float = -0.707,
) -> complex:
    """Away from the neighbors, the nearer the more: u(sum of -(q - p) / d^2).

    One that stands exactly on me has no direction, and adds nothing. 0 if no vehicle is near.

    Example:
        >>> separation(Vehicle(), [Vehicle(position=1j), Vehicle(position=99 + 0j)])
        -1j
    """
    push = 0j
    for other in neighbors:
        if in_neighborhood(me, other, min_distance, max_distance, cos_max_angle):
            offset = other.position - me.position
            push -= scale(offset, 1.0 / max(dot(offset, offset), TINY))
    return unit(push)


@compiled
def alignment(
    me: Vehicle,
    neighbors: Vehicles,
    min_distance: float = 1.5,
    max_distance: float = 7.5,
    cos_max_angle: float = 0.7,
) -> complex:
    """Toward the neighbors' mean heading: u(mean of g - h).

    Example:
        >>> alignment(Vehicle(), [Vehicle(position=2 + 0j, heading=-1 + 0j)])
        (-1+0j)
    """
    total, count = 0j, 0
    for other in neighbors:
        if in_neighborhood(me, other, min_distance, max_distance, cos_max_angle):
            total += other.heading
            count += 1
    return unit(scale(total, 1.0 / count) - me.heading) if count > 0 else 0j


@compiled
def cohesion(
    me: Vehicle,
    neighbors: Vehicles,
    min_distance: float = 1.5,
    max_distance: float = 9.0,
    cos_max_angle: float = -0.15,
) -> complex:
    """Toward the neighbors' center: u(mean of q - p).

    Example:
        >>> cohesion(Vehicle(), [Vehicle(position=2 + 1j), Vehicle(position=2 - 1j)])
        (1+0j)
    """
    total, count = 0j, 0
    for other in neighbors:
        if in_neighborhood(me, other, min_distance, max_distance, cos_max_angle):
            total += other.position - me.position
            count += 1
    return unit(total) if count > 0 else 0j
