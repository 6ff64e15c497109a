"""The plain parts of a scripted player's force, each for a whole block of players at once.

Each function applies textbook functions to the columns of a scene, and the compiler
turns that into vector instructions. A script's numbers decide which; the loop is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steer_env.game.script import BEHAVIORS, LOOKAHEADS, PREDICTORS
from steer_env.game.scripts import PARTS
from steer_env.game.workspace import Scene, me_at, other_at
from steer_env.steering import prediction
from steer_env.steering.avoidance import avoid_walls, containment
from steer_env.steering.basic import flee, seek
from steer_env.steering.chase import Predictor, comes_at_me
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import TINY, norm, scale
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.wander import wander

_SEEK = BEHAVIORS.index("seek")
_PURSUIT = BEHAVIORS.index("pursuit")
_FLEE = BEHAVIORS.index("flee")
_WANDER = BEHAVIORS.index("wander")

_CONSTANT = LOOKAHEADS.index("constant")
_CLOSING = LOOKAHEADS.index("closing")
_TARGET_SPEED = LOOKAHEADS.index("target_speed")
_OWN_SPEED = LOOKAHEADS.index("own_speed")
_REYNOLDS = LOOKAHEADS.index("reynolds")
_INTERCEPT = LOOKAHEADS.index("intercept")

_TURNING = PREDICTORS.index("turning")
_BRAKING = PREDICTORS.index("braking")
_ACCELERATING = PREDICTORS.index("accelerating")
_CONTAINED = PREDICTORS.index("contained")

_WANDER_PART = PARTS.index("wander")
_WALLS = PARTS.index("walls")
_CONTAINMENT = PARTS.index("containment")


@compiled_loop
def _look_ahead(scene: Scene, count: int, law: Callable[..., float], cap: float) -> None:
    for k in range(count):
        scene.time[k] = law(me_at(scene, k), other_at(scene, k), cap)


@compiled
def pace(me: Vehicle) -> float:
    """The speed as a share of the top speed."""
    return norm(me.velocity) / max(me.max_speed, TINY)


@compiled
def paced_length(me: Vehicle, feeler_length: float) -> float:
    """The length of the feelers of `keep_off_walls`, in meters, from that at top speed."""
    return pace(me) * feeler_length


@compiled
def keep_off_walls(me: Vehicle, half_size: float, feeler_length: float) -> complex:
    """`avoid_walls` at top speed; who is slower has shorter feelers, and nearer walls instead.

    At rest it feels its distance to the walls, whatever its heading. With feelers of a fixed
    length it starts away from a wall, turns, no longer feels it, and comes back: it trembles
    in a corner, where the smallest rounding error decides which way it is caught.
    """
    # All three feelers push alike at rest, so a third of their length is room enough.
    nearer = feeler_length * (1.0 - pace(me)) / 3.0
    return avoid_walls(me, max(half_size - nearer, 0.0), paced_length(me, feeler_length))


@compiled
def fill_times(script: np.record, scene: Scene, count: int) -> None:
    """How many seconds ahead each player predicts its opponent."""
    law, cap = script.lookahead, script.lookahead_cap
    if law == _CLOSING:
        _look_ahead(scene, count, prediction.closing, cap)
    elif law == _TARGET_SPEED:
        _look_ahead(scene, count, prediction.target_speed, cap)
    elif law == _OWN_SPEED:
        _look_ahead(scene, count, prediction.own_speed, cap)
    elif law == _REYNOLDS:
        _look_ahead(scene, count, prediction.reynolds, cap)
    elif law == _INTERCEPT:
        _look_ahead(scene, count, prediction.intercept, cap)
    else:
        seconds = min(script.lookahead_seconds, cap) if law == _CONSTANT else 0.0
        for k in range(count):
            scene.time[k] = seconds


@compiled_loop
def _predict(scene: Scene, count: int, position: Predictor) -> None:
    for k in range(count):
        scene.aim[k] = position(other_at(scene, k), scene.time[k])


@compiled
def fill_aims(script: np.record, scene: Scene, count: int) -> None:
    """The points that the players steer for or away from, in meters."""
    behavior, predictor = script.behavior, script.predictor
    if behavior in (_SEEK, _FLEE):
        for k in range(count):
            scene.aim[k] = scene.other_position[k]
        return
    fill_times(script, scene, count)
    if predictor == _TURNING:
        _predict(scene, count, prediction.turning)
    elif predictor == _BRAKING:
        _predict(scene, count, prediction.braking)
    elif predictor == _ACCELERATING:
        _predict(scene, count, prediction.accelerating)
    elif predictor == _CONTAINED:
        for k in range(count):
            other = other_at(scene, k)
            scene.aim[k] = prediction.contained(other, scene.time[k], scene.room[k])
    else:
        _predict(scene, count, prediction.linear)
    if behavior == _PURSUIT and script.facing_test:
        for k in range(count):
            if comes_at_me(me_at(scene, k), other_at(scene, k)):
                scene.aim[k] = scene.other_position[k]


@compiled
def minds(scene: Scene, k: int, threat_range: float) -> bool:
    """Whether there is an opponent left, and in range."""
    distance = norm(scene.other_position[k] - scene.position[k])
    return scene.present[k] and distance <= threat_range


@compiled
def add_plain_part(
    part: int, weight: float, script: np.record, scene: Scene, count: int
) -> None:
    """Adds the weighted force of one part of a plain script.

    Args:
        part: its number, an index of `PARTS`.
        weight: its factor.
        script: row of the table of scripts; the same for all of the players.
        scene: what they see; added to its ``force``.
        count: how many players there are.
    """
    behavior, threat_range = script.behavior, script.threat_range
    if part == _WALLS:
        for k in range(count):
            push = keep_off_walls(me_at(scene, k), scene.room[k], script.feeler_length)
            scene.force[k] += scale(push, weight)
    elif part == _CONTAINMENT:
        seconds = script.containment_seconds
        for k in range(count):
            push = containment(me_at(scene, k), scene.room[k], seconds)
            scene.force[k] += scale(push, weight)
    elif part == _WANDER_PART or behavior == _WANDER:
        for k in range(count):
            drift = wander(me_at(scene, k), scene.wander_point[k])
            scene.force[k] += scale(drift, weight)
    else:
        fill_aims(script, scene, count)
        if behavior in (_SEEK, _PURSUIT):
            for k in range(count):
                force = scale(seek(me_at(scene, k), scene.aim[k]), weight)
                scene.force[k] += force if minds(scene, k, threat_range) else 0j
        else:
            for k in range(count):
                force = scale(flee(me_at(scene, k), scene.aim[k]), weight)
                scene.force[k] += force if minds(scene, k, threat_range) else 0j


@compiled_loop
def fill_plain_forces(script: np.record, scene: Scene, count: int, ranks: range) -> None:
    """The sum of some of a script's plain parts, weighted if all of them are plain.

    Args:
        script: row of the table of scripts; the same for all of the players.
        scene: what they see; its scratch columns and ``force`` are written.
        count: how many players there are.
        ranks: the parts' places among the script's parts.
    """
    for k in range(count):
        scene.force[k] = 0j
    for rank in ranks:
        weight = script.weights[rank] if script.is_plain else 1.0
        add_plain_part(script.parts[rank], weight, script, scene, count)
