"""User-defined reward terms, and per-player rewards for multi-agent teams."""

from __future__ import annotations

import math

import numpy as np

from steer_env.fields import LARGEST_REWARD
from steer_env.game.dynamics import action_of_force
from steer_env.game.look.visibility import distance_to_opponent
from steer_env.game.rules import EVADER, PURSUER
from steer_env.game.run.arguments import begin_hook
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.run.memory import BLOCK
from steer_env.game.run.resolve import approach_of
from steer_env.game.transition import TERM, TRANSITION
from steer_env.machine_code.addresses import call_routine, column, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import FUNCTION_CALL, note_fault
from steer_env.steering.vectors import norm
from steer_env.steering.vehicle import VEHICLE, copy_vehicle


@routine
def remember_players(call_at: int, start: int, stop: int) -> None:
    """Copies the players of a block before they move."""
    block = block_at(call_at, start, stop)
    bodies = records_at(block.scratch.before, block.memory.players * BLOCK, VEHICLE)
    for number in range(block.memory.players):
        players, played = block.players(number), block.played(number)
        for k in range(block.size):
            copy_vehicle(body_at(players, k), bodies[number * BLOCK + k])
            played[k] = players.active[k]


@compiled
def _nearest_before(block: Block, number: int, k: int) -> int:
    """The nearest opponent after the step that was in play before it."""
    nearest, shortest = -1, math.inf
    first, last = block.opponents(number)
    position = block.player(number, block.start + k).position[0]
    for other in range(first, last):
        if block.played(other)[k] != 0:
            place = block.player(other, block.start + k).position[0]
            distance = norm(block.region.image(position, place) - position)
            if distance < shortest:
                nearest, shortest = other, distance
    return nearest


@compiled
def _write_transition(block: Block, number: int, k: int, to: np.record) -> int:
    """Writes a player's transition into a record, and returns the other's number."""
    rules, games = block.rules, block.games
    dt, region = rules.dt, block.region
    bodies = records_at(block.scratch.before, block.memory.players * BLOCK, VEHICLE)
    other = _nearest_before(block, number, k)
    mine, theirs = block.players(number), block.players(other)
    copy_vehicle(body_at(mine, k), to.me)
    copy_vehicle(body_at(theirs, k), to.other)
    copy_vehicle(bodies[number * BLOCK + k], to.me_before)
    copy_vehicle(bodies[other * BLOCK + k], to.other_before)
    place = block.region.image(to.me.position, to.other.position)
    to.other.position = place
    to.distance = norm(place - to.me.position)
    place = block.region.image(to.me_before.position, to.other_before.position)
    to.other_before.position = place
    to.distance_before = norm(place - to.me_before.position)
    if region.wraps:
        shift = region.shift(to.me.position - to.me_before.position)
        to.me_before.position += shift
        to.other_before.position += shift
    model, force = rules.models[block.side(number)], block.force(number)[k]
    to.action = action_of_force(model, bodies[number * BLOCK + k], force, dt)
    to.caught = block.columns.caught[k]
    to.captured = games.captured[k]
    to.free = block.columns.free[k]
    to.me_caught = mine.active[k] == 0
    to.other_caught = theirs.active[k] == 0
    to.terminated = block.outcomes.terminated[k] != 0
    to.truncated = rules.max_episode_steps <= games.steps[k]
    to.step = games.steps[k]
    to.time = games.steps[k] * dt
    to.time_left = (rules.max_episode_steps - games.steps[k]) * dt
    to.number = number - block.teammates(number)[0]
    to.capture_radius = rules.capture_radius
    to.dt = dt
    to.half_size = region.half_size
    return other


@compiled_loop
def _add_terms(block: Block, terms_at: int, count: int, side: int, sign: float) -> None:
    """Adds the terms of every player of a side to the rewards of a block's games."""
    is_idle, calls, games = block.columns.is_idle, block.scratch.calls, block.games
    first, team = block.team(side)
    rewards = column(block.call.rewards, block.start, block.size, np.float64)
    transitions = records_at(block.scratch.transitions, 2, TRANSITION)
    terms, call = (records_at(terms_at, count, TERM), records_at(calls, 2, FUNCTION_CALL))
    call[0].transition = block.scratch.transitions
    for number in range(first, first + team if count > 0 else first):
        played, mine = block.played(number), block.players(number)
        for k in range(block.size):
            if is_idle[k] != 0 or played[k] == 0:
                continue
            rival = _write_transition(block, number, k, transitions[0])
            begin_hook(block, number, k, body_at(mine, k), games.steps[k]).rival = rival
            for place in range(count):
                call[0].number = math.nan  # stays so if the term raises an error
                call_routine(terms[place].address, (calls,))
                if abs(call[0].number) <= LARGEST_REWARD:
                    rewards[k] += sign * terms[place].weight * call[0].number
                elif call[1].address == 0:
                    note_fault(terms[place].address, calls)
                    transitions[1] = transitions[0]


@routine
def add_reward_terms(call_at: int, start: int, stop: int) -> None:
    """Adds user-defined terms to a block's rewards, 0 for faulty ones."""
    block = block_at(call_at, start, stop)
    memory, side = block.memory, block.call.side
    _add_terms(block, memory.terms, memory.num_terms, side, 1.0)
    sign = 1.0 if side == PURSUER else -1.0
    _add_terms(block, memory.shared_terms, memory.num_shared_terms, PURSUER, sign)


