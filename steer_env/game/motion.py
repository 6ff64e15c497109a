"""The second half of a step: how the forces move a block of players."""

from __future__ import annotations

import numpy as np

from steer_env.game.arena import TORUS, glide, move, nearest_offset, wrap
from steer_env.game.config import SOLID
from steer_env.game.dynamics import CAR, POINT_MASS, SIMPLE_MOTION, accelerate, next_heading
from steer_env.game.memory import Scratch, rules_at, scratch_at, state_at
from steer_env.game.state import State, vehicle_at
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.overlap import push_out
from steer_env.steering.vectors import scale

NOBODY, TEAMMATES = SOLID.index("nobody"), SOLID.index("teammates")


@compiled
def discs_of(state: State, k: int, scratch: Scratch) -> np.ndarray:
    """The obstacles of the k-th game, in ``scratch.discs``."""
    for place in range(len(state.center)):
        scratch.discs[place].center = state.center[place, k]
        scratch.discs[place].radius = state.obstacle_radius[place, k]
    return scratch.discs


@compiled
def _move_one(
    state: State,
    number: int,
    k: int,
    model: int,
    force: complex,
    rules: np.record,
    scratch: Scratch,
) -> complex:
    """Moves one player of the k-th game for one step; returns the displacement in meters."""
    arena, half_size, dt = rules.arena, rules.half_size, rules.dt
    me = vehicle_at(state, number, k)
    velocity, heading = accelerate(model, me, force, dt)
    if len(state.center) == 0:
        end, after = glide(arena, half_size, me.radius, me.position, velocity, dt)
    else:
        discs = discs_of(state, k, scratch)
        end, after = move(arena, half_size, discs, me.radius, me.position, velocity, dt)
    step = end - me.position
    end = me.position + step
    turned = next_heading(heading, after)
    state.position[number, k] = wrap(end, half_size) if arena == TORUS else end
    state.velocity[number, k] = after
    state.heading[number, k] = heading if after == velocity else turned
    state.acceleration[number, k] = scale(after - me.velocity, rules.steps_per_second)
    return step


@compiled
def _move_all(
    state: State,
    number: int,
    start: int,
    stop: int,
    model: int,
    rules: np.record,
    scratch: Scratch,
) -> None:
    for k in range(start, stop):
        if state.active[number, k] and not scratch.still[k - start]:
            force = scratch.force[number, k - start]
            scratch.step[number, k - start] = _move_one(
                state, number, k, model, force, rules, scratch
            )
        else:
            scratch.step[number, k - start] = 0j


@compiled
def _shift(
    state: State, number: int, k: int, shift: complex, discs: np.ndarray, rules: np.record
) -> complex:
    """Shifts a body as far as walls and obstacles let it; its velocity stays."""
    start, radius = state.position[number, k], state.radius[number, k]
    velocity = scale(shift, rules.steps_per_second)
    end, _ = move(rules.arena, rules.half_size, discs, radius, start, velocity, rules.dt)
    state.position[number, k] = wrap(end, rules.half_size) if rules.arena == TORUS else end
    return end - start


@compiled_loop
def part_overlapping(
    memory: np.record, scratch_memory: np.record, start: int, stop: int
) -> None:
    """Pushes overlapping solid bodies of a block's games apart, each by half."""
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    arena, half_size = rules.arena, rules.half_size
    for k in range(start, stop):
        if scratch.still[k - start]:
            continue
        discs = discs_of(state, k, scratch)
        for one in range(memory.players):
            for two in range(one + 1, memory.players):
                are_teammates = (one < rules.pursuers) == (two < rules.pursuers)
                play = state.active[one, k] and state.active[two, k]
                if not play or (rules.solid == TEAMMATES and not are_teammates):
                    continue
                offset = nearest_offset(
                    arena, half_size, state.position[two, k], state.position[one, k]
                )
                shift = push_out(offset, state.radius[one, k], 0j, state.radius[two, k])
                if shift != 0j:
                    half = scale(shift, 0.5)
                    moved = _shift(state, one, k, half, discs, rules)
                    scratch.step[one, k - start] += moved
                    moved = _shift(state, two, k, -half, discs, rules)
                    scratch.step[two, k - start] += moved


@compiled_loop
def move_players(memory: np.record, scratch_memory: np.record, start: int, stop: int) -> None:
    """Moves a block's players for one step: those that are active, in games that go on."""
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    for number in range(memory.players):
        model = rules.models[PURSUER if number < rules.pursuers else EVADER]
        # With a constant for the model, the compiler keeps that one and drops the others.
        if model == POINT_MASS:
            _move_all(state, number, start, stop, POINT_MASS, rules, scratch)
        elif model == SIMPLE_MOTION:
            _move_all(state, number, start, stop, SIMPLE_MOTION, rules, scratch)
        else:
            _move_all(state, number, start, stop, CAR, rules, scratch)
    if rules.solid != NOBODY:
        part_overlapping(memory, scratch_memory, start, stop)
