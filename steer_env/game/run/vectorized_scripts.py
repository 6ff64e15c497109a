"""The forces of scripts that add up parts about walls and the nearest opponent, for a block.

Each function applies one formula of `steer_env.scripts.force` to columns, which the compiler
turns into vector instructions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from steer_env.game.look.visibility import searches_grid
from steer_env.game.run.block import Block, Players, block_at, body_at
from steer_env.game.state import Flags, Numbers, Vectors
from steer_env.machine_code.addresses import call_routine
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import keep_off_walls
from steer_env.scripts.table import BEHAVIOR, LOOKAHEAD, PART, PREDICTOR
from steer_env.steering import prediction
from steer_env.steering.avoidance import containment
from steer_env.steering.basic import flee, seek
from steer_env.steering.chase import Predictor, comes_at_me
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import clamp_to_square, dot, norm, scale
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.wander import wander


class Scene(NamedTuple):
    """Columns of a scripted player's view, its aim and its force in each game."""

    mine: Players
    other_position: Vectors  # the nearest opponent's, at its nearest image
    other_velocity: Vectors
    other_heading: Vectors
    other_acceleration: Vectors
    other_max_speed: Numbers
    room: Numbers  # how far from the middle the center can be; inf without walls
    present: Flags  # False where no opponent is left
    time: Numbers  # seconds ahead; written, as the next two
    aim: Vectors
    force: Vectors


@compiled_loop
def compare_opponents(block: Block, number: int) -> None:
    """Writes the numbers of a player's nearest opponents in a block's games."""
    region, count = block.region, block.size
    first, last = block.opponents(number)
    position = block.players(number).position
    nearest, squares = block.columns.opponent, block.columns.opponent_square
    for k in range(count):
        nearest[k] = -1
    for k in range(count):
        squares[k] = math.inf
    for other in range(first, last):
        theirs = block.players(other)
        for k in range(count):
            offset = region.offset(position[k], theirs.position[k])
            square, nearest_square, before = dot(offset, offset), squares[k], nearest[k]
            is_nearer = square < nearest_square and theirs.active[k] != 0
            nearest[k] = other if is_nearer else before
            squares[k] = square if is_nearer else nearest_square


@compiled_loop
def see_nearest_opponents(block: Block, number: int) -> None:
    """Writes the bodies of a player's nearest opponents in a block's games, side by side."""
    region, columns, count = block.region, block.columns, block.size
    if searches_grid(block, number):
        call_routine(block.memory.find_nearest, (*block.numbers, number))
    else:
        compare_opponents(block, number)
    position, nearest = block.players(number).position, columns.opponent
    present, positions = columns.present, columns.other_position
    velocities, headings = columns.other_velocity, columns.other_heading
    accelerations = columns.other_acceleration
    max_speeds = columns.other_max_speed
    for k in range(count):
        theirs = block.player(max(nearest[k], 0), block.start + k)
        seen = region.image(position[k], theirs.position[0])
        present[k] = nearest[k] >= 0
        positions[k] = seen
        velocities[k] = theirs.velocity[0]
        headings[k] = theirs.heading[0]
        accelerations[k] = theirs.acceleration[0]
        max_speeds[k] = theirs.max_speed[0]


@compiled
def _scene_of_block(block: Block, number: int) -> Scene:
    """The scene of one player in a block, copied unless it is a duel off a torus."""
    region, columns = block.region, block.columns
    rooms, present = columns.room, columns.present
    mine = block.players(number)
    theirs = block.players(1 - number if block.memory.players == 2 else 0)
    is_duel = block.memory.players == 2 and not region.wraps
    if is_duel:
        for k in range(block.size):
            present[k] = 1
    else:
        see_nearest_opponents(block, number)
    for k in range(block.size):
        rooms[k] = region.room(mine.radius[k])
    return Scene(
        mine,
        theirs.position if is_duel else columns.other_position,
        theirs.velocity if is_duel else columns.other_velocity,
        theirs.heading if is_duel else columns.other_heading,
        theirs.acceleration if is_duel else columns.other_acceleration,
        theirs.max_speed if is_duel else columns.other_max_speed,
        rooms,
        present,
        columns.time,
        columns.aim,
        columns.script_force,
    )


@compiled
def _other(scene: Scene, k: int) -> Vehicle:
    """The nearest opponent's body, with 1 for its max_force and mass and 0 for its radius."""
    place, velocity = scene.other_position[k], scene.other_velocity[k]
    heading = scene.other_heading[k]
    max_speed, acceleration = scene.other_max_speed[k], scene.other_acceleration[k]
    return Vehicle(place, velocity, heading, max_speed, 1.0, 1.0, 0.0, acceleration)


