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
from steer_env.steering.ways import Ways, fill_lengths, shortest_way, stopped_at_walls

SEEK, ARRIVE, FLEE = range(3)
"""What a script does with its aim."""

_MOST_TRIES = 4  # corners whose ways are looked at


class PathSurroundings(NamedTuple):
    """`Surroundings` on a map, with the ways of my side and the opponents that it sees."""

    place: Surroundings
    walls: Walls
    ways: Ways
    opponents: Vehicles


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
def safe_turn(me: Vehicle, around: PathSurroundings) -> tuple[complex, bool]:
    """The turn that opponents come to last of those that I come to first, if there is one.

    The first number is where to steer for on the way there.
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
        length, aim, _ = shortest_way(walls, ways, me.position, ways.turns[chosen])
        if length < theirs[chosen] * me.max_speed:
            return aim, True
        mine[chosen] = math.inf
    return me.position, False


@compiled_loop
def hidden_turn(
    me: Vehicle, menace: Vehicle, around: PathSurroundings
) -> tuple[complex, bool, bool]:
    """The nearest turn that a menace does not see, as `safe_turn` returns one.

    The last is whether the line there is free.
    """
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
            _, aim, is_straight = shortest_way(walls, ways, me.position, place)
            return aim, True, is_straight
        lengths[chosen] = math.inf
    return me.position, False, False


@compiled_loop
def _target_way(me: Vehicle, around: PathSurroundings) -> tuple[complex, bool]:
    """Where to steer for on the way to the target, and whether I come there first."""
    target = me.position + offset_to_target(around.place.target, me.position)
    length, aim, _ = shortest_way(around.walls, around.ways, me.position, target)
    soonest = math.inf
    for other in around.opponents:
        way, _, _ = shortest_way(around.walls, around.ways, other.position, target)
        way = max(way - around.place.capture_radius, 0.0)
        soonest = min(soonest, way / max(other.max_speed, TINY))
    return aim, length < soonest * me.max_speed


@compiled
def _plan(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings, calls: int
) -> tuple[int, complex]:
    """What a script does with its aim, and the aim: mostly the next turn on the way to it."""
    behavior, walls, ways = script.behavior, around.walls, around.ways
    if behavior == BEHAVIOR.hide:
        aim, is_found, is_straight = hidden_turn(me, other, around)
        if is_found:
            return (ARRIVE if is_straight else SEEK), aim
    if behavior == BEHAVIOR.reach and around.place.has_target:
        aim, is_first = _target_way(me, around)
        place, is_safe = safe_turn(me, around)
        return SEEK, place if is_safe and not is_first else aim
    if behavior in (BEHAVIOR.hide, BEHAVIOR.reach, BEHAVIOR.evade, BEHAVIOR.flee):
        aim, is_safe = safe_turn(me, around)
        if is_safe:
            return SEEK, aim
        time = force.time_ahead(script, me, other, calls)
        is_evading = behavior != BEHAVIOR.flee
        then = force.predict(script, other, time, around.place, calls)
        return FLEE, then if is_evading else other.position
    _, aim = force.aim_of(script, me, other, around.place, calls)
    if behavior == BEHAVIOR.pursuit:
        aim = stopped_at_walls(walls, other.radius, other.position, aim - other.position)
    _, aim, is_straight = shortest_way(walls, ways, me.position, aim)
    arrives = behavior in (BEHAVIOR.arrive, BEHAVIOR.offset_pursuit)
    return (ARRIVE if arrives and is_straight else SEEK), aim


@compiled
def path_aim_of(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings, calls: int
) -> tuple[bool, complex]:
    """`force.aim_of` for scripts that know the ways: the next turn, or the aim in sight."""
    _, aim = _plan(script, me, other, around, calls)
    return True, aim


@compiled
def force_of_path_behavior(
    script: np.record, me: Vehicle, other: Vehicle, around: PathSurroundings, calls: int
) -> complex:
    """`force.force_of_behavior` for scripts that know the ways."""
    how, aim = _plan(script, me, other, around, calls)
    if how == FLEE:
        return flee(me, aim)
    return arrive(me, aim, script.deceleration_time) if how == ARRIVE else seek(me, aim)
