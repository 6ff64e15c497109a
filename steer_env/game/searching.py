"""The forces of scripts that see no more than the learner, and what they remember.

Such a script, one with ``sees="observed"``, attends to what is in sight. While no opponent is,
it attends to the one that it saw last, where that would be by now at its old velocity. What it
remembers, a sighting, is part of the state: `SIGHTING_SIZE` numbers for each player.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from steer_env.game.arena import nearest_image, room
from steer_env.game.in_sight import (
    disc_columns,
    nearest_in_sight,
    obstacles_in_sight,
    offset_in_sight,
)
from steer_env.game.memory import games_of, integers, player_at, rules_of
from steer_env.game.other_scripts import fill_forces
from steer_env.game.sight import opponents_of, seen_from
from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.routines import routine
from steer_env.scripts.script import Script
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import clamp_to_square, dot, scale
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Vehicle, copy_vehicle

SIGHTING_SIZE = 10
"""The number of the opponent, from 1 on (0: none), the step, and `Sighting`'s vectors."""


class Sighting(NamedTuple):
    """An opponent as one player saw it last.

    Attributes:
        other: its number; -1 if there is none.
        step: when it was seen, in steps of the episode.
        position: where, in meters, as the next ones in the frame of the arena.
        velocity: in meters a second.
        heading: unit vector.
        acceleration: in meters a second squared.
    """

    other: int
    step: int
    position: complex
    velocity: complex
    heading: complex
    acceleration: complex


def sighting_rows(scripts: Iterable[Script | None], players: int) -> int:
    """How many numbers a game keeps for what its players remember; 0 if no script does."""
    remembers = any(script is not None and script.sees != "all" for script in scripts)
    return players * SIGHTING_SIZE if remembers else 0


@compiled
def coasted(position: complex, velocity: complex, seconds: float, space: float) -> complex:
    """Where a vehicle would be after some seconds at its old velocity, p + v t.

    Args:
        position: where it was, in meters.
        velocity: in meters a second.
        seconds: since then.
        space: how far from the middle its center can be, in meters; inf without walls.
    """
    return clamp_to_square(position + scale(velocity, seconds), space)


@compiled
def _recall(memory: np.record, number: int, k: int) -> Sighting:
    """What a player remembers in the k-th game."""
    games, first = memory.games, number * SIGHTING_SIZE * memory.games + k
    kept = column(memory.sightings, first, (SIGHTING_SIZE - 1) * games + 1, np.float64)
    return Sighting(
        int(kept[0]) - 1,
        int(kept[games]),
        complex(kept[2 * games], kept[3 * games]),
        complex(kept[4 * games], kept[5 * games]),
        complex(kept[6 * games], kept[7 * games]),
        complex(kept[8 * games], kept[9 * games]),
    )


@compiled
def _remember(memory: np.record, number: int, k: int, seen: Sighting) -> None:
    """Has a player remember a sighting, instead of the one before."""
    games, first = memory.games, number * SIGHTING_SIZE * memory.games + k
    kept = column(memory.sightings, first, (SIGHTING_SIZE - 1) * games + 1, np.float64)
    kept[0], kept[games] = 1.0 + seen.other, float(seen.step)
    kept[2 * games], kept[3 * games] = seen.position.real, seen.position.imag
    kept[4 * games], kept[5 * games] = seen.velocity.real, seen.velocity.imag
    kept[6 * games], kept[7 * games] = seen.heading.real, seen.heading.imag
    kept[8 * games], kept[9 * games] = seen.acceleration.real, seen.acceleration.imag


@compiled
def _opponent_in_sight(memory: np.record, number: int, k: int, rules: np.record) -> int:
    """The nearest opponent that a player sees in the k-th game; -1 for none."""
    first, last = opponents_of(number, rules, memory.players)
    nearest, least = -1, 0.0
    for other in range(first, last):
        is_seen, offset = offset_in_sight(memory, k, rules, number, other)
        square = dot(offset, offset)
        if is_seen and (nearest < 0 or square < least):
            nearest, least = other, square
    return nearest


