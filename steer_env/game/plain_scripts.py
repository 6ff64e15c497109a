"""The forces of plain scripts, for a whole block of games at once.

A plain script looks at its nearest opponent and at the walls, and adds its parts up. What
`steer_env.scripts.force` works out for one vehicle is done here for a column of them: each
function applies one textbook function, which the compiler turns into vector instructions. So
the numbers that choose a law are looked at once for a column, and not for each vehicle.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from steer_env.game.arena import TORUS, nearest_image, nearest_offset, room
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
    flags,
    force_of,
    integers,
    numbers,
    player_at,
    players_of,
    rules_of,
    script_at,
    vectors,
)
from steer_env.game.sight import opponents_of, searches_grid
from steer_env.game.state import Flags, Numbers, Vectors
from steer_env.machine_code.addresses import call_routine, record_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import (
    ACCELERATING,
    BEHAVIOR_PART,
    BRAKING,
    CLOSING,
    CONSTANT,
    CONTAINED,
    CONTAINMENT,
    EVADE,
    FLEE,
    INTERCEPT,
    OWN_SPEED,
    PURSUIT,
    REYNOLDS,
    SEEK,
    TARGET_SPEED,
    TURNING,
    WALLS,
    WANDER,
    WANDER_PART,
    keep_off_walls,
)
from steer_env.steering import prediction
from steer_env.steering.avoidance import containment
from steer_env.steering.basic import flee, seek
from steer_env.steering.chase import Predictor, comes_at_me
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import clamp_to_square, dot, norm, scale
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.wander import wander


class Scene(NamedTuple):
    """What scripted players see, and what they make of it; columns with an entry a player."""

    position: Vectors
    velocity: Vectors
    heading: Vectors
    max_speed: Numbers
    other_position: Vectors  # the nearest opponent's, at its nearest image
    other_velocity: Vectors
    other_heading: Vectors
    other_acceleration: Vectors
    other_max_speed: Numbers
    room: Numbers  # how far from the middle the center can be; inf without walls
    present: Flags  # False where no opponent is left
    wander_point: Vectors
    time: Numbers  # seconds ahead; written, as the next two
    aim: Vectors
    force: Vectors


@compiled_loop
def compare_opponents(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> None:
    """Writes the numbers of a player's nearest opponents in a block's games."""
    rules, count = rules_of(memory), stop - start
    arena, half_size = rules.arena, rules.half_size
    first, last = opponents_of(number, rules, memory.players)
    position = players_of(memory, number, start, stop).position
    nearest, squares = integers(scratch.opponent), numbers(scratch.opponent_square)
    for k in range(count):
        nearest[k] = -1
    for k in range(count):
        squares[k] = math.inf
    for other in range(first, last):
        theirs = players_of(memory, other, start, stop)
        for k in range(count):
            offset = nearest_offset(arena, half_size, position[k], theirs.position[k])
            square, least, before = dot(offset, offset), squares[k], nearest[k]
            is_nearer = square < least and theirs.active[k] != 0
            nearest[k] = other if is_nearer else before
            squares[k] = square if is_nearer else least


@compiled_loop
def see_nearest_opponents(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> None:
    """Writes the bodies of a player's nearest opponents in a block's games, side by side."""
    rules, count = rules_of(memory), stop - start
    arena, half_size = rules.arena, rules.half_size
    if searches_grid(memory, number, rules):
        where = (memory.address, scratch.address, number, start, stop)
        call_routine(memory.find_nearest, where)
    else:
        compare_opponents(memory, scratch, number, start, stop)
    position = players_of(memory, number, start, stop).position
    nearest = integers(scratch.opponent)
    present, positions = flags(scratch.present), vectors(scratch.other_position)
    velocities, headings = vectors(scratch.other_velocity), vectors(scratch.other_heading)
    accelerations = vectors(scratch.other_acceleration)
    max_speeds = numbers(scratch.other_max_speed)
    for k in range(count):
        theirs = player_at(memory, max(nearest[k], 0), start + k)
        seen = nearest_image(arena, half_size, position[k], theirs.position[0])
        present[k] = nearest[k] >= 0
        positions[k] = seen
        velocities[k] = theirs.velocity[0]
        headings[k] = theirs.heading[0]
        accelerations[k] = theirs.acceleration[0]
        max_speeds[k] = theirs.max_speed[0]


@compiled
def _scene_of_block(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> Scene:
    """The scene of one player in all games of a block; only what changes place is copied."""
    rules, rooms, present = rules_of(memory), numbers(scratch.room), flags(scratch.present)
    arena, half_size = rules.arena, rules.half_size
    mine = players_of(memory, number, start, stop)
    theirs = players_of(memory, 1 - number if memory.players == 2 else 0, start, stop)
    is_duel = memory.players == 2 and arena != TORUS
    if is_duel:
        for k in range(stop - start):
            present[k] = 1
    else:
        see_nearest_opponents(memory, scratch, number, start, stop)
    for k in range(stop - start):
        rooms[k] = room(arena, half_size, mine.radius[k])
    return Scene(
        mine.position,
        mine.velocity,
        mine.heading,
        mine.max_speed,
        theirs.position if is_duel else vectors(scratch.other_position),
        theirs.velocity if is_duel else vectors(scratch.other_velocity),
        theirs.heading if is_duel else vectors(scratch.other_heading),
        theirs.acceleration if is_duel else vectors(scratch.other_acceleration),
        theirs.max_speed if is_duel else numbers(scratch.other_max_speed),
        rooms,
        present,
        mine.wander_point,
        numbers(scratch.time),
        vectors(scratch.aim),
        vectors(scratch.script_force),
    )


@compiled
def _me(scene: Scene, k: int) -> Vehicle:
    # As far as plain scripts read it.
    position, velocity, heading = scene.position[k], scene.velocity[k], scene.heading[k]
    return Vehicle(position, velocity, heading, scene.max_speed[k], 1.0, 1.0, 0.0, 0j)


@compiled
def _other(scene: Scene, k: int) -> Vehicle:
    return Vehicle(
        scene.other_position[k],
        scene.other_velocity[k],
        scene.other_heading[k],
        scene.other_max_speed[k],
        1.0,
        1.0,
        0.0,
        scene.other_acceleration[k],
    )


@compiled_loop
def fill_times(law: Callable[..., float], scene: Scene, cap: float, count: int) -> None:
    """How many seconds ahead each player predicts its opponent."""
    for k in range(count):
        scene.time[k] = law(_me(scene, k), _other(scene, k), cap)


@compiled_loop
def fill_predictions(position: Predictor, scene: Scene, count: int) -> None:
    """Where each player expects its opponent then."""
    for k in range(count):
        scene.aim[k] = position(_other(scene, k), scene.time[k])


@compiled_loop
def add_behavior(
    steer: Callable[[Vehicle, complex], complex],
    weight: float,
    scene: Scene,
    threat_range: float,
    count: int,
) -> None:
    """Adds the weighted force for (`seek`) or away from (`flee`) each player's aim."""
    for k in range(count):
        force = scale(steer(_me(scene, k), scene.aim[k]), weight)
        distance = norm(scene.other_position[k] - scene.position[k])
        is_minded = scene.present[k] != 0 and distance <= threat_range
        scene.force[k] += force if is_minded else 0j


