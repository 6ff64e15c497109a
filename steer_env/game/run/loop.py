"""The compiled loop, `play_games`: starts, steps and observes games, a block at a time."""

from __future__ import annotations

import numpy as np

from steer_env.game.dynamics import POINT_MASS, action_of_force, force_of_action
from steer_env.game.look.encoding import observe
from steer_env.game.look.learner import SENSOR
from steer_env.game.random import gaussian_of_bits, random_bits
from steer_env.game.rules import EVADER, PURSUER
from steer_env.game.run import memory
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.run.move import move_players
from steer_env.game.run.resolve import resolve
from steer_env.game.run.start import start_episode
from steer_env.game.state import OVER, RUNNING
from steer_env.machine_code.addresses import call_routine, column, record_at, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import FUNCTION_CALL
from steer_env.steering.wander import turn_wander_point


@routine
def play_games(call_at: int) -> int:
    """Steps games, and writes what one side gets: the function of the loop that Python calls.

    It takes the address of a `CALL` record. Returns NO_FAULT, or the first game whose actions
    are not finite, or that is over while REFUSE says that this is an error: then no game has
    been touched. FAULTY_FUNCTION if a user-defined function returned an invalid value.
    """
    call = record_at(call_at, memory.CALL)
    whole = block_at(call_at, call.first, call.last)
    first_fault = records_at(whole.scratch.calls, 2, FUNCTION_CALL)[1]  # see `note_fault`
    first_fault.address = 0
    if call.steps > 0:
        refused = first_refused(whole)
        if refused != memory.NO_FAULT:
            return refused
    elif call.when_over == memory.RESTART:
        mask = column(call.mask, 0, whole.memory.games, np.uint8)
        for k in range(call.first, call.last):
            if call.mask == 0 or mask[k] != 0:
                start_episode(whole, k)
    for start in range(call.first, call.last, memory.BLOCK):
        block = block_at(call_at, start, min(start + memory.BLOCK, call.last))
        for _ in range(call.steps):
            if not begin_step(block):
                break
            run_phase(block, memory.ACT)
            decide(block)
            if call.when_over == memory.DECIDE:
                call_routine(block.memory.write_actions, block.numbers)
                break
            run_phase(block, memory.DECIDED)
            move_players(block)
            run_phase(block, memory.MOVED)
            resolve(block)
            run_phase(block, memory.RESOLVED)
        observe_games(block)
    return memory.NO_FAULT if first_fault.address == 0 else memory.FAULTY_FUNCTION


@compiled
def run_phase(block: Block, phase: int) -> None:
    """Calls the optional routines of a phase, see `phases.OPTIONAL`."""
    for place in range(memory.MOST_IN_PHASE):
        address = block.memory.phases[phase, place]
        if address == 0:
            break
        call_routine(address, block.numbers)


@compiled_loop
def first_refused(block: Block) -> int:
    """The first game of a block that cannot be stepped, or NO_FAULT."""
    call, pursuers, fault = block.call, block.rules.pursuers, memory.NO_FAULT
    if call.pursuer_actions != 0:
        fault = first_not_finite(block, call.pursuer_actions, 2 * pursuers)
    if call.evader_actions != 0 and fault == memory.NO_FAULT:
        evaders = block.memory.players - pursuers
        fault = first_not_finite(block, call.evader_actions, 2 * evaders)
    phase, is_refused = block.games.phase, call.when_over == memory.REFUSE
    for k in range(block.size if is_refused and fault == memory.NO_FAULT else 0):
        if phase[k] != RUNNING:
            return block.start + k
    return fault


@compiled_loop
def first_not_finite(block: Block, actions: int, size: int) -> int:
    """The first game with an action, (N, size), that is not finite, or NO_FAULT."""
    count = block.size * size
    numbers = column(actions, block.start * size, count, np.float32)
    faults = 0
    for place in range(count):  # counting, unlike leaving early, is done in vectors
        faults += 0 if abs(numbers[place]) < np.inf else 1
    for place in range(count if faults > 0 else 0):
        if not abs(numbers[place]) < np.inf:
            return block.start + place // size
    return memory.NO_FAULT


@compiled_loop
def begin_step(block: Block) -> bool:
    """Marks idle games, starts next episodes, and returns whether there is a step to make."""
    phase, is_idle, moving = block.games.phase, block.columns.is_idle, 0
    for k in range(block.size):
        is_idle[k] = phase[k] != RUNNING
        moving += 1 if phase[k] == RUNNING else 0
    if moving < block.size and block.call.when_over == memory.RESTART:
        for k in range(block.size):
            if phase[k] == OVER:
                start_episode(block, block.start + k)
    return moving > 0 or block.call.when_over != memory.IDLE