TEAM, OWN = range(2)
"""The methods of crediting rewards to the players of a side, see `give_credit`."""


@routine
def hide_absent(
    call_at: int, start: int, stop: int, side: int, seen_at: int, size: int
) -> None:
    """Zeroes the observations of players that were out of play before the step."""
    block = block_at(call_at, start, stop)
    first, team = block.team(side)
    for place in range(team):
        played = block.played(first + place)
        for k in range(block.size):
            if played[k] == 0:
                begin = ((block.start + k) * team + place) * size
                row = column(seen_at, begin, size, np.float32)
                for number in range(size):
                    row[number] = 0.0


@routine
def give_credit(call_at: int, start: int, stop: int) -> None:
    """Writes a block's `Credit`, after `resolve` and all reward terms.

    TEAM: every player in play gets its side's reward.

    OWN: the terms and weights of the side's reward, for the player alone. Each capture's reward
    is split equally among the pursuers that made it; a caught evader loses the whole reward.
    Time counts for all in play, and the distance is to the player's own nearest opponent. For
    one against one these are the rewards of the sides.
    """
    block = block_at(call_at, start, stop)
    memory, rules, count = block.memory, block.rules, block.size
    is_idle = block.columns.is_idle
    of_side, ended, cut = block.outcomes
    for number in range(memory.players):
        side = block.side(number)
        first, team = block.team(side)
        active, played = block.players(number).active, block.played(number)
        size, begin = (count - 1) * team + 1, start * team + number - first
        rewards = column(memory.credit_rewards[side], begin, size, np.float64)
        terminated = column(memory.credit_terminated[side], begin, size, np.uint8)
        truncated = column(memory.credit_truncated[side], begin, size, np.uint8)
        in_play = column(memory.credit_in_play[side], begin, size, np.uint8)
        sign = 1.0 if side == block.call.side else -1.0
        for k in range(count):
            moved = played[k] != 0 and is_idle[k] == 0
            over = active[k] == 0 or ended[k] != 0
            rewards[k * team] = sign * of_side[k] if moved else 0.0
            terminated[k * team] = moved and over
            truncated[k * team] = moved and not over and cut[k] != 0
            in_play[k * team] = active[k] != 0
        for k in range(count if memory.credit_method == OWN else 0):
            if played[k] != 0 and is_idle[k] == 0:
                rewards[k * team] = _time_and_closing(block, number, k)
    pairs = (memory.players - rules.pursuers) * rules.pursuers
    captures = column(memory.credit_captures, start * pairs, count * pairs, np.uint8)
    for place in range(count * pairs):
        captures[place] = 0
    for evader in range(rules.pursuers, memory.players):
        active, played = block.players(evader).active, block.played(evader)
        for k in range(count):
            if played[k] != 0 and active[k] == 0 and is_idle[k] == 0:
                _credit_capture(block, evader, k)


@compiled
def _credit_capture(block: Block, evader: int, k: int) -> None:
    """Writes which pursuers caught an evader in this step, with OWN also the rewards."""
    rules, memory = block.rules, block.memory
    pursuers, evaders = rules.pursuers, memory.players - rules.pursuers
    place = (block.start + k) * evaders + evader - pursuers
    captures = column(memory.credit_captures, place * pursuers, pursuers, np.uint8)
    captors = 0
    for pursuer in range(pursuers):
        captures[pursuer] = approach_of(block, pursuer, evader, k) < rules.capture_distance
        captors += captures[pursuer]
    if captors == 0 or memory.credit_method == TEAM:
        return
    first = (block.start + k) * pursuers
    rewards = column(memory.credit_rewards[PURSUER], first, pursuers, np.float64)
    for pursuer in range(pursuers):
        if captures[pursuer] != 0:
            rewards[pursuer] += rules.capture_reward / captors
    lost = column(memory.credit_rewards[EVADER], place, 1, np.float64)
    lost[0] -= rules.capture_reward * evaders


@compiled
def _time_and_closing(block: Block, number: int, k: int) -> float:
    """The terms of a player's own reward beside captures."""
    rules, after = block.rules, 0.0
    is_over = block.columns.free[k] == 0
    if not is_over and block.player(number, block.start + k).active[0] != 0:
        after = distance_to_opponent(block, number, block.start + k)
    closing = rules.closing_reward * (
        _distance_before(block, number, k) - rules.discount * after
    )
    reward = closing - rules.time_reward
    return reward if number < rules.pursuers else -reward


@compiled
def _distance_before(block: Block, number: int, k: int) -> float:
    """From a player to its nearest opponent in play before the step, in meters."""
    nearest = math.inf
    first, last = block.opponents(number)
    mine = block.player(number, block.start + k).position[0] - block.step(number)[k]
    for other in range(first, last):
        if block.played(other)[k] != 0:
            theirs = block.player(other, block.start + k).position[0]
            theirs -= block.step(other)[k]
            nearest = min(nearest, norm(block.region.offset(mine, theirs)))
    return nearest
