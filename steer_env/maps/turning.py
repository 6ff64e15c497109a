"""The places at which the shortest ways of a body turn on a map."""

from __future__ import annotations

import math

import numpy as np

from steer_env.maps.map import Map
from steer_env.maps.polygons import Places
from steer_env.steering.walls import ROUNDING, Walls, cell_at, clearance


def turning_places(world: Map, walls: Walls, radius: float) -> Places:
    """The places at which the ways of a body turn: at corners and at the ends of walls."""
    directions: dict[complex, set[float]] = {}
    for start, end in world.segments:
        for one, other in ((start, end), (end, start)):
            key = complex(round(one.real, 9), round(one.imag, 9))
            directions.setdefault(key, set()).add(round(float(np.angle(other - one)), 12))
    found = []
    for corner, angles in directions.items():
        around = sorted(angles)
        for one, other in zip(around, [*around[1:], around[0] + 2.0 * math.pi]):
            turn = other - one - math.pi
            parts = math.ceil(turn / (0.5 * math.pi) - 1e-9)
            for part in range(max(parts, 0) if turn > 1e-6 else 0):
                normal = one + 0.5 * math.pi + (part + 0.5) * turn / parts
                reach = radius / math.cos(0.5 * turn / parts)
                found.append(corner + reach * complex(math.cos(normal), math.sin(normal)))
    places = np.array(found, complex)
    is_free = [
        clearance(walls, cell_at(walls, place), place) >= radius - ROUNDING for place in places
    ]
    return np.asarray(places[world.contains(places) & is_free])
