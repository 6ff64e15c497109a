"""Records the decisions of scripts for pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from steer_env.machine_code.addresses import record_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.scripts.force import pace
from steer_env.scripts.table import EXPLANATION
from steer_env.steering.avoidance import detection_box, wall_feelers
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.wander import wander_circle, wander_target


@compiled_loop
def begin_explanation(
    address: int, script: np.record, me: Vehicle, wander_point: complex, has_opponent: bool
) -> None:
    """Starts an explanation with the parts that depend on the vehicle alone."""
    found = record_at(address, EXPLANATION)
    found.has_opponent, found.has_aim = has_opponent, False
    found.wander_center, found.wander_radius = wander_circle(me)
    found.wander_target = wander_target(me, wander_point)
    tips = wall_feelers(me, pace(me) * script.feeler_length)
    found.feelers[0], found.feelers[1], found.feelers[2] = tips
    box = detection_box(me, script.obstacle_seconds, script.obstacle_margin)
    found.corridor[0], found.corridor[1] = box


@compiled_loop
def explain_aim(
    address: int,
    script: np.record,
    me: Vehicle,
    other: Vehicle,
    around: Any,
    calls: int,
    aim_of: Callable[..., tuple[bool, complex]],
) -> None:
    """Records a script's aim, by a function such as `force.aim_of`."""
    found = record_at(address, EXPLANATION)
    found.has_aim, found.aim = aim_of(script, me, other, around, calls)
    found.opponent = other.position
