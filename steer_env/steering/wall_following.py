"""Steering among the walls of a map: clear of them, and along them."""

from __future__ import annotations

import math

import numpy as np

from steer_env.steering.avoidance import wall_feelers
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import cross, dot, left, scale
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.walls import Walls, cell_at, first_wall, meeting, normal_of_wall

_NO_WALL = math.inf, 0j


@compiled
def avoid_map_walls(me: Vehicle, walls: Walls, feeler_length: float = 2.0) -> complex:
    """Pushes along walls' normals by as much as three feelers overshoot them (Buckland 2005).

    The result is the sum of the overshoots of `wall_feelers` beyond the first wall that each
    meets, in meters, toward the vehicle.
    """
    tips = wall_feelers(me, feeler_length)
    ahead, to_left, to_right = tips
    place, is_near, cell = (
        me.position,
        feeler_length <= walls.margin,
        cell_at(walls, me.position),
    )
    begin = walls.cells[cell].begin if is_near else 0
    end = walls.cells[cell + 1].begin if is_near else walls.number
    found = _NO_WALL, _NO_WALL, _NO_WALL
    for entry in range(begin, end):
        wall = walls.walls[walls.cell_walls[entry] if is_near else entry]
        here = cross(wall.along, place - wall.start)
        if abs(here) > feeler_length:
            continue
        found = (
            _nearer_wall(wall, here, place, ahead - place, found[0]),
            _nearer_wall(wall, here, place, to_left - place, found[1]),
            _nearer_wall(wall, here, place, to_right - place, found[2]),
        )
    return found[0][1] + found[1][1] + found[2][1]


@compiled
def map_containment(me: Vehicle, walls: Walls, seconds: float = 1.0) -> complex:
    """`containment` between walls: turns away from one that is reached within some seconds."""
    push = _overshoot(me.position, me.position + scale(me.velocity, seconds), walls)
    sideways = push - scale(me.heading, dot(push, me.heading))
    return push if sideways == 0j else sideways


@compiled
def _nearer_wall(
    wall: np.record,
    distance: float,
    place: complex,
    line: complex,
    found: tuple[float, complex],
) -> tuple[float, complex]:
    """The first wall that a line meets, as its share and the push, of this one and another."""
    beyond = distance + cross(wall.along, line)
    if distance * beyond > 0.0:
        return found
    share = meeting(wall.start, wall.along, wall.length, place, line, 0.0)
    return (share, scale(left(wall.along), -beyond)) if share < found[0] else found


@compiled
def _overshoot(place: complex, tip: complex, walls: Walls) -> complex:
    share, wall = first_wall(walls, place, tip - place, meeting, 0.0)
    if share == math.inf:
        return 0j
    normal = normal_of_wall(walls, wall, place)
    return scale(normal, -(1.0 - share) * dot(tip - place, normal))
