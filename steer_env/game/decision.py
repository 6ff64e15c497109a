"""The first half of a step: what steering force every player decides on."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import TORUS, nearest_offset, room, wrap
from steer_env.game.dynamics import CAR, POINT_MASS, SIMPLE_MOTION, force_of_action
from steer_env.game.forces import fill_forces, fill_plain_forces
from steer_env.game.random import draw_gaussian, draw_uniform
from steer_env.game.scripts import EXTERNAL
from steer_env.game.state import EVADER, PURSUER
from steer_env.game.workspace import (
    Bodies,
    Crowd,
    Scene,
    Workspace,
    bodies_in,
    body_at,
    copy_body,
    crowd_in,
    marks_in,
    scene_in,
    scene_of_all,
)
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import dot
from steer_env.steering.wander import turn_wander_point


@compiled
def nearest_opponent(players: np.ndarray, number: int, rules: np.record) -> int:
    """The nearest active player of the other side; -1 if none is left."""
    first, last = 0, rules.pursuers
    if number < rules.pursuers:
        first, last = rules.pursuers, len(players)
    if last - first == 1:
        return first if players[first].active else -1
    nearest, nearest_square = -1, math.inf
    position = players[number].body.position
    for opponent in range(first, last):
        if players[opponent].active:
            offset = nearest_offset(
                rules.arena, rules.half_size, position, players[opponent].body.position
            )
            square = dot(offset, offset)
            if square < nearest_square:
                nearest, nearest_square = opponent, square
    return nearest


@compiled
def obey_all(
    bodies: Bodies, number: int, actions: np.ndarray, place: int, model: int, dt: float
) -> None:
    """The forces of one player in a block's games, from its actions ``actions[:, place]``."""
    for k in range(len(actions)):
        wanted = complex(np.float64(actions[k, place, 0]), np.float64(actions[k, place, 1]))
        bodies.force[number, k] = force_of_action(model, body_at(bodies, number, k), wanted, dt)


@compiled_loop
def decide_by_action(
    bodies: Bodies, number: int, actions: np.ndarray, place: int, model: int, dt: float
) -> None:
    """`obey_all`, with the model made known to the compiler."""
    if model == POINT_MASS:
        obey_all(bodies, number, actions, place, POINT_MASS, dt)
    elif model == SIMPLE_MOTION:
        obey_all(bodies, number, actions, place, SIMPLE_MOTION, dt)
    else:
        obey_all(bodies, number, actions, place, CAR, dt)


@compiled_loop
def find_members(
    players: np.ndarray,
    number: int,
    script_index: int,
    fresh: np.ndarray,
    members: np.ndarray,
) -> int:
    """Writes in which games a player acts, and by a certain script; how many they are."""
    count = 0
    for k in range(len(players)):
        player = players[k, number]
        if player.script == script_index and player.active and not fresh[k]:
            members[count] = k
            count += 1
    return count


@compiled_loop
def decide_by_script(
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    number: int,
    script: np.record,
    script_index: int,
    rules: np.record,
    start: int,
    stop: int,
    space: Workspace,
) -> None:
    """The forces of one player in those of a block's games where it has a certain script."""
    members, bodies = marks_in(space).members, bodies_in(space, players.shape[1])
    crowd = crowd_in(space)
    count = find_members(players[start:stop], number, script_index, marks_in(space).fresh, members)
    if script.wanders:
        turn_wander_points(games[start:stop], players[start:stop], number, script, count, space)
    side = PURSUER if number < rules.pursuers else EVADER
    is_alone = players.shape[1] == 2 and rules.num_scripts[side] == 1
    if is_alone and rules.arena != TORUS and script.is_plain:
        # One against one, all by the same script: no need to copy what they see. Who does not
        # act in this step gets a force too, and it is not used.
        scene = scene_of_all(space, bodies, number, 1 - number)
        if script.wanders:
            for k in range(stop - start):
                scene.wander_point[k] = players[start + k, number].wander_point
        for k in range(stop - start):
            scene.present[k] = True
            scene.room[k] = room(rules.arena, rules.half_size, bodies.radius[number, k])
        fill_plain_forces(script, scene, stop - start)
        return
    scene = scene_in(space)
    for entry in range(count):
        k = members[entry]
        opponent = nearest_opponent(players[start + k], number, rules)
        scene.present[entry] = opponent >= 0
        look(scene, crowd, entry, bodies, number, max(opponent, 0), k, rules)
    if not script.is_plain:
        look_around(games, players, obstacles, number, script, rules, start, count, space)
    fill_forces(script, scene, crowd, count)
    for entry in range(count):
        bodies.force[number, members[entry]] = scene.force[entry]


@compiled_loop
def turn_wander_points(
    games: np.ndarray,
    players: np.ndarray,
    number: int,
    script: np.record,
    count: int,
    space: Workspace,
) -> None:
    """One step of the wander points of one player in the member games of a block."""
    scene, members = scene_in(space), marks_in(space).members
    points, turns = scene.wander_point, scene.time
    for entry in range(count):
        points[entry] = players[members[entry], number].wander_point
        turns[entry] = script.wander_step * draw_gaussian(games[members[entry]])
    for entry in range(count):
        points[entry] = turn_wander_point(points[entry], turns[entry])
    for entry in range(count):
        players[members[entry], number].wander_point = points[entry]


@compiled
def look(
    scene: Scene,
    crowd: Crowd,
    entry: int,
    bodies: Bodies,
    number: int,
    opponent: int,
    k: int,
    rules: np.record,
) -> None:
    """Copies what a player sees of an opponent into an entry of a scene."""
    position, target = bodies.position[number, k], bodies.position[opponent, k]
    if rules.arena == TORUS:
        target = position + wrap(target - position, rules.half_size)
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
    crowd.max_force[entry] = bodies.max_force[number, k]
    crowd.mass[entry] = bodies.mass[number, k]
    crowd.radius[entry] = bodies.radius[number, k]
    crowd.other_radius[entry] = bodies.radius[opponent, k]


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

    Active teammates and obstacles, at the image that is nearest; and it draws the chance
    that the script's method needs.
    """
    arena, half_size, crowd = rules.arena, rules.half_size, crowd_in(space)
    members, first, last = marks_in(space).members, 0, rules.pursuers
    if number >= rules.pursuers:
        first, last = rules.pursuers, players.shape[1]
    for entry in range(count):
        index = start + members[entry]
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


@compiled_loop
def decide(
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    scripts: np.ndarray,
    rules: np.record,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    start: int,
    stop: int,
    space: Workspace,
) -> None:
    """The steering forces of a block's players, all from the same moment."""
    bodies = bodies_in(space, players.shape[1])
    for number in range(players.shape[1]):
        side = PURSUER if number < rules.pursuers else EVADER
        actions = pursuer_actions if side == PURSUER else evader_actions
        if len(actions) > 0:  # of use where the script is none; else it writes over them
            place = number if side == PURSUER else number - rules.pursuers
            model = rules.models[side]
            decide_by_action(bodies, number, actions[start:stop], place, model, rules.dt)
        first = rules.first_script[side]
        for index in range(first, first + rules.num_scripts[side]):
            script = scripts[index]
            if script.behavior != EXTERNAL:
                decide_by_script(
                    games,
                    players,
                    obstacles,
                    number,
                    script,
                    index,
                    rules,
                    start,
                    stop,
                    space,
                )
