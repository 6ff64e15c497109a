"""The aim and the force of a script, from what its vehicle sees.

The script is a row of `table.SCRIPT`; the functions run as plain Python, for drawing, and
compiled, for playing. `steer_env.game.run.vectorized_scripts` applies some to whole columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from steer_env.fields import LARGEST_ANSWER
from steer_env.machine_code.addresses import call_routine, record_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.scripts.table import BEHAVIOR, CUSTOM, EXPLANATION, LOOKAHEAD, PART, PREDICTOR
from steer_env.steering import avoidance, chase, flocking, guidance, prediction
from steer_env.steering.avoidance import detection_box, wall_feelers
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.compilation import compiled
from steer_env.steering.escape import escape_aim
from steer_env.steering.own_functions import begin_call, note_fault
from steer_env.steering.targets import Target, contested_point
from steer_env.steering.vectors import TINY, norm, scale
from steer_env.steering.vehicle import Obstacles, Vehicle, Vehicles
from steer_env.steering.wall_following import avoid_map_walls, map_containment
from steer_env.steering.walls import Walls, first_wall, meeting
from steer_env.steering.wander import wander, wander_circle, wander_target


class Surroundings(NamedTuple):
    """The surroundings of a vehicle beside other vehicles, in meters."""

    room: float  # how far from the middle its center can be; inf without walls
    discs: Obstacles  # at their images nearest to it
    period: float  # the side of a torus; 0 elsewhere
    capture_radius: float
    has_target: bool
    target: Target  # of several the contested one, at its image nearest to it


@compiled
def call_behavior(address: int, me: Vehicle, other: Vehicle, calls: int) -> complex:
    """The force of a user-defined behavior, in newtons, or 0 if it is at fault.

    ``calls`` is the address of two `FUNCTION_CALL` records: this call, and the first fault.
    """
    call = begin_call(calls, me, other)
    call_routine(address, (calls,))
    return call.vector if _is_sound(call.vector, address, calls) else 0j


@compiled
def call_lookahead(address: int, me: Vehicle, other: Vehicle, calls: int) -> float:
    """The seconds of a user-defined lookahead law, or 0 if it is at fault."""
    call = begin_call(calls, me, other)
    call_routine(address, (calls,))
    time = call.number
    is_sound = _is_sound(complex(time if time >= 0.0 else math.nan, 0.0), address, calls)
    return time if is_sound else 0.0


@compiled
def call_predictor(address: int, other: Vehicle, time: float, calls: int) -> complex:
    """The position of a user-defined predictor, in meters, or the present one."""
    call = begin_call(calls, other, other)
    call.time = time
    call_routine(address, (calls,))
    return call.vector if _is_sound(call.vector, address, calls) else other.position


@compiled
def _is_sound(answer: complex, address: int, calls: int) -> bool:
    """Returns whether a result is finite and not too large, and keeps the first fault."""
    if abs(answer.real) <= LARGEST_ANSWER and abs(answer.imag) <= LARGEST_ANSWER:
        return True
    note_fault(address, calls)
    return False


@compiled
def time_ahead(script: np.record, me: Vehicle, other: Vehicle, calls: int) -> float:
    """The seconds ahead that a script predicts its opponent."""
    law, cap = script.lookahead, script.lookahead_cap
    if law == CUSTOM:
        return min(call_lookahead(script.lookahead_address, me, other, calls), cap)
    if law == LOOKAHEAD.closing:
        return prediction.closing(me, other, cap)
    if law == LOOKAHEAD.target_speed:
        return prediction.target_speed(me, other, cap)
    if law == LOOKAHEAD.own_speed:
        return prediction.own_speed(me, other, cap)
    if law == LOOKAHEAD.reynolds:
        return prediction.reynolds(me, other, cap)
    if law == LOOKAHEAD.intercept:
        return prediction.intercept(me, other, cap)
    return min(script.lookahead_seconds, cap) if law == LOOKAHEAD.constant else 0.0


@compiled
def predict(
    script: np.record, other: Vehicle, time: float, around: Surroundings, calls: int
) -> complex:
    """The position that a script's predictor expects after some seconds, in meters."""
    predictor = script.predictor
    if predictor == CUSTOM:
        return call_predictor(script.predictor_address, other, time, calls)
    if predictor == PREDICTOR.turning:
        return prediction.turning(other, time)
    if predictor == PREDICTOR.braking:
        return prediction.braking(other, time)
    if predictor == PREDICTOR.accelerating:
        return prediction.accelerating(other, time)
    if predictor == PREDICTOR.contained:
        return prediction.contained(other, time, around.room, around.discs, around.period)
    return prediction.linear(other, time)


