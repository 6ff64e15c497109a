"""The first half of a step: the steering force that every player decides on."""

from __future__ import annotations

import numpy as np

from steer_env.game.dynamics import POINT_MASS, force_of_action
from steer_env.game.memory import (
    body_at,
    flags,
    force_of,
    games_of,
    integers,
    numbers,
    players_of,
    rules_of,
    script_at,
)
from steer_env.game.random import gaussian_of_bits, random_bits
from steer_env.game.rules import EVADER, PURSUER
from steer_env.machine_code.addresses import call_routine, column
from steer_env.machine_code.marking import compiled_loop
from steer_env.steering.wander import turn_wander_point


@compiled_loop
def decide_by_action(
    memory: np.record, scratch: np.record, number: int, actions: int, start: int, stop: int
) -> None:
    """The forces of one player in a block's games, from its actions."""
    rules, count = rules_of(memory), stop - start
    side = PURSUER if number < rules.pursuers else EVADER
    team = rules.pursuers if side == PURSUER else memory.players - rules.pursuers
    place = number if side == PURSUER else number - rules.pursuers
    given = column(actions, 2 * (start * team + place), 2 * (count * team - place), np.float32)
    players, force = players_of(memory, number, start, stop), force_of(scratch, number)
    model, dt = rules.models[side], rules.dt
    for k in range(count):
        forward, left = given[2 * team * k], given[2 * team * k + 1]
        force[k] = complex(np.float64(forward), np.float64(left))
    if model == POINT_MASS:  # so that the compiler sees a short formula, without any turns
        for k in range(count):
            force[k] = force_of_action(POINT_MASS, body_at(players, k), force[k], dt)
    else:
        for k in range(count):
            force[k] = force_of_action(model, body_at(players, k), force[k], dt)


@compiled_loop
def find_followers(
    memory: np.record, scratch: np.record, number: int, index: int, start: int, stop: int
) -> int:
    """Lists the games in which a player moves by a script, in ``members``, and has it wander.

    Returns how many they are; ``index`` is the script's among those of the player's side.
    """
    games, rules, count = games_of(memory, start, stop), rules_of(memory), stop - start
    player, still = players_of(memory, number, start, stop), flags(scratch.still)
    side = PURSUER if number < rules.pursuers else EVADER
    playing = games.pursuers_script if side == PURSUER else games.evaders_script
    moves, members = flags(scratch.moves), integers(scratch.members)
    for k in range(count):
        moves[k] = player.active[k] != 0 and still[k] == 0 and playing[k] == index
    script = script_at(memory, rules.first_script[side] + index)
    if script.wanders:
        spread, turns = script.wander_step, numbers(scratch.wander_turn)
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
def decide(
    memory: np.record,
    scratch: np.record,
    pursuer_actions: int,
    evader_actions: int,
    start: int,
    stop: int,
) -> None:
    """The steering forces of a block's players, all from the same moment.

    The addresses of a side's actions are 0 if only scripts steer it.
    """
    rules = rules_of(memory)
    if memory.bin_players != 0:
        call_routine(memory.bin_players, (memory.address, scratch.address, start, stop))
    for number in range(memory.players):
        side = PURSUER if number < rules.pursuers else EVADER
        actions = pursuer_actions if side == PURSUER else evader_actions
        if actions != 0:  # where a script plays, it writes over them
            decide_by_action(memory, scratch, number, actions, start, stop)
        for index in range(rules.num_scripts[side]):
            row = rules.first_script[side] + index
            routine = script_at(memory, row).routine
            if routine != 0:  # not steered from outside
                found = find_followers(memory, scratch, number, index, start, stop)
                here = (memory.address, scratch.address, number, row, start, stop, found)
                call_routine(routine, here)
