"""The first half of a step: the steering force that every player decides on."""

from __future__ import annotations

import cmath
import math

import numpy as np

from steer_env.game.arena import TORUS, nearest_image, nearest_offset, room
from steer_env.game.columns import column, records_at
from steer_env.game.dynamics import force_of_action
from steer_env.game.memory import (
    MEMBERS,
    MOVES,
    OPPONENT,
    PRESENT,
    STILL,
    body_at,
    flags_in,
    force_of,
    games_of,
    integers_in,
    numbers_in,
    player_at,
    players_of,
    rules_of,
    script_at,
    vectors_in,
)
from steer_env.game.plain_scripts import Scene, fill_plain_forces
from steer_env.game.random import draw_uniform, gaussian_of_bits, random_bits
from steer_env.game.rules import EVADER, PURSUER
from steer_env.game.sight import (
    copy_vehicle,
    discs_seen_from,
    nearest_opponent,
    opponents_of,
    seen_from,
    teammates_of,
)
from steer_env.scripts.force import (
    BEHAVIOR_PART,
    CONTAINMENT,
    WALLS,
    WANDER,
    WANDER_PART,
    force_alone,
    force_around,
    force_of_behavior,
    minds,
)
from steer_env.scripts.own_behavior import call_behavior
from steer_env.scripts.table import CUSTOM, EXTERNAL
from steer_env.steering.blending import add_force, wants
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import dot
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Vehicle
from steer_env.steering.wander import turn_wander_point


@compiled_loop
def decide_by_action(
    memory: np.record, scratch: np.record, number: int, actions: int, start: int, stop: int
) -> None:
    """The forces of one player in a block's games, from its actions.

    Args:
        memory: of the engine.
        scratch: of the thread.
        number: of the player.
        actions: the address of its side's actions, (N, players of the side, 2) in float32.
        start: the block's first game.
        stop: one past its last.
    """
    rules, count = rules_of(memory), stop - start
    side = PURSUER if number < rules.pursuers else EVADER
    team = rules.pursuers if side == PURSUER else memory.players - rules.pursuers
    place = number if side == PURSUER else number - rules.pursuers
    given = column(actions, 2 * (start * team + place), 2 * (count * team - place), np.float32)
    players, force = players_of(memory, number, start, stop), force_of(scratch, number)
    model, dt = rules.models[side], rules.dt
    for k in range(count):
        forward, left = given[2 * team * k], given[2 * team * k + 1]
        action = complex(np.float64(forward), np.float64(left))
        force[k] = force_of_action(model, body_at(players, k), action, dt)


@compiled_loop
def find_followers(
    memory: np.record, scratch: np.record, number: int, index: int, start: int, stop: int
) -> int:
    """Finds the games of a block in which a player moves by a script, and has it wander.

    Args:
        memory: of the engine.
        scratch: of the thread; the games are listed in its column ``MEMBERS``.
        number: of the player.
        index: of the script, among those of the player's side.
        start: the block's first game.
        stop: one past its last.

    Returns:
        How many games they are.
    """
    games, rules, count = games_of(memory, start, stop), rules_of(memory), stop - start
    player, still = players_of(memory, number, start, stop), flags_in(scratch, STILL)
    side = PURSUER if number < rules.pursuers else EVADER
    playing = games.pursuers_script if side == PURSUER else games.evaders_script
    moves, members = flags_in(scratch, MOVES), integers_in(scratch, MEMBERS)
    for k in range(count):
        moves[k] = player.active[k] != 0 and still[k] == 0 and playing[k] == index
    script = script_at(memory, rules.first_script[side] + index)
    if script.wanders:
        spread, turns = script.wander_step, numbers_in(scratch, 0)
        key, draws, points = games.key, games.draws, player.wander_point
        for k in range(count):
            draws[k] += np.uint64(moves[k])
        for k in range(count):
            turns[k] = spread * gaussian_of_bits(random_bits(key[k], draws[k]))
        for k in range(count):
            point = points[k]
            turned = turn_wander_point(point, turns[k])
            points[k] = turned if moves[k] != 0 else point
    found = 0
    for k in range(count):
        if moves[k] != 0:
            members[found] = start + k
            found += 1
    return found


