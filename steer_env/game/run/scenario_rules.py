"""The methods of a `Scenario` as rules in the compiled loop, each called by an address."""

from __future__ import annotations

import math

import numpy as np

from steer_env.fields import LARGEST_ANSWER
from steer_env.game.dynamics import (
    CAR,
    StepUnderDrag,
    accelerate,
    coast,
    curves,
    mean_velocity,
)
from steer_env.game.random import draw_uniform
from steer_env.game.run.arguments import begin_hook
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.run.move import NOBODY
from steer_env.game.run.resolve import approach_of
from steer_env.game.run.start import is_apart, is_room_on_map
from steer_env.machine_code.addresses import call_routine, records_at
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import note_fault
from steer_env.steering.vectors import TINY, norm, scale
from steer_env.steering.vehicle import Vehicle, copy_vehicle, with_limits

NOWHERE = complex(math.nan, math.nan)


@routine
def start_by_scenario(call_at: int, start: int, stop: int) -> None:
    """Places the players at the start of an episode by the scenario's method."""
    block = block_at(call_at, start, stop)
    game, rules = block.game(start), block.rules
    for number in range(block.memory.players):
        side, player = block.side(number), block.player(number, start)
        me = body_at(player, 0)
        call = begin_hook(block, number, 0, me, 0)
        for place in range(3):
            call.chance[place] = draw_uniform(game, 0.0, 1.0)
        call_routine(block.memory.scenario_start, (block.scratch.calls,))
        heading, speed = call.heading, call.number
        position, length = _start_in_arena(block, number, call.vector), norm(heading)
        is_sound = position == position and 0.0 <= speed <= me.max_speed  # nan is no place
        if is_sound and TINY < length < LARGEST_ANSWER:
            heading = scale(heading, 1.0 / length)
            speed = me.max_speed if rules.models[side] == CAR else speed
            player.position[0], player.heading[0] = position, heading
            player.velocity[0] = scale(heading, speed)
        else:
            note_fault(block.memory.scenario_start, block.scratch.calls)


@compiled
def _start_in_arena(block: Block, number: int, place: complex) -> complex:
    """A place in the arena as a player's start, or nan where it has no room."""
    region, k = block.region, block.start
    radius = block.player(number, k).radius[0]
    widest = min(region.room(radius), 100.0 * region.half_size)
    if not (abs(place.real) <= widest and abs(place.imag) <= widest):
        return NOWHERE
    place = region.image(0j, place)
    if region.is_blocked(block.discs(k), radius, place):
        return NOWHERE
    if not is_room_on_map(block, k, radius, place):
        return NOWHERE
    has_room = block.rules.solid == NOBODY or is_apart(block, k, number, place)
    return place if has_room else NOWHERE


@compiled
def limited(block: Block, number: int, k: int, me: Vehicle) -> Vehicle:
    """A vehicle with the limits at its position."""
    address = block.memory.scenario_limits
    if address == 0:
        return me
    call = begin_hook(block, number, k, me, block.games.steps[k])
    call_routine(address, (block.scratch.calls,))
    max_speed, max_force = call.number, call.second
    if not (0.0 < max_speed <= me.max_speed and 0.0 < max_force <= me.max_force):
        note_fault(address, block.scratch.calls)
        return me
    return with_limits(me, max_speed, max_force)


@compiled
def _share_kept(block: Block, number: int, k: int, me: Vehicle) -> float:
    """The share of velocity kept in a step under the drag at a vehicle's position."""
    address = block.memory.scenario_drag
    if address == 0:
        return 1.0
    call = begin_hook(block, number, k, me, block.games.steps[k])
    call_routine(address, (block.scratch.calls,))
    if not 0.0 <= call.number <= LARGEST_ANSWER:
        note_fault(address, block.scratch.calls)
        return 1.0
    return 1.0 / (1.0 + call.number * block.rules.dt)


@routine
def accelerate_in_place(call_at: int, start: int, stop: int, number: int) -> None:
    """`move.accelerate_player` with limits and drag that depend on the place."""
    block = block_at(call_at, start, stop)
    rules, players, is_idle = block.rules, block.players(number), block.columns.is_idle
    side, force, columns = block.side(number), block.force(number), block.columns
    velocities, headings = columns.free_velocity, columns.free_heading
    model, ends = rules.models[side], columns.end_velocity
    for k in range(block.size):
        me = body_at(players, k)
        velocities[k], headings[k], ends[k] = me.velocity, me.heading, me.velocity
        if players.active[k] == 0 or is_idle[k] != 0:
            continue
        me, share = limited(block, number, k, me), _share_kept(block, number, k, me)
        kept, seconds = rules.coasting[side] * share, rules.push_seconds[side] * share
        after, headings[k] = accelerate(model, coast(me, kept), force[k], seconds)
        velocities[k] = ends[k] = after
        if curves(model):
            step = StepUnderDrag(kept, seconds, rules.push_meters[side] * share)
            velocities[k] = mean_velocity(model, me, force[k], step, rules.dt)


@routine
def decide_capture(call_at: int, start: int, stop: int, evader: int) -> None:
    """Sets the minimum distance to 0 where the scenario declares a capture, else infinity."""
    block = block_at(call_at, start, stop)
    rules, scratch, players = block.rules, block.scratch, block.players(evader)
    is_idle, minimum = block.columns.is_idle, block.columns.minimum_distance
    bodies = block.neighbors
    distances = records_at(scratch.seen_square, rules.pursuers, np.float64)
    for k in range(block.size):
        if players.active[k] == 0 or is_idle[k] != 0:
            continue
        me = body_at(players, k)
        for pursuer in range(rules.pursuers):
            theirs = block.body(pursuer, start + k)
            copy_vehicle(theirs, bodies[pursuer])
            bodies[pursuer].position = block.region.image(me.position, theirs.position)
            distances[pursuer] = approach_of(block, pursuer, evader, k)
        call = begin_hook(block, evader, k, me, block.games.steps[k] + 1)
        call.pursuers, call.distances = scratch.neighbors, scratch.seen_square
        call_routine(block.memory.scenario_capture, (block.scratch.calls,))
        if call.number != call.number:  # nan
            note_fault(block.memory.scenario_capture, scratch.calls)
        minimum[k] = 0.0 if call.number > 0.0 else math.inf
