"""The first half of a step: what steering force every player decides on."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import TORUS, nearest_offset, room, wrap
from steer_env.game.dynamics import CAR, POINT_MASS, SIMPLE_MOTION, force_of_action
from steer_env.game.random import draw_gaussian
from steer_env.game.scripts import EXTERNAL, fill_forces, wanders
from steer_env.game.state import EVADER, PURSUER
from steer_env.game.workspace import (
    Bodies,
    Scene,
    Workspace,
    bodies_in,
    body_at,
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
    number: int,
    script: np.record,
    script_index: int,
    rules: np.record,
    start: int,
    stop: int,
    space: Workspace,
) -> None:
    """The forces of one player in those of a block's games where it has a certain script."""
    members, bodies = space.members, bodies_in(space, players.shape[1])
    count = find_members(players[start:stop], number, script_index, space.fresh, members)
    if wanders(script):
        turn_wander_points(games[start:stop], players[start:stop], number, script, count, space)
    side = PURSUER if number < rules.pursuers else EVADER
    if players.shape[1] == 2 and rules.num_scripts[side] == 1 and rules.arena != TORUS:
        # One against one, all by the same script: no need to copy what they see. Who does not
        # act in this step gets a force too, and it is not used.
        scene = scene_of_all(space, bodies, number, 1 - number)
        if wanders(script):
            for k in range(stop - start):
                scene.wander_point[k] = players[start + k, number].wander_point
        for k in range(stop - start):
            scene.present[k] = True
            scene.room[k] = room(rules.arena, rules.half_size, bodies.radius[number, k])
        fill_forces(script, scene, stop - start)
        return
    scene = scene_in(space)
    for entry in range(count):
        k = members[entry]
        opponent = nearest_opponent(players[start + k], number, rules)
        scene.present[entry] = opponent >= 0
        look(scene, entry, bodies, number, max(opponent, 0), k, rules)
    fill_forces(script, scene, count)
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
    points, turns, members = space.wander_points, space.wander_turns, space.members
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


@compiled_loop
def decide(
    games: np.ndarray,
    players: np.ndarray,
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
                    games, players, number, script, index, rules, start, stop, space
                )
