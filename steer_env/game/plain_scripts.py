"""The forces of plain scripts, for a whole block of games at once.

A plain script looks at its nearest opponent and at the walls, and adds its parts up. Each
function here applies textbook functions to columns, which the compiler turns into vector
instructions. That is why a number that chooses a law is compared once for a column, and then
given to the function that applies it: the compiler keeps that one law and drops the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steer_env.game.state import Flags, Numbers, Vectors
from steer_env.scripts.force import (
    ACCELERATING,
    BEHAVIOR_PART,
    BRAKING,
    CLOSING,
    CONSTANT,
    CONTAINED,
    CONTAINMENT,
    FLEE,
    INTERCEPT,
    LINEAR,
    OWN_SPEED,
    PURSUIT,
    REYNOLDS,
    SEEK,
    TARGET_SPEED,
    TURNING,
    WALLS,
    WANDER,
    WANDER_PART,
    force_alone,
    look_ahead,
    predict,
)
from steer_env.steering.basic import flee, seek
from steer_env.steering.chase import comes_at_me
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import norm, scale
from steer_env.steering.vehicle import Vehicle


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


@compiled
def _fill_times(law: int, script: np.record, scene: Scene, count: int) -> None:
    cap, constant = script.lookahead_cap, script.lookahead_seconds
    for k in range(count):
        scene.time[k] = look_ahead(law, _me(scene, k), _other(scene, k), cap, constant)


@compiled
def _fill_predictions(predictor: int, scene: Scene, count: int) -> None:
    for k in range(count):
        scene.aim[k] = predict(predictor, _other(scene, k), scene.time[k], scene.room[k])


@compiled
def _fill_aims(script: np.record, scene: Scene, count: int) -> None:
    """The points that the players steer for or away from, as `force.aim_of` has them."""
    if script.behavior == SEEK or script.behavior == FLEE:
        for k in range(count):
            scene.aim[k] = scene.other_position[k]
        return
    law, predictor = script.lookahead, script.predictor
    if law == CLOSING:
        _fill_times(CLOSING, script, scene, count)
    elif law == TARGET_SPEED:
        _fill_times(TARGET_SPEED, script, scene, count)
    elif law == OWN_SPEED:
        _fill_times(OWN_SPEED, script, scene, count)
    elif law == REYNOLDS:
        _fill_times(REYNOLDS, script, scene, count)
    elif law == INTERCEPT:
        _fill_times(INTERCEPT, script, scene, count)
    elif law == CONSTANT:
        _fill_times(CONSTANT, script, scene, count)
    else:
        for k in range(count):
            scene.time[k] = 0.0
    if predictor == LINEAR:
        _fill_predictions(LINEAR, scene, count)
    elif predictor == TURNING:
        _fill_predictions(TURNING, scene, count)
    elif predictor == BRAKING:
        _fill_predictions(BRAKING, scene, count)
    elif predictor == ACCELERATING:
        _fill_predictions(ACCELERATING, scene, count)
    else:
        _fill_predictions(CONTAINED, scene, count)
    if script.behavior == PURSUIT and script.facing_test:
        for k in range(count):
            is_faced = comes_at_me(_me(scene, k), _other(scene, k))
            scene.aim[k] = scene.other_position[k] if is_faced else scene.aim[k]


@compiled
def _add_alone(part: int, weight: float, script: np.record, scene: Scene, count: int) -> None:
    for k in range(count):
        push = force_alone(part, script, _me(scene, k), scene.room[k], scene.wander_point[k])
        scene.force[k] += scale(push, weight)


@compiled
def _add_behavior(weight: float, script: np.record, scene: Scene, count: int) -> None:
    _fill_aims(script, scene, count)
    threat_range = script.threat_range
    chases = script.behavior == SEEK or script.behavior == PURSUIT
    if chases:
        for k in range(count):
            force = scale(seek(_me(scene, k), scene.aim[k]), weight)
            distance = norm(scene.other_position[k] - scene.position[k])
            is_minded = scene.present[k] and distance <= threat_range
            scene.force[k] += force if is_minded else 0j
    else:
        for k in range(count):
            force = scale(flee(_me(scene, k), scene.aim[k]), weight)
            distance = norm(scene.other_position[k] - scene.position[k])
            is_minded = scene.present[k] and distance <= threat_range
            scene.force[k] += force if is_minded else 0j


@compiled_loop
def fill_plain_forces(script: np.record, scene: Scene, count: int) -> None:
    """The weighted sum of a plain script's parts; the vehicle truncates it.

    Args:
        script: row of the table of scripts; the same for all of the players.
        scene: what they see; its ``time``, ``aim`` and ``force`` are written.
        count: how many players there are.
    """
    for k in range(count):
        scene.force[k] = 0j
    for rank in range(script.num_parts):
        part, weight = script.parts[rank], script.weights[rank]
        if part == WALLS:
            _add_alone(WALLS, weight, script, scene, count)
        elif part == CONTAINMENT:
            _add_alone(CONTAINMENT, weight, script, scene, count)
        elif part == WANDER_PART or script.behavior == WANDER:
            _add_alone(WANDER_PART, weight, script, scene, count)
        elif part == BEHAVIOR_PART:
            _add_behavior(weight, script, scene, count)
