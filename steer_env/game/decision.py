"""The first half of a step: what steering force every player decides on."""

from __future__ import annotations

import numpy as np

from steer_env.game.arena import TORUS, room
from steer_env.game.dynamics import CAR, POINT_MASS, SIMPLE_MOTION, force_of_action
from steer_env.game.forces import fill_forces
from steer_env.game.parts import fill_plain_forces
from steer_env.game.random import draw_gaussian
from steer_env.game.scripts import EXTERNAL
from steer_env.game.sight import look, look_around, nearest_opponent
from steer_env.game.state import EVADER, PURSUER
from steer_env.game.workspace import (
    Bodies,
    Workspace,
    bodies_in,
    body_at,
    crowd_in,
    marks_in,
    scene_in,
    scene_of_all,
)
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.wander import turn_wander_point


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
    fresh, members = marks_in(space)
    bodies = bodies_in(space, players.shape[1])
    count = find_members(players[start:stop], number, script_index, fresh, members)
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
        fill_plain_forces(script, scene, stop - start, range(script.num_parts))
        return
    scene = scene_in(space)
    for entry in range(count):
        k = members[entry]
        opponent = nearest_opponent(players[start + k], number, rules)
        scene.present[entry] = opponent >= 0
        look(scene, entry, bodies, number, max(opponent, 0), k, rules)
    if script.is_plain:
        fill_plain_forces(script, scene, count, range(script.num_parts))
    else:
        look_around(games, players, obstacles, number, script, rules, start, count, space)
        fill_forces(script, scene, crowd_in(space), count)
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
