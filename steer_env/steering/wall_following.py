"""Steering among the walls of a map: clear of them, and along them."""

from __future__ import annotations

import math

from steer_env.steering.avoidance import wall_feelers
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import dot, scale
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.walls import Walls, first_wall, meeting, normal_of_wall


@compiled
def avoid_map_walls(me: Vehicle, walls: Walls, feeler_length: float = 2.0) -> complex:
    """Pushes along walls' normals by as much as three feelers overshoot them (Buckland 2005).

    The result is the sum of the overshoots of `wall_feelers` beyond the first wall that each
    meets, in meters, toward the vehicle.
    """
    push = 0j
    for tip in wall_feelers(me, feeler_length):
        push += _overshoot(me.position, tip, walls)
    return push


@compiled
def map_containment(me: Vehicle, walls: Walls, seconds: float = 1.0) -> complex:
    """`containment` between walls: turns away from one that is reached within some seconds."""
    push = _overshoot(me.position, me.position + scale(me.velocity, seconds), walls)
    sideways = push - scale(me.heading, dot(push, me.heading))
    return push if sideways == 0j else sideways


@compiled
def _overshoot(place: complex, tip: complex, walls: Walls) -> complex:
    share, wall = first_wall(walls, place, tip - place, meeting, 0.0)
    if share == math.inf:
        return 0j
    normal = normal_of_wall(walls, wall, place)
    return scale(normal, -(1.0 - share) * dot(tip - place, normal))
