"""The end of a step: captures, built-in rewards, terminations, and measures of the games.

`terminate_by_payoff` has the exact capture times and early ends of differential games.
"""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.dynamics import action_of_force, curves
from steer_env.game.look.visibility import distance_to_opponent, is_wall_between
from steer_env.game.rules import CLOSEST_APPROACH, EVADER, FINAL_DISTANCE, PURSUER, TIME
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.state import OVER
from steer_env.machine_code.addresses import call_routine, column
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.sides import CAPTURED, DECIDED, ESCAPED, TIME_UP
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, norm, scale


@compiled
def closest_approach(offset_after: complex, relative_step: complex) -> float:
    """The least distance during a step of two bodies in straight, even motion.

    The offset after the step and the other's displacement less the one's are in meters.
    """
    return norm(
        offset_after - scale(relative_step, share_before_end(offset_after, relative_step))
    )


@compiled
def share_before_end(offset_after: complex, relative_step: complex) -> float:
    """The share of a step that is left at the moment of the `closest_approach`."""
    length_squared = max(dot(relative_step, relative_step), TINY)
    return min(max(dot(offset_after, relative_step) / length_squared, 0.0), 1.0)


@compiled_loop
def approach_evader(block: Block, evader: int) -> None:
    """Writes the distance of an evader's nearest pursuer, after and during the step.

    The columns are ``nearest`` and ``minimum_distance``. Where a capture takes several
    pursuers, the latter is infinite unless as many came within the capture radius.
    """
    rules, region, count = block.rules, block.region, block.size
    nearest, minimum = block.columns.nearest, block.columns.minimum_distance
    place, step = block.players(evader).position, block.step(evader)
    for k in range(count):
        nearest[k] = math.inf
        minimum[k] = math.inf
    for pursuer in range(rules.pursuers):
        position = block.players(pursuer).position
        own_step = block.step(pursuer)
        for k in range(count):
            offset = region.offset(position[k], place[k])
            nearest[k] = min(nearest[k], norm(offset))
            minimum[k] = min(minimum[k], closest_approach(offset, step[k] - own_step[k]))
    if rules.captors_needed > 1:
        _require_several(block, evader)


@compiled_loop
def _require_several(block: Block, evader: int) -> None:
    """Sets the minimum distance to infinity where too few pursuers came near enough."""
    rules, count = block.rules, block.size
    minimum, within = block.columns.minimum_distance, block.columns.within
    for k in range(count):
        within[k] = 0
    for pursuer in range(rules.pursuers):
        for k in range(count):
            approach = approach_of(block, pursuer, evader, k)
            within[k] += 1 if approach < rules.capture_radius else 0
    for k in range(count):
        minimum[k] = minimum[k] if within[k] >= rules.captors_needed else math.inf


@compiled
def approach_of(block: Block, pursuer: int, evader: int, k: int) -> float:
    """The least distance between a pursuer and an evader in a step, in meters.

    With a wall between them then it is the capture radius at least.
    """
    mine = block.player(pursuer, block.start + k)
    theirs = block.player(evader, block.start + k)
    offset = block.region.offset(mine.position[0], theirs.position[0])
    own_step, step = block.step(pursuer)[k], block.step(evader)[k] - block.step(pursuer)[k]
    approach, radius = closest_approach(offset, step), block.rules.capture_radius
    if block.memory.num_maps > 0 and approach < radius:
        before_end = share_before_end(offset, step)
        place = mine.position[0] - scale(own_step, before_end)
        line = offset - scale(step, before_end)
        if is_wall_between(block, block.start + k, place, line):
            return radius
    return approach


@compiled
def approach(block: Block, evader: int) -> None:
    """`approach_evader`, on a map or by the pursuers' grid where there is one."""
    if block.memory.approach_in_line != 0:
        call_routine(block.memory.approach_in_line, (*block.numbers, evader))
    elif block.memory.approach_in_grid != 0:
        call_routine(block.memory.approach_in_grid, (*block.numbers, evader))
    else:
        approach_evader(block, evader)


