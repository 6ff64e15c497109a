"""The motion of a scenario's vehicles, and their own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steer_env.errors import InvalidType, shown
from steer_env.fields import LARGEST_ANSWER
from steer_env.game.dynamics import POINT_MASS, action_of_force
from steer_env.game.run.arguments import begin_hook, own_number
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.run.memory import BLOCK
from steer_env.game.run.scenario_rules import limited
from steer_env.game.state import Numbers
from steer_env.machine_code.addresses import call_routine, column, records_at
from steer_env.machine_code.marking import compiled_loop, when_compiled
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import note_fault, numbers_in_order, one_vector
from steer_env.steering.vectors import TINY, dot, norm, scale
from steer_env.steering.vehicle import VEHICLE, with_limits

_ROUNDING = 1.0 + 1e-9  # share of its top speed that a vehicle may have


@compiled
def _next_own(block: Block, number: int, place: int) -> Numbers:
    """The column of one of a player's own numbers after the step, as long as players move."""
    row = number * block.memory.own_numbers + place
    return column(block.scratch.own_next, row * BLOCK, block.size, np.float64)


def motion_routine(names: Sequence[str]) -> Callable[[Any, Any], Callable[..., None]]:
    """Makes routines of a scenario's ``motion``, for one player in the games of a block.

    They read the columns ``aim`` (pushes), ``room`` and ``time`` (limits), write the velocities
    and headings, and clear ``moves`` as far as they come without an error.
    """
    ends, keep = _ends_of(names), _keep_of(names)

    def made(take: Any, own: Any) -> Callable[..., None]:
        def routine(call_at: int, start: int, stop: int, number: int) -> None:
            block = block_at(call_at, start, stop)
            players, columns, steps = block.players(number), block.columns, block.games.steps
            velocities, headings = columns.free_velocity, columns.free_heading
            moves, pushes = columns.moves, columns.aim
            speeds, forces = columns.room, columns.time
            for k in range(block.size):
                if moves[k] != 0:
                    me = with_limits(body_at(players, k), speeds[k], forces[k])
                    call = begin_hook(block, number, k, me, steps[k])
                    call.push = pushes[k]
                    answer = own(*take(call))
                    velocities[k], headings[k] = ends(answer)
                    keep(block, number, k, answer)
                    moves[k] = 0

        return routine

    return made


def _ends_of(names: Sequence[str]) -> Any:
    """Makes the function that returns the velocity and heading of an answer."""
    counts, third = ((2, 3), f", ({', '.join(names)})") if names else ((2,), "")
    message = f"it returns {{}}, and must return (velocity, heading{third})"

    def ends(answer: Any) -> tuple[complex, complex]:
        if not isinstance(answer, tuple) or len(answer) not in counts:
            raise InvalidType(message.format(shown(answer)))
        return one_vector(answer[0]), one_vector(answer[1])

    @when_compiled(ends)
    def choose(answer: Any) -> Any:
        from numba import TypingError, types

        is_tuple = isinstance(answer, types.BaseTuple)
        if not is_tuple or answer.count not in counts:
            raise TypingError(message.format(answer))
        return lambda answer: (one_vector(answer[0]), one_vector(answer[1]))

    return ends


def _keep_of(names: Sequence[str]) -> Any:
    """Makes the function that keeps the own numbers of an answer that has them."""
    in_order, count = numbers_in_order(names), len(names)

    @compiled
    def write(block: Block, number: int, k: int, answer: Any) -> None:
        numbers = in_order(answer[2])
        for place in range(count):
            _next_own(block, number, place)[k] = numbers[place]

    def keep(block: Block, number: int, k: int, answer: Any) -> None:
        if len(answer) > 2:
            write(block, number, k, answer)

    @when_compiled(keep)
    def choose(block: Any, number: Any, k: Any, answer: Any) -> Any:
        if getattr(answer, "count", 0) > 2:
            return lambda block, number, k, answer: write(block, number, k, answer)
        return lambda block, number, k, answer: None

    return keep


