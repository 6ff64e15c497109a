"""Straight rays from a vehicle to what they meet first: walls, discs, the sides of a square.

A ray is a unit vector from the origin. How far it is free is measured by its closeness: 1 over
the distance to what it meets, in 1/m, or 0 for nothing. So the nearest of many things takes
comparisons alone, and as many divisions as there are rays.
"""

from __future__ import annotations

import math

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import cross, dot, scale

_LEAST = 1e-12  # meters: what is nearer counts as this far


@compiled
def over_distance(start: complex, along: complex) -> complex:
    """The direction of a wall over the signed distance of its line, for `closeness_of_wall`.

    The wall begins at an offset, ``start``, and goes along a unit vector.
    """
    far = cross(start, along)
    return scale(along, 1.0 / math.copysign(max(abs(far), _LEAST), far))


@compiled
def closeness_of_wall(ray: complex, start: complex, end: complex, slope: complex) -> float:
    """The closeness of a wall from an offset to another, with the slope of `over_distance`.

    Rays pass no corner that two walls have in common: both are on the same side of a ray.

    Example:
        >>> closeness_of_wall(1 + 0j, 4 - 1j, 4 + 1j, over_distance(4 - 1j, 1j))
        0.25
    """
    is_met = (cross(ray, start) < 0.0) != (cross(ray, end) < 0.0)
    return cross(ray, slope) if is_met else 0.0


@compiled
def closeness_of_disc(ray: complex, offset: complex, radius: float) -> float:
    """The closeness of a disc with its center at an offset; very large from inside.

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
