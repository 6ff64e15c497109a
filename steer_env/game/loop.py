"""The compiled loop: starts, steps and observes many games, a block at a time."""

from __future__ import annotations

import numpy as np

from steer_env.game.decision import decide
from steer_env.game.dynamics import action_of_force
from steer_env.game.judgment import judge
from steer_env.game.memory import (
    BLOCK,
    CALL,
    MEMORY,
    SCRATCH,
    body_at,
    flags,
    force_of,
    games_of,
    players_of,
    rules_of,
    team_of,
)
from steer_env.game.motion import move_players
from steer_env.game.observation import observe
from steer_env.game.rules import EVADER, PURSUER
from steer_env.game.sensor import SENSOR
from steer_env.game.starts import start_episode
from steer_env.game.state import OVER, RUNNING
from steer_env.machine_code.addresses import call_routine, column, record_at, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.steering.own_functions import ASKED

REFUSE, RESTART, REST, DECIDE = range(4)
"""What a step does about a game that is over: an error, its next episode, or nothing. DECIDE is
no step: scripts only write the actions that they would take."""

NO_FAULT, FAULTY_BEHAVIOR, FAULTY_TERM, FAULTY_FEATURE = -1, -2, -3, -4


@compiled_loop
def first_not_finite(actions: int, size: int, first: int, last: int) -> int:
    """The first game with an action that is nan or infinite, NO_FAULT if there is none.

    Args:
        actions: the address of the actions, (N, size) in float32.
        size: numbers that make up the actions of a game.
        first: the first game to look at.
        last: one past the last.
    """
    count = (last - first) * size
    numbers = column(actions, first * size, count, np.float32)
    faults = 0
    for place in range(count):  # counting, unlike leaving early, is done in vectors
        faults += 0 if abs(numbers[place]) < np.inf else 1
    for place in range(count if faults > 0 else 0):
        if not abs(numbers[place]) < np.inf:
            return first + place // size
    return NO_FAULT


@compiled_loop
def first_not_running(memory: np.record, first: int, last: int) -> int:
    """The first game that is over or has not begun, NO_FAULT if all run."""
    phase = games_of(memory, first, last).phase
    for k in range(last - first):
        if phase[k] != RUNNING:
            return first + k
    return NO_FAULT


@compiled_loop
def mark_still(memory: np.record, scratch: np.record, start: int, stop: int) -> int:
    """Marks the games of a block that do not move in this step; returns how many do."""
    phase, still = games_of(memory, start, stop).phase, flags(scratch.still)
    moving = 0
    for k in range(stop - start):
        still[k] = phase[k] != RUNNING
        moving += 1 if phase[k] == RUNNING else 0
    return moving


@compiled_loop
def observe_side(
    memory: np.record, scratch: np.record, start: int, stop: int, side: int, observations: int
) -> None:
    """`observe`, with the sensors of the side if it has any."""
    sensor = records_at(memory.sensors, 2, SENSOR)[side]
    if sensor.length == 0:
        observe(memory, scratch, start, stop, side, observations)
        return
    here = (memory.address, scratch.address, start, stop, side)
    if sensor.whose == 0:
        observe(memory, scratch, start, stop, side, sensor.standard)
    else:
        call_routine(memory.observe_partially, (*here, sensor.standard))
    call_routine(memory.sense, (*here, observations))


@compiled_loop
def observe_step(
    memory: np.record, scratch: np.record, start: int, stop: int, side: int, observations: int
) -> None:
    """`observe_side` after a step: where credit is given, those out of play see nothing."""
    observe_side(memory, scratch, start, stop, side, observations)
    if memory.hide_absent != 0:
        sensor = records_at(memory.sensors, 2, SENSOR)[side]
        size = sensor.length if sensor.length > 0 else memory.num_features
        here = (memory.address, scratch.address, start, stop, side)
        call_routine(memory.hide_absent, (*here, observations, size))


