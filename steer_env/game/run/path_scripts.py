"""The forces of scripts that know the ways on a map, one vehicle at a time.

A plan is kept in the place of the acceleration of a sighting. With ``sees="observed"`` one goes
where it saw its opponent last. Once it is there, and after ``memory_seconds``, one that chases
patrols from turn to turn of the map's ways, by chance. Its goal is kept in the place of a
sighting of no player, and the number of goals so far as its step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

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
from steer_env.game.run.ways import turn_of, way_record, ways_of
from steer_env.game.state import SIGHTING_SIZE
from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts import force as forces
from steer_env.scripts.path_force import (
    ARRIVE,
    PLANNED,
    SEARCHED,
    SEEK,
    PathSurroundings,
    Plan,
    force_to,
    goal_of,
    packed,
    plan_without_goal,
    runs_away,
    unpacked,
)
from steer_env.scripts.table import BEHAVIOR
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import dot, norm, scale
from steer_env.steering.vehicle import OBSTACLE, Vehicle, Vehicles, copy_vehicle
from steer_env.steering.walls import has_way, sees
from steer_env.steering.ways import SLACK, first_turn, stopped_at_walls


@compiled
def _at(place: complex, other: Vehicle) -> Vehicle:
    """Another vehicle as if it stood at a place."""
    _, _, heading, max_speed, max_force, mass, radius, _ = other
    return Vehicle(place, 0j, heading, max_speed, max_force, mass, radius, 0j)


@compiled_loop
def track_by_ways(block: Block, number: int, script: np.record, k: int) -> tuple[bool, Vehicle]:
    """Returns whether a player has a goal, and an opponent as seen, or as if it were there."""
    walls = block.walls(k)
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
    way = way_record(block.memory, k, block.side(number))
    if runs_away(script) or way.number == 0:
        remember_place(block, number, k, -1, 0, 0j, 0j)
        return False, other
    goals, goal = (seen.step, seen.position) if seen.other < 0 else (0, 0j)
    if goals == 0 or norm(goal - position) <= block.rules.capture_radius:
        turn = min(int(draw_uniform(block.game(k), 0.0, way.number)), way.number - 1)
        goals, goal = goals + 1, turn_of(block.memory, way, turn)
    remember_place(block, number, k, -1, goals, goal, 0j)
    return True, _at(goal, other)


@compiled
def _kept(block: Block, number: int, k: int) -> np.ndarray:
    """The column with a player's plan in the k-th game: the last two numbers of a sighting."""
    games = block.memory.games
    first = ((number + 1) * SIGHTING_SIZE - 2) * games + k
    return column(block.memory.sightings, first, games + 1, np.float64)


_HOLDS, _LOOKS, _IS_DUE = range(3)  # of a plan: kept, kept if the line is not free, or made


@compiled_loop
def _plan_of(block: Block, number: int, k: int, chases: bool) -> tuple[int, Plan, complex]:
    """The state of a player's plan, the plan, and the place of its turn.

    It is due once the player is at a turn on its way, or has passed it.
    """
    kept, player, rules = _kept(block, number, k), block.player(number, k), block.rules
    one, plan = way_record(block.memory, k, block.side(number)), unpacked(kept[0])
    age = block.game(k).steps[0] - int(kept[block.memory.games])
    looks = math.ceil(PLANNED * rules.steps_per_second - 1e-9)
    is_long = chases and plan.turn >= 0
    lasts = math.ceil(SEARCHED * rules.steps_per_second - 1e-9) if is_long else looks
    if kept[0] == 0.0 or not 0 <= age < lasts or plan.turn >= one.number:
        return _IS_DUE, plan, 0j
    if plan.turn < 0:
        return _HOLDS, plan, 0j
    place = turn_of(block.memory, one, plan.turn)
    toward = place - player.position[0]
    is_ahead = norm(toward) >= one.radius and dot(toward, player.velocity[0]) >= 0.0
    if not (plan.is_last or is_ahead):
        return _IS_DUE, plan, place
    return _LOOKS if age == looks else _HOLDS, plan, place


@compiled_loop
def _keep_plan(block: Block, number: int, k: int, plan: Plan) -> complex:
    """Keeps a player's plan, and returns the place of its turn."""
    kept = _kept(block, number, k)
    kept[0], kept[block.memory.games] = packed(plan), float(block.game(k).steps[0])
    one = way_record(block.memory, k, block.side(number))
    return turn_of(block.memory, one, plan.turn) if plan.turn >= 0 else 0j


@compiled_loop
def _way_to(
    block: Block, number: int, k: int, goal: complex, state: int, arrives: bool
) -> tuple[Plan, complex]:
    """A player's plan to come to a goal, in place of one in a state, and its turn's place."""
    walls, position = block.walls(k), block.player(number, k).position[0]
    ways = ways_of(block.memory, block.scratch, k, block.side(number))
    if state == _LOOKS and not has_way(walls, ways.radius - SLACK, position, goal - position):
        plan = unpacked(_kept(block, number, k)[0])
        return plan, complex(ways.turns[plan.turn])
    _, turn, _ = first_turn(walls, ways, position, goal)
    plan = Plan(ARRIVE if arrives and turn < 0 else SEEK, turn, False)
    return plan, _keep_plan(block, number, k, plan)


@compiled_loop
def _stopped(block: Block, k: int, other: Vehicle, aim: complex) -> complex:
    """The place up to which another vehicle can go that is expected at an aim."""
    line, walls = aim - other.position, block.walls(k)
    return stopped_at_walls(walls, other.radius, other.position, line)


