"""Who caught whom in a step, and each player's own reward, for teams whose players learn apart.

The two routines are called only in games whose engine is asked for it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import nearest_offset
from steer_env.game.judgment import approach_of
from steer_env.game.memory import (
    BLOCK,
    MEMORY,
    SCRATCH,
    flags,
    integers,
    player_at,
    players_of,
    rules_of,
    step_of,
)
from steer_env.game.sight import opponents_of
from steer_env.game.state import Flags, Numbers
from steer_env.steering.addresses import column, record_at
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import norm


class Credit(NamedTuple):
    """What the last step was for each player; every array is C-contiguous."""

    captures: Flags  # (evaders, pursuers, N): which pursuers caught the evader in this step
    rewards: Numbers  # (players, N): each player's own, pursuers first; 0 out of play


def make_credit(pursuers: int, evaders: int, num_games: int) -> Credit:
    """The credit of games that have not begun: none."""
    return Credit(
        np.zeros((evaders, pursuers, num_games), np.bool_),
        np.zeros((pursuers + evaders, num_games)),
    )


def lay_out_credit(memory: NDArray[np.void], credit: Credit) -> None:
    """Enters where these arrays are into a `MEMORY` record; the caller must keep them."""
    memory["captures"] = credit.captures.ctypes.data
    memory["own_rewards"] = credit.rewards.ctypes.data


def remember_in_play(memory_address: int, scratch_address: int, start: int, stop: int) -> None:
    """Keeps who is in play before a block's players move; a routine."""
    memory, scratch = record_at(memory_address, MEMORY), record_at(scratch_address, SCRATCH)
    count = stop - start
    for number in range(memory.players):
        active = players_of(memory, number, start, stop).active
        played = column(scratch.played, number * BLOCK, count, np.uint8)
        for k in range(count):
            played[k] = active[k]


def give_credit(memory_address: int, scratch_address: int, start: int, stop: int) -> None:
    """Writes a block's captures and own rewards, after `judge`; a routine.

    A capture is that of all the pursuers that came within the capture radius in the step. A
    player's own reward has the terms of its side's, with the same weights. A pursuer gets an
    equal part of each capture that it has a part in, which is worth the share of one evader; an
    evader loses the whole when it is caught. The time counts for everybody in play, and the
    distance is that to the player's own nearest opponent. For one against one these are the
    rewards of the sides.
    """
    memory, scratch = record_at(memory_address, MEMORY), record_at(scratch_address, SCRATCH)
    rules, still = rules_of(memory), flags(scratch.still)
    for number in range(memory.players):
        rewards = column(
            memory.own_rewards, number * memory.games + start, stop - start, np.float64
        )
        for k in range(stop - start):
            rewards[k] = 0.0
            if still[k] == 0 and _played(scratch, number, k):
                rewards[k] = _time_and_closing(memory, scratch, number, start, k, rules)
    for evader in range(rules.pursuers, memory.players):
        for k in range(stop - start):
            _credit_capture(memory, scratch, evader, start, k, rules)


@compiled
def _played(scratch: np.record, number: int, k: int) -> bool:
    """Whether a player was in play when the step began."""
    return column(scratch.played, number * BLOCK + k, 1, np.uint8)[0] != 0


@compiled
def _credit_capture(
    memory: np.record, scratch: np.record, evader: int, start: int, k: int, rules: np.record
) -> None:
    """Writes which pursuers caught an evader in this step, and rewards all concerned."""
    games, place, captors = memory.games, evader - rules.pursuers, 0
    is_caught = flags(scratch.still)[k] == 0 and _played(scratch, evader, k)
    if is_caught:
        is_caught = player_at(memory, evader, start + k).active[0] == 0
    for pursuer in range(rules.pursuers):
        row = (place * rules.pursuers + pursuer) * games + start + k
        has_part = False
        if is_caught:
            approach = approach_of(memory, scratch, pursuer, evader, start, k)
            has_part = approach < rules.caught_within
        column(memory.captures, row, 1, np.uint8)[0] = has_part
        captors += 1 if has_part else 0
    if captors == 0:
        return
    for pursuer in range(rules.pursuers):
        row = (place * rules.pursuers + pursuer) * games + start + k
        if column(memory.captures, row, 1, np.uint8)[0] != 0:
            reward = column(memory.own_rewards, pursuer * games + start + k, 1, np.float64)
            reward[0] += rules.capture_reward / captors
    evaders = memory.players - rules.pursuers
    loss = column(memory.own_rewards, evader * games + start + k, 1, np.float64)
    loss[0] -= rules.capture_reward * evaders


@compiled
def _time_and_closing(
    memory: np.record, scratch: np.record, number: int, start: int, k: int, rules: np.record
) -> float:
    """The terms of a player's own reward beside captures."""
    before = _distance_before(memory, scratch, number, start, k, rules)
    after = 0.0
    is_over = integers(scratch.free)[k] == 0
    if not is_over and player_at(memory, number, start + k).active[0] != 0:
        after = _distance_after(memory, number, start + k, rules)
    reward = rules.closing_reward * (before - rules.discount * after) - rules.time_reward
    return reward if number < rules.pursuers else -reward


@compiled
def _distance_after(memory: np.record, number: int, k: int, rules: np.record) -> float:
    """From a player to its nearest opponent in play, in meters; there must be one."""
    nearest = math.inf
    first, last = opponents_of(number, rules, memory.players)
    mine = player_at(memory, number, k).position[0]
    for other in range(first, last):
        theirs = player_at(memory, other, k)
        if theirs.active[0] != 0:
            offset = nearest_offset(rules.arena, rules.half_size, mine, theirs.position[0])
            nearest = min(nearest, norm(offset))
    return nearest


@compiled
def _distance_before(
    memory: np.record, scratch: np.record, number: int, start: int, k: int, rules: np.record
) -> float:
    """The same as it was before the step."""
    nearest = math.inf
    first, last = opponents_of(number, rules, memory.players)
    mine = player_at(memory, number, start + k).position[0] - step_of(scratch, number)[k]
    for other in range(first, last):
        if _played(scratch, other, k):
            theirs = player_at(memory, other, start + k).position[0]
            theirs -= step_of(scratch, other)[k]
            offset = nearest_offset(rules.arena, rules.half_size, mine, theirs)
            nearest = min(nearest, norm(offset))
    return nearest
