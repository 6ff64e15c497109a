"""Where the members of a team aim, and with what force: scripts that look at several others.

As `steer_env.scripts.force`, for behaviors that need teammates or all the opponents, and for
scripts that choose their opponent otherwise than by its distance. They have a routine of their
own (`steer_env.game.team_scripts`), so that the others are compiled without them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from steer_env.scripts.force import (
    HIDE,
    Surroundings,
    aim_of,
    force_of_behavior,
    predict,
    predicts,
    time_ahead,
)
from steer_env.scripts.script import BEHAVIORS, TARGETS
from steer_env.steering.assignment import Workspace, fill_assignment
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.chase import blind_side_place, nearest_hiding_place, pursuit_aim
from steer_env.steering.compilation import compiled
from steer_env.steering.prediction import closing, linear
from steer_env.steering.teams import encirclement_point, flanking_aim, guard_aim, nearest_of
from steer_env.steering.vectors import norm
from steer_env.steering.vehicle import Obstacles, Vehicle, Vehicles
from steer_env.steering.voronoi import voronoi_aim

ENCIRCLE, FLANK, VORONOI, GUARD = map(
    BEHAVIORS.index, ("encircle", "flank", "voronoi", "guard")
)
ASSIGNED = TARGETS.index("assigned")

MOST_ASSIGNED = 64
"""Vehicles of both sides that quarries are assigned among; of more, each takes its nearest.

The time of an assignment grows with the cube of their number.
"""


class TeamSurroundings(NamedTuple):
    """`Surroundings`, and the other vehicles around one; on a torus at their nearest images.

    Attributes:
        place: what is around it beside them.
        mates: its teammates.
        partners: those that are after the same opponent as it is.
        opponents: all of the other side that are in play.
    """

    place: Surroundings
    mates: Vehicles
    partners: Vehicles
    opponents: Vehicles


@compiled
def fill_targets(
    script: np.record,
    space: Workspace,
    me: Vehicle,
    mates: Vehicles,
    opponents: Vehicles,
    period: float,
) -> None:
    """Writes the opponents that I (entry 0) and my mates are after into ``space.target``.

    Args:
        script: a row of `SCRIPT`.
        space: room for as many vehicles as there are.
        me: the vehicle that decides.
        mates: its teammates, which are taken to follow the same script.
        opponents: at least one.
        period: the side of a torus, in meters; 0 elsewhere.
    """
    is_small = 1 + len(mates) + len(opponents) <= MOST_ASSIGNED
    if script.target == ASSIGNED and len(opponents) > 1 and is_small:
        fill_assignment(space, me, mates, opponents, period)
        return
    space.target[0] = nearest_of(me, opponents, period)
    for place in range(len(mates)):
        space.target[place + 1] = nearest_of(mates[place], opponents, period)


@compiled
def _hiding_aim(script: np.record, me: Vehicle, other: Vehicle, discs: Obstacles) -> complex:
    """The nearest place behind an obstacle or in the opponent's blind side, in meters."""
    place = blind_side_place(me, other, script.view_angle)
    behind, distance = nearest_hiding_place(me, other, discs, script.hiding_margin)
    return behind if distance < norm(place - me.position) else place


@compiled
def team_aim_of(
    script: np.record, me: Vehicle, other: Vehicle, around: TeamSurroundings, asked: int
) -> tuple[bool, complex]:
    """`force.aim_of` for scripts of teams.

    Args:
        script: a row of `SCRIPT`.
        me: the vehicle.
        other: the opponent that it is after; a guard's nearest.
        around: what is around it.
        asked: see `force.aim_of`.
    """
    behavior, place, period = script.behavior, around.place, around.place.period
    if behavior == ENCIRCLE:
        seconds = time_ahead(script, me, other, asked)
        then = predict(script, other, seconds, place, asked)
        return True, encirclement_point(me, around.partners, other, then, script.spread, period)
    if behavior == FLANK:
        return True, flanking_aim(me, around.partners, other, script.spread, period)
    if behavior == VORONOI:
        seconds = time_ahead(script, me, other, asked)
        return True, voronoi_aim(me, around.mates, other, place.room, period, seconds)
    if behavior == GUARD:
        has_ward, aim = guard_aim(me, around.mates, around.opponents, period)
        return True, aim if has_ward else pursuit_aim(me, other, closing, linear, False)
    if behavior == HIDE and script.view_angle < math.pi:
        return True, _hiding_aim(script, me, other, place.discs)
    return aim_of(script, me, other, place, asked)


@compiled
def force_of_team_behavior(
    script: np.record, me: Vehicle, other: Vehicle, around: TeamSurroundings, asked: int
) -> complex:
    """`force.force_of_behavior` for scripts of teams. Arguments are those of `team_aim_of`."""
    behavior = script.behavior
    is_hiding = behavior == HIDE and script.view_angle < math.pi
    if behavior in (ENCIRCLE, FLANK, VORONOI, GUARD) or is_hiding:
        _, aim = team_aim_of(script, me, other, around, asked)
        if is_hiding or (behavior == GUARD and len(around.mates) > 0):
            return arrive(me, aim, script.deceleration_time)
        return flee(me, aim) if behavior == GUARD else seek(me, aim)
    return force_of_behavior(script, me, other, around.place, asked)


@compiled
def team_predicts(script: np.record, me: Vehicle, other: Vehicle) -> bool:
    """Whether a script of a team steers by where its opponent will be."""
    return script.behavior in (ENCIRCLE, VORONOI) or predicts(script, me, other)
