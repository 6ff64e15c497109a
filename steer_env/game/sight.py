"""What a scripted player sees: its nearest opponent, and for some scripts all around."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import nearest_image, nearest_offset, room
from steer_env.game.random import draw_uniform
from steer_env.game.workspace import (
    Bodies,
    Crowd,
    Scene,
    Workspace,
    copy_body,
    crowd_in,
    marks_in,
)
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import dot


@compiled
def nearest_active(
    players: np.ndarray, first: int, last: int, position: complex, arena: int, half_size: float
) -> int:
    """The active player from first to last - 1 that is nearest to a point; -1 if none is."""
    if last - first == 1:
        return first if players[first].active else -1
    nearest, nearest_square = -1, math.inf
    for number in range(first, last):
        if players[number].active:
            offset = nearest_offset(arena, half_size, position, players[number].body.position)
            square = dot(offset, offset)
            if square < nearest_square:
                nearest, nearest_square = number, square
    return nearest


@compiled
def nearest_opponent(players: np.ndarray, number: int, rules: np.record) -> int:
    """The nearest active player of the other side; -1 if none is left."""
    first, last = 0, rules.pursuers
    if number < rules.pursuers:
        first, last = rules.pursuers, len(players)
    position = players[number].body.position
    return nearest_active(players, first, last, position, rules.arena, rules.half_size)


@compiled
def look(
    scene: Scene,
    entry: int,
    bodies: Bodies,
    number: int,
    opponent: int,
    k: int,
    rules: np.record,
) -> None:
    """Copies what a player sees of an opponent into an entry of a scene."""
    position = bodies.position[number, k]
    target = nearest_image(rules.arena, rules.half_size, position, bodies.position[opponent, k])
    scene.position[entry] = position
    scene.velocity[entry] = bodies.velocity[number, k]
    scene.heading[entry] = bodies.heading[number, k]
    scene.max_speed[entry] = bodies.max_speed[number, k]
    scene.room[entry] = room(rules.arena, rules.half_size, bodies.radius[number, k])
    scene.other_position[entry] = target
    scene.other_velocity[entry] = bodies.velocity[opponent, k]
    scene.other_heading[entry] = bodies.heading[opponent, k]
    scene.other_acceleration[entry] = bodies.acceleration[opponent, k]
    scene.other_max_speed[entry] = bodies.max_speed[opponent, k]


@compiled
def look_closely(
    crowd: Crowd, entry: int, players: np.ndarray, number: int, rules: np.record
) -> None:
    """Copies what only some scripts need of a player's body and its opponent's."""
    me = players[number].body
    crowd.max_force[entry] = me.max_force
    crowd.mass[entry] = me.mass
    crowd.radius[entry] = me.radius
    opponent = nearest_opponent(players, number, rules)
    crowd.other_radius[entry] = players[max(opponent, 0)].body.radius


@compiled_loop
def look_around(
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    number: int,
    script: np.record,
    rules: np.record,
    start: int,
    count: int,
    space: Workspace,
) -> None:
    """Copies what one player sees besides its opponent, in the member games of a block.

    The rest of both bodies, active teammates and obstacles at the image that is nearest; and
    it draws the chance that the script's method needs.
    """
    arena, half_size, crowd = rules.arena, rules.half_size, crowd_in(space)
    members, first, last = marks_in(space).members, 0, rules.pursuers
    if number >= rules.pursuers:
        first, last = rules.pursuers, players.shape[1]
    for entry in range(count):
        index = start + members[entry]
        look_closely(crowd, entry, players[index], number, rules)
        position = players[index, number].body.position
        seen = 0
        for mate in range(first, last):
            if script.sees_neighbors and mate != number and players[index, mate].active:
                neighbor = crowd.neighbors[entry, seen]
                copy_body(players[index, mate].body, neighbor)
                offset = nearest_offset(arena, half_size, position, neighbor.position)
                neighbor.position = position + offset
                seen += 1
        crowd.num_neighbors[entry] = seen
        seen = 0
        for place in range(obstacles.shape[1]):
            obstacle = obstacles[index, place]
            if script.sees_obstacles and obstacle.radius > 0.0:
                offset = nearest_offset(arena, half_size, position, obstacle.center)
                crowd.discs[entry, seen].center = position + offset
                crowd.discs[entry, seen].radius = obstacle.radius
                seen += 1
        crowd.num_discs[entry] = seen
        for rank in range(script.num_parts if script.draws else 0):
            crowd.dice[rank, entry] = draw_uniform(games[index], 0.0, 1.0)