@compiled_loop
def resolve(block: Block) -> None:
    """Decides a block's captures, rewards and ends after the step: 0 in idle games."""
    rewards, terminated, truncated = block.outcomes
    games, rules, columns, count = block.games, block.rules, block.columns, block.size
    sign = 1.0 if block.call.side == PURSUER else -1.0
    limit, capture_distance = rules.max_episode_steps, rules.capture_distance
    nearest, minimum = columns.nearest, columns.minimum_distance
    total, is_idle = columns.total, columns.is_idle
    free, caught = columns.free, columns.caught
    for k in range(count):
        total[k] = 0.0
        free[k] = 0
        caught[k] = 0
    for evader in range(rules.pursuers, block.memory.players):
        approach(block, evader)
        if block.memory.decide_capture != 0:
            call_routine(block.memory.decide_capture, (*block.numbers, evader))
        if block.memory.decide_reach != 0:
            call_routine(block.memory.decide_reach, (*block.numbers, evader))
        active = block.players(evader).active
        if rules.payoff == CLOSEST_APPROACH:
            for k in range(count):
                nearest[k] = min(minimum[k], games.distance[k])
        for k in range(count):
            if active[k] != 0:
                if minimum[k] < capture_distance and is_idle[k] == 0:
                    active[k] = 0
                    caught[k] += 1
                else:
                    total[k] += nearest[k]
                    free[k] += 1
    for k in range(count):
        ended, cut, reward = False, False, 0.0
        if is_idle[k] == 0:
            distance = total[k] / max(free[k], 1)
            # Terminal states have zero potential: the distance is 0 when all are caught.
            closing = rules.closing_reward * (games.distance[k] - rules.discount * distance)
            reward = rules.capture_reward * caught[k] - rules.time_reward + closing
            reward = sign * reward
            games.distance[k] = distance
            games.captured[k] += caught[k]
            games.steps[k] += 1
            ended = free[k] == 0
            cut = limit <= games.steps[k]
            if ended or cut:
                games.phase[k] = OVER
                games.outcome[k] = _outcome(block, k, ended)
        rewards[k], terminated[k], truncated[k] = reward, ended, cut


@compiled
def _outcome(block: Block, k: int, ended: bool) -> int:
    """The outcome of a game that is over: none where it was cut before its horizon."""
    games, rules = block.games, block.rules
    if ended:
        evaders = block.memory.players - rules.pursuers
        return CAPTURED if games.captured[k] == evaders else ESCAPED
    return TIME_UP if games.steps[k] >= rules.horizon else 0


_NEWTON_STEPS = 4


