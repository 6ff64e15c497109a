"""Ends of episodes that a scenario declares, after captures and targets were decided."""

from __future__ import annotations

import numpy as np

from steer_env.game.rules import PURSUER
from steer_env.game.run.arguments import begin_hook, own_number
from steer_env.game.run.block import Block, block_at
from steer_env.game.run.memory import RIDER_NUMBERS
from steer_env.game.run.targets import is_in_target
from steer_env.game.state import OVER
from steer_env.machine_code.addresses import call_routine, column, record_at
from steer_env.machine_code.routines import routine
from steer_env.sides import CAPTURED
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import note_fault
from steer_env.steering.vehicle import VEHICLE, copy_vehicle, vehicle_of

_BYTES, _BODY = 8 * RIDER_NUMBERS, VEHICLE.itemsize


@compiled
def _copy_rider(block: Block, number: int, k: int, near: complex, address: int) -> None:
    """Copies a player, at its image nearest to a place, with its own numbers behind it."""
    rider, body = record_at(address, VEHICLE), block.body(number, block.start + k)
    copy_vehicle(body, rider)
    rider.position = block.region.image(near, body.position)
    count = block.memory.own_numbers
    own = column(address + _BODY, 0, count, np.float64)
    for place in range(count):
        own[place] = own_number(block, number, place)[k]


@compiled
def _copy_players(block: Block, k: int) -> int:
    """Copies the pursuers and the evaders that are not caught, and returns the number of these.

    On a torus all are at their images nearest to the first of these evaders.
    """
    riders, pursuers, found = block.scratch.riders, block.rules.pursuers, 0
    near = 0j
    for number in range(pursuers, block.memory.players):
        place, is_free = block.players(number).position[k], block.players(number).active[k] != 0
        if is_free or is_in_target(block, place):
            near = place if found == 0 else near
            _copy_rider(block, number, k, near, riders + (pursuers + found) * _BYTES)
            found += 1
    for number in range(pursuers):
        _copy_rider(block, number, k, near, riders + number * _BYTES)
    return found


@routine
def end_by_scenario(call_at: int, start: int, stop: int) -> None:
    """Ends the games in which the scenario declares an outcome, and rewards it.

    It is worth a capture of all to the side that has won. A game that evaders have ended in a
    target only gets the name of an outcome that they have won: they have been paid.
    """
    block = block_at(call_at, start, stop)
    rules, games, is_idle = block.rules, block.games, block.columns.is_idle
    rewards, terminated, truncated = block.outcomes
    pursuers, evaders = rules.pursuers, block.memory.players - rules.pursuers
    sign = 1.0 if block.call.side == PURSUER else -1.0
    for k in range(block.size):
        if is_idle[k] != 0 or games.outcome[k] == CAPTURED:
            continue
        found, riders = _copy_players(block, k), block.scratch.riders
        me = vehicle_of(record_at(riders + pursuers * _BYTES, VEHICLE))
        call = begin_hook(block, pursuers, k, me, games.steps[k])
        call.pursuers, call.evaders = riders, riders + pursuers * _BYTES
        call.count, call.captured = found, games.captured[k]
        call.reached = evaders - games.captured[k] - block.columns.free[k]
        call_routine(block.memory.scenario_ends, (block.scratch.calls,))
        if not call.number >= 0.0:  # nan
            note_fault(block.memory.scenario_ends, block.scratch.calls)
        elif call.number > 0.0:
            outcome = int(call.number)
            worth = rules.outcome_worth[outcome]
            if terminated[k] == 0:  # a terminal state has no potential
                potential = rules.closing_reward * rules.discount * games.distance[k]
                rewards[k] += sign * (worth + potential)
            elif worth > 0.0:
                rewards[k] += sign * worth
            games.phase[k], games.outcome[k] = OVER, outcome
            terminated[k], truncated[k] = True, False
