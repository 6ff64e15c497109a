"""Games with a target: an evader that reaches it is safe and out of play."""

from __future__ import annotations

import math

from steer_env.game.rules import BREACH_DISTANCE, PURSUER, number_of_target, target_of
from steer_env.game.run.block import Block, block_at
from steer_env.game.run.resolve import share_until_capture
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import race_point
from steer_env.steering.compilation import compiled
from steer_env.steering.targets import (
    Target,
    along_rim,
    arc_between,
    offset_to_target,
    on_rim,
    share_until_reached,
)
from steer_env.steering.vectors import cross, left, norm, scale, unit
from steer_env.steering.vehicle import Vehicle

_STILL = 1e-9  # meters


@compiled
def target_near(block: Block, number: int, place: complex) -> Target:
    """A target, or on a torus its image nearest to a place."""
    center, direction, half_length, radius, is_half_plane = target_of(block.rules, number)
    return Target(
        block.region.image(place, center), direction, half_length, radius, is_half_plane
    )


@compiled
def nearest_target(block: Block, place: complex) -> Target:
    """The target that is nearest to a place, see `target_near`."""
    return target_near(block, number_of_target(block.rules, place), place)


@compiled
def is_in_target(block: Block, place: complex) -> bool:
    """Returns whether a place is within a target, or at its edge."""
    found = False
    for number in range(block.rules.num_targets):
        offset = offset_to_target(target_near(block, number, place), place)
        found = found or norm(offset) < _STILL
    return found


@compiled_loop
def contested_target(block: Block, attacker: Vehicle, defender: Vehicle) -> int:
    """The number of the target for which an evader and a pursuer race.

    It is the one to which `race_point` comes nearest; of several where the evader comes first,
    the one that is nearest to it.
    """
    best, least, shortest = 0, math.inf, math.inf
    place, radius = attacker.position, block.rules.capture_radius
    for number in range(block.rules.num_targets):
        target = target_near(block, number, place)
        meeting = race_point(attacker, defender, radius, target)
        left_over = norm(offset_to_target(target, meeting))
        left_over = left_over if left_over > _STILL else 0.0
        distance = norm(offset_to_target(target, place))
        if left_over < least or (left_over == least and distance < shortest):
            best, least, shortest = number, left_over, distance
    return best


@routine
def keep_on_rim(call_at: int, start: int, stop: int) -> None:
    """Bends the steps of pursuers along the rim of the target, before `resolve`."""
    block = block_at(call_at, start, stop)
    rules, is_idle = block.rules, block.columns.is_idle
    for number in range(rules.pursuers):
        players, step = block.players(number), block.step(number)
        for k in range(block.size):
            if is_idle[k] == 0:
                target = nearest_target(block, players.position[k])
                before = on_rim(target, players.position[k] - step[k])
                after = along_rim(target, before, step[k])
                step[k] = after - before
                if norm(step[k]) > _STILL:  # else rounding would choose the heading
                    players.heading[k] = unit(step[k])
                players.position[k] = block.region.image(0j, after)
                players.velocity[k] = scale(step[k], rules.steps_per_second)


@compiled
def _go_back(block: Block, k: int, share: float) -> None:
    """Puts pursuers on the rim where they were after a share of the step."""
    for number in range(block.rules.pursuers):
        players, step = block.players(number), block.step(number)
        end = players.position[k]
        target = nearest_target(block, end)
        before = end - step[k]
        out, length = unit(before - target.center), share * arc_between(target, before, end)
        way = scale(left(out), length if cross(out, step[k]) > 0.0 else -length)
        players.position[k] = along_rim(target, before, way)


@compiled
def breach_distance(block: Block, evader: int, k: int) -> float:
    """The distance along the rim from an evader to the nearest pursuer, in meters."""
    position, nearest = block.players(evader).position[k], math.inf
    target = nearest_target(block, position)
    for number in range(block.rules.pursuers):
        place = block.region.image(position, block.players(number).position[k])
        nearest = min(nearest, arc_between(target, place, position))
    return nearest


@routine
def decide_reach(call_at: int, start: int, stop: int, evader: int) -> None:
    """Takes an evader out of play where it reaches the target before it is caught.

    It stays where it reached the target, with an infinite ``minimum_distance``. An evader
    that is caught first stays where it was caught.
    """
    block = block_at(call_at, start, stop)
    rules, players, step = block.rules, block.players(evader), block.step(evader)
    is_idle, reached = block.columns.is_idle, block.columns.reached
    minimum = block.columns.minimum_distance
    for k in range(block.size):
        if evader == rules.pursuers:
            reached[k] = 0
        if players.active[k] == 0 or is_idle[k] != 0:
            continue
        before = players.position[k] - step[k]
        share, is_caught = 1.0, minimum[k] < rules.capture_distance
        if is_caught and block.memory.scenario_capture == 0:  # a scenario's is at its end
            share = share_until_capture(block, evader, k, rules.dt)
        reach = math.inf
        for number in range(rules.num_targets):
            target = target_near(block, number, before)
            reach = min(reach, share_until_reached(target, before, step[k]))
        if reach <= share:
            if rules.payoff == BREACH_DISTANCE:
                _go_back(block, k, reach)
            players.active[k] = False
            minimum[k] = math.inf
            reached[k] += 1
        elif not is_caught:
            continue
        step[k] = scale(step[k], min(reach, share))
        players.position[k] = block.region.image(0j, before + step[k])


@routine
def reward_reach(call_at: int, start: int, stop: int) -> None:
    """Adds the rewards for reaching a target, and for approaching it."""
    block = block_at(call_at, start, stop)
    rules, is_idle, reached = block.rules, block.columns.is_idle, block.columns.reached
    rewards = block.outcomes.rewards
    sign = -1.0 if block.call.side == PURSUER else 1.0
    for k in range(block.size):
        if is_idle[k] == 0 and reached[k] > 0:
            gained = rules.reach_reward * reached[k]
            if rules.payoff == BREACH_DISTANCE:
                gained *= breach_distance(block, rules.pursuers, k)
            rewards[k] += sign * gained
    for evader in range(rules.pursuers, block.memory.players):
        position, step = block.players(evader).position, block.step(evader)
        for k in range(block.size):
            if is_idle[k] == 0:  # the step of one out of play is 0
                before = position[k] - step[k]
                after = before + step[k]
                far = norm(offset_to_target(nearest_target(block, before), before))
                near = norm(offset_to_target(nearest_target(block, after), after))
                rewards[k] += sign * rules.approach_reward * (far - near)
