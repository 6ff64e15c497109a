"""The ends of games with a payoff of theory: the moment of capture, and what is decided early.

The routine `settle` is called only in games whose payoff is not "capture"; see `GameConfig`.
"""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import nearest_offset
from steer_env.game.dynamics import curves
from steer_env.game.memory import (
    CALL,
    MEMORY,
    SCRATCH,
    flags,
    games_of,
    integers,
    player_at,
    rules_of,
    step_of,
)
from steer_env.game.rules import CLOSEST_APPROACH, EVADER, FINAL_DISTANCE, PURSUER, TIME
from steer_env.game.state import OVER
from steer_env.machine_code.addresses import column, record_at
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, norm, scale

_NEWTON_STEPS = 4


@compiled
def moment_of_contact(
    offset_before: complex, relative_step: complex, bend: complex, radius: float
) -> float:
    """When two bodies first come within a radius of each other, as a share of a step.

    The offset after a share s of the step is offset_before + s relative_step + s (s - 1) bend:
    exact under constant accelerations, and for cars up to the third power of dt.

    Args:
        offset_before: from one body to the other at the beginning of the step, in meters.
        relative_step: displacement of the other less that of the one, in meters.
        bend: half of (the other's acceleration less that of the one) * dt**2, in meters.
        radius: in meters.

    Returns:
        A share from 0 to 1; that of the least distance if they do not come as near.

    Example:
        >>> moment_of_contact(2 + 0j, -4 + 0j, 0j, 1.0)
        0.25
    """
    square = max(dot(relative_step, relative_step), TINY)
    along = dot(offset_before, relative_step)
    root = along * along - square * (dot(offset_before, offset_before) - radius * radius)
    share = min(max(-(along + math.sqrt(max(root, 0.0))) / square, 0.0), 1.0)
    for _ in range(_NEWTON_STEPS):
        offset = (
            offset_before + scale(relative_step, share) + scale(bend, share * (share - 1.0))
        )
        rate = dot(offset, relative_step + scale(bend, 2.0 * share - 1.0))
        if rate < 0.0:
            beyond = dot(offset, offset) - radius * radius
            share = min(max(share - 0.5 * beyond / rate, 0.0), 1.0)
    return share


@compiled
def share_until_capture(
    memory: np.record, scratch: np.record, start: int, k: int, dt: float
) -> float:
    """The share of the step after which the first pursuer reaches the capture radius.

    For the k-th game of the block, which has one evader, after the motion of the step.
    """
    rules, evader, first = rules_of(memory), memory.players - 1, 1.0
    theirs, half = player_at(memory, evader, start + k), 0.5 * dt * dt
    their_step = step_of(scratch, evader)[k]
    their_bend = scale(theirs.acceleration[0], half if curves(rules.models[EVADER]) else 0.0)
    for pursuer in range(rules.pursuers):
        mine, my_step = player_at(memory, pursuer, start + k), step_of(scratch, pursuer)[k]
        my_bend = scale(mine.acceleration[0], half if curves(rules.models[PURSUER]) else 0.0)
        after = nearest_offset(
            rules.arena, rules.half_size, mine.position[0], theirs.position[0]
        )
        step, bend = their_step - my_step, their_bend - my_bend
        share = moment_of_contact(after - step, step, bend, rules.capture_radius)
        offset = after - scale(step, 1.0 - share) + scale(bend, share * (share - 1.0))
        if norm(offset) <= rules.capture_radius * (1.0 + 1e-6):
            first = min(first, share)
    return first


@compiled
def _distance_to_nearest(memory: np.record, k: int, rules: np.record) -> float:
    evader, nearest = player_at(memory, memory.players - 1, k), math.inf
    for pursuer in range(rules.pursuers):
        position = player_at(memory, pursuer, k).position[0]
        offset = nearest_offset(rules.arena, rules.half_size, position, evader.position[0])
        nearest = min(nearest, norm(offset))
    return nearest


@routine
def settle(call_at: int, start: int, stop: int) -> None:
    """After `judge`: rewards the moment of capture, and ends what is decided; a routine."""
    call = record_at(call_at, CALL)
    memory, scratch = record_at(call.memory, MEMORY), record_at(call.scratch, SCRATCH)
    rules, count, games = rules_of(memory), stop - start, games_of(memory, start, stop)
    still, caught = flags(scratch.still), integers(scratch.caught)
    rewards = column(call.rewards, start, count, np.float64)
    terminated = column(call.terminated, start, count, np.uint8)
    truncated = column(call.truncated, start, count, np.uint8)
    step_cost = rules.time_reward if call.side == PURSUER else -rules.time_reward
    for k in range(count):
        if still[k] != 0:
            continue
        if rules.payoff == TIME and caught[k] > 0:
            share = share_until_capture(memory, scratch, start, k, rules.dt)
            rewards[k] += step_cost * (1.0 - share)
        elif rules.payoff == FINAL_DISTANCE:
            if truncated[k] != 0 and games.steps[k] >= rules.horizon:
                terminated[k], truncated[k] = True, False
        elif truncated[k] == 0:
            left = rules.max_episode_steps - games.steps[k]
            within_reach = rules.closing_speed * (left * rules.dt)
            goal = (
                games.distance[k] if rules.payoff == CLOSEST_APPROACH else rules.capture_radius
            )
            if _distance_to_nearest(memory, start + k, rules) - within_reach > goal:
                if rules.payoff == TIME:
                    rewards[k] -= step_cost * left
                games.phase[k] = OVER
                terminated[k] = True