@compiled_loop
def see_nearest_opponents(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> None:
    """Writes the bodies of a player's nearest opponents in a block's games, side by side."""
    rules, count = rules_of(memory), stop - start
    arena, half_size = rules.arena, rules.half_size
    first, last = opponents_of(number, rules, memory.players)
    position = players_of(memory, number, start, stop).position
    nearest, squares = integers_in(scratch, OPPONENT), numbers_in(scratch, 0)
    for k in range(count):
        nearest[k] = -1
    for k in range(count):
        squares[k] = math.inf
    for other in range(first, last):
        theirs = players_of(memory, other, start, stop)
        for k in range(count):
            offset = nearest_offset(arena, half_size, position[k], theirs.position[k])
            square, least, before = dot(offset, offset), squares[k], nearest[k]
            is_nearer = square < least and theirs.active[k] != 0
            nearest[k] = other if is_nearer else before
            squares[k] = square if is_nearer else least
    scene = _scratch_scene(scratch)
    for k in range(count):
        theirs = player_at(memory, max(nearest[k], 0), start + k)
        seen = nearest_image(arena, half_size, position[k], theirs.position[0])
        scene.present[k] = nearest[k] >= 0
        scene.other_position[k] = seen
        scene.other_velocity[k] = theirs.velocity[0]
        scene.other_heading[k] = theirs.heading[0]
        scene.other_acceleration[k] = theirs.acceleration[0]
        scene.other_max_speed[k] = theirs.max_speed[0]


@compiled
def _scene_of_block(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> Scene:
    """The scene of one player in all games of a block; only what changes place is copied."""
    rules, scene = rules_of(memory), _scratch_scene(scratch)
    arena, half_size = rules.arena, rules.half_size
    mine = players_of(memory, number, start, stop)
    theirs = players_of(memory, 1 - number if memory.players == 2 else 0, start, stop)
    is_duel = memory.players == 2 and arena != TORUS
    if is_duel:
        for k in range(stop - start):
            scene.present[k] = 1
    else:
        see_nearest_opponents(memory, scratch, number, start, stop)
    for k in range(stop - start):
        scene.room[k] = room(arena, half_size, mine.radius[k])
    return Scene(
        mine.position,
        mine.velocity,
        mine.heading,
        mine.max_speed,
        theirs.position if is_duel else scene.other_position,
        theirs.velocity if is_duel else scene.other_velocity,
        theirs.heading if is_duel else scene.other_heading,
        theirs.acceleration if is_duel else scene.other_acceleration,
        theirs.max_speed if is_duel else scene.other_max_speed,
        scene.room,
        scene.present,
        mine.wander_point,
        scene.time,
        scene.aim,
        scene.force,
    )


@compiled
def _scratch_scene(scratch: np.record) -> Scene:
    """A scene in a thread's scratch space."""
    return Scene(
        vectors_in(scratch, 0),
        vectors_in(scratch, 1),
        vectors_in(scratch, 2),
        numbers_in(scratch, 2),
        vectors_in(scratch, 3),
        vectors_in(scratch, 4),
        vectors_in(scratch, 5),
        vectors_in(scratch, 6),
        numbers_in(scratch, 3),
        numbers_in(scratch, 1),
        flags_in(scratch, PRESENT),
        vectors_in(scratch, 7),
        numbers_in(scratch, 0),
        vectors_in(scratch, 8),
        vectors_in(scratch, 9),
    )


@compiled
def ask_own_behavior(address: int, me: Vehicle, other: Vehicle, scratch: np.record) -> complex:
    """The force of the user's own behavior at an address.

    A force that is not finite counts as 0: the pair of vehicles that the behavior is called
    with is in ``scratch.pair[:2]``, and the first pair at fault is kept in ``[2:]``.
    """
    pair = records_at(scratch.pair, 4, VEHICLE)
    answer = column(scratch.answer, 0, 1, np.complex128)
    copy_vehicle(me, pair[0])
    copy_vehicle(other, pair[1])
    answer[0] = complex(math.nan, 0.0)  # stays so if the behavior raises an error
    call_behavior(address, scratch.pair, scratch.answer)
    if cmath.isfinite(answer[0]):
        return answer[0]
    is_faulty = column(scratch.is_faulty, 0, 1, np.uint8)
    if is_faulty[0] == 0:
        is_faulty[0] = 1
        copy_vehicle(me, pair[2])
        copy_vehicle(other, pair[3])
    return 0j


@compiled
def _as_observed(body: Vehicle, is_me: bool) -> Vehicle:
    """A body as an observation shows it: another's force and mass, and my acceleration, not."""
    return Vehicle(
        body.position,
        body.velocity,
        body.heading,
        body.max_speed,
        body.max_force if is_me else 1.0,
        body.mass if is_me else 1.0,
        body.radius,
        0j if is_me else body.acceleration,
    )


@compiled_loop
def force_of_script(
    memory: np.record, scratch: np.record, number: int, script: np.record, k: int
) -> complex:
    """The force of a script that is not plain, for one player in the k-th game."""
    rules, game = rules_of(memory), games_of(memory, k, k + 1)
    mine = player_at(memory, number, k)
    me, point = _as_observed(body_at(mine, 0), True), mine.wander_point[0]
    nearest = nearest_opponent(memory, number, k, rules)
    other = _as_observed(seen_from(me.position, memory, max(nearest, 0), k, rules), False)
    is_minded = nearest >= 0 and minds(script, me, other)
    space = room(rules.arena, rules.half_size, me.radius)
    neighbors = records_at(scratch.neighbors, 0, VEHICLE)
    if script.sees_neighbors:
        neighbors = teammates_of(memory, scratch, number, k, rules)
    discs = records_at(scratch.discs, 0, OBSTACLE)
    if script.sees_obstacles:
        discs = discs_seen_from(me.position, memory, scratch, k, rules)
    total, is_done = 0j, False
    for rank in range(script.num_parts):
        part, chance = script.parts[rank], script.chances[rank]
        dice = draw_uniform(game, 0.0, 1.0) if script.draws else 0.0
        if is_done or not wants(script.method, chance, dice):
            continue
        if part == BEHAVIOR_PART and script.behavior == WANDER:
            part = WANDER_PART
        if part in (WALLS, CONTAINMENT, WANDER_PART):
            force = force_alone(part, script, me, space, point)
        elif part != BEHAVIOR_PART:
            force = force_around(part, script, me, neighbors, discs)
        elif not is_minded:
            force = 0j
        elif script.behavior == CUSTOM:
            force = ask_own_behavior(script.address, me, other, scratch)
        else:
            force = force_of_behavior(script, me, other, space, discs)
        weight = script.weights[rank]
        total, is_done = add_force(script.method, total, force, weight, chance, me.max_force)
    return total


@compiled_loop
def decide_by_script(
    memory: np.record, scratch: np.record, number: int, index: int, start: int, stop: int
) -> None:
    """The forces of one player in those games of a block where it follows a script.

    Arguments are those of `find_followers`.
    """
    rules, count = rules_of(memory), stop - start
    side = PURSUER if number < rules.pursuers else EVADER
    script = script_at(memory, rules.first_script[side] + index)
    force, moves = force_of(scratch, number), flags_in(scratch, MOVES)
    found = find_followers(memory, scratch, number, index, start, stop)
    if script.is_plain and found > 0:
        # For the whole block, which takes no longer than picking out those that follow it.
        scene = _scene_of_block(memory, scratch, number, start, stop)
        fill_plain_forces(script, scene, count)
        for k in range(count):
            decided, before = scene.force[k], force[k]
            force[k] = decided if moves[k] != 0 else before
    elif not script.is_plain:
        members = integers_in(scratch, MEMBERS)
        for entry in range(found):
            k = members[entry]
            force[k - start] = force_of_script(memory, scratch, number, script, k)


@compiled_loop
def decide(
    memory: np.record,
    scratch: np.record,
    pursuer_actions: int,
    evader_actions: int,
    start: int,
    stop: int,
) -> None:
    """The steering forces of a block's players, all from the same moment.

    Args:
        memory: of the engine.
        scratch: of the thread.
        pursuer_actions: the address of the pursuers' actions; 0 if only scripts steer them.
        evader_actions: the same of the evaders.
        start: the block's first game.
        stop: one past its last.
    """
    rules = rules_of(memory)
    for number in range(memory.players):
        side = PURSUER if number < rules.pursuers else EVADER
        actions = pursuer_actions if side == PURSUER else evader_actions
        if actions != 0:  # where a script plays, it writes over them
            decide_by_action(memory, scratch, number, actions, start, stop)
        for index in range(rules.num_scripts[side]):
            if script_at(memory, rules.first_script[side] + index).behavior != EXTERNAL:
                decide_by_script(memory, scratch, number, index, start, stop)
