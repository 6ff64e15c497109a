"""Scripts with limited sight and memory: ``sees="observed"``.

Such a script tracks the nearest visible opponent; when none is visible, it dead-reckons the
last one. Its sighting is part of the state: `SIGHTING_SIZE` numbers for each player.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steer_env.game.look.visibility import nearest_in_sight, obstacles_in_sight, offset_in_sight
from steer_env.game.run.block import Block, block_at, fill_forces
from steer_env.game.run.general_scripts import force_of_script
from steer_env.game.state import SIGHTING_SIZE
from steer_env.machine_code.addresses import column
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import clamp_to_square, dot, scale
from steer_env.steering.vehicle import Vehicle, copy_vehicle


class Sighting(NamedTuple):
    """An opponent as one player saw it last, in meters and seconds in the arena's frame."""

    other: int  # its number; -1 if there is none
    step: int  # of the episode
    position: complex
    velocity: complex
    heading: complex
    acceleration: complex


@compiled
def coasted(position: complex, velocity: complex, seconds: float, space: float) -> complex:
    """The dead-reckoned place of a vehicle at constant velocity, p + v t.

    ``space`` is how far from the middle its center can be, in meters; inf without walls.
    """
    return clamp_to_square(position + scale(velocity, seconds), space)


@compiled
def _recall(block: Block, number: int, k: int) -> Sighting:
    """The last sighting that a player remembers in the k-th game."""
    games, first = block.memory.games, number * SIGHTING_SIZE * block.memory.games + k
    kept = column(block.memory.sightings, first, (SIGHTING_SIZE - 1) * games + 1, np.float64)
    return Sighting(
        int(kept[0]) - 1,
        int(kept[games]),
        complex(kept[2 * games], kept[3 * games]),
        complex(kept[4 * games], kept[5 * games]),
        complex(kept[6 * games], kept[7 * games]),
        complex(kept[8 * games], kept[9 * games]),
    )


@compiled
def _remember(block: Block, number: int, k: int, seen: Sighting) -> None:
    """Stores a player's sighting in place of the one before."""
    games, first = block.memory.games, number * SIGHTING_SIZE * block.memory.games + k
    kept = column(block.memory.sightings, first, (SIGHTING_SIZE - 1) * games + 1, np.float64)
    kept[0], kept[games] = 1.0 + seen.other, float(seen.step)
    kept[2 * games], kept[3 * games] = seen.position.real, seen.position.imag
    kept[4 * games], kept[5 * games] = seen.velocity.real, seen.velocity.imag
    kept[6 * games], kept[7 * games] = seen.heading.real, seen.heading.imag
    kept[8 * games], kept[9 * games] = seen.acceleration.real, seen.acceleration.imag


@compiled
def _opponent_in_sight(block: Block, number: int, k: int) -> int:
    """The nearest opponent that a player sees in the k-th game, -1 for none."""
    first, last = block.opponents(number)
    nearest, nearest_square = -1, 0.0
    for other in range(first, last):
        is_seen, offset = offset_in_sight(block, k, number, other)
        square = dot(offset, offset)
        if is_seen and (nearest < 0 or square < nearest_square):
            nearest, nearest_square = other, square
    return nearest


@compiled
def track_opponent(
    block: Block, number: int, script: np.record, k: int
) -> tuple[bool, Vehicle]:
    """The opponent that a player tracks in the k-th game: in sight, or remembered.

    Returns:
        Whether there is one, and its body, or the predicted one.
    """
    rules, steps = block.rules, block.game(k).steps[0]
    position = block.player(number, k).position[0]
    nearest = _opponent_in_sight(block, number, k)
    if nearest >= 0:
        body = block.body(nearest, k)
        place, velocity, heading = body.position, body.velocity, body.heading
        seen = Sighting(nearest, steps, place, velocity, heading, body.acceleration)
        _remember(block, number, k, seen)
        return True, block.seen_from(position, nearest, k)
    last_seen = _recall(block, number, k)
    first, last = block.opponents(number)
    age = (steps - last_seen.step) * rules.dt
    is_known = first <= last_seen.other < last and 0.0 <= age <= script.memory_seconds
    other = block.seen_from(position, last_seen.other if is_known else first, k)
    if not is_known or block.player(last_seen.other, k).active[0] == 0:
        _remember(block, number, k, Sighting(-1, 0, 0j, 0j, 0j, 0j))
        return False, other
    room = block.region.room(other.radius)
    place = coasted(last_seen.position, last_seen.velocity, age, room)
    place = block.image(position, place)
    _, _, _, velocity, heading, acceleration = last_seen
    _, _, _, max_speed, max_force, mass, radius, _ = other
    return True, Vehicle(
        place, velocity, heading, max_speed, max_force, mass, radius, acceleration
    )


@compiled
def _teammates_in_sight(block: Block, number: int, k: int) -> np.ndarray:
    """The teammates that a player sees in the k-th game, by number or the nearest first."""
    first, last = block.teammates(number)
    chosen, found = block.columns.seen, 0
    if block.rules.nearest > 0:
        found = nearest_in_sight(block, k, number, first, last, chosen)
    else:
        for mate in range(first, last):
            is_seen, _ = offset_in_sight(block, k, number, mate)
            if is_seen and mate != number:
                chosen[found] = mate
                found += 1
    neighbors = block.neighbors
    position = block.player(number, k).position[0]
    for rank in range(found):
        copy_vehicle(block.seen_from(position, chosen[rank], k), neighbors[rank])
    return neighbors[:found]


@compiled
def _discs_in_sight(block: Block, number: int, k: int) -> np.ndarray:
    """The obstacles that a player sees in the k-th game, at their nearest images."""
    most = block.rules.nearest if block.rules.nearest > 0 else block.memory.obstacles
    discs = block.space_for_discs
    chosen = block.columns.disc_order
    found = obstacles_in_sight(block, k, number, most, chosen)
    position = block.player(number, k).position[0]
    for rank in range(found):
        center, radius = block.obstacle(chosen[rank], k)
        discs[rank].center = position + block.offset(position, center)
        discs[rank].radius = radius
    return discs[:found]


@compiled
def _force(block: Block, number: int, script: np.record, k: int) -> complex:
    ways = track_opponent, _teammates_in_sight, _discs_in_sight
    return force_of_script(block, number, script, k, *ways)


@routine
def fill_tracking_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """`general_scripts.fill_general_forces` for a script with limited sight."""
    fill_forces(block_at(call_at, start, stop), number, row, followers, _force)
