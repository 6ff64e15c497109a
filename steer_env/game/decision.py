"""The first half of a step: the steering force that every player decides on."""

from __future__ import annotations

import cmath
import math

import numpy as np

from steer_env.game.arena import TORUS, nearest_image, room
from steer_env.game.dynamics import CAR, POINT_MASS, SIMPLE_MOTION, force_of_action
from steer_env.game.memory import Scratch, rules_at, scratch_at, scripts_at, state_at
from steer_env.game.plain_scripts import Scene, fill_plain_forces
from steer_env.game.random import draw_gaussian, draw_uniform
from steer_env.game.sight import (
    copy_vehicle,
    nearest_opponent,
    see_obstacles,
    see_teammates,
    seen_from,
)
from steer_env.game.state import State, vehicle_at
from steer_env.scripts.force import (
    BEHAVIOR_PART,
    CONTAINMENT,
    WALLS,
    WANDER,
    WANDER_PART,
    force_alone,
    force_around,
    force_of_behavior,
    minds,
)
from steer_env.scripts.own_behavior import call_behavior
from steer_env.scripts.table import CUSTOM, EXTERNAL
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.blending import add_force, wants
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.wander import turn_wander_point


@compiled
def _obey(
    state: State,
    number: int,
    start: int,
    actions: np.ndarray,
    model: int,
    dt: float,
    force: np.ndarray,
) -> None:
    for k in range(len(actions)):
        action = complex(np.float64(actions[k, 0]), np.float64(actions[k, 1]))
        force[k] = force_of_action(model, vehicle_at(state, number, start + k), action, dt)


@compiled_loop
def decide_by_action(
    memory: np.record, scratch_memory: np.record, number: int, start: int, actions: np.ndarray
) -> None:
    """The forces of one player in a block's games, from its actions (games, 2)."""
    state, rules = state_at(memory), rules_at(memory)
    force = scratch_at(scratch_memory).force[number]
    model, dt = rules.models[PURSUER if number < rules.pursuers else EVADER], rules.dt
    # With a constant for the model, the compiler keeps that one and drops the others.
    if model == POINT_MASS:
        _obey(state, number, start, actions, POINT_MASS, dt, force)
    elif model == SIMPLE_MOTION:
        _obey(state, number, start, actions, SIMPLE_MOTION, dt, force)
    else:
        _obey(state, number, start, actions, CAR, dt, force)


@compiled
def _find_members(
    state: State, scratch: Scratch, number: int, side: int, script: int, start: int, stop: int
) -> int:
    """Writes in which games of a block a player acts by a script; how many they are."""
    count = 0
    for k in range(start, stop):
        plays = state.script[side, k] == script and state.active[number, k]
        if plays and not scratch.still[k - start]:
            scratch.members[count] = k
            count += 1
    return count


@compiled
def _turn_wander_points(
    state: State, number: int, members: np.ndarray, spread: float, turns: np.ndarray
) -> None:
    """One step of a player's wander point in its member games."""
    for entry in range(len(members)):
        turns[entry] = spread * draw_gaussian(state, members[entry])
    points = state.wander_point[number]
    for entry in range(len(members)):
        points[members[entry]] = turn_wander_point(points[members[entry]], turns[entry])


@compiled
def _scene_of_block(
    state: State, scratch: Scratch, number: int, start: int, stop: int, rules: np.record
) -> Scene:
    """The scene of one player against one, which is the block itself."""
    other, count = 1 - number, stop - start
    for k in range(count):
        scratch.present[k] = True
        scratch.measured[1, k] = room(
            rules.arena, rules.half_size, state.radius[number, start + k]
        )
    return Scene(
        state.position[number, start:stop],
        state.velocity[number, start:stop],
        state.heading[number, start:stop],
        state.max_speed[number, start:stop],
        state.position[other, start:stop],
        state.velocity[other, start:stop],
        state.heading[other, start:stop],
        state.acceleration[other, start:stop],
        state.max_speed[other, start:stop],
        scratch.measured[1],
        scratch.present,
        state.wander_point[number, start:stop],
        scratch.measured[0],
        scratch.seen[8],
        scratch.force[number],
    )


@compiled
def _scene_of_members(
    state: State, scratch: Scratch, number: int, members: np.ndarray, rules: np.record
) -> Scene:
    """The scene of one player in its member games, side by side."""
    seen, measured = scratch.seen, scratch.measured
    for entry in range(len(members)):
        k = members[entry]
        nearest = nearest_opponent(state, number, k, rules)
        other = max(nearest, 0)
        position, place = state.position[number, k], state.position[other, k]
        scratch.present[entry] = nearest >= 0
        seen[0, entry] = position
        seen[1, entry] = state.velocity[number, k]
        seen[2, entry] = state.heading[number, k]
        seen[3, entry] = nearest_image(rules.arena, rules.half_size, position, place)
        seen[4, entry] = state.velocity[other, k]
        seen[5, entry] = state.heading[other, k]
        seen[6, entry] = state.acceleration[other, k]
        seen[7, entry] = state.wander_point[number, k]
        measured[1, entry] = room(rules.arena, rules.half_size, state.radius[number, k])
        measured[2, entry] = state.max_speed[number, k]
        measured[3, entry] = state.max_speed[other, k]
    return Scene(
        seen[0],
        seen[1],
        seen[2],
        measured[2],
        seen[3],
        seen[4],
        seen[5],
        seen[6],
        measured[3],
        measured[1],
        scratch.present,
        seen[7],
        measured[0],
        seen[8],
        seen[9],
    )


