"""The forces of all other scripts than `vectorized_scripts`, one vehicle at a time.

Scripts that look at their team, and those with limited sight, have routines of their own. With
``sees="observed"`` a script tracks the nearest opponent in sight, and dead-reckons the last one
when there is none: its sighting is part of the state, `SIGHTING_SIZE` numbers a player.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from steer_env.game.look.visibility import (
    as_observed,
    discs_seen_by,
    nearest_in_sight,
    nearest_opponent,
    obstacles_in_sight,
    offset_in_sight,
    teammates_in_reach,
)
from steer_env.game.random import draw_uniform
from steer_env.game.run.block import Block, block_at, fill_forces
from steer_env.game.run.targets import contested_target, nearest_target, target_near
from steer_env.game.state import SIGHTING_SIZE
from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.routines import routine
from steer_env.scripts import force as forces
from steer_env.scripts.table import BEHAVIOR, PART
from steer_env.scripts.team_force import (
    TeamSurroundings,
    fill_targets,
    force_of_team_behavior,
    team_aim_of,
)
from steer_env.steering.assignment import Workspace
from steer_env.steering.blending import add_force, next_behavior
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import clamp_to_square, dot, scale
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Vehicle, Vehicles, copy_vehicle


class Situation(NamedTuple):
    """The vehicles and surroundings that a script decides about."""

    me: Vehicle
    other: Vehicle  # the opponent that its main behavior is about
    is_in_range: bool  # an opponent exists within the threat range
    neighbors: Vehicles  # teammates
    around: forces.Surroundings
    view: Any  # the surroundings that its main behavior looks at


@compiled
def surroundings(
    block: Block, script: np.record, me: Vehicle, other: Vehicle, discs: np.ndarray
) -> forces.Surroundings:
    """A player's surroundings, with its opponent and the obstacles that it looks at."""
    rules, region = block.rules, block.region
    room, period = region.room(me.radius), region.period
    target = nearest_target(block, me.position)
    is_race = script.behavior in (BEHAVIOR.reach, BEHAVIOR.block)
    if rules.num_targets > 1 and is_race:
        attacks = script.behavior == BEHAVIOR.reach
        attacker, defender = (me, other) if attacks else (other, me)
        number = contested_target(block, attacker, defender)
        target = target_near(block, number, me.position)
        if attacks and target.half_length > 0.0:
            room = np.inf  # it does not keep off the wall whose gap it runs for
    capture_radius, has_target = rules.capture_radius, rules.num_targets > 0
    return forces.Surroundings(room, discs, period, capture_radius, has_target, target)


@compiled
def _nearest(block: Block, number: int, script: np.record, k: int) -> tuple[bool, Vehicle]:
    nearest = nearest_opponent(block, number, k)
    position = block.player(number, k).position[0]
    return nearest >= 0, block.seen_from(position, max(nearest, 0), k)


@compiled
def force_of_script(
    block: Block,
    number: int,
    script: np.record,
    k: int,
    find_opponent: Callable[..., tuple[bool, Vehicle]],
    find_teammates: Callable[..., np.ndarray],
    find_obstacles: Callable[..., np.ndarray],
) -> complex:
    """The force of a general script in the k-th game, by functions that find what it sees."""
    me = as_observed(block.body(number, k), True)
    has_opponent, body = find_opponent(block, number, script, k)
    neighbors = records_at(block.scratch.neighbors, 0, VEHICLE)
    if script.sees_neighbors:
        neighbors = find_teammates(block, number, k)
    discs = records_at(block.scratch.discs, 0, OBSTACLE)
    if script.sees_obstacles:
        discs = find_obstacles(block, number, k)
    other = as_observed(body, False)
    around = surroundings(block, script, me, other, discs)
    is_in_range = has_opponent and forces.is_within_threat_range(script, me, other)
    situation = Situation(me, other, is_in_range, neighbors, around, around)
    behavior = forces.force_of_behavior, forces.aim_of
    return combined_force(block, number, script, k, situation, *behavior)


@compiled
def combined_force(
    block: Block,
    number: int,
    script: np.record,
    k: int,
    situation: Situation,
    behave: Callable[..., complex],
    aim: Callable[..., tuple[bool, complex]],
) -> complex:
    """The force of a script's parts, with functions for its main behavior and its aim."""
    me, other, is_in_range, neighbors, around, view = situation
    game, point = block.game(k), block.player(number, k).wander_point[0]
    explanation, calls = block.explanation(number, k), block.scratch.calls
    method, count, chances = script.method, script.num_parts, script.chances
    total, is_done, had_turn = 0j, False, 0
    if explanation != 0:
        forces.begin_explanation(explanation, script, me, point, is_in_range)
        if block.memory.num_maps > 0:
            forces.explain_feelers(explanation, script, me, block.walls_for_feelers(k))
        if is_in_range:
            forces.explain_aim(explanation, script, me, other, view, calls, aim)
    for turn in range(count):
        dice = draw_uniform(game, 0.0, 1.0) if script.draws else 0.0
        rank = next_behavior(method, turn, chances, count, had_turn, dice)
        if is_done or rank < 0:
            continue
        had_turn |= 1 << rank
        part = script.parts[rank]
        if part == PART.behavior and script.behavior == BEHAVIOR.wander:
            part = PART.wander
        if part in (PART.walls, PART.containment) and block.memory.num_maps > 0:
            force = forces.force_off_walls(part, script, me, block.walls_for_feelers(k))
        elif part in (PART.walls, PART.containment, PART.wander):
            force = forces.force_alone(part, script, me, around.room, point)
        elif part != PART.behavior:
            force = forces.force_around(part, script, me, neighbors, around.discs)
        elif not is_in_range:
            force = 0j
        else:
            force = behave(script, me, other, view, calls)
        weight = script.weights[rank]
        total, is_done = add_force(method, total, force, weight, chances[rank], me.max_force)
    return total


