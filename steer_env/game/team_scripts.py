"""The forces of scripts that look at their team, one vehicle at a time.

Such a script attends to all teammates and opponents: it encircles, flanks, guards, or takes the
opponent that an assignment gives it. See `steer_env.scripts.team_force`.
"""

from __future__ import annotations

import numpy as np

from steer_env.game.arena import TORUS, room
from steer_env.game.explanation import explanation_of
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
    body_at,
    force_of,
    games_of,
    integers,
    player_at,
    rules_of,
    script_at,
)
from steer_env.game.other_scripts import combined_force
from steer_env.game.sight import as_observed, discs_seen_from, opponents_of, seen_from
from steer_env.machine_code.addresses import column, record_at, records_at
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import Surroundings, minds
from steer_env.scripts.team_force import (
    TeamSurroundings,
    fill_targets,
    force_of_team_behavior,
    team_aim_of,
    team_predicts,
)
from steer_env.steering.assignment import Workspace
from steer_env.steering.compilation import compiled
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, copy_vehicle


@compiled
def _workspace(scratch: np.record, players: int) -> Workspace:
    """Columns of a thread that nothing else needs while scripts decide."""
    size = players + 1
    return Workspace(
        column(scratch.opponent, 0, size, np.int64),
        column(scratch.free, 0, size, np.int64),
        column(scratch.caught, 0, size, np.int64),
        column(scratch.present, 0, size, np.uint8),
        column(scratch.opponent_square, 0, size, np.float64),
        column(scratch.other_max_speed, 0, size, np.float64),
        column(scratch.time, 0, size, np.float64),
    )


@compiled
def _copy_players(
    memory: np.record,
    bodies: np.ndarray,
    first: int,
    last: int,
    me: int,
    k: int,
    start: int,
    rules: np.record,
) -> int:
    """Copies the players first to last - 1 in play, as one of them or an opponent sees them.

    The player ``me`` is left out. The records of `VEHICLE` are written from ``start`` on;
    returns one past the last.
    """
    position, found = player_at(memory, me, k).position[0], start
    for other in range(first, last):
        if other != me and player_at(memory, other, k).active[0]:
            seen = as_observed(seen_from(position, memory, other, k, rules), False)
            copy_vehicle(seen, bodies[found])
            found += 1
    return found


@compiled
def _gather_partners(bodies: np.ndarray, count: int, target: np.ndarray) -> int:
    """Moves the mates that are after my opponent to the front; returns how many they are."""
    found = 0
    for place in range(count):
        if target[place + 1] == target[0]:
            one, other = bodies[place], bodies[found]
            partner, stranger = as_observed(one, False), as_observed(other, False)
            copy_vehicle(partner, other)
            copy_vehicle(stranger, one)
            target[place + 1] = target[found + 1]
            found += 1
    return found


@compiled
def force_of_team_script(
    memory: np.record, scratch: np.record, number: int, script: np.record, k: int
) -> complex:
    """The force of a script that looks at its team, for one player in the k-th game."""
    rules = rules_of(memory)
    me = as_observed(body_at(player_at(memory, number, k), 0), True)
    bodies = records_at(scratch.neighbors, memory.players, VEHICLE)
    opponents_first, opponents_last = opponents_of(number, rules, memory.players)
    is_pursuer = number < rules.pursuers
    first, last = (0, rules.pursuers) if is_pursuer else (rules.pursuers, memory.players)
    mates = _copy_players(memory, bodies, first, last, number, k, 0, rules)
    all_others = _copy_players(
        memory, bodies, opponents_first, opponents_last, number, k, mates, rules
    )
    opponents = bodies[mates:all_others]
    period = 2.0 * rules.half_size if rules.arena == TORUS else 0.0
    space, partners = _workspace(scratch, memory.players), 0
    is_minded, other = False, me
    if len(opponents) > 0:
        fill_targets(script, space, me, bodies[:mates], opponents, period)
        other = as_observed(opponents[space.target[0]], False)
        partners = _gather_partners(bodies, mates, space.target)
        is_minded = minds(script, me, other)
    discs = records_at(scratch.discs, 0, OBSTACLE)
    if script.sees_obstacles:
        discs = discs_seen_from(me.position, memory, scratch, k, rules)
    space_around = room(rules.arena, rules.half_size, me.radius)
    place = Surroundings(space_around, discs, period, rules.capture_radius)
    return combined_force(
        scratch,
        script,
        games_of(memory, k, k + 1),
        player_at(memory, number, k).wander_point[0],
        me,
        other,
        is_minded,
        bodies[:mates],
        place,
        TeamSurroundings(place, bodies[:mates], bodies[:partners], opponents),
        force_of_team_behavior,
        (team_aim_of, team_predicts),
        explanation_of(memory, number, k),
    )


@routine
def fill_team_forces(
    memory_at: int, scratch_at: int, number: int, row: int, start: int, stop: int, found: int
) -> None:
    """The forces of one player by such a script; see `plain_scripts.fill_plain_forces`."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    script, force = script_at(memory, row), force_of(scratch, number)
    members = integers(scratch.members)
    for entry in range(found):
        k = members[entry]
        force[k - start] = force_of_team_script(memory, scratch, number, script, k)
