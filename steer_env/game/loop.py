"""The compiled loop: steps, resets and observes many games, a block at a time."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import TORUS, glide, move, nearest_offset, room, wrap
from steer_env.game.dynamics import (
    CAR,
    POINT_MASS,
    SIMPLE_MOTION,
    accelerate,
    force_of_action,
    next_heading,
)
from steer_env.game.observation import (
    OTHER_SIZE,
    OWN_SIZE,
    encode_me,
    encode_obstacles,
    encode_other,
    nearest_image,
)
from steer_env.game.random import draw_gaussian
from steer_env.game.rules import judge, start_episode
from steer_env.game.scripts import EXTERNAL, fill_forces, wanders
from steer_env.game.state import EVADER, OVER, PURSUER, RUNNING
from steer_env.game.workspace import (
    BLOCK,
    Bodies,
    Outcome,
    Scene,
    Workspace,
    bodies_in,
    body_at,
    load_bodies,
    load_body,
    scene_in,
    scene_of_all,
    store_body,
)
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import dot, scale
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
        wanted = complex(float(actions[k, place, 0]), float(actions[k, place, 1]))
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


@compiled
def decide_by_script(
    games: np.ndarray,
    players: np.ndarray,
    number: int,
    script: np.record,
    script_index: int,
    rules: np.record,
    start: int,
    stop: int,
    bodies: Bodies,
    space: Workspace,
) -> None:
    """The forces of one player in those of a block's games where it has a certain script."""
    members = space.members
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


@compiled
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


@compiled
def decide(
    games: np.ndarray,
    players: np.ndarray,
    scripts: np.ndarray,
    rules: np.record,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    start: int,
    stop: int,
    bodies: Bodies,
    space: Workspace,
) -> None:
    """The steering forces of a block's players, all from the same moment."""
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
                    games, players, number, script, index, rules, start, stop, bodies, space
                )


@compiled
def accelerate_all(bodies: Bodies, number: int, count: int, model: int, dt: float) -> None:
    """New velocities and headings of one player in a block's games; keeps the old velocity.

    The old one is left in the acceleration, for `move_all`.
    """
    for k in range(count):
        me = body_at(bodies, number, k)
        velocity, heading = accelerate(model, me, bodies.force[number, k], dt)
        bodies.acceleration[number, k] = me.velocity
        bodies.velocity[number, k] = velocity
        bodies.heading[number, k] = heading


@compiled
def move_all(
    bodies: Bodies, number: int, obstacles: np.ndarray, rules: np.record, start: int, count: int
) -> None:
    """Moves one player in a block's games for one step, as the arena allows."""
    arena, half_size, dt = rules.arena, rules.half_size, rules.dt
    position, step = bodies.position[number], bodies.step[number]
    before, velocity = bodies.acceleration[number], bodies.velocity[number]
    heading, radius = bodies.heading[number], bodies.radius[number]
    if obstacles.shape[1] == 0:
        for k in range(count):
            end, after = glide(arena, half_size, radius[k], position[k], velocity[k], dt)
            step[k] = end - position[k]
            turned = next_heading(heading[k], after)
            heading[k] = heading[k] if after == velocity[k] else turned
            velocity[k] = after
    else:
        for k in range(count):
            end, after = move(
                arena,
                half_size,
                obstacles[start + k],
                radius[k],
                position[k],
                velocity[k],
                dt,
            )
            step[k] = end - position[k]
            turned = next_heading(heading[k], after)
            heading[k] = heading[k] if after == velocity[k] else turned
            velocity[k] = after
    acceleration, steps_per_second = bodies.acceleration[number], rules.steps_per_second
    for k in range(count):
        end = position[k] + step[k]
        position[k] = wrap(end, half_size) if arena == TORUS else end
        acceleration[k] = scale(velocity[k] - before[k], steps_per_second)


@compiled
def move_players(
    players: np.ndarray,
    obstacles: np.ndarray,
    rules: np.record,
    start: int,
    stop: int,
    bodies: Bodies,
    fresh: np.ndarray,
) -> None:
    """Moves a block's players for one step, all but those of games begun just now."""
    for number in range(players.shape[1]):
        model = rules.models[PURSUER if number < rules.pursuers else EVADER]
        if model == POINT_MASS:
            accelerate_all(bodies, number, stop - start, POINT_MASS, rules.dt)
        elif model == SIMPLE_MOTION:
            accelerate_all(bodies, number, stop - start, SIMPLE_MOTION, rules.dt)
        else:
            accelerate_all(bodies, number, stop - start, CAR, rules.dt)
        move_all(bodies, number, obstacles, rules, start, stop - start)
        for k in range(stop - start):
            player = players[start + k, number]
            if player.active and not fresh[k]:
                store_body(player.body, bodies, number, k)
            else:
                load_body(player.body, bodies, number, k)


