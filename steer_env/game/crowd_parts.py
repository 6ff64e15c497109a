"""The other parts of a scripted player's force: for obstacles, teammates, bodies and chance.

They are computed only for those players of a block who want them.
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from steer_env.game.custom import call_behavior
from steer_env.game.parts import fill_plain_forces, minds
from steer_env.game.script import BEHAVIORS
from steer_env.game.scripts import CUSTOM, PARTS, PLAIN_BEHAVIORS
from steer_env.game.workspace import (
    Crowd,
    Scene,
    copy_body,
    whole_body_at,
    whole_other_at,
    with_part_as_force,
)
from steer_env.steering.avoidance import avoid_collisions, avoid_obstacles
from steer_env.steering.basic import arrive
from steer_env.steering.chase import hide, offset_pursuit
from steer_env.steering.compilation import compiled_loop
from steer_env.steering.flocking import alignment, cohesion, separation
from steer_env.steering.guidance import (
    augmented_navigation,
    constant_bearing,
    deviated_pursuit,
    pure_navigation,
    true_navigation,
)

_ARRIVE = BEHAVIORS.index("arrive")
_OFFSET_PURSUIT = BEHAVIORS.index("offset_pursuit")
_TRUE_NAVIGATION = BEHAVIORS.index("true_navigation")
_PURE_NAVIGATION = BEHAVIORS.index("pure_navigation")
_AUGMENTED_NAVIGATION = BEHAVIORS.index("augmented_navigation")
_CONSTANT_BEARING = BEHAVIORS.index("constant_bearing")
_DEVIATED_PURSUIT = BEHAVIORS.index("deviated_pursuit")

_BEHAVIOR = PARTS.index("behavior")
_OBSTACLES = PARTS.index("obstacles")
_COLLISIONS = PARTS.index("collisions")
_SEPARATION = PARTS.index("separation")
_ALIGNMENT = PARTS.index("alignment")
_COHESION = PARTS.index("cohesion")


@compiled_loop
def _fill_behavior(script: np.record, scene: Scene, crowd: Crowd, count: int) -> None:
    behavior, seconds = script.behavior, script.deceleration_time
    for k in range(count):
        if not crowd.wanted[k]:
            continue
        me, other = whole_body_at(scene, crowd, k), whole_other_at(scene, crowd, k)
        if behavior == _ARRIVE:
            force = arrive(me, other.position, seconds)
        elif behavior == _OFFSET_PURSUIT:
            force = offset_pursuit(me, other, script.offset, seconds)
        elif behavior == _TRUE_NAVIGATION:
            force = true_navigation(me, other, script.navigation_gain)
        elif behavior == _PURE_NAVIGATION:
            force = pure_navigation(me, other, script.navigation_gain)
        elif behavior == _AUGMENTED_NAVIGATION:
            force = augmented_navigation(me, other, script.navigation_gain)
        elif behavior == _CONSTANT_BEARING:
            force = constant_bearing(me, other)
        elif behavior == _DEVIATED_PURSUIT:
            force = deviated_pursuit(me, other, script.lead_angle)
        else:
            discs = crowd.discs[k, : crowd.num_discs[k]]
            force = hide(me, other, discs, script.hiding_margin, seconds)
        scene.part[k] = force if minds(scene, k, script.threat_range) else 0j


@compiled_loop
def call_own_behavior(script: np.record, scene: Scene, crowd: Crowd, count: int) -> None:
    """The forces of a user's own behavior.

    A force that is no number counts as 0, and is told of: the pair of vehicles that it is
    called with is in ``crowd.pairs[:2]``, the first one at fault is kept in ``[2:]``.
    """
    pair = crowd.pairs[:2]
    for k in range(count):
        scene.part[k] = 0j
        if crowd.wanted[k] and minds(scene, k, script.threat_range):
            copy_body(whole_body_at(scene, crowd, k), pair[0])
            copy_body(whole_other_at(scene, crowd, k), pair[1])
            crowd.answer[0] = complex(math.nan, 0.0)  # stays so if the behavior raises
            call_behavior(script.address, pair, crowd.answer)
            is_number = cmath.isfinite(crowd.answer[0])
            scene.part[k] = crowd.answer[0] if is_number else 0j
            if not is_number and not crowd.is_faulty[0]:
                crowd.is_faulty[0] = True
                copy_body(pair[0], crowd.pairs[2])
                copy_body(pair[1], crowd.pairs[3])


@compiled_loop
def _fill_around(part: int, script: np.record, scene: Scene, crowd: Crowd, count: int) -> None:
    reach, cos_angle = script.neighbor_distance, script.cos_field_of_view
    for k in range(count):
        if not crowd.wanted[k]:
            continue
        me = whole_body_at(scene, crowd, k)
        neighbors = crowd.neighbors[k, : crowd.num_neighbors[k]]
        if part == _OBSTACLES:
            discs = crowd.discs[k, : crowd.num_discs[k]]
            seconds, margin = script.obstacle_seconds, script.obstacle_margin
            force = avoid_obstacles(me, discs, seconds, margin)
        elif part == _COLLISIONS:
            seconds, margin = script.collision_seconds, script.collision_margin
            force = avoid_collisions(me, neighbors, seconds, margin)
        elif part == _SEPARATION:
            force = separation(me, neighbors, 0.0, reach, cos_angle)
        elif part == _ALIGNMENT:
            force = alignment(me, neighbors, 0.0, reach, cos_angle)
        else:
            force = cohesion(me, neighbors, 0.0, reach, cos_angle)
        scene.part[k] = force


@compiled_loop
def fill_part(rank: int, script: np.record, scene: Scene, crowd: Crowd, count: int) -> None:
    """The forces of one part of a script, of those players at least who want it.

    Args:
        rank: its place among the script's parts.
        script: row of the table of scripts; the same for all of the players.
        scene: what they see; its ``part`` is written.
        crowd: what they see besides their opponent.
        count: how many players there are.
    """
    part = script.parts[rank]
    if part in (_OBSTACLES, _COLLISIONS, _SEPARATION, _ALIGNMENT, _COHESION):
        _fill_around(part, script, scene, crowd, count)
    elif part != _BEHAVIOR or script.behavior in PLAIN_BEHAVIORS:
        fill_plain_forces(script, with_part_as_force(scene), count, range(rank, rank + 1))
    elif script.behavior == CUSTOM:
        call_own_behavior(script, scene, crowd, count)
    else:
        _fill_behavior(script, scene, crowd, count)
