"""The vehicles and obstacles that a player sees, also with limits (`ObservationConfig`)."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.region import ROUNDING, Region
from steer_env.game.run.block import Block
from steer_env.game.state import Integers, Numbers
from steer_env.machine_code.addresses import call_routine, column, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, scale
from steer_env.steering.vehicle import VEHICLE, Obstacle, Vehicle, copy_vehicle
from steer_env.steering.walls import sees

HIDDEN_VECTOR = complex(math.nan, math.nan)
"""The acceleration of a body where it is not observed."""


@compiled
def searches_grid(block: Block, number: int) -> bool:
    """Returns whether a player looks for its nearest opponent in a grid, see `neighbors`."""
    return block.memory.is_searched[1 - block.side(number)] != 0


@compiled
def nearest_opponent(block: Block, number: int, k: int) -> int:
    """The nearest opponent in play in the k-th game, with the lowest number, or -1."""
    if searches_grid(block, number):
        call_routine(block.memory.find_nearest, (block.call_at, k, k + 1, number))
        return block.columns.opponent[0]
    return _compare_opponents(block, number, k)[0]


@compiled
def distance_to_opponent(block: Block, number: int, k: int) -> float:
    """From a player to its nearest opponent in play in the k-th game, in meters."""
    return math.sqrt(_compare_opponents(block, number, k)[1])


@compiled
def _compare_opponents(block: Block, number: int, k: int) -> tuple[int, float]:
    """The nearest opponent, and the square of its distance, without a grid."""
    first, last = block.opponents(number)
    position = block.player(number, k).position[0]
    nearest, nearest_square = -1, math.inf
    for other in range(first, last):
        theirs = block.player(other, k)
        if theirs.active[0] != 0:
            offset = block.region.offset(position, theirs.position[0])
            square = dot(offset, offset)
            if square < nearest_square:
                nearest, nearest_square = other, square
    return nearest, nearest_square


@compiled
def as_observed(body: Vehicle, is_me: bool) -> Vehicle:
    """A body, or record of `VEHICLE`, as observed.

    The max_force and mass of another vehicle are nan, and so is my own acceleration.
    """
    return Vehicle(
        body.position,
        body.velocity,
        body.heading,
        body.max_speed,
        body.max_force if is_me else math.nan,
        body.mass if is_me else math.nan,
        body.radius,
        HIDDEN_VECTOR if is_me else body.acceleration,
    )


@compiled
def teammates_in_reach(block: Block, number: int, k: int) -> np.ndarray:
    """The teammates by number, with a grid those within a script's reach alone."""
    if block.memory.has_grid[block.side(number)] != 0:
        call_routine(block.memory.find_teammates, (block.call_at, k, k + 1, number))
        return records_at(block.scratch.neighbors, block.columns.neighbor_result[0], VEHICLE)
    neighbors, found = block.neighbors, 0
    position = block.player(number, k).position[0]
    first, last = block.teammates(number)
    for mate in range(first, last):
        if mate != number and block.player(mate, k).active[0]:
            copy_vehicle(block.seen_from(position, mate, k), neighbors[found])
            found += 1
    return neighbors[:found]


@compiled
def discs_seen_by(block: Block, number: int, k: int) -> np.ndarray:
    """The obstacles of the k-th game at their images nearest to a player."""
    discs, seen = block.space_for_discs, 0
    position = block.player(number, k).position[0]
    for place in range(block.memory.obstacles):
        obstacle = block.obstacle(place, k)
        if obstacle.radius > 0.0:
            discs[seen].center = position + block.region.offset(position, obstacle.center)
            discs[seen].radius = obstacle.radius
            seen += 1
    return discs[:seen]


@compiled
def is_in_view(rules: np.record, heading: complex, offset: complex, radius: float) -> bool:
    """Returns whether an offset, to an obstacle of a radius or with 0, is in view."""
    square, reach = dot(offset, offset), rules.sight_range + radius
    # |offset| cos(angle) against |offset| cos(field of view): no angle is needed.
    minimum = rules.cos_field_of_view * math.sqrt(square)
    return square <= reach * reach and dot(heading, offset) >= minimum


@compiled
def crosses_disc(offset: complex, center: complex, radius: float) -> bool:
    """Returns whether the segment from 0 to an offset crosses a disc."""
    along = dot(center, offset) / max(dot(offset, offset), TINY)
    gap = center - scale(offset, min(max(along, 0.0), 1.0))
    return dot(gap, gap) < radius * radius