@compiled
def attend(memory: np.record, number: int, script: np.record, k: int) -> tuple[bool, Vehicle]:
    """The opponent that a player attends to in the k-th game: in sight, or remembered.

    Returns:
        Whether there is one, and the opponent as it is, or would be by now.
    """
    rules, steps = rules_of(memory), games_of(memory, k, k + 1).steps[0]
    position = player_at(memory, number, k).position[0]
    nearest = _opponent_in_sight(memory, number, k, rules)
    if nearest >= 0:
        body = player_at(memory, nearest, k)
        seen = body.position[0], body.velocity[0], body.heading[0], body.acceleration[0]
        _remember(
            memory, number, k, Sighting(nearest, steps, seen[0], seen[1], seen[2], seen[3])
        )
        return True, seen_from(position, memory, nearest, k, rules)
    last_seen = _recall(memory, number, k)
    first, last = opponents_of(number, rules, memory.players)
    age = (steps - last_seen.step) * rules.dt
    is_known = first <= last_seen.other < last and 0.0 <= age <= script.memory_seconds
    other = seen_from(position, memory, last_seen.other if is_known else first, k, rules)
    if not is_known or player_at(memory, last_seen.other, k).active[0] == 0:
        _remember(memory, number, k, Sighting(-1, 0, 0j, 0j, 0j, 0j))
        return False, other
    space = room(rules.arena, rules.half_size, other.radius)
    place = coasted(last_seen.position, last_seen.velocity, age, space)
    return True, Vehicle(
        nearest_image(rules.arena, rules.half_size, position, place),
        last_seen.velocity,
        last_seen.heading,
        other.max_speed,
        other.max_force,
        other.mass,
        other.radius,
        last_seen.acceleration,
    )


@compiled
def _teammates_in_sight(
    memory: np.record, scratch: np.record, number: int, k: int, rules: np.record
) -> np.ndarray:
    """The teammates that a player sees in the k-th game; by number, or the nearest first."""
    first, last = 0, rules.pursuers
    if number >= rules.pursuers:
        first, last = rules.pursuers, memory.players
    chosen, found = integers(scratch.seen), 0
    if rules.nearest > 0:
        found = nearest_in_sight(memory, scratch, k, rules, number, first, last, chosen)
    else:
        for mate in range(first, last):
            is_seen, _ = offset_in_sight(memory, k, rules, number, mate)
            if is_seen and mate != number:
                chosen[found] = mate
                found += 1
    neighbors = records_at(scratch.neighbors, memory.players, VEHICLE)
    position = player_at(memory, number, k).position[0]
    for rank in range(found):
        copy_vehicle(seen_from(position, memory, chosen[rank], k, rules), neighbors[rank])
    return neighbors[:found]


@compiled
def _discs_in_sight(
    memory: np.record, scratch: np.record, number: int, k: int, rules: np.record
) -> np.ndarray:
    """The obstacles that a player sees in the k-th game, at their nearest images."""
    most = rules.nearest if rules.nearest > 0 else memory.obstacles
    found = obstacles_in_sight(memory, scratch, k, rules, number, most)
    discs = records_at(scratch.discs, memory.obstacles, OBSTACLE)
    offsets, _, radii = disc_columns(memory, scratch)
    position = player_at(memory, number, k).position[0]
    for rank in range(found):
        discs[rank].center = position + offsets[rank]
        discs[rank].radius = radii[rank]
    return discs[:found]


@compiled
def look_in_sight(
    memory: np.record, scratch: np.record, number: int, script: np.record, k: int
) -> tuple[bool, Vehicle, np.ndarray, np.ndarray]:
    """`other_scripts.look_around`, by a script that sees no more than the learner."""
    rules = rules_of(memory)
    has_opponent, other = attend(memory, number, script, k)
    neighbors = records_at(scratch.neighbors, 0, VEHICLE)
    if script.sees_neighbors:
        neighbors = _teammates_in_sight(memory, scratch, number, k, rules)
    discs = records_at(scratch.discs, 0, OBSTACLE)
    if script.sees_obstacles:
        discs = _discs_in_sight(memory, scratch, number, k, rules)
    return has_opponent, other, neighbors, discs


@routine
def fill_searching_forces(
    memory_at: int, scratch_at: int, number: int, row: int, start: int, stop: int, found: int
) -> None:
    """`other_scripts.fill_other_forces`, by a script that sees no more than the learner."""
    fill_forces(memory_at, scratch_at, number, row, start, found, look_in_sight)