@compiled
def _force(block: Block, number: int, script: np.record, k: int) -> complex:
    ways = _nearest, teammates_in_reach, discs_seen_by
    return force_of_script(block, number, script, k, *ways)


@routine
def fill_general_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """The forces of one player, as `vectorized_scripts.fill_vectorized_forces`."""
    fill_forces(block_at(call_at, start, stop), number, row, followers, _force)


@compiled
def _workspace(block: Block, players: int) -> Workspace:
    """A workspace of scratch columns that are unused while scripts decide."""
    size = players + 1
    return Workspace(
        column(block.scratch.opponent, 0, size, np.int64),
        column(block.scratch.free, 0, size, np.int64),
        column(block.scratch.caught, 0, size, np.int64),
        column(block.scratch.present, 0, size, np.uint8),
        column(block.scratch.opponent_square, 0, size, np.float64),
        column(block.scratch.other_max_speed, 0, size, np.float64),
        column(block.scratch.time, 0, size, np.float64),
    )


@compiled
def copy_players(
    block: Block, bodies: np.ndarray, first: int, last: int, me: int, k: int, filled: int
) -> int:
    """Copies players in play as ``me`` sees them, from ``filled`` on, and returns their end."""
    position, found = block.player(me, k).position[0], filled
    for other in range(first, last):
        if other != me and block.player(other, k).active[0]:
            seen = as_observed(block.seen_from(position, other, k), False)
            copy_vehicle(seen, bodies[found])
            found += 1
    return found


