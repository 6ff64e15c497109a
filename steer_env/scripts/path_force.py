"""The aims and forces of scripts that know the ways on a map.

Like `steer_env.scripts.force`, compiled apart: `path_scripts.fill_path_forces` calls it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from steer_env.machine_code.marking import compiled_loop
from steer_env.scripts import force
from steer_env.scripts.force import Surroundings
from steer_env.scripts.table import BEHAVIOR
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.compilation import compiled
from steer_env.steering.targets import offset_to_target
from steer_env.steering.vectors import TINY
from steer_env.steering.vehicle import Vehicle, Vehicles
from steer_env.steering.walls import Walls, sees
from steer_env.steering.ways import Ways, fill_lengths, first_turn

SEEK, ARRIVE, FLEE = range(3)
"""The uses of an aim."""

PLANNED, SEARCHED = 0.2, 0.4
"""Seconds between two looks at whether the line to a goal is free, and between two searches for
the shortest way to it: a few times a second, as the bots in Buckland (2005, chapter 8)."""

_MOST_TRIES = 4  # corners whose ways are looked at


class Plan(NamedTuple):
    """The use of a script's aim until it looks for a way again."""

    how: int  # `SEEK`, `ARRIVE` or `FLEE`
    turn: int  # the number of the turn that it steers for, -1 for its goal itself
    is_last: bool  # whether the turn is its goal


class PathSurroundings(NamedTuple):
    """`Surroundings` on a map, with the ways of my side and the opponents that it sees."""

    place: Surroundings
    walls: Walls
    ways: Ways
    opponents: Vehicles


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
    for turn in range(ways.number):
        mine[turn] /= max(me.max_speed, TINY)
        theirs[turn] = math.inf
    for other in around.opponents:
        lengths = ways.spare
        fill_lengths(ways, other.position, lengths)
        for turn in range(ways.number):
            way = max(lengths[turn] - around.place.capture_radius, 0.0)
            theirs[turn] = min(theirs[turn], way / max(other.max_speed, TINY))


@compiled_loop
def safe_turn(me: Vehicle, around: PathSurroundings) -> Plan:
    """The plan to the turn that opponents come to last, of all that I come to before them.

    Its turn is -1 if there is none.
    """
    _fill_times(me, around)
    walls, ways = around.walls, around.ways
    mine, theirs = ways.mine, ways.theirs
    for _ in range(_MOST_TRIES):
        chosen = -1
        for turn in range(ways.number):
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
    for _ in range(ways.number):
        chosen = -1
        for turn in range(ways.number):
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


@compiled_loop
def way_to_target(me: Vehicle, around: PathSurroundings) -> Plan:
    """The plan to the target, or to a safe turn if an opponent comes there first."""
    target = me.position + offset_to_target(around.place.target, me.position)
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
def plan_without_goal(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings
) -> Plan:
    """The plan of a script that does not chase."""
    if script.behavior == BEHAVIOR.hide:
        plan = hidden_turn(me, other, around)
        return plan if plan.turn >= 0 else safe_turn(me, around)
    if script.behavior == BEHAVIOR.reach and around.place.has_target:
        return way_to_target(me, around)
    return safe_turn(me, around)


@compiled_loop
def goal_of(
    script: np.record, me: Vehicle, other: Vehicle, around: Surroundings, calls: int
) -> complex:
    """The point that a script steers for, or away from, without a turn on the way."""
    if script.behavior == BEHAVIOR.reach and around.has_target:
        return me.position + offset_to_target(around.target, me.position)
    return force.aim_of(script, me, other, around, calls)[1]


@compiled
def runs_away(script: np.record) -> bool:
    """Returns whether a script's plans are those of `plan_without_goal`."""
    behavior = script.behavior
    return behavior in (BEHAVIOR.hide, BEHAVIOR.reach, BEHAVIOR.evade, BEHAVIOR.flee)


@compiled
def force_to(script: np.record, me: Vehicle, how: int, aim: complex) -> complex:
    """The force for a use of an aim, in newtons."""
    if how == FLEE:
        return flee(me, aim)
    return arrive(me, aim, script.deceleration_time) if how == ARRIVE else seek(me, aim)