@compiled
def _fill_aims(script: np.record, scene: Scene, count: int) -> None:
    """The points that the players steer for or away from, as `force.aim_of` has them."""
    law, predictor, cap = script.lookahead, script.predictor, script.lookahead_cap
    if law == CLOSING:
        fill_times(prediction.closing, scene, cap, count)
    elif law == TARGET_SPEED:
        fill_times(prediction.target_speed, scene, cap, count)
    elif law == OWN_SPEED:
        fill_times(prediction.own_speed, scene, cap, count)
    elif law == REYNOLDS:
        fill_times(prediction.reynolds, scene, cap, count)
    elif law == INTERCEPT:
        fill_times(prediction.intercept, scene, cap, count)
    else:
        seconds = min(script.lookahead_seconds, cap) if law == CONSTANT else 0.0
        for k in range(count):
            scene.time[k] = seconds
    if predictor == TURNING:
        fill_predictions(prediction.turning, scene, count)
    elif predictor == BRAKING:
        fill_predictions(prediction.braking, scene, count)
    elif predictor == ACCELERATING:
        fill_predictions(prediction.accelerating, scene, count)
    else:
        fill_predictions(prediction.linear, scene, count)
    if predictor == CONTAINED:
        for k in range(count):
            scene.aim[k] = clamp_to_square(scene.aim[k], scene.room[k])
    if script.behavior == PURSUIT and script.facing_test:
        for k in range(count):
            place, aim = scene.other_position[k], scene.aim[k]
            scene.aim[k] = place if comes_at_me(_me(scene, k), _other(scene, k)) else aim


@routine
def fill_plain_forces(
    memory_at: int, scratch_at: int, number: int, row: int, start: int, stop: int, found: int
) -> None:
    """The weighted sums of a plain script's parts for one player; the vehicle cuts them."""
    if found == 0:
        return
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    script, count = script_at(memory, row), stop - start
    # For the whole block, which takes no longer than picking out those that follow the script.
    scene = _scene_of_block(memory, scratch, number, start, stop)
    force, behavior = scene.force, script.behavior
    feeler_length, seconds = script.feeler_length, script.containment_seconds
    for k in range(count):
        force[k] = 0j
    for rank in range(script.num_parts):
        part, weight = script.parts[rank], script.weights[rank]
        if part == WALLS:
            for k in range(count):
                push = keep_off_walls(_me(scene, k), scene.room[k], feeler_length)
                force[k] += scale(push, weight)
        elif part == CONTAINMENT:
            for k in range(count):
                push = containment(_me(scene, k), scene.room[k], seconds)
                force[k] += scale(push, weight)
        elif part == WANDER_PART or behavior == WANDER:
            for k in range(count):
                push = wander(_me(scene, k), scene.wander_point[k])
                force[k] += scale(push, weight)
        elif behavior in (SEEK, FLEE):
            for k in range(count):
                scene.aim[k] = scene.other_position[k]
        else:
            _fill_aims(script, scene, count)
        if part == BEHAVIOR_PART and behavior in (SEEK, PURSUIT):
            add_behavior(seek, weight, scene, script.threat_range, count)
        elif part == BEHAVIOR_PART and behavior in (FLEE, EVADE):
            add_behavior(flee, weight, scene, script.threat_range, count)
    decided, moves = force_of(scratch, number), flags(scratch.moves)
    for k in range(count):
        after, before = force[k], decided[k]
        decided[k] = after if moves[k] != 0 else before