@compiled_loop
def fill_times(law: Callable[..., float], scene: Scene, cap: float, count: int) -> None:
    """Writes the lookahead time of each player, in seconds."""
    for k in range(count):
        scene.time[k] = law(body_at(scene.mine, k), _other(scene, k), cap)


@compiled_loop
def fill_predictions(position: Predictor, scene: Scene, count: int) -> None:
    """Writes the predicted position of each player's opponent."""
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
        force = scale(steer(body_at(scene.mine, k), scene.aim[k]), weight)
        distance = norm(scene.other_position[k] - scene.mine.position[k])
        is_in_range = scene.present[k] != 0 and distance <= threat_range
        scene.force[k] += force if is_in_range else 0j


@compiled
def _fill_aims(script: np.record, scene: Scene, count: int) -> None:
    """The points that the players steer for or away from, as `force.aim_of` has them."""
    law, predictor, cap = script.lookahead, script.predictor, script.lookahead_cap
    if law == LOOKAHEAD.closing:
        fill_times(prediction.closing, scene, cap, count)
    elif law == LOOKAHEAD.target_speed:
        fill_times(prediction.target_speed, scene, cap, count)
    elif law == LOOKAHEAD.own_speed:
        fill_times(prediction.own_speed, scene, cap, count)
    elif law == LOOKAHEAD.reynolds:
        fill_times(prediction.reynolds, scene, cap, count)
    elif law == LOOKAHEAD.intercept:
        fill_times(prediction.intercept, scene, cap, count)
    else:
        seconds = min(script.lookahead_seconds, cap) if law == LOOKAHEAD.constant else 0.0
        for k in range(count):
            scene.time[k] = seconds
    if predictor == PREDICTOR.turning:
        fill_predictions(prediction.turning, scene, count)
    elif predictor == PREDICTOR.braking:
        fill_predictions(prediction.braking, scene, count)
    elif predictor == PREDICTOR.accelerating:
        fill_predictions(prediction.accelerating, scene, count)
    else:
        fill_predictions(prediction.linear, scene, count)
    if predictor == PREDICTOR.contained:
        for k in range(count):
            scene.aim[k] = clamp_to_square(scene.aim[k], scene.room[k])
    if script.behavior == BEHAVIOR.pursuit and script.facing_test:
        for k in range(count):
            place, aim = scene.other_position[k], scene.aim[k]
            scene.aim[k] = (
                place if comes_at_me(body_at(scene.mine, k), _other(scene, k)) else aim
            )


@routine
def fill_vectorized_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """Writes the weighted sums of a script's parts for one player, not truncated."""
    if followers == 0:
        return
    block = block_at(call_at, start, stop)
    script, count = block.script(row), block.size
    # For the whole block: picking out the followers would take as long.
    scene = _scene_of_block(block, number)
    force, behavior = scene.force, script.behavior
    feeler_length, seconds = script.feeler_length, script.containment_seconds
    for k in range(count):
        force[k] = 0j
    for rank in range(script.num_parts):
        part, weight = script.parts[rank], script.weights[rank]
        if part in (PART.walls, PART.containment) and block.memory.push_off_walls != 0:
            call_routine(block.memory.push_off_walls, (*block.numbers, number, row, rank))
        elif part == PART.walls:
            for k in range(count):
                push = keep_off_walls(body_at(scene.mine, k), scene.room[k], feeler_length)
                force[k] += scale(push, weight)
        elif part == PART.containment:
            for k in range(count):
                push = containment(body_at(scene.mine, k), scene.room[k], seconds)
                force[k] += scale(push, weight)
        elif part == PART.wander or behavior == BEHAVIOR.wander:
            for k in range(count):
                push = wander(body_at(scene.mine, k), scene.mine.wander_point[k])
                force[k] += scale(push, weight)
        elif behavior in (BEHAVIOR.seek, BEHAVIOR.flee):
            for k in range(count):
                scene.aim[k] = scene.other_position[k]
        else:
            _fill_aims(script, scene, count)
        if part == PART.behavior and script.follows_paths and block.memory.follow_ways != 0:
            call_routine(block.memory.follow_ways, (*block.numbers, number, row))
        if part == PART.behavior and behavior in (BEHAVIOR.seek, BEHAVIOR.pursuit):
            add_behavior(seek, weight, scene, script.threat_range, count)
        elif part == PART.behavior and behavior in (BEHAVIOR.flee, BEHAVIOR.evade):
            add_behavior(flee, weight, scene, script.threat_range, count)
    decided, moves = block.force(number), block.columns.moves
    for k in range(count):
        after, before = force[k], decided[k]
        decided[k] = after if moves[k] != 0 else before