@compiled_loop
def decide_by_action(block: Block, number: int, actions: int) -> None:
    """The forces of one player in a block's games, from its actions."""
    rules, count, side = block.rules, block.size, block.side(number)
    first, team = block.team(side)
    begin = 2 * (block.start * team + number - first)
    size = 2 * (count * team - number + first)
    given = column(actions, begin, size, np.float32)
    players, force = block.players(number), block.force(number)
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
def find_followers(block: Block, number: int, index: int) -> int:
    """Lists the games in which a player follows a side's script, and turns its wander point."""
    games, rules, count = block.games, block.rules, block.size
    player, is_idle = block.players(number), block.columns.is_idle
    side = block.side(number)
    playing = block.playing(side)
    moves, members = block.columns.moves, block.columns.members
    for k in range(count):
        moves[k] = player.active[k] != 0 and is_idle[k] == 0 and playing[k] == index
    script = block.script(rules.first_script[side] + index)
    if script.wanders:
        spread, turns = script.wander_step, block.columns.wander_turn
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
            members[found] = block.start + k
            found += 1
    return found


@compiled_loop
def decide(block: Block) -> None:
    """Computes the steering forces of a block's players from the same state."""
    call, executed, rules = block.call, block.memory.executed, block.rules
    for number in range(block.memory.players):
        side = block.side(number)
        actions = block.actions(side)
        if executed != 0 and actions != 0 and side == call.side:
            actions = executed
        # A script that plays writes over them.
        if actions != 0 and call.when_over != memory.DECIDE:
            decide_by_action(block, number, actions)
        for index in range(rules.num_scripts[side]):
            row = rules.first_script[side] + index
            fill = block.script(row).routine
            if fill != 0:  # not steered from outside
                followers = find_followers(block, number, index)
                call_routine(fill, (*block.numbers, number, row, followers))


@routine
def write_actions(call_at: int, start: int, stop: int) -> None:
    """Converts the forces of one side's players to actions."""
    block = block_at(call_at, start, stop)
    rules, side, count = block.rules, block.call.side, block.size
    actions, (first, team) = block.actions(side), block.team(side)
    for place in range(team):
        players, force = block.players(first + place), block.force(first + place)
        row = 2 * (start * team + place)
        written = column(actions, row, 2 * (count * team - place), np.float32)
        for k in range(count):
            me = body_at(players, k)
            action = action_of_force(rules.models[side], me, force[k], rules.dt)
            written[2 * team * k] = action.real
            written[2 * team * k + 1] = action.imag


@compiled_loop
def observe_games(block: Block) -> None:
    """Writes the observations that a call asks for."""
    call, seen_by_others = block.call, block.memory.others_observations
    if call.observations == 0:
        return
    if call.steps > 0:
        observe_step(block, call.side, call.observations)
        if seen_by_others != 0:
            other = EVADER if call.side == PURSUER else PURSUER
            observe_step(block, other, seen_by_others)
    elif call.mask == 0:
        observe_side(block, call.side, call.observations)
    else:
        mask = column(call.mask, 0, block.memory.games, np.uint8)
        for k in range(block.start, block.stop):
            if mask[k] != 0:
                observe_side(block_at(block.call_at, k, k + 1), call.side, call.observations)


@compiled_loop
def observe_side(block: Block, side: int, observations: int) -> None:
    """`observe`, with the sensors of the side if it has any."""
    sensor = records_at(block.memory.sensors, 2, SENSOR)[side]
    if sensor.length == 0:
        observe(block, side, observations)
        return
    if sensor.whose == 0:
        observe(block, side, sensor.standard)
    else:
        where = (*block.numbers, side, sensor.standard)
        call_routine(block.memory.observe_partially, where)
    if sensor.rays != 0:
        call_routine(block.memory.cast_rays, (*block.numbers, side))
    call_routine(block.memory.sense, (*block.numbers, side, observations))


@compiled_loop
def observe_step(block: Block, side: int, observations: int) -> None:
    """`observe_side` after a step, with zeros for players out of play if there is credit."""
    observe_side(block, side, observations)
    if block.memory.hide_absent != 0:
        sensor = records_at(block.memory.sensors, 2, SENSOR)[side]
        size = sensor.length if sensor.length > 0 else block.memory.num_features
        where = (*block.numbers, side, observations, size)
        call_routine(block.memory.hide_absent, where)
