"""Lidar: distances along rays from vehicles, to walls and obstacles, and to other vehicles.

The rays of a vehicle are lanes, see `steer_env.machine_code.addresses`: for each wall within
range, one formula gives the closeness of 16 rays. For some dozen walls that takes less time
than to follow every ray through a grid.
"""

from __future__ import annotations

import numpy as np

from steer_env.game.look.learner import SENSOR
from steer_env.game.run.block import Block, block_at
from steer_env.game.run.maps import walls_for_rays
from steer_env.machine_code.addresses import (
    LANES,
    column,
    lane_count,
    lanes_of_numbers,
    lanes_of_vectors,
    records_at,
)
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.rays import (
    closeness_of_disc,
    closeness_of_square,
    closeness_of_wall,
    over_area,
)
from steer_env.steering.vectors import norm
from steer_env.steering.walls import Walls, cell_at

Numbers = list[float]
Vectors = list[complex]


@compiled
def meet_walls(near: Numbers, rays: Vectors, walls: Walls, place: complex) -> None:
    """Raises the closeness of rays from a place to that of the walls that its cell lists.

    Two walls in each turn, so that lanes are read and written half as often.
    """
    cell = cell_at(walls, place)
    first, last = walls.cells[cell].begin, walls.cells[cell + 1].begin - 1
    for entry in range(first, last + 1, 2):
        one = walls.walls[walls.cell_walls[entry]]
        other = walls.walls[walls.cell_walls[min(entry + 1, last)]]
        start, end = one.start - place, one.end - place
        start_of_other, end_of_other = other.start - place, other.end - place
        per_area = over_area(start, one.along, one.length)
        per_area_of_other = over_area(start_of_other, other.along, other.length)
        for k in range(lane_count()):
            found = closeness_of_wall(rays[k], start, end, per_area)
            found = max(found, near[k])
            second = closeness_of_wall(rays[k], start_of_other, end_of_other, per_area_of_other)
            near[k] = max(second, found)


@compiled
def _meet_disc(
    near: Numbers,
    rays: Vectors,
    block: Block,
    place: complex,
    center: complex,
    radius: float,
    reach: float,
) -> None:
    """Raises the closeness of rays from a place to that of a disc, and of its images."""
    region = block.region
    offset, around = region.offset(place, center), 1 if region.wraps else 0
    for across in range(-around, around + 1):
        for upward in range(-around, around + 1):
            image = offset + complex(across * region.period, upward * region.period)
            if norm(image) - radius < reach and radius > 0.0:
                for k in range(lane_count()):
                    near[k] = max(near[k], closeness_of_disc(rays[k], image, radius))


@compiled_loop
def _cast_some(block: Block, side: int, me: int, k: int, first: int, begin: int) -> None:
    """Writes what a player's rays measure, up to `LANES` of them from the first on."""
    sensor = records_at(block.memory.sensors, 2, SENSOR)[side]
    body, reach, region = block.body(me, k), sensor.ray_range, block.region
    place, heading, farthest = body.position, body.heading, 1.0 / reach
    directions = column(sensor.rays, first, LANES, np.complex128)
    rays, near, bodies = lanes_of_vectors(), lanes_of_numbers(), lanes_of_numbers()
    for lane in range(LANES):
        rays[lane], near[lane] = directions[lane] * heading, farthest
        bodies[lane] = farthest
    if block.memory.num_maps > 0:
        meet_walls(near, rays, walls_for_rays(block.memory, sensor, k), place)
    elif region.is_walled_square:
        for lane in range(lane_count()):
            near[lane] = max(
                near[lane], closeness_of_square(rays[lane], place, region.half_size)
            )
    for number in range(block.memory.obstacles):
        disc = block.obstacle(number, k)
        _meet_disc(near, rays, block, place, disc.center, disc.radius, reach)
    count = sensor.numbers_of_ray
    for number in range(block.memory.players if count > 1 else 0):
        other = block.player(number, k)
        if number != me and other.active[0] != 0:
            _meet_disc(bodies, rays, block, place, other.position[0], other.radius[0], reach)
    made = column(sensor.standard, begin, LANES * count, np.float32)
    for lane in range(min(LANES, sensor.num_rays - first)):
        made[lane * count] = farthest / near[lane]
        if count > 1:
            is_seen = bodies[lane] > near[lane]
            made[lane * count + 1] = farthest / bodies[lane] if is_seen else 1.0


@routine
def cast_rays(call_at: int, start: int, stop: int, side: int) -> None:
    """Writes what the rays of one side's players measure in a block of games."""
    block = block_at(call_at, start, stop)
    sensor = records_at(block.memory.sensors, 2, SENSOR)[side]
    first, team = block.team(side)
    lines, of_rays = block.memory.games * team, sensor.num_rays * sensor.numbers_of_ray
    for k in range(start, stop):
        for place in range(team):
            begin = lines * sensor.seen_length + (k * team + place) * of_rays
            for ray in range(0, sensor.num_rays, LANES):
                written = begin + ray * sensor.numbers_of_ray
                _cast_some(block, side, first + place, k, ray, written)
