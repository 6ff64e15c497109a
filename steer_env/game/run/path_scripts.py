"""The forces of scripts that know the ways on a map, one vehicle at a time.

A plan is kept in the place of the acceleration of a sighting. With ``sees="observed"`` one goes where it saw its opponent last. Once it is there, and after
``memory_seconds``, one that chases patrols from turn to turn of the map's ways, by chance. Its
goal is kept in the place of a sighting of nobody, and the number of goals so far as its step.
"""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.look.visibility import as_observed, discs_seen_by, nearest_opponent
from steer_env.game.random import draw_uniform
from steer_env.game.run.block import Block, block_at, fill_forces
from steer_env.game.run.general_scripts import (
    Situation,
    combined_force,
    copy_players,
    discs_in_sight,
    opponent_in_sight,
    recall,
    remember_place,
    surroundings,
    teammates_in_sight,
)
from steer_env.game.run.ways import ways_of
from steer_env.game.state import SIGHTING_SIZE
from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.routines import routine
from steer_env.scripts import force as forces
from steer_env.scripts.path_force import (
    PLANNED,
    Memory,
    PathSurroundings,
    force_of_path_behavior,
    path_aim_of,
)
from steer_env.scripts.table import BEHAVIOR
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import norm, scale
from steer_env.steering.vehicle import OBSTACLE, Vehicle, copy_vehicle
from steer_env.steering.walls import Walls, sees
from steer_env.steering.ways import Ways, stopped_at_walls


@compiled
def _runs_away(script: np.record) -> bool:
    behavior = script.behavior
    return behavior in (BEHAVIOR.hide, BEHAVIOR.reach, BEHAVIOR.evade, BEHAVIOR.flee)


@compiled
def _at(place: complex, other: Vehicle) -> Vehicle:
    """Another vehicle as if it stood at a place."""
    _, _, heading, max_speed, max_force, mass, radius, _ = other
    return Vehicle(place, 0j, heading, max_speed, max_force, mass, radius, 0j)


@compiled
def track_by_ways(
    block: Block, number: int, script: np.record, k: int, walls: Walls, ways: Ways
) -> tuple[bool, Vehicle]:
    """Returns whether a player has a goal, and an opponent as seen, or as if it were there."""
    steps, position = block.game(k).steps[0], block.player(number, k).position[0]
    first, last = block.opponents(number)
    nearest = opponent_in_sight(block, number, k)
    if nearest >= 0:
        body = block.body(nearest, k)
        remember_place(block, number, k, nearest, steps, body.position, body.velocity)
        return True, body
    seen = recall(block, number, k)
    age = (steps - seen.step) * block.rules.dt
    is_known = first <= seen.other < last and 0.0 <= age <= script.memory_seconds
    other = block.body(seen.other if is_known else first, k)
    if is_known and block.player(seen.other, k).active[0] != 0:
        line = scale(seen.velocity, age)
        place = stopped_at_walls(walls, other.radius, seen.position, line)
        offset = place - position
        if norm(offset) > block.rules.capture_radius or not sees(walls, position, offset):
            return True, _at(place, other)
    if _runs_away(script) or ways.count == 0:
        remember_place(block, number, k, -1, 0, 0j, 0j)
        return False, other
    goals, goal = (seen.step, seen.position) if seen.other < 0 else (0, 0j)
    if goals == 0 or norm(goal - position) <= block.rules.capture_radius:
        turn = min(int(draw_uniform(block.game(k), 0.0, ways.count)), ways.count - 1)
        goals, goal = goals + 1, complex(ways.turns[turn])
    remember_place(block, number, k, -1, goals, goal, 0j)
    return True, _at(goal, other)


@compiled
def _plan_of(block: Block, number: int, k: int) -> Memory:
    """A player's plan in the k-th game: the last two numbers of its sighting."""
    games, dt = block.memory.games, block.rules.dt
    first = ((number + 1) * SIGHTING_SIZE - 2) * games + k
    kept = column(block.memory.sightings, first, games + 1, np.float64)
    return Memory(kept, games, block.game(k).steps[0], math.ceil(PLANNED / dt - 1e-9))


@compiled
def force_of_path_script(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a script that knows the ways, for one player in the k-th game."""
    me, bodies = as_observed(block.body(number, k), True), block.neighbors
    walls, side = block.walls(k), block.side(number)
    ways = ways_of(block.memory, block.scratch, k, side)
    mates, discs = 0, records_at(block.scratch.discs, 0, OBSTACLE)
    first, last = block.opponents(number)
    if script.sees_all:
        if script.sees_neighbors:
            start, stop = block.teammates(number)
            mates = copy_players(block, bodies, start, stop, number, k, 0)
        if script.sees_obstacles:
            discs = discs_seen_by(block, number, k)
        nearest, seen = nearest_opponent(block, number, k), mates
        has_opponent, other = nearest >= 0, block.body(max(nearest, first), k)
        if _runs_away(script):
            seen = copy_players(block, bodies, first, last, number, k, mates)
    else:
        if script.sees_neighbors:
            mates = len(teammates_in_sight(block, number, k))
        if script.sees_obstacles:
            discs = discs_in_sight(block, number, k)
        has_opponent, other = track_by_ways(block, number, script, k, walls, ways)
        seen = mates
        if has_opponent:
            copy_vehicle(other, bodies[mates])
            seen += 1
    other = as_observed(other, False)
    around = surroundings(block, script, me, other, discs)
    is_in_range = has_opponent and forces.is_within_threat_range(script, me, other)
    memory = _plan_of(block, number, k)
    paths = PathSurroundings(around, walls, ways, bodies[mates:seen], memory)
    situation = Situation(me, other, is_in_range, bodies[:mates], around, paths)
    behavior = force_of_path_behavior, path_aim_of
    return combined_force(block, number, script, k, situation, *behavior)


@routine
def fill_path_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """The forces of one player by a script that knows the ways, on a map."""
    fill_forces(block_at(call_at, start, stop), number, row, followers, force_of_path_script)