@compiled
def moment_of_contact(
    offset_before: complex, relative_step: complex, bend: complex, radius: float
) -> float:
    """The share of a step after which two bodies first come within a radius of each other.

    The offset after a share s of the step is offset_before + s relative_step + s (s - 1) bend,
    in meters, with half of (the other's acceleration less the one's) * dt**2 as ``bend``: exact
    under constant accelerations, and for cars up to the third power of dt. The share is from 0
    to 1, at the least distance if they do not come as near.

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
def share_until_capture(block: Block, evader: int, k: int, dt: float) -> float:
    """The share of the step after which enough pursuers are within the capture radius."""
    rules, first = block.rules, 1.0
    for pursuer in range(rules.pursuers):
        share, within = _share_until_contact(block, pursuer, evader, k, dt), 0
        for other in range(rules.pursuers):
            within += _share_until_contact(block, other, evader, k, dt) <= share
        if within >= rules.captors_needed:
            first = min(first, share)
    return first


@compiled
def _share_until_contact(block: Block, pursuer: int, evader: int, k: int, dt: float) -> float:
    """The share of the step until one pursuer is within the capture radius, or infinity."""
    rules, half = block.rules, 0.5 * dt * dt
    theirs, their_step = block.player(evader, block.start + k), block.step(evader)[k]
    their_bend = scale(theirs.acceleration[0], half if curves(rules.models[EVADER]) else 0.0)
    mine, my_step = block.player(pursuer, block.start + k), block.step(pursuer)[k]
    my_bend = scale(mine.acceleration[0], half if curves(rules.models[PURSUER]) else 0.0)
    after = block.region.offset(mine.position[0], theirs.position[0])
    step, bend = their_step - my_step, their_bend - my_bend
    share = moment_of_contact(after - step, step, bend, rules.capture_radius)
    offset = after - scale(step, 1.0 - share) + scale(bend, share * (share - 1.0))
    return share if norm(offset) <= rules.capture_radius * (1.0 + 1e-6) else math.inf


@routine
def terminate_by_payoff(call_at: int, start: int, stop: int) -> None:
    """Rewards the exact capture time, and ends games that are decided, after `resolve`."""
    block = block_at(call_at, start, stop)
    rules, count, games = block.rules, block.size, block.games
    is_idle, caught = block.columns.is_idle, block.columns.caught
    evader = block.memory.players - 1
    rewards, terminated, truncated = block.outcomes
    step_cost = rules.time_reward if block.call.side == PURSUER else -rules.time_reward
    for k in range(count):
        if is_idle[k] != 0:
            continue
        if rules.payoff == TIME and caught[k] > 0:
            share = share_until_capture(block, evader, k, rules.dt)
            rewards[k] += step_cost * (1.0 - share)
        elif rules.payoff == FINAL_DISTANCE:
            if truncated[k] != 0 and games.steps[k] >= rules.horizon:
                terminated[k], truncated[k] = True, False
        elif games.steps[k] < rules.horizon:
            # Not `max_episode_steps`: around a single environment that is a TimeLimit's.
            left = rules.horizon - games.steps[k]
            within_reach = rules.closing_speed * (left * rules.dt)
            goal = rules.capture_radius
            if rules.payoff == CLOSEST_APPROACH:
                goal = games.distance[k]
            distance = distance_to_opponent(block, evader, block.start + k)
            if distance - within_reach > goal:
                if rules.payoff == TIME:
                    rewards[k] -= step_cost * left
                games.phase[k], games.outcome[k] = OVER, DECIDED
                terminated[k] = True


@routine
def measure_decisions(call_at: int, start: int, stop: int) -> None:
    """Adds up the lengths of the actions of a block's players, once they have decided."""
    block = block_at(call_at, start, stop)
    rules, is_idle, count = block.rules, block.columns.is_idle, block.size
    for number in range(block.memory.players):
        side = block.side(number)
        first, model = side * block.memory.games + block.start, rules.models[side]
        effort = column(block.memory.effort, first, count, np.float64)
        turns = column(block.memory.turns, first, count, np.int64)
        players, force = block.players(number), block.force(number)
        for k in range(count):
            if players.active[k] != 0 and is_idle[k] == 0:
                action = action_of_force(model, body_at(players, k), force[k], rules.dt)
                effort[k] += norm(action)
                turns[k] += 1


@routine
def measure_motion(call_at: int, start: int, stop: int) -> None:
    """Adds up the distances that a block's players moved, and updates the closest approach."""
    block = block_at(call_at, start, stop)
    rules, is_idle, count = block.rules, block.columns.is_idle, block.size
    for number in range(block.memory.players):
        first = block.side(number) * block.memory.games + block.start
        path = column(block.memory.path, first, count, np.float64)
        step = block.step(number)  # 0 for a player that does not move
        for k in range(count):
            path[k] += norm(step[k])
    closest = column(block.memory.closest, block.start, count, np.float64)
    minimum = block.columns.minimum_distance
    early = column(block.memory.early, block.start, count, np.float64)
    for evader in range(rules.pursuers, block.memory.players):
        approach(block, evader)
        active = block.players(evader).active
        for k in range(count):
            if active[k] != 0 and is_idle[k] == 0:
                closest[k] = min(closest[k], minimum[k])
                if rules.payoff == TIME and minimum[k] < rules.capture_distance:
                    share = share_until_capture(block, evader, k, rules.dt)
                    early[k] = (1.0 - share) * rules.dt