@compiled
def _gather_partners(bodies: np.ndarray, count: int, target: np.ndarray) -> int:
    """Moves teammates chasing the same target to the front, and returns their number."""
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
def force_of_team_script(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a script that looks at its team, for one player in the k-th game."""
    me, bodies = as_observed(block.body(number, k), True), block.neighbors
    first, last = block.teammates(number)
    mates = copy_players(block, bodies, first, last, number, k, 0)
    first, last = block.opponents(number)
    all_others = copy_players(block, bodies, first, last, number, k, mates)
    opponents = bodies[mates:all_others]
    discs = records_at(block.scratch.discs, 0, OBSTACLE)
    if script.sees_obstacles:
        discs = discs_seen_by(block, number, k)
    space, partners = _workspace(block, block.memory.players), 0
    is_in_range, other = False, me
    if len(opponents) > 0:
        fill_targets(script, space, me, bodies[:mates], opponents, block.region.period)
        other = as_observed(opponents[space.target[0]], False)
        partners = _gather_partners(bodies, mates, space.target)
        is_in_range = forces.is_within_threat_range(script, me, other)
    around = surroundings(block, script, me, other, discs)
    neighbors = bodies[:mates]
    team = TeamSurroundings(around, neighbors, bodies[:partners], opponents)
    situation = Situation(me, other, is_in_range, neighbors, around, team)
    behavior = force_of_team_behavior, team_aim_of
    return combined_force(block, number, script, k, situation, *behavior)


@routine
def fill_team_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """The forces of one player by a team script, as `fill_general_forces`."""
    fill_forces(block_at(call_at, start, stop), number, row, followers, force_of_team_script)


class Sighting(NamedTuple):
    """An opponent as one player saw it last, in meters and seconds in the arena's frame."""

    other: int  # its number; -1 if there is none
    step: int  # of the episode
    position: complex
    velocity: complex
    heading: complex
    acceleration: complex


@compiled
def coasted(position: complex, velocity: complex, seconds: float, space: float) -> complex:
    """The place p + v t of a vehicle, at most ``space`` from the middle."""
    return clamp_to_square(position + scale(velocity, seconds), space)


@compiled
def recall(block: Block, number: int, k: int) -> Sighting:
    """The last sighting that a player remembers in the k-th game."""
    games, first = block.memory.games, number * SIGHTING_SIZE * block.memory.games + k
    kept = column(block.memory.sightings, first, (SIGHTING_SIZE - 1) * games + 1, np.float64)
    return Sighting(
        int(kept[0]) - 1,
        int(kept[games]),
        complex(kept[2 * games], kept[3 * games]),
        complex(kept[4 * games], kept[5 * games]),
        complex(kept[6 * games], kept[7 * games]),
        complex(kept[8 * games], kept[9 * games]),
    )


@compiled
def remember_place(
    block: Block, number: int, k: int, other: int, step: int, place: complex, velocity: complex
) -> None:
    """Stores the step in which a player saw another, and its number, place and velocity."""
    games, first = block.memory.games, number * SIGHTING_SIZE * block.memory.games + k
    kept = column(block.memory.sightings, first, (SIGHTING_SIZE - 1) * games + 1, np.float64)
    kept[0], kept[games] = 1.0 + other, float(step)
    kept[2 * games], kept[3 * games] = place.real, place.imag
    kept[4 * games], kept[5 * games] = velocity.real, velocity.imag


@compiled
def remember(block: Block, number: int, k: int, seen: Sighting) -> None:
    """Stores a player's sighting in place of the one before."""
    remember_place(block, number, k, seen.other, seen.step, seen.position, seen.velocity)
    games, first = block.memory.games, number * SIGHTING_SIZE * block.memory.games + k
    kept = column(block.memory.sightings, first, (SIGHTING_SIZE - 1) * games + 1, np.float64)
    kept[6 * games], kept[7 * games] = seen.heading.real, seen.heading.imag
    kept[8 * games], kept[9 * games] = seen.acceleration.real, seen.acceleration.imag


@compiled
def opponent_in_sight(block: Block, number: int, k: int) -> int:
    """The nearest opponent that a player sees in the k-th game, -1 for none."""
    first, last = block.opponents(number)
    nearest, nearest_square = -1, 0.0
    for other in range(first, last):
        is_seen, offset = offset_in_sight(block, k, number, other)
        square = dot(offset, offset)
        if is_seen and (nearest < 0 or square < nearest_square):
            nearest, nearest_square = other, square
    return nearest


@compiled
def track_opponent(
    block: Block, number: int, script: np.record, k: int
) -> tuple[bool, Vehicle]:
    """Returns whether a player tracks an opponent, and its body as seen or as predicted."""
    rules, steps = block.rules, block.game(k).steps[0]
    position = block.player(number, k).position[0]
    nearest = opponent_in_sight(block, number, k)
    if nearest >= 0:
        body = block.body(nearest, k)
        place, velocity, heading = body.position, body.velocity, body.heading
        seen = Sighting(nearest, steps, place, velocity, heading, body.acceleration)
        remember(block, number, k, seen)
        return True, block.seen_from(position, nearest, k)
    last_seen = recall(block, number, k)
    first, last = block.opponents(number)
    age = (steps - last_seen.step) * rules.dt
    is_known = first <= last_seen.other < last and 0.0 <= age <= script.memory_seconds
    other = block.seen_from(position, last_seen.other if is_known else first, k)
    if not is_known or block.player(last_seen.other, k).active[0] == 0:
        remember(block, number, k, Sighting(-1, 0, 0j, 0j, 0j, 0j))
        return False, other
    room = block.region.room(other.radius)
    place = coasted(last_seen.position, last_seen.velocity, age, room)
    place = block.region.image(position, place)
    _, _, _, velocity, heading, acceleration = last_seen
    _, _, _, max_speed, max_force, mass, radius, _ = other
    return True, Vehicle(
        place, velocity, heading, max_speed, max_force, mass, radius, acceleration
    )


@compiled
def teammates_in_sight(block: Block, number: int, k: int) -> np.ndarray:
    """The teammates that a player sees in the k-th game, by number or the nearest first."""
    first, last = block.teammates(number)
    chosen, found = block.columns.seen, 0
    if block.rules.nearest > 0:
        found = nearest_in_sight(block, k, number, first, last, chosen)
    else:
        for mate in range(first, last):
            is_seen, _ = offset_in_sight(block, k, number, mate)
            if is_seen and mate != number:
                chosen[found] = mate
                found += 1
    neighbors = block.neighbors
    position = block.player(number, k).position[0]
    for rank in range(found):
        copy_vehicle(block.seen_from(position, chosen[rank], k), neighbors[rank])
    return neighbors[:found]


@compiled
def discs_in_sight(block: Block, number: int, k: int) -> np.ndarray:
    """The obstacles that a player sees in the k-th game, at their nearest images."""
    most = block.rules.nearest if block.rules.nearest > 0 else block.memory.obstacles
    discs = block.space_for_discs
    chosen = block.columns.disc_order
    found = obstacles_in_sight(block, k, number, most, chosen)
    position = block.player(number, k).position[0]
    for rank in range(found):
        center, radius = block.obstacle(chosen[rank], k)
        discs[rank].center = position + block.region.offset(position, center)
        discs[rank].radius = radius
    return discs[:found]


@compiled
def _tracking_force(block: Block, number: int, script: np.record, k: int) -> complex:
    ways = track_opponent, teammates_in_sight, discs_in_sight
    return force_of_script(block, number, script, k, *ways)


@routine
def fill_tracking_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """`general_scripts.fill_general_forces` for a script with limited sight."""
    fill_forces(block_at(call_at, start, stop), number, row, followers, _tracking_force)
