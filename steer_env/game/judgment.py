"""After a block has moved: who is caught, the reward, and which games are over."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import nearest_offset
from steer_env.game.memory import rules_at, scratch_at, state_at
from steer_env.game.state import OVER
from steer_env.sides import PURSUER
from steer_env.steering.compilation import compiled, compiled_loop
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
    memory: np.record, scratch_memory: np.record, evader: int, start: int, stop: int
) -> None:
    """Writes how near an evader's nearest pursuer is, and how near one came in the step.

    Args:
        memory: of the engine, after the step.
        scratch_memory: of the thread; its ``nearest`` and ``least`` are written.
        evader: number of the player.
        start: the block's first game.
        stop: one past its last.
    """
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    arena, half_size, count = rules.arena, rules.half_size, stop - start
    nearest, least = scratch.nearest, scratch.least
    place = state.position[evader, start:stop]
    for k in range(count):
        nearest[k], least[k] = math.inf, math.inf
    for pursuer in range(rules.pursuers):
        position = state.position[pursuer, start:stop]
        for k in range(count):
            offset = nearest_offset(arena, half_size, position[k], place[k])
            nearest[k] = min(nearest[k], norm(offset))
        for k in range(count):
            offset = nearest_offset(arena, half_size, position[k], place[k])
            relative_step = scratch.step[evader, k] - scratch.step[pursuer, k]
            least[k] = min(least[k], closest_approach(offset, relative_step))


@compiled_loop
def judge(
    memory: np.record,
    scratch_memory: np.record,
    start: int,
    stop: int,
    side: int,
    rewards: np.ndarray,
    terminated: np.ndarray,
    truncated: np.ndarray,
) -> None:
    """Decides captures, rewards, and which games of a block are over.

    Args:
        memory: of the engine, after the step.
        scratch_memory: of the thread.
        start: the block's first game.
        stop: one past its last.
        side: whose rewards to write.
        rewards: (N,), written; 0 for games that did not move, as for the next two.
        terminated: (N,), written.
        truncated: (N,), written.
    """
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    count, sign = stop - start, 1.0 if side == PURSUER else -1.0
    total, free, caught, still = scratch.total, scratch.free, scratch.caught, scratch.still
    for k in range(count):
        total[k], free[k], caught[k] = 0.0, 0, 0
    for evader in range(rules.pursuers, memory.players):
        approach_evader(memory, scratch_memory, evader, start, stop)
        for k in range(count):
            if state.active[evader, start + k]:
                if scratch.least[k] < rules.capture_radius and not still[k]:
                    state.active[evader, start + k] = False
                    caught[k] += 1
                else:
                    total[k] += scratch.nearest[k]
                    free[k] += 1
    for k in range(count):
        index = start + k
        ended, cut, reward = False, False, 0.0
        if not still[k]:
            distance = total[k] / max(free[k], 1)
            reward = sign * pursuers_reward(rules, caught[k], state.distance[index], distance)
            state.distance[index] = distance
            state.captured[index] += caught[k]
            state.steps[index] += 1
            ended = free[k] == 0
            cut = rules.max_episode_steps <= state.steps[index]
            if ended or cut:
                state.phase[index] = OVER
        rewards[index], terminated[index], truncated[index] = reward, ended, cut
