"""Adds a user's own reward terms to the learner's reward, one player at a time.

The two routines are called only in games that have such terms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.bounds import LARGEST_REWARD
from steer_env.errors import FaultyBehavior
from steer_env.game.arena import TORUS, nearest_image
from steer_env.game.dynamics import action_of_force
from steer_env.game.memory import (
    BLOCK,
    CALL,
    MEMORY,
    SCRATCH,
    Scratch,
    body_at,
    flags,
    force_of,
    games_of,
    integers,
    players_of,
    rules_of,
    team_of,
)
from steer_env.game.sight import opponents_of
from steer_env.game.transition import TRANSITION, Transition, WeightedTerm, term_address
from steer_env.machine_code.addresses import call_routine, column, record_at, records_at
from steer_env.machine_code.marking import record_dtype
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import function_name
from steer_env.steering.vectors import norm
from steer_env.steering.vehicle import VEHICLE, Vehicle, copy_vehicle

TERM = record_dtype([("address", np.intp), ("weight", np.float64)])
"""A reward term of a user's own, for the compiled loop."""


def term_table(terms: Sequence[WeightedTerm]) -> NDArray[np.void]:
    """One `TERM` row for each reward term; the addresses are this process's.

    Raises:
        InvalidType: if a term cannot be compiled.
    """
    table = np.zeros(len(terms), TERM)
    for row, (term, weight) in zip(table, terms):
        row["address"], row["weight"] = term_address(term), weight
    return table


@routine
def remember_players(memory_at: int, scratch_at: int, start: int, stop: int) -> None:
    """Keeps the players of a block as they are before they move; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    count = stop - start
    for number in range(memory.players):
        players = players_of(memory, number, start, stop)
        bodies = records_at(scratch.before, memory.players * BLOCK, VEHICLE)
        played = column(scratch.played, number * BLOCK, count, np.uint8)
        for k in range(count):
            copy_vehicle(body_at(players, k), bodies[number * BLOCK + k])
            played[k] = players.active[k]


@compiled
def _nearest_before(
    memory: np.record, scratch: np.record, number: int, start: int, k: int
) -> int:
    """The opponent in play when the step began that is nearest to a player after it."""
    rules, nearest, least = rules_of(memory), -1, math.inf
    first, last = opponents_of(number, rules, memory.players)
    position = players_of(memory, number, start + k, start + k + 1).position[0]
    for other in range(first, last):
        if column(scratch.played, other * BLOCK + k, 1, np.uint8)[0] != 0:
            place = players_of(memory, other, start + k, start + k + 1).position[0]
            image = nearest_image(rules.arena, rules.half_size, position, place)
            distance = norm(image - position)
            if distance < least:
                nearest, least = other, distance
    return nearest


@compiled
def _jump(half_size: float, moved: complex) -> complex:
    """What a torus has added to a position, where an edge was crossed; otherwise exactly 0."""
    size = 2.0 * half_size
    return complex(
        size * math.floor(moved.real / size + 0.5), size * math.floor(moved.imag / size + 0.5)
    )


@compiled
def _write_transition(
    memory: np.record, scratch: np.record, number: int, start: int, k: int, to: np.record
) -> None:
    """Writes how a player goes through a step into a `TRANSITION` record."""
    rules, games = rules_of(memory), games_of(memory, start, start + k + 1)
    arena, half_size, dt = rules.arena, rules.half_size, rules.dt
    bodies = records_at(scratch.before, memory.players * BLOCK, VEHICLE)
    other = _nearest_before(memory, scratch, number, start, k)
    mine = players_of(memory, number, start, start + k + 1)
    theirs = players_of(memory, other, start, start + k + 1)
    copy_vehicle(body_at(mine, k), to.me)
    copy_vehicle(body_at(theirs, k), to.other)
    copy_vehicle(bodies[number * BLOCK + k], to.me_before)
    copy_vehicle(bodies[other * BLOCK + k], to.other_before)
    place = nearest_image(arena, half_size, to.me.position, to.other.position)
    to.other.position = place
    to.distance = norm(place - to.me.position)
    place = nearest_image(arena, half_size, to.me_before.position, to.other_before.position)
    to.other_before.position = place
    to.distance_before = norm(place - to.me_before.position)
    if arena == TORUS:
        jump = _jump(half_size, to.me.position - to.me_before.position)
        to.me_before.position += jump
        to.other_before.position += jump
    is_pursuer = number < rules.pursuers
    model = rules.models[0 if is_pursuer else 1]
    to.action = action_of_force(
        model, bodies[number * BLOCK + k], force_of(scratch, number)[k], dt
    )
    to.caught = integers(scratch.caught)[k]
    to.captured = games.captured[k]
    to.free = integers(scratch.free)[k]
    to.me_caught = mine.active[k] == 0
    to.other_caught = theirs.active[k] == 0
    to.terminated = to.free == 0
    to.truncated = rules.max_episode_steps <= games.steps[k]
    to.step = games.steps[k]
    to.time = games.steps[k] * dt
    to.time_left = (rules.max_episode_steps - games.steps[k]) * dt
    to.number = number if is_pursuer else number - rules.pursuers
    to.capture_radius = rules.capture_radius
    to.dt = dt
    to.half_size = half_size


@routine
def add_reward_terms(call_at: int, start: int, stop: int) -> None:
    """Adds the terms to the rewards of a block's games, after `judge`; a routine.

    A term that raises an error or is not finite counts as 0; the first one is kept in
    ``scratch.faulty_term``, and what it was asked about in ``scratch.transitions[1]``.
    """
    call = record_at(call_at, CALL)
    memory, scratch = record_at(call.memory, MEMORY), record_at(call.scratch, SCRATCH)
    still, count = flags(scratch.still), stop - start
    first, team = team_of(memory, call.side)
    rewards = column(call.rewards, start, count, np.float64)
    transitions = records_at(scratch.transitions, 2, TRANSITION)
    terms = records_at(memory.terms, memory.num_terms, TERM)
    faulty_term = column(scratch.faulty_term, 0, 1, np.int64)
    answer = column(scratch.own_number, 0, 1, np.float64)
    for number in range(first, first + team):
        played = column(scratch.played, number * BLOCK, count, np.uint8)
        for k in range(count):
            if still[k] != 0 or played[k] == 0:
                continue
            _write_transition(memory, scratch, number, start, k, transitions[0])
            for place in range(memory.num_terms):
                answer[0] = math.nan  # stays so if the term raises an error
                call_routine(terms[place].address, (scratch.transitions, scratch.own_number))
                if abs(answer[0]) <= LARGEST_REWARD:
                    rewards[k] += terms[place].weight * answer[0]
                elif faulty_term[0] < 0:
                    faulty_term[0] = place
                    transitions[1] = transitions[0]


def faulty_term(terms: Sequence[WeightedTerm], spaces: Sequence[Scratch]) -> FaultyBehavior:
    """The error for a reward term at fault, from what the scratch space shows."""
    space = next(space for space in spaces if space.faulty_term[0] >= 0)
    term, _ = terms[space.faulty_term[0]]
    fields: dict[str, Any] = dict(zip(Transition._fields, space.transitions[1].item()))
    for name in ("me", "other", "me_before", "other_before"):
        fields[name] = Vehicle(*fields[name])
    return FaultyBehavior(
        f"the reward term {function_name(term)} raised an error (printed above), or returned "
        f"None, nan, infinity or more than {LARGEST_REWARD:g}; the step has been made, with a "
        f"term of 0. It was called with {Transition(**fields)}"
    )
