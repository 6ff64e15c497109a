"""Straight rays from a vehicle to what they meet first: walls, discs, the sides of a square.

A ray is a unit vector from the origin. How far it is free is measured by its closeness: 1 over
the distance to what it meets, in 1/m, or 0 for nothing. So the nearest of many things takes
comparisons alone, and as many divisions as there are rays.
"""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import cross, dot

_LEAST = 1e-12  # meters: what is nearer counts as this far


@compiled
def over_area(start: complex, along: complex, length: float) -> float:
    """1 over the signed area between a wall and the origin, twice, for `closeness_of_wall`.

    The wall begins at an offset, ``start``, and has a length along a unit vector.
    """
    far = cross(start, along)
    return 1.0 / (math.copysign(max(abs(far), _LEAST), far) * length)


@compiled
def closeness_of_wall(ray: complex, start: complex, end: complex, per_area: float) -> float:
    """The closeness of a wall from an offset to another, by its `over_area`.

    It is not positive for a ray that misses the wall. No ray passes between two walls with a
    common corner, which is on one and the same side of it.

    Example:
        >>> closeness_of_wall(1 + 0j, 4 - 1j, 4 + 1j, over_area(4 - 1j, 1j, 2.0))
        0.25
    """
    right, left = cross(ray, start), cross(ray, end)
    return (left - right) * per_area if (right < 0.0) != (left < 0.0) else 0.0


@compiled
def closeness_of_disc(ray: complex, offset: complex, radius: float) -> float:
    """The closeness of a disc with its center at an offset, from inside 1e12.

    Example:
        >>> closeness_of_disc(1 + 0j, 5 + 0j, 1.0), closeness_of_disc(1 + 0j, 5 + 2j, 1.0)
        (0.25, 0.0)
    """
    along, aside = dot(ray, offset), cross(ray, offset)
    half_chord = math.sqrt(max(radius * radius - aside * aside, 0.0))
    is_ahead = along > 0.0 or dot(offset, offset) < radius * radius
    is_met = half_chord > 0.0 and is_ahead
    return 1.0 / max(along - half_chord, _LEAST) if is_met else 0.0


@compiled
def closeness_of_square(ray: complex, place: complex, half_size: float) -> float:
    """The closeness of the sides of a square around the origin, from a place in it.

    Example:
        >>> closeness_of_square(0.8 + 0.6j, 2 + 0j, 10.0)
        0.1
    """
    right, left = max(half_size - place.real, _LEAST), max(half_size + place.real, _LEAST)
    up, down = max(half_size - place.imag, _LEAST), max(half_size + place.imag, _LEAST)
    across = max(ray.real / right, -ray.real / left)
    return max(across, max(ray.imag / up, -ray.imag / down))