@routine
def write_actions(
    memory_at: int, scratch_at: int, side: int, actions: int, start: int, stop: int
) -> None:
    """Writes the actions that the forces of one side's players stand for; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    rules, count = rules_of(memory), stop - start
    first, team = team_of(memory, side)
    for place in range(team):
        players = players_of(memory, first + place, start, stop)
        force = force_of(scratch, first + place)
        row = 2 * (start * team + place)
        written = column(actions, row, 2 * (count * team - place), np.float32)
        for k in range(count):
            me = body_at(players, k)
            action = action_of_force(rules.models[side], me, force[k], rules.dt)
            written[2 * team * k] = action.real
            written[2 * team * k + 1] = action.imag


@routine
def play_games(call_at: int) -> int:
    """Steps games, and writes what one side gets: the function of the loop that Python calls.

    Args:
        call_at: the address of a `CALL` record.

    Returns:
        NO_FAULT; or the first game whose actions are not finite, or that is over while REFUSE
        says that this is an error: then no game has been touched. FAULTY_BEHAVIOR if a
        user-defined function of a script returned no number; FAULTY_TERM and FAULTY_FEATURE
        if a reward term or a feature did.
    """
    call = record_at(call_at, CALL)
    memory, scratch = record_at(call.memory, MEMORY), record_at(call.scratch, SCRATCH)
    memory_at, scratch_at = call.memory, call.scratch
    first, last, steps, side = call.first, call.last, call.steps, call.side
    when_over, observations = call.when_over, call.observations
    faulty = records_at(scratch.asked, 2, ASKED)[1]
    faulty_term = column(scratch.faulty_term, 0, 1, np.int64)
    faulty_feature = column(scratch.faulty_feature, 0, 1, np.int64)
    faulty.address = 0
    faulty_term[0] = faulty_feature[0] = -1
    mask, hunting = column(call.mask, 0, memory.games, np.uint8), rules_of(memory).pursuers
    pursuers, evaders = call.pursuer_actions, call.evader_actions
    actions = pursuers if side == PURSUER else evaders
    if when_over == DECIDE:
        pursuers = evaders = np.int64(0)
    if steps > 0:
        fault = NO_FAULT
        if pursuers != 0:
            fault = first_not_finite(pursuers, 2 * hunting, first, last)
        if evaders != 0 and fault == NO_FAULT:
            fault = first_not_finite(evaders, 2 * (memory.players - hunting), first, last)
        if when_over == REFUSE and fault == NO_FAULT:
            fault = first_not_running(memory, first, last)
        if fault != NO_FAULT:
            return fault
    elif when_over == RESTART:
        for k in range(first, last):
            if call.mask == 0 or mask[k] != 0:
                start_episode(memory, scratch, k)
    if memory.actuate != 0 and actions != 0:
        pursuers = memory.executed if side == PURSUER else pursuers
        evaders = memory.executed if side == EVADER else evaders
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        count, phase = stop - start, games_of(memory, start, stop).phase
        here = (memory_at, scratch_at, start, stop)
        for _ in range(steps):
            moving = mark_still(memory, scratch, start, stop)
            if moving == 0 and when_over == REST:
                break
            if moving < count and when_over == RESTART:
                for k in range(count):
                    if phase[k] == OVER:
                        start_episode(memory, scratch, start + k)
            if memory.actuate != 0 and actions != 0:
                call_routine(memory.actuate, (*here, side, actions))
            decide(memory, scratch, pursuers, evaders, start, stop)
            if when_over == DECIDE:
                where = (memory_at, scratch_at, side, actions, start, stop)
                call_routine(memory.write_actions, where)
                break
            if memory.measure_decisions != 0:
                call_routine(memory.measure_decisions, here)
            if memory.remember_players != 0:
                call_routine(memory.remember_players, here)
            move_players(memory, scratch, start, stop)
            if memory.measure_motion != 0:
                call_routine(memory.measure_motion, here)
            judge(
                memory,
                scratch,
                start,
                stop,
                side,
                column(call.rewards, start, count, np.float64),
                column(call.terminated, start, count, np.uint8),
                column(call.truncated, start, count, np.uint8),
            )
            if memory.settle != 0:
                call_routine(memory.settle, (call_at, start, stop))
            if memory.add_reward_terms != 0:
                call_routine(memory.add_reward_terms, (call_at, start, stop))
            if memory.give_credit != 0:
                call_routine(memory.give_credit, (call_at, start, stop))
        if steps > 0 and observations != 0:
            observe_step(memory, scratch, start, stop, side, observations)
            if memory.others_observations != 0:
                other, seen = EVADER if side == PURSUER else PURSUER, memory.others_observations
                observe_step(memory, scratch, start, stop, other, seen)
        elif observations != 0 and call.mask == 0:
            observe_side(memory, scratch, start, stop, side, observations)
        elif observations != 0:
            for k in range(start, stop):
                if mask[k] != 0:
                    observe_side(memory, scratch, k, k + 1, side, observations)
    if faulty_feature[0] >= 0:
        return FAULTY_FEATURE
    if faulty_term[0] >= 0:
        return FAULTY_TERM
    return FAULTY_BEHAVIOR if faulty.address != 0 else NO_FAULT
