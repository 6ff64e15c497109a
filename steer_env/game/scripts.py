"""From a `Script` to steering forces, inside the compiled loop.

A script becomes one row of a table of numbers; the loop dispatches on small integers,
so that a new mixture of opponents compiles nothing. It does so once for all the players
of a block of games that share a script, whose data lie side by side in a `Scene`: the
inner loops then apply one textbook function to a column, and the compiler turns them
into vector instructions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import BEHAVIORS, LOOKAHEADS, PREDICTORS, Script
from steer_env.game.workspace import Scene, me_at, other_at
from steer_env.steering import prediction
from steer_env.steering.avoidance import avoid_walls
from steer_env.steering.basic import flee, seek
from steer_env.steering.chase import Predictor, comes_at_me
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import norm, scale
from steer_env.steering.wander import wander

EXTERNAL = -1  # the behavior of a player whose actions come from outside

_SEEK = BEHAVIORS.index("seek")
_FLEE = BEHAVIORS.index("flee")
_PURSUIT = BEHAVIORS.index("pursuit")
_EVADE = BEHAVIORS.index("evade")
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

SCRIPT = np.dtype(
    [
        ("behavior", np.int64),
        ("lookahead", np.int64),
        ("predictor", np.int64),
        ("lookahead_seconds", np.float64),
        ("lookahead_cap", np.float64),
        ("facing_test", np.bool_),
        ("threat_range", np.float64),
        ("wander", np.float64),
        ("wander_step", np.float64),  # spread of the wander angle after a step, in radians
        ("walls", np.float64),
        ("feeler_length", np.float64),
    ],
    align=True,
)

_SAME_IN_BOTH = (
    "lookahead_seconds",
    "lookahead_cap",
    "facing_test",
    "threat_range",
    "wander",
    "walls",
    "feeler_length",
)


def script_table(scripts: Sequence[Script | None], dt: float) -> NDArray[np.void]:
    """One `SCRIPT` row for each script; None stands for a player steered from outside.

    Args:
        scripts: in the order of the rows.
        dt: length of a step, in seconds.
    """
    table = np.zeros(len(scripts), SCRIPT)
    table["behavior"] = EXTERNAL
    for row, script in zip(table, scripts, strict=True):
        if script is None:
            continue
        row["behavior"] = BEHAVIORS.index(script.behavior)
        row["lookahead"] = LOOKAHEADS.index(script.lookahead)
        row["predictor"] = PREDICTORS.index(script.predictor)
        row["wander_step"] = script.wander_rate * math.sqrt(dt)
        for name in _SAME_IN_BOTH:
            row[name] = getattr(script, name)
    return table


@compiled_loop
def _look_ahead(scene: Scene, count: int, law: Callable[..., float], cap: float) -> None:
    for k in range(count):
        scene.time[k] = law(me_at(scene, k), other_at(scene, k), cap)


@compiled_loop
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


@compiled_loop
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


@compiled_loop
def fill_forces(script: np.record, scene: Scene, count: int) -> None:
    """The steering forces of the first ``count`` players of a scene, not truncated.

    Args:
        script: row of the table of scripts; the same for all of them.
        scene: what they see; its times, aims and forces are written.
        count: how many there are.
    """
    behavior = script.behavior
    for k in range(count):
        scene.force[k] = 0j
    if behavior in (_SEEK, _PURSUIT):
        fill_aims(script, scene, count)
        for k in range(count):
            force = seek(me_at(scene, k), scene.aim[k])
            scene.force[k] = force if scene.present[k] else 0j
    elif behavior in (_FLEE, _EVADE):
        fill_aims(script, scene, count)
        threat_range = script.threat_range
        for k in range(count):
            force = flee(me_at(scene, k), scene.aim[k])
            distance = norm(scene.other_position[k] - scene.position[k])
            threatened = scene.present[k] and distance <= threat_range
            scene.force[k] = force if threatened else 0j
    weight = 1.0 if behavior == _WANDER else script.wander
    if weight > 0.0:
        for k in range(count):
            drift = wander(me_at(scene, k), scene.wander_point[k])
            scene.force[k] += scale(drift, weight)
    weight, feeler_length = script.walls, script.feeler_length
    if weight > 0.0:
        for k in range(count):
            push = avoid_walls(me_at(scene, k), scene.room[k], feeler_length)
            scene.force[k] += scale(push, weight)


@compiled
def wanders(script: np.record) -> bool:
    """Whether the script uses its wander point, which then has to be turned."""
    return script.wander > 0.0 or script.behavior == _WANDER
