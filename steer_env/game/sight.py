"""What a scripted player sees: its nearest opponent, and for some scripts all around."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import nearest_image, nearest_offset
from steer_env.game.memory import body_at, integers, obstacle_at, player_at
from steer_env.game.rules import EVADER, PURSUER
from steer_env.machine_code.addresses import call_routine, records_at
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import dot
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Vehicle, copy_vehicle


@compiled
def opponents_of(number: int, rules: np.record, players: int) -> tuple[int, int]:
    """The first player of the other side, and one past the last."""
    return (rules.pursuers, players) if number < rules.pursuers else (0, rules.pursuers)


@compiled
def searches_grid(memory: np.record, number: int, rules: np.record) -> bool:
    """Whether a player looks for its nearest opponent in a grid; see `neighbors`."""
    return memory.is_searched[EVADER if number < rules.pursuers else PURSUER] != 0


@compiled
def nearest_opponent(
    memory: np.record, scratch: np.record, number: int, k: int, rules: np.record
) -> int:
    """The nearest active player of the other side in the k-th game; -1 if none is left.

    Of several as near, it is the one with the lowest number.
    """
    if searches_grid(memory, number, rules):
        where = (memory.address, scratch.address, number, k, k + 1)
        call_routine(memory.find_nearest, where)
        return integers(scratch.opponent)[0]
    first, last = opponents_of(number, rules, memory.players)
    position = player_at(memory, number, k).position[0]
    nearest, nearest_square = -1, math.inf
    for number in range(first, last):
        other = player_at(memory, number, k)
        if other.active[0]:
            offset = nearest_offset(rules.arena, rules.half_size, position, other.position[0])
            square = dot(offset, offset)
            if square < nearest_square:
                nearest, nearest_square = number, square
    return nearest


@compiled
def seen_from(
    position: complex, memory: np.record, number: int, k: int, rules: np.record
) -> Vehicle:
    """The body of a player in the k-th game, at its image nearest to a position."""
    body = body_at(player_at(memory, number, k), 0)
    return Vehicle(
        nearest_image(rules.arena, rules.half_size, position, body.position),
        body.velocity,
        body.heading,
        body.max_speed,
        body.max_force,
        body.mass,
        body.radius,
        body.acceleration,
    )


@compiled
def as_observed(body: Vehicle, is_me: bool) -> Vehicle:
    """A body as an observation shows it: another's force and mass, and my acceleration, not."""
    return Vehicle(
        body.position,
        body.velocity,
        body.heading,
        body.max_speed,
        body.max_force if is_me else 1.0,
        body.mass if is_me else 1.0,
        body.radius,
        0j if is_me else body.acceleration,
    )


@compiled
def teammates_of(
    memory: np.record, scratch: np.record, number: int, k: int, rules: np.record
) -> np.ndarray:
    """The active teammates of a player in the k-th game, as it sees them."""
    first, last = 0, rules.pursuers
    if number >= rules.pursuers:
        first, last = rules.pursuers, memory.players
    neighbors = records_at(scratch.neighbors, memory.players, VEHICLE)
    position = player_at(memory, number, k).position[0]
    seen = 0
    for mate in range(first, last):
        if mate != number and player_at(memory, mate, k).active[0]:
            copy_vehicle(seen_from(position, memory, mate, k, rules), neighbors[seen])
            seen += 1
    return neighbors[:seen]


@compiled
def teammates_in_reach(
    memory: np.record, scratch: np.record, number: int, k: int, rules: np.record
) -> np.ndarray:
    """The teammates that a player's script looks at in the k-th game, as it sees them.

    In the order of their numbers. Where its side has a grid, teammates that are out of the
    script's reach are left out; see `neighbors`.
    """
    side = PURSUER if number < rules.pursuers else EVADER
    if memory.has_grid[side] == 0:
        return teammates_of(memory, scratch, number, k, rules)
    call_routine(memory.find_teammates, (memory.address, scratch.address, number, k))
    return records_at(scratch.neighbors, integers(scratch.found)[0], VEHICLE)


@compiled
def discs_of(memory: np.record, scratch: np.record, k: int) -> np.ndarray:
    """The obstacles of the k-th game."""
    discs = records_at(scratch.discs, memory.obstacles, OBSTACLE)
    for place in range(memory.obstacles):
        obstacle = obstacle_at(memory, place, k)
        discs[place].center = obstacle.center
        discs[place].radius = obstacle.radius
    return discs


@compiled
def discs_seen_from(
    position: complex, memory: np.record, scratch: np.record, k: int, rules: np.record
) -> np.ndarray:
    """The obstacles of the k-th game at their images nearest to a position."""
    discs = records_at(scratch.discs, memory.obstacles, OBSTACLE)
    seen = 0
    for place in range(memory.obstacles):
        obstacle = obstacle_at(memory, place, k)
        if obstacle.radius > 0.0:
            offset = nearest_offset(rules.arena, rules.half_size, position, obstacle.center)
            discs[seen].center = position + offset
            discs[seen].radius = obstacle.radius
            seen += 1
    return discs[:seen]
