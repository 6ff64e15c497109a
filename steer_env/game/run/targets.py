"""Games with a target: evaders that reach it are safe and out of play, and both are rewarded."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.rules import PURSUER, TARGET_DISTANCE, target_of
from steer_env.game.run.block import Block, block_at
from steer_env.game.run.judge import share_until_capture
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.targets import Target, offset_to_target, share_until_reached
from steer_env.steering.vectors import norm, scale


@compiled
def nearest_target(block: Block, place: complex) -> Target:
    """The target, or on a torus its image nearest to a place."""
    center, direction, half_length, radius, is_half_plane = target_of(block.rules)
    return Target(block.image(place, center), direction, half_length, radius, is_half_plane)


@routine
def decide_reach(call_at: int, start: int, stop: int, evader: int) -> None:
    """Takes an evader out of play where it reaches the target before it is caught.

    It stays where it was then, and ``least`` is infinite there: it is not caught. Otherwise one
    that is caught stays where that was, if the distance from the target is the payoff.
    """
    block = block_at(call_at, start, stop)
    rules, players, step = block.rules, block.players(evader), block.step(evader)
    still, least, reached = block.columns.still, block.columns.least, block.columns.reached
    for k in range(block.size):
        if evader == rules.pursuers:
            reached[k] = 0
        if players.active[k] == 0 or still[k] != 0:
            continue
        before = players.position[k] - step[k]
        share, is_caught = 1.0, least[k] < rules.caught_within
        if is_caught:
            share = share_until_capture(block, evader, k, rules.dt)
        reach = share_until_reached(nearest_target(block, before), before, step[k])
        if reach <= share:
            players.active[k] = False
            least[k] = math.inf
            reached[k] += 1
        elif not is_caught or rules.payoff != TARGET_DISTANCE:
            continue
        step[k] = scale(step[k], min(reach, share))
        players.position[k] = block.image(0j, before + step[k])


@routine
def reward_reach(call_at: int, start: int, stop: int) -> None:
    """Adds the rewards of targets: for reaching one, and for the way toward it."""
    block = block_at(call_at, start, stop)
    rules, still, reached = block.rules, block.columns.still, block.columns.reached
    rewards = block.outcomes.rewards
    sign = -1.0 if block.call.side == PURSUER else 1.0
    for k in range(block.size):
        if still[k] == 0:
            rewards[k] += sign * rules.reach_reward * reached[k]
    for evader in range(rules.pursuers, block.memory.players):
        position, step = block.players(evader).position, block.step(evader)
        for k in range(block.size):
            if still[k] == 0:  # the step of one out of play is 0
                before = position[k] - step[k]
                target = nearest_target(block, before)
                far = norm(offset_to_target(target, before))
                near = norm(offset_to_target(target, before + step[k]))
                rewards[k] += sign * rules.approach_reward * (far - near)