@routine
def move_by_scenario(call_at: int, start: int, stop: int, number: int) -> None:
    """`move.accelerate_player` by a scenario's motion."""
    block = block_at(call_at, start, stop)
    players, columns, memory = block.players(number), block.columns, block.memory
    velocities, headings = columns.free_velocity, columns.free_heading
    moves, pushes, speeds, forces = columns.moves, columns.aim, columns.room, columns.time
    force, is_idle, dt = block.force(number), columns.is_idle, block.rules.dt
    for k in range(block.size):
        moves[k] = players.active[k] != 0 and is_idle[k] == 0
    for k in range(block.size):
        velocities[k], headings[k] = players.velocity[k], players.heading[k]
        speeds[k], forces[k] = players.max_speed[k], players.max_force[k]
        pushes[k] = action_of_force(POINT_MASS, body_at(players, k), force[k], dt)
    for place in range(memory.own_numbers):
        own, after = own_number(block, number, place), _next_own(block, number, place)
        for k in range(block.size):
            after[k] = own[k]
    for k in range(block.size if memory.scenario_limits != 0 else 0):
        if moves[k] != 0:
            here = limited(block, number, k, body_at(players, k))
            speeds[k], forces[k] = here.max_speed, here.max_force
    call_routine(memory.scenario_motion, (*block.numbers, number))
    faults = 0
    for k in range(block.size):  # without branches: then these are vector instructions
        velocity, heading, limit = velocities[k], headings[k], speeds[k] * _ROUNDING
        length = norm(heading)
        is_unsound = not (length > TINY and length < LARGEST_ANSWER)
        moves[k] |= is_unsound or not (dot(velocity, velocity) <= limit * limit)
        headings[k] = heading if is_unsound else scale(heading, 1.0 / length)
    for place in range(memory.own_numbers):
        after = _next_own(block, number, place)
        for k in range(block.size):
            moves[k] |= not (abs(after[k]) <= LARGEST_ANSWER)
    for k in range(block.size):
        faults += moves[k]
    for k in range(block.size if faults > 0 else 0):
        if moves[k] != 0 and players.active[k] != 0 and is_idle[k] == 0:
            velocities[k], headings[k] = players.velocity[k], players.heading[k]
            for place in range(memory.own_numbers):
                _next_own(block, number, place)[k] = own_number(block, number, place)[k]
            begin_hook(block, number, k, body_at(players, k), block.games.steps[k])
            note_fault(memory.scenario_motion, block.scratch.calls)


@compiled_loop
def _commit_own(block: Block) -> None:
    """Gives players that moved their next own numbers."""
    is_idle, count = block.columns.is_idle, block.memory.own_numbers
    for number in range(block.memory.players):
        active = block.players(number).active
        for place in range(count):
            own, after = own_number(block, number, place), _next_own(block, number, place)
            for k in range(block.size):
                is_kept = active[k] == 0 or is_idle[k] != 0
                own[k] = own[k] if is_kept else after[k]


@routine
def renew_own(call_at: int, start: int, stop: int) -> None:
    """Gives players the own numbers of a scenario's motion, and then those after the step."""
    block = block_at(call_at, start, stop)
    if block.memory.scenario_motion != 0:
        _commit_own(block)
    if block.memory.scenario_after == 0:
        return
    bodies = records_at(block.scratch.before, block.memory.players * BLOCK, VEHICLE)
    address, calls, dt = block.memory.scenario_after, block.scratch.calls, block.rules.dt
    is_idle = block.columns.is_idle
    for number in range(block.memory.players):
        players, force = block.players(number), block.force(number)
        model = block.rules.models[block.side(number)]
        for k in range(block.size):
            if players.active[k] == 0 or is_idle[k] != 0:
                continue
            call = begin_hook(block, number, k, body_at(players, k), block.games.steps[k] + 1)
            call.push = action_of_force(model, bodies[number * BLOCK + k], force[k], dt)
            call.numbers[0] = math.nan
            call_routine(address, (calls,))
            is_sound, count = True, block.memory.own_numbers
            for place in range(count):
                is_sound = is_sound and abs(call.numbers[place]) <= LARGEST_ANSWER
            for place in range(count):
                before = own_number(block, number, place)[k]
                _next_own(block, number, place)[k] = call.numbers[place] if is_sound else before
            if not is_sound:
                note_fault(address, calls)
    _commit_own(block)