@compiled
def ask_own_behavior(
    script: np.record, me: Vehicle, other: Vehicle, scratch: Scratch
) -> complex:
    """The force of a user's own behavior.

    A force that is not finite counts as 0: the pair of vehicles that the behavior is called
    with is in ``scratch.pair[:2]``, and the first pair at fault is kept in ``[2:]``.
    """
    pair = scratch.pair
    copy_vehicle(me, pair[0])
    copy_vehicle(other, pair[1])
    scratch.answer[0] = complex(math.nan, 0.0)  # stays so if the behavior raises an error
    call_behavior(script.address, pair, scratch.answer)
    if cmath.isfinite(scratch.answer[0]):
        return scratch.answer[0]
    if not scratch.is_faulty[0]:
        scratch.is_faulty[0] = True
        copy_vehicle(me, pair[2])
        copy_vehicle(other, pair[3])
    return 0j


@compiled
def _what_can_be_seen(body: Vehicle, of_other: bool) -> Vehicle:
    """A body as a script knows it: as an observation shows it."""
    return Vehicle(
        body.position,
        body.velocity,
        body.heading,
        body.max_speed,
        1.0 if of_other else body.max_force,
        1.0 if of_other else body.mass,
        body.radius,
        body.acceleration if of_other else 0j,
    )


@compiled_loop
def force_of_script(
    memory: np.record, scratch_memory: np.record, number: int, script: np.record, k: int
) -> complex:
    """The force of a script that is not plain, for one player in the k-th game."""
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    me = _what_can_be_seen(vehicle_at(state, number, k), False)
    nearest = nearest_opponent(state, number, k, rules)
    other = _what_can_be_seen(seen_from(state, number, max(nearest, 0), k, rules), True)
    is_minded = nearest >= 0 and minds(script, me, other)
    space = room(rules.arena, rules.half_size, me.radius)
    mates = see_teammates(state, number, k, rules, scratch) if script.sees_neighbors else 0
    seen = see_obstacles(state, number, k, rules, scratch) if script.sees_obstacles else 0
    neighbors, discs = scratch.neighbors[:mates], scratch.discs[:seen]
    total, is_done = 0j, False
    for rank in range(script.num_parts):
        part, chance = script.parts[rank], script.chances[rank]
        dice = draw_uniform(state, k, 0.0, 1.0) if script.draws else 0.0
        if is_done or not wants(script.method, chance, dice):
            continue
        if part == WALLS or part == CONTAINMENT or part == WANDER_PART:
            force = force_alone(part, script, me, space, state.wander_point[number, k])
        elif part != BEHAVIOR_PART:
            force = force_around(part, script, me, neighbors, discs)
        elif script.behavior == WANDER:
            force = force_alone(WANDER_PART, script, me, space, state.wander_point[number, k])
        elif not is_minded:
            force = 0j
        elif script.behavior == CUSTOM:
            force = ask_own_behavior(script, me, other, scratch)
        else:
            force = force_of_behavior(script, me, other, space, discs)
        total, is_done = add_force(
            script.method, total, force, script.weights[rank], chance, me.max_force
        )
    return total


@compiled_loop
def decide_by_script(
    memory: np.record,
    scratch_memory: np.record,
    number: int,
    index: int,
    start: int,
    stop: int,
) -> None:
    """The forces of one player in those games of a block where it follows a script.

    Args:
        memory: of the engine.
        scratch_memory: of the thread.
        number: of the player.
        index: of the script, among those of the player's side.
        start: the block's first game.
        stop: one past its last.
    """
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    side = PURSUER if number < rules.pursuers else EVADER
    script = scripts_at(memory, rules)[rules.first_script[side] + index]
    count = _find_members(state, scratch, number, side, index, start, stop)
    members = scratch.members[:count]
    if script.wanders:
        turns = scratch.measured[0]
        _turn_wander_points(state, number, members, script.wander_step, turns)
    if not script.is_plain:
        for entry in range(count):
            k = members[entry]
            force = force_of_script(memory, scratch_memory, number, script, k)
            scratch.force[number, k - start] = force
    elif len(state.position) == 2 and rules.num_scripts[side] == 1 and rules.arena != TORUS:
        # Players that do not act in this step get a force as well, and it is not used.
        scene = _scene_of_block(state, scratch, number, start, stop, rules)
        fill_plain_forces(script, scene, stop - start)
    else:
        scene = _scene_of_members(state, scratch, number, members, rules)
        fill_plain_forces(script, scene, count)
        for entry in range(count):
            scratch.force[number, members[entry] - start] = scene.force[entry]


@compiled_loop
def decide(
    memory: np.record,
    scratch_memory: np.record,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    start: int,
    stop: int,
) -> None:
    """The steering forces of a block's players, all from the same moment."""
    rules = rules_at(memory)
    scripts = scripts_at(memory, rules)
    for number in range(memory.players):
        side = PURSUER if number < rules.pursuers else EVADER
        actions = pursuer_actions if side == PURSUER else evader_actions
        if len(actions) > 0:  # where a script plays, it writes over them
            place = number if side == PURSUER else number - rules.pursuers
            decide_by_action(memory, scratch_memory, number, start, actions[start:stop, place])
        for index in range(rules.num_scripts[side]):
            if scripts[rules.first_script[side] + index].behavior != EXTERNAL:
                decide_by_script(memory, scratch_memory, number, index, start, stop)
