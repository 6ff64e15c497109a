"""What a script makes of what its vehicle sees: where it aims, and with what force it steers.

The script is a row of `table.SCRIPT`; the functions run as plain Python, for drawing, and in
compiled code, for playing. The loop applies those of plain scripts to whole columns; see
`steer_env.game.plain_scripts`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from steer_env.machine_code.marking import compiled_loop
from steer_env.scripts.own_behavior import ask_behavior, ask_lookahead, ask_predictor
from steer_env.scripts.script import BEHAVIORS, LOOKAHEADS, PREDICTORS
from steer_env.scripts.table import CUSTOM, PARTS
from steer_env.steering import prediction
from steer_env.steering.avoidance import (
    avoid_collisions,
    avoid_obstacles,
    avoid_walls,
    containment,
)
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.chase import (
    comes_at_me,
    nearest_hiding_place,
    offset_pursuit_aim,
    pursuit_aim,
)
from steer_env.steering.compilation import compiled
from steer_env.steering.escape import escape_aim
from steer_env.steering.flocking import alignment, cohesion, separation
from steer_env.steering.guidance import (
    augmented_navigation,
    constant_bearing,
    deviated_pursuit,
    pure_navigation,
    true_navigation,
)
from steer_env.steering.vectors import TINY, norm
from steer_env.steering.vehicle import Obstacles, Vehicle, Vehicles
from steer_env.steering.wander import wander

SEEK, FLEE, ARRIVE, PURSUIT, EVADE, OFFSET_PURSUIT, HIDE, WANDER, ESCAPE = map(
    BEHAVIORS.index,
    (
        "seek",
        "flee",
        "arrive",
        "pursuit",
        "evade",
        "offset_pursuit",
        "hide",
        "wander",
        "escape",
    ),
)
_TRUE_NAVIGATION, _PURE_NAVIGATION, _AUGMENTED_NAVIGATION, _CONSTANT_BEARING = map(
    BEHAVIORS.index,
    ("true_navigation", "pure_navigation", "augmented_navigation", "constant_bearing"),
)
CONSTANT, CLOSING, TARGET_SPEED, OWN_SPEED, REYNOLDS, INTERCEPT = map(
    LOOKAHEADS.index,
    ("constant", "closing", "target_speed", "own_speed", "reynolds", "intercept"),
)
LINEAR, TURNING, BRAKING, ACCELERATING, CONTAINED = map(
    PREDICTORS.index, ("linear", "turning", "braking", "accelerating", "contained")
)
BEHAVIOR_PART, WANDER_PART, WALLS, CONTAINMENT, _OBSTACLES, _COLLISIONS = map(
    PARTS.index, ("behavior", "wander", "walls", "containment", "obstacles", "collisions")
)
_SEPARATION, _ALIGNMENT, _COHESION = map(PARTS.index, ("separation", "alignment", "cohesion"))


class Surroundings(NamedTuple):
    """What is around a vehicle beside other vehicles.

    Attributes:
        room: how far from the middle its center can be, in meters; inf without walls.
        discs: the obstacles, at their images nearest to it.
        period: the side of a torus, in meters; 0 elsewhere.
        capture_radius: of the game, in meters.
    """

    room: float
    discs: Obstacles
    period: float
    capture_radius: float


@compiled
def look_ahead(law: int, me: Vehicle, other: Vehicle, cap: float, constant: float) -> float:
    """The seconds ahead that a lookahead law predicts.

    Args:
        law: index of `LOOKAHEADS`.
        me: the vehicle that looks.
        other: the vehicle looked at.
        cap: longest prediction, in seconds.
        constant: the time of the "constant" law, in seconds.
    """
    if law == CLOSING:
        return prediction.closing(me, other, cap)
    if law == TARGET_SPEED:
        return prediction.target_speed(me, other, cap)
    if law == OWN_SPEED:
        return prediction.own_speed(me, other, cap)
    if law == REYNOLDS:
        return prediction.reynolds(me, other, cap)
    if law == INTERCEPT:
        return prediction.intercept(me, other, cap)
    return min(constant, cap) if law == CONSTANT else 0.0


@compiled
def time_ahead(script: np.record, me: Vehicle, other: Vehicle, asked: int) -> float:
    """The seconds ahead that a script predicts its opponent.

    Arguments are those of `aim_of`.
    """
    cap = script.lookahead_cap
    if script.lookahead == CUSTOM:
        return min(ask_lookahead(script.lookahead_address, me, other, asked), cap)
    return look_ahead(script.lookahead, me, other, cap, script.lookahead_seconds)


@compiled
def predict(
    script: np.record, other: Vehicle, time: float, around: Surroundings, asked: int
) -> complex:
    """The position that a script's predictor expects after some seconds, in meters.

    Other arguments are those of `aim_of`.
    """
    predictor = script.predictor
    if predictor == CUSTOM:
        return ask_predictor(script.predictor_address, other, time, asked)
    if predictor == TURNING:
        return prediction.turning(other, time)
    if predictor == BRAKING:
        return prediction.braking(other, time)
    if predictor == ACCELERATING:
        return prediction.accelerating(other, time)
    if predictor == CONTAINED:
        return prediction.contained(other, time, around.room, around.discs, around.period)
    return prediction.linear(other, time)


@compiled
def predicts(script: np.record, me: Vehicle, other: Vehicle) -> bool:
    """Whether a script steers by where its opponent will be."""
    if script.behavior == PURSUIT:
        return not (script.facing_test and comes_at_me(me, other))
    return script.behavior == EVADE


@compiled
def minds(script: np.record, me: Vehicle, other: Vehicle) -> bool:
    """Whether an opponent is near enough to matter."""
    return norm(other.position - me.position) <= script.threat_range


@compiled_loop  # large, and few need it
def _escape_aim(
    script: np.record, me: Vehicle, menace: Vehicle, around: Surroundings, asked: int
) -> complex:
    """The point that a script of the behavior "escape" steers for, in meters.

    Arguments are those of `aim_of`.
    """
    lead, capture_radius = time_ahead(script, menace, me, asked), around.capture_radius
    return escape_aim(
        me, menace, around.discs, around.room, capture_radius, lead, script.agility
    )


@compiled
def aim_of(
    script: np.record, me: Vehicle, other: Vehicle, around: Surroundings, asked: int
) -> tuple[bool, complex]:
    """Whether a script's behavior steers for or away from a point, and that point in meters.

    Guidance laws follow the line of sight instead, and what a user's own behavior steers for
    is not known.

    Args:
        script: a row of `SCRIPT`.
        me: the vehicle.
        other: its nearest opponent.
        around: what is around it.
        asked: the address of two `ASKED` records, for a user's own functions.
    """
    behavior = script.behavior
    if behavior == ESCAPE:
        return True, _escape_aim(script, me, other, around, asked)
    if behavior in (SEEK, FLEE, ARRIVE):
        return True, other.position
    if behavior == OFFSET_PURSUIT:
        return True, offset_pursuit_aim(me, other, script.offset)
    if behavior == HIDE:
        place, distance = nearest_hiding_place(me, other, around.discs, script.hiding_margin)
        if distance < math.inf:
            return True, place
        return True, pursuit_aim(me, other, prediction.closing, prediction.linear, False)
    if predicts(script, me, other):
        time = time_ahead(script, me, other, asked)
        return True, predict(script, other, time, around, asked)
    return behavior == PURSUIT, other.position


@compiled
def force_of_behavior(
    script: np.record, me: Vehicle, other: Vehicle, around: Surroundings, asked: int
) -> complex:
    """The force of a script's main behavior, in newtons, before its weight.

    Arguments are those of `aim_of`.
    """
    behavior, gain = script.behavior, script.navigation_gain
    if behavior == CUSTOM:
        return ask_behavior(script.behavior_address, me, other, asked)
    has_aim, aim = aim_of(script, me, other, around, asked)
    if has_aim:
        if behavior in (SEEK, PURSUIT, ESCAPE):
            return seek(me, aim)
        can_hide = behavior == HIDE and len(around.discs) > 0
        if behavior in (ARRIVE, OFFSET_PURSUIT) or can_hide:
            return arrive(me, aim, script.deceleration_time)
        return flee(me, aim)
    if behavior == _TRUE_NAVIGATION:
        return true_navigation(me, other, gain)
    if behavior == _PURE_NAVIGATION:
        return pure_navigation(me, other, gain)
    if behavior == _AUGMENTED_NAVIGATION:
        return augmented_navigation(me, other, gain)
    if behavior == _CONSTANT_BEARING:
        return constant_bearing(me, other)
    return deviated_pursuit(me, other, script.lead_angle)


@compiled
def force_around(
    part: int, script: np.record, me: Vehicle, neighbors: Vehicles, discs: Obstacles
) -> complex:
    """The force of a part that looks at obstacles or teammates, in newtons, unweighted."""
    if part == _OBSTACLES:
        return avoid_obstacles(me, discs, script.obstacle_seconds, script.obstacle_margin)
    if part == _COLLISIONS:
        return avoid_collisions(
            me, neighbors, script.collision_seconds, script.collision_margin
        )
    reach, cos_angle = script.neighbor_distance, script.cos_field_of_view
    if part == _SEPARATION:
        return separation(me, neighbors, 0.0, reach, cos_angle)
    if part == _ALIGNMENT:
        return alignment(me, neighbors, 0.0, reach, cos_angle)
    return cohesion(me, neighbors, 0.0, reach, cos_angle)


@compiled
def reach_of(script: np.record, me: Vehicle, fastest: float, widest: float) -> float:
    """How near a teammate must be to matter to a script's parts, in meters.

    Flocking looks as far as the neighborhood. A collision within some seconds is one with a
    body that two vehicles can cover the distance to in that time, up to contact.

    Args:
        script: a row of `SCRIPT`.
        me: the vehicle.
        fastest: the highest speed of a teammate, in m/s.
        widest: the largest radius of a teammate, in meters.
    """
    reach = 0.0
    for rank in range(script.num_parts):
        part = script.parts[rank]
        if part in (_SEPARATION, _ALIGNMENT, _COHESION):
            reach = max(reach, script.neighbor_distance)
        elif part == _COLLISIONS:
            contact = me.radius + widest + script.collision_margin
            closing = norm(me.velocity) + fastest
            reach = max(reach, contact + closing * script.collision_seconds)
    return reach


@compiled
def force_alone(
    part: int, script: np.record, me: Vehicle, room: float, wander_point: complex
) -> complex:
    """The force of a part that looks at no other vehicle, in newtons, before its weight.

    Args:
        part: index of `PARTS`.
        script: a row of `SCRIPT`.
        me: the vehicle.
        room: how far from the middle it can be, in meters; inf without walls.
        wander_point: see `steer_env.steering.wander`.
    """
    if part == WALLS:
        return keep_off_walls(me, room, script.feeler_length)
    if part == CONTAINMENT:
        return containment(me, room, script.containment_seconds)
    return wander(me, wander_point)


@compiled
def pace(me: Vehicle) -> float:
    """The speed as a share of the top speed."""
    return norm(me.velocity) / max(me.max_speed, TINY)


@compiled
def keep_off_walls(me: Vehicle, half_size: float, feeler_length: float) -> complex:
    """`avoid_walls` with feelers that shrink with the speed, and nearer walls instead.

    At rest it feels its distance to the walls, whatever its heading. With feelers of a fixed
    length it starts away from a wall, turns, no longer feels it, and comes back: it trembles
    in a corner, where the smallest rounding error decides which way it is caught.
    """
    # All three feelers push alike at rest, so a third of their length is room enough.
    nearer = feeler_length * (1.0 - pace(me)) / 3.0
    return avoid_walls(me, max(half_size - nearer, 0.0), pace(me) * feeler_length)