@compiled
def hides(region: Region, position: complex, offset: complex, disc: Obstacle) -> bool:
    """Returns whether an obstacle hides an offset (to the nearest image) from a position."""
    center, radius = disc
    reach = radius - ROUNDING  # a body may touch the disc, and overlap it by that much
    if reach <= 0.0:
        return False
    near = region.offset(position, center)
    if crosses_disc(offset, near, reach):
        return True
    if not region.wraps:
        return False
    # The line is at most half a side long, in x and in y. So along each axis the image of the
    # center that is nearest to a point of it is the one nearest to its start, or to its end.
    far = offset + region.offset(position + offset, center)
    return (
        crosses_disc(offset, far, reach)
        or crosses_disc(offset, complex(near.real, far.imag), reach)
        or crosses_disc(offset, complex(far.real, near.imag), reach)
    )


@compiled_loop
def is_wall_between(block: Block, k: int, place: complex, line: complex) -> bool:
    """Returns whether a wall of the k-th game's map is between both ends of a line."""
    return not sees(block.walls(k), place, line)


@compiled
def is_hidden(block: Block, k: int, position: complex, offset: complex, itself: int) -> bool:
    """Returns whether a wall or an obstacle, but for ``itself``, hides an offset in a game."""
    region = block.region
    if block.rules.walls_hide and is_wall_between(block, k, position, offset):
        return True
    for place in range(block.memory.obstacles if block.rules.occlusion else 0):
        disc = block.obstacle(place, k)
        if place != itself and hides(region, position, offset, disc):
            return True
    return False


@compiled
def offset_in_sight(block: Block, k: int, me: int, other: int) -> tuple[bool, complex]:
    """Returns whether one player sees another in the k-th game, and the offset."""
    mine, theirs = block.player(me, k), block.player(other, k)
    position, heading = mine.position[0], mine.heading[0]
    offset = block.region.offset(position, theirs.position[0])
    is_seen = (
        theirs.active[0] != 0
        and is_in_view(block.rules, heading, offset, 0.0)
        and not is_hidden(block, k, position, offset, -1)
    )
    return is_seen, offset


@compiled
def insert(chosen: Integers, squares: Numbers, rank: int, number: int, square: float) -> None:
    """Inserts a number into a list by the square of its distance, from a rank on upward."""
    while rank > 0 and square < squares[rank - 1]:
        chosen[rank], squares[rank] = chosen[rank - 1], squares[rank - 1]
        rank -= 1
    chosen[rank], squares[rank] = number, square


@compiled
def nearest_in_sight(
    block: Block, k: int, me: int, first: int, last: int, chosen: Integers
) -> int:
    """Lists and counts up to ``rules.nearest`` players in sight, the nearest first."""
    squares, most, found = block.columns.seen_square, block.rules.nearest, 0
    mine = block.player(me, k)
    position, heading = mine.position[0], mine.heading[0]
    # Read once: the compiler cannot know that what is written below leaves them as they are.
    region, games = block.region, block.memory.games
    count = block.memory.players * games - k
    positions = column(block.memory.position, k, count, np.complex128)
    active = column(block.memory.active, k, count, np.uint8)
    for other in range(first, last):
        if other == me or active[other * games] == 0:
            continue
        offset = region.offset(position, positions[other * games])
        square = dot(offset, offset)
        is_full = found == most
        # Whether something hides it takes longest to find out.
        if (
            (is_full and square >= squares[most - 1])
            or not is_in_view(block.rules, heading, offset, 0.0)
            or is_hidden(block, k, position, offset, -1)
        ):
            continue
        insert(chosen, squares, most - 1 if is_full else found, other, square)
        found += 0 if is_full else 1
    return found


@compiled
def obstacles_in_sight(block: Block, k: int, me: int, most: int, chosen: Integers) -> int:
    """`nearest_in_sight` of the obstacles, with at most ``most`` of them chosen."""
    squares, found = block.columns.disc_square, 0
    mine = block.player(me, k)
    position, heading = mine.position[0], mine.heading[0]
    for place in range(block.memory.obstacles):
        center, radius = block.obstacle(place, k)
        if radius <= 0.0:
            continue
        offset = block.region.offset(position, center)
        square = dot(offset, offset)
        is_full = found == most
        if (
            (is_full and square >= squares[most - 1])
            or not is_in_view(block.rules, heading, offset, radius)
            or is_hidden(block, k, position, offset, place)
        ):
            continue
        insert(chosen, squares, most - 1 if is_full else found, place, square)
        found += 0 if is_full else 1
    return found
