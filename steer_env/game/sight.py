"""What a scripted player sees: its nearest opponent, and for some scripts all around."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import nearest_image, nearest_offset
from steer_env.game.memory import Scratch
from steer_env.game.state import State, vehicle_at
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import dot
from steer_env.steering.vehicle import Vehicle


@compiled
def team_of(number: int, rules: np.record, players: int) -> tuple[int, int]:
    """The first player of a player's own side, and one past the last."""
    return (0, rules.pursuers) if number < rules.pursuers else (rules.pursuers, players)


@compiled
def nearest_opponent(state: State, number: int, k: int, rules: np.record) -> int:
    """The nearest active player of the other side in the k-th game; -1 if none is left."""
    first, last = 0, rules.pursuers
    if number < rules.pursuers:
        first, last = rules.pursuers, len(state.position)
    if last - first == 1:
        return first if state.active[first, k] else -1
    position = state.position[number, k]
    nearest, nearest_square = -1, math.inf
    for other in range(first, last):
        if state.active[other, k]:
            place = state.position[other, k]
            offset = nearest_offset(rules.arena, rules.half_size, position, place)
            square = dot(offset, offset)
            if square < nearest_square:
                nearest, nearest_square = other, square
    return nearest


@compiled
def seen_from(state: State, number: int, other: int, k: int, rules: np.record) -> Vehicle:
    """The body of another player in the k-th game, at its image nearest to a player."""
    body = vehicle_at(state, other, k)
    position = state.position[number, k]
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
def copy_vehicle(body: Vehicle, to: np.record) -> None:
    """Copies a vehicle into a record of `VEHICLE`."""
    to.position = body.position
    to.velocity = body.velocity
    to.heading = body.heading
    to.max_speed = body.max_speed
    to.max_force = body.max_force
    to.mass = body.mass
    to.radius = body.radius
    to.acceleration = body.acceleration


@compiled
def see_teammates(state: State, number: int, k: int, rules: np.record, scratch: Scratch) -> int:
    """Writes a player's active teammates into ``scratch.neighbors``; how many they are."""
    first, last = team_of(number, rules, len(state.position))
    seen = 0
    for mate in range(first, last):
        if mate != number and state.active[mate, k]:
            copy_vehicle(seen_from(state, number, mate, k, rules), scratch.neighbors[seen])
            seen += 1
    return seen


@compiled
def see_obstacles(state: State, number: int, k: int, rules: np.record, scratch: Scratch) -> int:
    """Writes the obstacles around a player into ``scratch.discs``; how many they are."""
    position = state.position[number, k]
    seen = 0
    for place in range(len(state.center)):
        if state.obstacle_radius[place, k] > 0.0:
            center = state.center[place, k]
            offset = nearest_offset(rules.arena, rules.half_size, position, center)
            scratch.discs[seen].center = position + offset
            scratch.discs[seen].radius = state.obstacle_radius[place, k]
            seen += 1
    return seen
