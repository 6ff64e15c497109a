"""The aims and forces of scripts that look at teammates, or at all opponents.

Like `steer_env.scripts.force`, compiled apart: `general_scripts.fill_team_forces` calls it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steer_env.scripts import force
from steer_env.scripts.force import Surroundings
from steer_env.scripts.table import BEHAVIOR, TARGET
from steer_env.steering.assignment import Workspace, fill_assignment
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.chase import pursuit_aim
from steer_env.steering.compilation import compiled
from steer_env.steering.prediction import closing, linear
from steer_env.steering.teams import encirclement_point, flanking_aim, guard_aim, nearest_of
from steer_env.steering.vehicle import Vehicle, Vehicles
from steer_env.steering.voronoi import voronoi_aim

MOST_ASSIGNED = 64
"""The largest number of vehicles of both sides for which quarries are assigned.

With more, each takes its nearest: the time grows with the cube of the number.
"""


class TeamSurroundings(NamedTuple):
    """`Surroundings` and the other vehicles, on a torus at their nearest images."""

    place: Surroundings
    mates: Vehicles
    partners: Vehicles  # mates chasing the same opponent
    opponents: Vehicles  # all that are in play


@compiled
def fill_targets(
    script: np.record,
    space: Workspace,
    me: Vehicle,
    mates: Vehicles,
    opponents: Vehicles,
    period: float,
) -> None:
    """Writes the targets, in ``space.target``, of me and of mates taken to follow my script."""
    is_small = 1 + len(mates) + len(opponents) <= MOST_ASSIGNED
    if script.target == TARGET.assigned and len(opponents) > 1 and is_small:
        fill_assignment(space, me, mates, opponents, period)
        return
    space.target[0] = nearest_of(me, opponents, period)
    for place in range(len(mates)):
        space.target[place + 1] = nearest_of(mates[place], opponents, period)


@compiled
def team_aim_of(
    script: np.record, me: Vehicle, other: Vehicle, around: TeamSurroundings, calls: int
) -> tuple[bool, complex]:
    """`force.aim_of` for scripts of teams, with the opponent that it is after."""
    behavior, place, period = script.behavior, around.place, around.place.period
    if behavior == BEHAVIOR.encircle:
        seconds = force.time_ahead(script, me, other, calls)
        then = force.predict(script, other, seconds, place, calls)
        return True, encirclement_point(me, around.partners, other, then, script.spread, period)
    if behavior == BEHAVIOR.flank:
        return True, flanking_aim(me, around.partners, other, script.spread, period)
    if behavior == BEHAVIOR.voronoi:
        seconds = force.time_ahead(script, me, other, calls)
        return True, voronoi_aim(me, around.mates, other, place.room, period, seconds)
    if behavior == BEHAVIOR.guard:
        has_ward, aim = guard_aim(me, around.mates, around.opponents, period)
        return True, aim if has_ward else pursuit_aim(me, other, closing, linear, False)
    return force.aim_of(script, me, other, place, calls)


@compiled
def force_of_team_behavior(
    script: np.record, me: Vehicle, other: Vehicle, around: TeamSurroundings, calls: int
) -> complex:
    """`force.force_of_behavior` for scripts of teams."""
    behavior = script.behavior
    is_hunting = behavior in (BEHAVIOR.encircle, BEHAVIOR.flank, BEHAVIOR.voronoi)
    is_guarding = behavior == BEHAVIOR.guard
    if not (is_hunting or is_guarding):
        return force.force_of_behavior(script, me, other, around.place, calls)
    _, aim = team_aim_of(script, me, other, around, calls)
    if is_hunting:
        return seek(me, aim)
    if is_guarding and len(around.mates) == 0:
        return flee(me, aim)
    return arrive(me, aim, script.deceleration_time)
