"""The forces of plain scripts, for a whole block of games at once.

A plain script looks at its nearest opponent and at the walls, and adds its parts up. What
`steer_env.scripts.force` works out for one vehicle is done here for a column of them: each
function applies one textbook function, which the compiler turns into vector instructions. So
the numbers that choose a law are looked at once for a column, and not for each vehicle.
"""

from __future__ import annotations

from collections.abc import Callable
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
from steer_env.steering.chase import Lookahead, Predictor, comes_at_me
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import clamp_to_square, norm, scale
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
def fill_times(law: Lookahead, scene: Scene, cap: float, count: int) -> None:
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


@compiled
def fill_plain_forces(script: np.record, scene: Scene, count: int) -> None:
    """The weighted sum of a plain script's parts; the vehicle truncates it.

    Args:
        script: row of the table of scripts; the same for all of the players.
        scene: what they see; its ``time``, ``aim`` and ``force`` are written.
        count: how many players there are.
    """
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