class View(NamedTuple):
    """All that a script that knows the ways looks at."""

    block: Block
    number: int
    k: int
    place: forces.Surroundings
    opponents: Vehicles


@compiled_loop
def _decide(
    script: np.record, me: Vehicle, other: Vehicle, view: View, calls: int
) -> tuple[int, complex]:
    """The use that a script makes of its aim, and the aim, by its plan or a new one."""
    block, number, k, around, opponents = view
    is_running = runs_away(script)
    state, plan, place = _plan_of(block, number, k, not is_running)
    if state == _HOLDS and plan.turn >= 0:
        return plan.how, place
    goal = goal_of(script, me, other, around, calls)
    if script.behavior == BEHAVIOR.pursuit:
        goal = _stopped(block, k, other, goal)
    if state != _HOLDS and is_running:
        walls = block.walls(k)
        ways = ways_of(block.memory, block.scratch, k, block.side(number))
        paths = PathSurroundings(around, walls, ways, opponents)
        plan = plan_without_goal(script, me, other, paths)
        place = _keep_plan(block, number, k, plan)
    elif state != _HOLDS:
        arrives = script.behavior in (BEHAVIOR.arrive, BEHAVIOR.offset_pursuit)
        plan, place = _way_to(block, number, k, goal, state, arrives)
    return plan.how, place if plan.turn >= 0 else goal


@compiled
def path_aim_of(
    script: np.record, me: Vehicle, other: Vehicle, view: View, calls: int
) -> tuple[bool, complex]:
    """`force.aim_of` for scripts that know the ways: the next turn, or the aim in sight."""
    return True, _decide(script, me, other, view, calls)[1]


@compiled
def force_of_path_behavior(
    script: np.record, me: Vehicle, other: Vehicle, view: View, calls: int
) -> complex:
    """`force.force_of_behavior` for scripts that know the ways."""
    how, aim = _decide(script, me, other, view, calls)
    return force_to(script, me, how, aim)


@routine
def follow_ways(call_at: int, start: int, stop: int, number: int, row: int) -> None:
    """Bends the column ``aim`` of vectorized scripts that chase to the next turns of ways."""
    block = block_at(call_at, start, stop)
    script, columns = block.script(row), block.columns
    moves, aim, nearest = columns.moves, columns.aim, columns.opponent
    first, last = block.opponents(number)
    for k in range(block.size):
        game, whose = block.start + k, first if last - first == 1 else nearest[k]
        if moves[k] == 0 or whose < 0:
            continue
        state, plan, place = _plan_of(block, number, game, True)
        if state != _HOLDS or plan.turn < 0:
            if script.behavior == BEHAVIOR.pursuit:
                aim[k] = _stopped(block, game, block.body(whose, game), aim[k])
            if state != _HOLDS:
                plan, place = _way_to(block, number, game, aim[k], state, False)
        if plan.turn >= 0:
            aim[k] = place


@compiled_loop
def _discs_for(block: Block, number: int, script: np.record, k: int) -> int:
    """Lists the obstacles that a player's script looks at, and counts them."""
    if not script.sees_obstacles:
        return 0
    if script.sees_all:
        return len(discs_seen_by(block, number, k))
    return len(discs_in_sight(block, number, k))


@compiled_loop
def _mates_for(block: Block, number: int, script: np.record, k: int) -> int:
    """Lists the teammates that a player's script looks at, and counts them."""
    if not script.sees_neighbors:
        return 0
    if script.sees_all:
        first, last = block.teammates(number)
        return copy_players(block, block.neighbors, first, last, number, k, 0)
    return len(teammates_in_sight(block, number, k))


@compiled_loop
def _opponents_for(
    block: Block, number: int, script: np.record, k: int, mates: int
) -> tuple[bool, Vehicle, int]:
    """Returns whether a player has an opponent, and its body.

    All opponents that it looks at are listed after its teammates. The last number counts both.
    """
    bodies, (first, last) = block.neighbors, block.opponents(number)
    if script.sees_all:
        nearest, seen = nearest_opponent(block, number, k), mates
        if runs_away(script):
            seen = copy_players(block, bodies, first, last, number, k, mates)
        return nearest >= 0, as_observed(block.body(max(nearest, first), k), False), seen
    has_opponent, body = track_by_ways(block, number, script, k)
    other = as_observed(body, False)
    if has_opponent:
        copy_vehicle(other, bodies[mates])
    return has_opponent, other, mates + (1 if has_opponent else 0)


@compiled
def force_of_path_script(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a script that knows the ways, for one player in the k-th game."""
    me, bodies = as_observed(block.body(number, k), True), block.neighbors
    mates = _mates_for(block, number, script, k)
    has_opponent, other, seen = _opponents_for(block, number, script, k, mates)
    discs = records_at(block.scratch.discs, _discs_for(block, number, script, k), OBSTACLE)
    around = surroundings(block, script, me, other, discs)
    is_in_range = has_opponent and forces.is_within_threat_range(script, me, other)
    view = View(block, number, k, around, bodies[mates:seen])
    situation = Situation(me, other, is_in_range, bodies[:mates], around, view)
    behavior = force_of_path_behavior, path_aim_of
    return combined_force(block, number, script, k, situation, *behavior)


@routine
def fill_path_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """The forces of one player by a script that knows the ways, on a map."""
    fill_forces(block_at(call_at, start, stop), number, row, followers, force_of_path_script)
