"""The motion of a scenario's vehicles: a user's function, for a block's games in turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from steer_env.errors import InvalidType, shown
from steer_env.fields import LARGEST_ANSWER
from steer_env.game.dynamics import POINT_MASS, action_of_force
from steer_env.game.run.arguments import begin_hook, next_own, own_number
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.run.scenario_rules import limited
from steer_env.machine_code.addresses import call_routine
from steer_env.machine_code.marking import when_compiled
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import note_fault, numbers_in_order, one_vector
from steer_env.steering.vectors import TINY, dot, norm, scale

_ROUNDING = 1.0 + 1e-9  # share of its top speed that a vehicle may have


def motion_routine(names: Sequence[str]) -> Callable[[Any, Any], Callable[..., None]]:
    """Makes the routines of scenarios' ``motion`` with own numbers of these names."""
    ends, keep = _ends_of(bool(names)), _keep_of(names)

    def made(take: Any, own: Any) -> Callable[..., None]:
        def routine(call_at: int, start: int, stop: int, number: int) -> None:
            block = block_at(call_at, start, stop)
            players, force, columns = block.players(number), block.force(number), block.columns
            is_idle, velocities = columns.is_idle, columns.free_velocity
            headings, fastest, dt = columns.free_heading, columns.room, block.rules.dt
            for k in range(block.size):
                if players.active[k] == 0 or is_idle[k] != 0:
                    continue
                me = body_at(players, k)
                push = action_of_force(POINT_MASS, me, force[k], dt)
                me = limited(block, number, k, me)
                call = begin_hook(block, number, k, me, block.games.steps[k])
                call.push = push
                answer = own(*take(call))
                keep(block, number, k, answer)
                velocities[k], headings[k] = ends(answer)
                fastest[k] = me.max_speed  # last: it says that there is an answer

        return routine

    return made


def _ends_of(has_own: bool) -> Any:
    """A function that returns the velocity and heading of an answer."""
    counts = (2, 3) if has_own else (2,)
    third = " and, if they change, its own numbers" if has_own else ""
    message = f"it returns {{}}, and must return (velocity, heading){third}"

    def ends(answer: Any) -> tuple[complex, complex]:
        if not isinstance(answer, tuple) or len(answer) not in counts:
            raise InvalidType(message.format(shown(answer)))
        return one_vector(answer[0]), one_vector(answer[1])

    @when_compiled(ends)
    def choose(answer: Any) -> Any:
        from numba import TypingError, types

        if not isinstance(answer, types.BaseTuple) or answer.count not in counts:
            raise TypingError(message.format(answer))
        return lambda answer: (one_vector(answer[0]), one_vector(answer[1]))

    return ends


def _keep_of(names: Sequence[str]) -> Any:
    """A function that keeps the own numbers of an answer, if it has them."""
    numbers, count = numbers_in_order(names), len(names)

    @compiled
    def write(block: Block, number: int, k: int, answer: Any) -> None:
        found = numbers(answer[2])
        for place in range(count):
            next_own(block, number, place)[k] = found[place]

    def keep(block: Block, number: int, k: int, answer: Any) -> None:
        if isinstance(answer, tuple) and len(answer) > 2:
            write(block, number, k, answer)

    @when_compiled(keep)
    def choose(block: Any, number: Any, k: Any, answer: Any) -> Any:
        if count > 0 and getattr(answer, "count", 0) == 3:
            return lambda block, number, k, answer: write(block, number, k, answer)
        return lambda block, number, k, answer: None

    return keep


@routine
def move_by_scenario(call_at: int, start: int, stop: int, number: int) -> None:
    """`move.accelerate_player` by a scenario's motion."""
    block = block_at(call_at, start, stop)
    players, columns, memory = block.players(number), block.columns, block.memory
    velocities, headings, fastest = columns.free_velocity, columns.free_heading, columns.room
    count, address, is_idle = memory.own_numbers, memory.scenario_motion, columns.is_idle
    for k in range(block.size):
        velocities[k], headings[k] = players.velocity[k], players.heading[k]
        fastest[k] = math.nan
    for place in range(count):
        own, after = own_number(block, number, place), next_own(block, number, place)
        for k in range(block.size):
            after[k] = own[k]
    call_routine(address, (*block.numbers, number))
    faults, is_faulty, active = 0, columns.moves, players.active
    for k in range(block.size):  # without branches: then these are vector instructions
        velocity, heading, limit = velocities[k], headings[k], fastest[k] * _ROUNDING
        length, square = norm(heading), dot(velocity, velocity)
        is_sound = (square <= limit * limit) & (length > TINY) & (length < LARGEST_ANSWER)
        is_faulty[k] = not is_sound
        headings[k] = scale(heading, 1.0 / length) if is_sound else heading
    for place in range(count):
        after = next_own(block, number, place)
        for k in range(block.size):
            is_faulty[k] |= not (abs(after[k]) <= LARGEST_ANSWER)
    for k in range(block.size):
        is_faulty[k] &= (active[k] != 0) & (is_idle[k] == 0)
        faults += is_faulty[k]
    for k in range(block.size if faults > 0 else 0):
        if is_faulty[k] != 0:
            _take_back(block, number, k)
            begin_hook(block, number, k, body_at(players, k), block.games.steps[k])
            note_fault(address, block.scratch.calls)


@compiled
def _take_back(block: Block, number: int, k: int) -> None:
    """Lets a player go on as before, with the same own numbers."""
    players, columns = block.players(number), block.columns
    columns.free_velocity[k] = players.velocity[k]
    columns.free_heading[k] = players.heading[k]
    for place in range(block.memory.own_numbers):
        next_own(block, number, place)[k] = own_number(block, number, place)[k]