@compiled
def is_within_threat_range(script: np.record, me: Vehicle, other: Vehicle) -> bool:
    """Returns whether the opponent is within ``threat_range``."""
    return norm(other.position - me.position) <= script.threat_range


@compiled_loop  # large, and few need it
def _escape_aim(
    script: np.record, me: Vehicle, menace: Vehicle, around: Surroundings, calls: int
) -> complex:
    """The point that a script of the behavior "escape" steers for, in meters."""
    lead, capture_radius = time_ahead(script, menace, me, calls), around.capture_radius
    return escape_aim(
        me, menace, around.discs, around.room, capture_radius, lead, script.agility
    )


@compiled
def _race_aim(attacks: bool, me: Vehicle, other: Vehicle, around: Surroundings) -> complex:
    """The point for which evaders and pursuers race, in meters, see `contested_point`.

    An evader that is faster than its menace takes it to be as fast. Without a target it is
    where the other will be.
    """
    if not around.has_target:
        return chase.pursuit_aim(me, other, prediction.closing, prediction.linear, False)
    attacker, defender = (me, other) if attacks else (other, me)
    return race_point(attacker, defender, around.capture_radius, around.target)


@compiled
def race_point(attacker: Vehicle, defender: Vehicle, radius: float, target: Target) -> complex:
    """`contested_point` of two vehicles, the evader no faster than the pursuer."""
    nu = min(max(attacker.max_speed / max(defender.max_speed, TINY), TINY), 1.0)
    return contested_point(attacker.position, defender.position, nu, radius, target)


@compiled
def aim_of(
    script: np.record, me: Vehicle, other: Vehicle, around: Surroundings, calls: int
) -> tuple[bool, complex]:
    """A flag for behaviors that steer for or away from a point, and that point in meters.

    Guidance laws and user-defined behaviors have none. For ``calls`` see `call_behavior`.
    """
    behavior = script.behavior
    if behavior == BEHAVIOR.escape:
        return True, _escape_aim(script, me, other, around, calls)
    if behavior in (BEHAVIOR.seek, BEHAVIOR.flee, BEHAVIOR.arrive):
        return True, other.position
    if behavior in (BEHAVIOR.reach, BEHAVIOR.block):
        return True, _race_aim(behavior == BEHAVIOR.reach, me, other, around)
    if behavior == BEHAVIOR.offset_pursuit:
        return True, chase.offset_pursuit_aim(me, other, script.offset)
    if behavior == BEHAVIOR.hide:
        discs, margin = around.discs, script.hiding_margin
        place, distance = chase.nearest_hiding_place(me, other, discs, margin)
        if distance < math.inf:
            return True, place
        return True, chase.pursuit_aim(me, other, prediction.closing, prediction.linear, False)
    is_pursuit = behavior == BEHAVIOR.pursuit
    if behavior == BEHAVIOR.evade or (
        is_pursuit and not (script.facing_test and chase.comes_at_me(me, other))
    ):
        time = time_ahead(script, me, other, calls)
        return True, predict(script, other, time, around, calls)
    return is_pursuit, other.position


@compiled
def force_of_behavior(
    script: np.record, me: Vehicle, other: Vehicle, around: Surroundings, calls: int
) -> complex:
    """The force of a script's main behavior, in newtons, before its weight."""
    behavior, gain = script.behavior, script.navigation_gain
    if behavior == CUSTOM:
        return call_behavior(script.behavior_address, me, other, calls)
    has_aim, aim = aim_of(script, me, other, around, calls)
    if has_aim:
        if behavior in (BEHAVIOR.seek, BEHAVIOR.pursuit, BEHAVIOR.escape, BEHAVIOR.block):
            return seek(me, aim)
        if behavior == BEHAVIOR.reach and around.has_target:
            return seek(me, aim)
        can_hide = behavior == BEHAVIOR.hide and len(around.discs) > 0
        if behavior in (BEHAVIOR.arrive, BEHAVIOR.offset_pursuit) or can_hide:
            return arrive(me, aim, script.deceleration_time)
        return flee(me, aim)
    if behavior == BEHAVIOR.true_navigation:
        return guidance.true_navigation(me, other, gain)
    if behavior == BEHAVIOR.pure_navigation:
        return guidance.pure_navigation(me, other, gain)
    if behavior == BEHAVIOR.augmented_navigation:
        return guidance.augmented_navigation(me, other, gain)
    if behavior == BEHAVIOR.constant_bearing:
        return guidance.constant_bearing(me, other)
    return guidance.deviated_pursuit(me, other, script.lead_angle)


