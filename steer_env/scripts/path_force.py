"""The aims and forces of scripts that know the ways on a map.

Like `steer_env.scripts.force`, compiled apart: `path_scripts.fill_path_forces` calls it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from steer_env.machine_code.marking import compiled_loop
from steer_env.scripts import force
from steer_env.scripts.force import Surroundings
from steer_env.scripts.table import BEHAVIOR
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.compilation import compiled
from steer_env.steering.targets import offset_to_target
from steer_env.steering.vectors import TINY, norm
from steer_env.steering.vehicle import Vehicle, Vehicles
from steer_env.steering.walls import Walls, sees
from steer_env.steering.ways import Ways, fill_lengths, first_turn, stopped_at_walls

SEEK, ARRIVE, FLEE = range(3)
"""What a script does with its aim."""

PLANNED = 0.2
"""Seconds between two looks for a way, as of the bots in Buckland (2005, chapter 8)."""

_MOST_TRIES = 4  # corners whose ways are looked at


class Plan(NamedTuple):
    """What a script does until it looks for a way again, see `packed`."""

    how: int  # `SEEK`, `ARRIVE` or `FLEE`
    turn: int  # the number of the turn that it steers for, -1 for its goal itself
    is_last: bool  # whether the turn is its goal


class Memory(NamedTuple):
    """Where a script keeps its plan: the packed plan, and then the step in which it was made."""

    kept: Any  # a column, in which the second number stands some entries after the first
    entries: int
    step: int  # of the episode, now
    lasts: int  # steps


class PathSurroundings(NamedTuple):
    """`Surroundings` on a map, with the ways of my side and the opponents that it sees."""

    place: Surroundings
    walls: Walls
    ways: Ways
    opponents: Vehicles
    memory: Memory


@compiled
def packed(plan: Plan) -> float:
    """A plan as a number, never 0."""
    return float(((plan.turn + 2) * 2 + (1 if plan.is_last else 0)) * 4 + plan.how)


@compiled
def unpacked(number: float) -> Plan:
    """The plan of a number.

    Example:
        >>> unpacked(packed(Plan(ARRIVE, 7, True)))
        Plan(how=1, turn=7, is_last=True)
    """
    code = int(number)
    return Plan(code % 4, code // 8 - 2, code // 4 % 2 == 1)


@compiled
def _fill_times(me: Vehicle, around: PathSurroundings) -> None:
    """Writes how soon I come to each turn, at the earliest, and how soon an opponent does."""
    ways = around.ways
    mine, theirs = ways.mine, ways.theirs
    fill_lengths(ways, me.position, mine)
    for turn in range(ways.count):
        mine[turn] /= max(me.max_speed, TINY)
        theirs[turn] = math.inf
    for other in around.opponents:
        lengths = ways.spare
        fill_lengths(ways, other.position, lengths)
        for turn in range(ways.count):
            way = max(lengths[turn] - around.place.capture_radius, 0.0)
            theirs[turn] = min(theirs[turn], way / max(other.max_speed, TINY))


@compiled_loop
def safe_turn(me: Vehicle, around: PathSurroundings) -> Plan:
    """The plan to the turn that opponents come to last of those that I come to first.

    Its turn is -1 if there is none.
    """
    _fill_times(me, around)
    walls, ways = around.walls, around.ways
    mine, theirs = ways.mine, ways.theirs
    for _ in range(_MOST_TRIES):
        chosen = -1
        for turn in range(ways.count):
            is_mine = mine[turn] < theirs[turn]
            if is_mine and (chosen < 0 or theirs[turn] > theirs[chosen]):
                chosen = turn
        if chosen < 0:
            break
        length, first, _ = first_turn(walls, ways, me.position, ways.turns[chosen])
        if length < theirs[chosen] * me.max_speed:
            return Plan(SEEK, first if first >= 0 else chosen, first < 0)
        mine[chosen] = math.inf
    return Plan(FLEE, -1, False)


@compiled_loop
def hidden_turn(me: Vehicle, menace: Vehicle, around: PathSurroundings) -> Plan:
    """The plan to the nearest turn that a menace does not see, as `safe_turn` makes one."""
    walls, ways = around.walls, around.ways
    lengths = ways.mine
    fill_lengths(ways, me.position, lengths)
    for _ in range(ways.count):
        chosen = -1
        for turn in range(ways.count):
            is_nearer = lengths[turn] < math.inf
            if is_nearer and (chosen < 0 or lengths[turn] < lengths[chosen]):
                chosen = turn
        if chosen < 0:
            break
        place = ways.turns[chosen]
        if not sees(walls, menace.position, place - menace.position):
            _, first, _ = first_turn(walls, ways, me.position, place)
            return Plan(SEEK, first, False) if first >= 0 else Plan(ARRIVE, chosen, True)
        lengths[chosen] = math.inf
    return Plan(FLEE, -1, False)


@compiled
def _target_of(me: Vehicle, around: PathSurroundings) -> complex:
    """The target's nearest point."""
    return me.position + offset_to_target(around.place.target, me.position)


