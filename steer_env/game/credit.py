"""Who caught whom in a step, and each player's own reward, for teams whose players learn apart.

The routines are called only in games whose engine is asked for it.
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
    CALL,
    MEMORY,
    SCRATCH,
    flags,
    integers,
    player_at,
    players_of,
    rules_of,
    step_of,
    team_of,
)
from steer_env.game.rules import EVADER, PURSUER
from steer_env.game.sight import opponents_of
from steer_env.game.state import Flags, Numbers
from steer_env.machine_code.addresses import address_of, column, record_at
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import norm

TEAM, OWN = range(2)
"""How rewards are credited to the players of a side; see `give_credit`."""


class Credit(NamedTuple):
    """What the last step was for each player."""

    captures: Flags  # (N, evaders, pursuers): which pursuers caught the evader in this step
    rewards: tuple[Numbers, Numbers]  # of both sides, (N, players each), as the rest
    terminated: tuple[Flags, Flags]  # it was in play, and is no longer: caught, or all are
    truncated: tuple[Flags, Flags]  # it was in play, and the time is up
    in_play: tuple[Flags, Flags]  # it can still be moved, unless the game is over


def make_credit(pursuers: int, evaders: int, num_games: int) -> Credit:
    """The credit of games that have not begun: none."""
    shapes = (num_games, pursuers), (num_games, evaders)
    captures = np.zeros((num_games, evaders, pursuers), np.bool_)
    rewards = np.zeros(shapes[PURSUER]), np.zeros(shapes[EVADER])
    flags = [
        (np.zeros(shapes[PURSUER], np.bool_), np.zeros(shapes[EVADER], np.bool_))
        for _ in range(3)
    ]
    return Credit(captures, rewards, *flags)


def lay_out_credit(memory: NDArray[np.void], credit: Credit, method: int) -> None:
    """Enters where these arrays are into a `MEMORY` record; the caller must keep them."""
    memory["credit_captures"] = address_of(credit.captures)
    for name in ("rewards", "terminated", "truncated", "in_play"):
        memory[f"credit_{name}"] = [address_of(array) for array in getattr(credit, name)]
    memory["credit_method"] = method


@routine
def hide_absent(
    memory_at: int, scratch_at: int, start: int, stop: int, side: int, seen_at: int, size: int
) -> None:
    """Makes what players observe 0 that were out of play before a block's step; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    first, team = team_of(memory, side)
    for place in range(team):
        played = column(scratch.played, (first + place) * BLOCK, BLOCK, np.uint8)
        for k in range(stop - start):
            if played[k] == 0:
                begin = ((start + k) * team + place) * size
                row = column(seen_at, begin, size, np.float32)
                for number in range(size):
                    row[number] = 0.0


@routine
def give_credit(call_at: int, start: int, stop: int) -> None:
    """Writes a block's `Credit`, after `judge` and what adds to its rewards; a routine.

    TEAM: every player in play gets its side's reward.

    OWN: the terms are those of its side's reward, with the same weights, as the player alone
    has earned them. A pursuer gets an equal part of each capture that it has a part in, which
    is worth the share of one evader; an evader loses the whole when it is caught. The time
    counts for everybody in play, and the distance is that to the player's own nearest opponent.
    For one against one these are the rewards of the sides.
    """
    call = record_at(call_at, CALL)
    memory, scratch = record_at(call.memory, MEMORY), record_at(call.scratch, SCRATCH)
    rules, still, count = rules_of(memory), flags(scratch.still), stop - start
    ended = column(call.terminated, start, count, np.uint8)
    cut = column(call.truncated, start, count, np.uint8)
    of_side = column(call.rewards, start, count, np.float64)
    method, players = memory.credit_method, memory.players
    for number in range(players):
        own_side = PURSUER if number < rules.pursuers else EVADER
        first, team = team_of(memory, own_side)
        active = players_of(memory, number, start, stop).active
        played = column(scratch.played, number * BLOCK, count, np.uint8)
        size = (count - 1) * team + 1
        begin = start * team + number - first
        rewards = column(memory.credit_rewards[own_side], begin, size, np.float64)
        terminated = column(memory.credit_terminated[own_side], begin, size, np.uint8)
        truncated = column(memory.credit_truncated[own_side], begin, size, np.uint8)
        in_play = column(memory.credit_in_play[own_side], begin, size, np.uint8)
        sign = 1.0 if own_side == call.side else -1.0
        for k in range(count):
            moved = played[k] != 0 and still[k] == 0
            over = active[k] == 0 or ended[k] != 0
            rewards[k * team] = sign * of_side[k] if moved else 0.0
            terminated[k * team] = moved and over
            truncated[k * team] = moved and not over and cut[k] != 0
            in_play[k * team] = active[k] != 0
        if method == OWN:
            for k in range(count):
                if played[k] != 0 and still[k] == 0:
                    own = _time_and_closing(memory, scratch, number, start, k, rules)
                    rewards[k * team] = own
    pairs = (players - rules.pursuers) * rules.pursuers
    captures = column(memory.credit_captures, start * pairs, count * pairs, np.uint8)
    for place in range(count * pairs):
        captures[place] = 0
    for evader in range(rules.pursuers, players):
        active = players_of(memory, evader, start, stop).active
        played = column(scratch.played, evader * BLOCK, count, np.uint8)
        for k in range(count):
            if played[k] != 0 and active[k] == 0 and still[k] == 0:
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
    pursuers, evaders = rules.pursuers, memory.players - rules.pursuers
    place = (start + k) * evaders + evader - pursuers
    captures = column(memory.credit_captures, place * pursuers, pursuers, np.uint8)
    captors = 0
    for pursuer in range(pursuers):
        approach = approach_of(memory, scratch, pursuer, evader, start, k)
        captures[pursuer] = approach < rules.caught_within
        captors += captures[pursuer]
    if captors == 0 or memory.credit_method == TEAM:
        return
    first = (start + k) * pursuers
    rewards = column(memory.credit_rewards[PURSUER], first, pursuers, np.float64)
    for pursuer in range(pursuers):
        if captures[pursuer] != 0:
            rewards[pursuer] += rules.capture_reward / captors
    lost = column(memory.credit_rewards[EVADER], place, 1, np.float64)
    lost[0] -= rules.capture_reward * evaders


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
