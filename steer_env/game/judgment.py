"""The end of a step: captures, rewards, and which games are over."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import nearest_offset
from steer_env.game.memory import (
    flags,
    games_of,
    integers,
    numbers,
    player_at,
    players_of,
    rules_of,
    step_of,
)
from steer_env.game.rules import CLOSEST_APPROACH, PURSUER
from steer_env.game.state import OVER, Flags, Numbers
from steer_env.machine_code.addresses import call_routine
from steer_env.machine_code.marking import compiled_loop
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, norm, scale


@compiled
def closest_approach(offset_after: complex, relative_step: complex) -> float:
    """The least distance during a step of two bodies in straight, even motion.

    Args:
        offset_after: from one body to the other at the end of the step, in meters.
        relative_step: displacement of the other less that of the one, in meters.
    """
    length_squared = max(dot(relative_step, relative_step), TINY)
    share_before_end = min(max(dot(offset_after, relative_step) / length_squared, 0.0), 1.0)
    return norm(offset_after - scale(relative_step, share_before_end))


@compiled
def pursuers_reward(rules: np.record, caught: int, before: float, after: float) -> float:
    """The reward of one step for the pursuers; the evaders get its negative.

    Args:
        rules: weights of the terms.
        caught: evaders caught in this step.
        before: mean distance of free evaders to their nearest pursuer before it, in meters.
        after: the same after it; 0 when all are caught (the end has no potential).
    """
    closing = rules.closing_reward * (before - rules.discount * after)
    return rules.capture_reward * caught - rules.time_reward + closing


@compiled_loop
def approach_evader(
    memory: np.record, scratch: np.record, evader: int, start: int, stop: int
) -> None:
    """Writes how near an evader's nearest pursuer is, and how near one came in the step.

    They go into the columns ``nearest`` and ``least`` of the scratch space. Where a capture
    takes several pursuers, the latter is infinite unless as many came within the capture
    radius.
    """
    rules, count = rules_of(memory), stop - start
    arena, half_size = rules.arena, rules.half_size
    nearest, least = numbers(scratch.nearest), numbers(scratch.least)
    place, step = players_of(memory, evader, start, stop).position, step_of(scratch, evader)
    for k in range(count):
        nearest[k] = math.inf
        least[k] = math.inf
    for pursuer in range(rules.pursuers):
        position = players_of(memory, pursuer, start, stop).position
        own_step = step_of(scratch, pursuer)
        for k in range(count):
            offset = nearest_offset(arena, half_size, position[k], place[k])
            nearest[k] = min(nearest[k], norm(offset))
            least[k] = min(least[k], closest_approach(offset, step[k] - own_step[k]))
    if rules.captors_needed > 1:
        _require_several(memory, scratch, evader, start, stop)


@compiled_loop
def _require_several(
    memory: np.record, scratch: np.record, evader: int, start: int, stop: int
) -> None:
    """Makes ``least`` infinite where too few pursuers came within the capture radius."""
    rules, count = rules_of(memory), stop - start
    least, within = numbers(scratch.least), integers(scratch.within)
    for k in range(count):
        within[k] = 0
    for pursuer in range(rules.pursuers):
        for k in range(count):
            approach = approach_of(memory, scratch, pursuer, evader, start, k)
            within[k] += 1 if approach < rules.capture_radius else 0
    for k in range(count):
        least[k] = least[k] if within[k] >= rules.captors_needed else math.inf


@compiled
def approach_of(
    memory: np.record, scratch: np.record, pursuer: int, evader: int, start: int, k: int
) -> float:
    """The least distance between a pursuer and an evader in a step, in meters."""
    rules = rules_of(memory)
    mine, theirs = player_at(memory, pursuer, start + k), player_at(memory, evader, start + k)
    offset = nearest_offset(rules.arena, rules.half_size, mine.position[0], theirs.position[0])
    relative = step_of(scratch, evader)[k] - step_of(scratch, pursuer)[k]
    return closest_approach(offset, relative)


@compiled
def approach(memory: np.record, scratch: np.record, evader: int, start: int, stop: int) -> None:
    """`approach_evader`, by the pursuers' grid where they have one; see `neighbors`."""
    if memory.approach_in_grid != 0:
        where = (memory.address, scratch.address, evader, start, stop)
        call_routine(memory.approach_in_grid, where)
    else:
        approach_evader(memory, scratch, evader, start, stop)


@compiled_loop
def judge(
    memory: np.record,
    scratch: np.record,
    start: int,
    stop: int,
    side: int,
    rewards: Numbers,
    terminated: Flags,
    truncated: Flags,
) -> None:
    """Decides captures, rewards, and which games of a block are over, after the step.

    The last three arguments are columns, written; 0 for games that did not move.
    """
    games, rules, count = games_of(memory, start, stop), rules_of(memory), stop - start
    sign, limit = 1.0 if side == PURSUER else -1.0, rules.max_episode_steps
    caught_within = rules.caught_within
    nearest, least = numbers(scratch.nearest), numbers(scratch.least)
    total, still = numbers(scratch.total), flags(scratch.still)
    free, caught = integers(scratch.free), integers(scratch.caught)
    for k in range(count):
        total[k] = 0.0
        free[k] = 0
        caught[k] = 0
    for evader in range(rules.pursuers, memory.players):
        approach(memory, scratch, evader, start, stop)
        active = players_of(memory, evader, start, stop).active
        if rules.payoff == CLOSEST_APPROACH:
            for k in range(count):
                nearest[k] = min(least[k], games.distance[k])
        for k in range(count):
            if active[k] != 0:
                if least[k] < caught_within and still[k] == 0:
                    active[k] = 0
                    caught[k] += 1
                else:
                    total[k] += nearest[k]
                    free[k] += 1
    for k in range(count):
        ended, cut, reward = False, False, 0.0
        if still[k] == 0:
            distance = total[k] / max(free[k], 1)
            reward = sign * pursuers_reward(rules, caught[k], games.distance[k], distance)
            games.distance[k] = distance
            games.captured[k] += caught[k]
            games.steps[k] += 1
            ended = free[k] == 0
            cut = limit <= games.steps[k]
            if ended or cut:
                games.phase[k] = OVER
        rewards[k], terminated[k], truncated[k] = reward, ended, cut