@compiled_loop
def observe_block(
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    rules: np.record,
    scales: np.record,
    side: int,
    bodies: Bodies,
    observations: np.ndarray,
) -> None:
    """Writes the observations of one side's players in a block of games.

    Args:
        games: the block's part of the view of games.
        players: likewise.
        obstacles: likewise.
        rules: of the game.
        scales: of its observations.
        side: PURSUER or EVADER.
        bodies: of the block, as they are in `players`.
        observations: (games of the block, players of the side, features); written.
    """
    arena, half_size, count = rules.arena, rules.half_size, len(games)
    first = 0 if side == PURSUER else rules.pursuers
    for me in range(first, first + observations.shape[1]):
        for k in range(count):
            row = observations[k, me - first]
            encode_me(row, arena, scales, body_at(bodies, me, k), games[k].steps)
        start = OWN_SIZE
        for place in range(1, players.shape[1]):
            other = _number_of_other(me, place, rules.pursuers, players.shape[1])
            for k in range(count):
                block = observations[k, me - first, start:]
                if players[k, other].active:
                    mine = body_at(bodies, me, k)
                    seen = nearest_image(arena, half_size, mine, body_at(bodies, other, k))
                    encode_other(block, arena, scales, mine, seen)
                else:
                    block[:OTHER_SIZE] = 0.0
            start += OTHER_SIZE
        if obstacles.shape[1] > 0:
            for k in range(count):
                block = observations[k, me - first, start:]
                mine = body_at(bodies, me, k)
                encode_obstacles(block, arena, half_size, scales, mine, obstacles[k])


@compiled
def _number_of_other(me: int, place: int, pursuers: int, players: int) -> int:
    # The player in a block of my observation: opponents first, then teammates.
    opponents = players - pursuers if me < pursuers else pursuers
    if place <= opponents:
        return pursuers + place - 1 if me < pursuers else place - 1
    teammate = place - opponents - 1 + (0 if me < pursuers else pursuers)
    return teammate if teammate < me else teammate + 1


@compiled_loop
def first_fault(
    games: np.ndarray,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    restart: bool,
    first: int,
    last: int,
) -> int:
    """The first game that cannot be stepped, -1 if all can.

    Its actions are not finite, or it is over and nobody restarts it.
    """
    for actions in (pursuer_actions, evader_actions):
        for index in range(first, min(last, len(actions))):
            for number in range(actions.shape[1]):
                if not math.isfinite(actions[index, number, 0] + actions[index, number, 1]):
                    return index
    if not restart:
        for index in range(first, last):
            if games[index].phase != RUNNING:
                return index
    return -1


@compiled_loop
def step_games(
    first: int,
    last: int,
    restart: bool,
    side: int,
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    scripts: np.ndarray,
    rules_table: np.ndarray,
    scale_table: np.ndarray,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    outcome: Outcome,
    space: Workspace,
) -> int:
    """Steps the games from first to last - 1 and writes what one side gets of it.

    Args:
        first: the first game.
        last: one past the last game.
        restart: whether a game that is over begins anew instead of its step.
        side: PURSUER or EVADER.
        games: the view of the state.
        players: likewise.
        obstacles: likewise.
        scripts: the table that all the games share.
        rules_table: one record of rules.
        scale_table: one record of scales.
        pursuer_actions: (N, pursuers, 2); (0, pursuers, 2) if none is steered from outside.
        evader_actions: likewise.
        outcome: written.
        space: scratch.

    Returns:
        -1, or the first game at fault (`first_fault`); then no game has been touched.
    """
    fault = first_fault(games, pursuer_actions, evader_actions, restart, first, last)
    if fault >= 0:
        return fault
    rules, scales = rules_table[0], scale_table[0]
    sign = 1.0 if side == PURSUER else -1.0
    bodies, fresh = bodies_in(space, players.shape[1]), space.fresh
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        for index in range(start, stop):
            fresh[index - start] = restart and games[index].phase == OVER
            if fresh[index - start]:
                start_episode(games[index], players[index], obstacles[index], rules)
        load_bodies(players, start, stop, bodies)
        decide(
            games,
            players,
            scripts,
            rules,
            pursuer_actions,
            evader_actions,
            start,
            stop,
            bodies,
            space,
        )
        move_players(players, obstacles, rules, start, stop, bodies, fresh)
        judge(games, players, rules, start, stop, bodies, space, outcome)
        for index in range(start, stop):
            outcome.rewards[index] *= sign
        observe_block(
            games[start:stop],
            players[start:stop],
            obstacles[start:stop],
            rules,
            scales,
            side,
            bodies,
            outcome.observations[start:stop],
        )
    return -1


@compiled_loop
def reset_games(
    mask: np.ndarray,
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    rules_table: np.ndarray,
) -> None:
    """Starts the next episode of the games whose mask is True."""
    for index in range(len(mask)):
        if mask[index]:
            start_episode(games[index], players[index], obstacles[index], rules_table[0])


@compiled_loop
def observe_games(
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    rules_table: np.ndarray,
    scale_table: np.ndarray,
    side: int,
    mask: np.ndarray,
    observations: np.ndarray,
    space: Workspace,
) -> None:
    """Writes the observations of one side's players in the games whose mask is True."""
    bodies = bodies_in(space, players.shape[1])
    for index in range(len(mask)):
        if mask[index]:
            load_bodies(players, index, index + 1, bodies)
            observe_block(
                games[index : index + 1],
                players[index : index + 1],
                obstacles[index : index + 1],
                rules_table[0],
                scale_table[0],
                side,
                bodies,
                observations[index : index + 1],
            )