@compiled_loop
def way_to_target(me: Vehicle, around: PathSurroundings) -> Plan:
    """The plan to the target, or to a safe turn if an opponent comes there first."""
    target = _target_of(me, around)
    length, turn, _ = first_turn(around.walls, around.ways, me.position, target)
    for other in around.opponents:
        way, _, _ = first_turn(around.walls, around.ways, other.position, target)
        way = max(way - around.place.capture_radius, 0.0)
        if way * me.max_speed <= length * other.max_speed:
            plan = safe_turn(me, around)
            if plan.turn >= 0:
                return plan
    return Plan(SEEK, turn, False)


@compiled_loop
def _goal(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings, calls: int
) -> complex:
    """The point that a script steers for, or away from, without a turn on the way."""
    if script.behavior == BEHAVIOR.reach and around.place.has_target:
        return _target_of(me, around)
    _, aim = force.aim_of(script, me, other, around.place, calls)
    if script.behavior != BEHAVIOR.pursuit:
        return aim
    line = aim - other.position
    return stopped_at_walls(around.walls, other.radius, other.position, line)


@compiled_loop
def _new_plan(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings, goal: complex
) -> Plan:
    behavior = script.behavior
    if behavior == BEHAVIOR.hide:
        plan = hidden_turn(me, other, around)
        return plan if plan.turn >= 0 else safe_turn(me, around)
    if behavior == BEHAVIOR.reach and around.place.has_target:
        return way_to_target(me, around)
    if behavior in (BEHAVIOR.reach, BEHAVIOR.evade, BEHAVIOR.flee):
        return safe_turn(me, around)
    _, turn, _ = first_turn(around.walls, around.ways, me.position, goal)
    arrives = behavior in (BEHAVIOR.arrive, BEHAVIOR.offset_pursuit)
    return Plan(ARRIVE if arrives and turn < 0 else SEEK, turn, False)


@compiled_loop
def _decide(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings, calls: int
) -> tuple[int, complex]:
    """What a script does with its aim, and the aim, by its plan or a new one.

    It plans anew after some steps, and once it is at a turn on its way.
    """
    memory, ways = around.memory, around.ways
    plan = unpacked(memory.kept[0])
    age = memory.step - int(memory.kept[memory.entries])
    is_due = memory.kept[0] == 0.0 or not 0 <= age < memory.lasts or plan.turn >= ways.count
    if not (is_due or plan.turn < 0 or plan.is_last):
        is_due = norm(ways.turns[plan.turn] - me.position) < ways.radius
    goal = me.position
    if is_due or plan.turn < 0:
        goal = _goal(script, me, other, around, calls)
    if is_due:
        plan = _new_plan(script, me, other, around, goal)
        memory.kept[0], memory.kept[memory.entries] = packed(plan), float(memory.step)
    return plan.how, complex(ways.turns[plan.turn]) if plan.turn >= 0 else goal


@compiled
def path_aim_of(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings, calls: int
) -> tuple[bool, complex]:
    """`force.aim_of` for scripts that know the ways: the next turn, or the aim in sight."""
    _, aim = _decide(script, me, other, around, calls)
    return True, aim


@compiled
def force_of_path_behavior(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings, calls: int
) -> complex:
    """`force.force_of_behavior` for scripts that know the ways."""
    how, aim = _decide(script, me, other, around, calls)
    if how == FLEE:
        return flee(me, aim)
    return arrive(me, aim, script.deceleration_time) if how == ARRIVE else seek(me, aim)