@compiled
def force_around(
    part: int, script: np.record, me: Vehicle, neighbors: Vehicles, discs: Obstacles
) -> complex:
    """The force of a part that looks at obstacles or teammates, in newtons, unweighted."""
    if part == PART.obstacles:
        seconds, margin = script.obstacle_seconds, script.obstacle_margin
        return avoidance.avoid_obstacles(me, discs, seconds, margin)
    if part == PART.collisions:
        seconds, margin = script.collision_seconds, script.collision_margin
        return avoidance.avoid_collisions(me, neighbors, seconds, margin)
    reach, cos_angle = script.neighbor_distance, script.cos_field_of_view
    if part == PART.separation:
        return flocking.separation(me, neighbors, 0.0, reach, cos_angle)
    if part == PART.alignment:
        return flocking.alignment(me, neighbors, 0.0, reach, cos_angle)
    return flocking.cohesion(me, neighbors, 0.0, reach, cos_angle)


@compiled
def reach_of(script: np.record, me: Vehicle, fastest: float, widest: float) -> float:
    """The largest distance at which teammates matter to a script's parts, in meters.

    Their highest speed is ``fastest``, in m/s, and their largest radius ``widest``, in meters.
    """
    reach = 0.0
    for rank in range(script.num_parts):
        part = script.parts[rank]
        if part in (PART.separation, PART.alignment, PART.cohesion):
            reach = max(reach, script.neighbor_distance)
        elif part == PART.collisions:
            contact = me.radius + widest + script.collision_margin
            closing = norm(me.velocity) + fastest
            reach = max(reach, contact + closing * script.collision_seconds)
    return reach


@compiled
def force_alone(
    part: int, script: np.record, me: Vehicle, room: float, wander_point: complex
) -> complex:
    """The force of a part that looks at no other vehicle, in newtons, before its weight."""
    if part == PART.walls:
        return keep_off_walls(me, room, script.feeler_length)
    if part == PART.containment:
        return avoidance.containment(me, room, script.containment_seconds)
    return wander(me, wander_point)


@compiled
def force_off_walls(part: int, script: np.record, me: Vehicle, walls: Walls) -> complex:
    """`force_alone` of the parts that look at walls, on a map."""
    if part == PART.containment:
        return map_containment(me, walls, script.containment_seconds, me.radius)
    gap = me.radius + nearer_walls(me, script.feeler_length)
    return avoid_map_walls(me, walls, pace(me) * script.feeler_length, gap)


@compiled
def reach_to_walls(part: int, script: np.record, me: Vehicle) -> float:
    """The distance from which on walls do not matter to `force_off_walls`, in meters."""
    if part == PART.containment:
        return me.radius + norm(me.velocity) * script.containment_seconds
    gap = me.radius + nearer_walls(me, script.feeler_length)
    return gap + pace(me) * script.feeler_length


@compiled
def pace(me: Vehicle) -> float:
    """The speed as a share of the top speed."""
    return norm(me.velocity) / max(me.max_speed, TINY)


@compiled
def keep_off_walls(me: Vehicle, room: float, feeler_length: float) -> complex:
    """`avoid_walls` with feelers that shrink with the speed, and nearer walls instead.

    With feelers of a fixed length a vehicle would tremble in corners.
    """
    nearer = nearer_walls(me, feeler_length)
    return avoidance.avoid_walls(me, max(room - nearer, 0.0), pace(me) * feeler_length)


@compiled
def nearer_walls(me: Vehicle, feeler_length: float) -> float:
    """The meters by which walls are taken to be nearer where feelers shrink."""
    # At rest all three feelers push alike, so a third of their length is enough.
    return feeler_length * (1.0 - pace(me)) / 3.0


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
def explain_feelers(address: int, script: np.record, me: Vehicle, walls: Walls) -> None:
    """Writes feelers on a map into an explanation: they end at the first wall."""
    found, start = record_at(address, EXPLANATION), me.position
    tips = wall_feelers(me, me.radius + pace(me) * script.feeler_length)
    for number, tip in enumerate(tips):
        share, _ = first_wall(walls, start, tip - start, meeting, 0.0)
        found.feelers[number] = start + scale(tip - start, min(share, 1.0))


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
