"""The second half of a step: how the forces move a block of players."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import TORUS, glide, move, nearest_offset
from steer_env.game.config import SOLID
from steer_env.game.dynamics import (
    StepUnderDrag,
    accelerate,
    coast,
    curves,
    mean_velocity,
    next_heading,
)
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
    body_at,
    flags,
    force_of,
    integers,
    numbers,
    obstacles_of,
    players_of,
    rules_of,
    step_of,
    vectors,
)
from steer_env.game.rules import EVADER, PURSUER
from steer_env.game.sight import discs_of
from steer_env.machine_code.addresses import call_routine, record_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.steering.vectors import dot, scale, wrap

_TEAMMATES = SOLID.index("teammates")


@compiled_loop
def accelerate_player(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> None:
    """Applies the forces to one player in the games of a block, free of walls."""
    rules, players = rules_of(memory), players_of(memory, number, start, stop)
    side = PURSUER if number < rules.pursuers else EVADER
    model, kept, seconds = rules.models[side], rules.coasting[side], rules.push_seconds[side]
    force = force_of(scratch, number)
    velocities, headings = vectors(scratch.free_velocity), vectors(scratch.free_heading)
    if curves(model):
        _accelerate_along_curve(memory, scratch, number, start, stop, model, side)
    elif kept == 1.0:
        for k in range(stop - start):
            velocity, heading = accelerate(model, body_at(players, k), force[k], seconds)
            velocities[k] = velocity
            headings[k] = heading
    else:  # apart, since it takes a quarter more of the time of a step
        for k in range(stop - start):
            me = coast(body_at(players, k), kept)
            velocity, heading = accelerate(model, me, force[k], seconds)
            velocities[k] = velocity
            headings[k] = heading


@compiled_loop
def _accelerate_along_curve(
    memory: np.record,
    scratch: np.record,
    number: int,
    start: int,
    stop: int,
    model: int,
    side: int,
) -> None:
    """`accelerate_player` for models that `curves`: the free velocity is the mean one."""
    rules, players = rules_of(memory), players_of(memory, number, start, stop)
    kept, seconds, meters = (
        rules.coasting[side],
        rules.push_seconds[side],
        rules.push_meters[side],
    )
    step, dt, force = StepUnderDrag(kept, seconds, meters), rules.dt, force_of(scratch, number)
    velocities, headings = vectors(scratch.free_velocity), vectors(scratch.free_heading)
    ends = vectors(scratch.end_velocity)
    for k in range(stop - start):
        me = body_at(players, k)
        velocities[k] = mean_velocity(model, me, force[k], step, dt)
        ends[k], headings[k] = accelerate(model, coast(me, kept), force[k], seconds)


@compiled_loop
def _end_curve(scratch: np.record, count: int) -> None:
    """Puts the velocities at the end in place of the mean ones, where nothing was touched."""
    velocities, afters = vectors(scratch.free_velocity), vectors(scratch.after)
    ends = vectors(scratch.end_velocity)
    for k in range(count):
        if afters[k] == velocities[k]:
            velocities[k] = ends[k]
            afters[k] = ends[k]


@compiled_loop
def glide_player(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> None:
    """How far one player gets in the games of a block, and at what velocity it ends."""
    rules, players = rules_of(memory), players_of(memory, number, start, stop)
    arena, half_size, dt = rules.arena, rules.half_size, rules.dt
    velocities, afters = vectors(scratch.free_velocity), vectors(scratch.after)
    step = step_of(scratch, number)
    for k in range(stop - start):
        position, radius = players.position[k], players.radius[k]
        end, after = glide(arena, half_size, radius, position, velocities[k], dt)
        step[k] = end - position
        afters[k] = after


@compiled_loop
def find_near_obstacles(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> int:
    """Lists the games in which a player's step may reach an obstacle, and returns how many.

    It cannot if the obstacle is farther away than their radii and the step's length together;
    `move` is `glide` then. A thousandth on top of its square is far beyond rounding. They are
    listed after `glide_player`, in ``members``, counted from the block's first.
    """
    rules, players = rules_of(memory), players_of(memory, number, start, stop)
    count, arena, half_size, dt = stop - start, rules.arena, rules.half_size, rules.dt
    velocities, step = vectors(scratch.free_velocity), step_of(scratch, number)
    reaches, near = numbers(scratch.room), flags(scratch.moves)
    for k in range(count):
        # A wall shortens a step; but it puts those back that rounding has left outside.
        free, slide = scale(velocities[k], dt), step[k]
        reaches[k] = players.radius[k] + math.sqrt(max(dot(free, free), dot(slide, slide)))
        near[k] = 0
    for place in range(memory.obstacles):
        centers, radii = obstacles_of(memory, place, start, stop)
        for k in range(count):
            offset = nearest_offset(arena, half_size, players.position[k], centers[k])
            reach = radii[k] + reaches[k]
            is_far = dot(offset, offset) > 1.001 * reach * reach
            near[k] = near[k] if is_far else 1
    members, found = integers(scratch.members), 0
    for k in range(count):
        members[found] = k
        found += near[k]
    return found


@routine
def move_among_obstacles(
    memory_at: int, scratch_at: int, number: int, start: int, stop: int
) -> None:
    """`glide_player` where there are obstacles; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    glide_player(memory, scratch, number, start, stop)
    found = find_near_obstacles(memory, scratch, number, start, stop)
    rules, players = rules_of(memory), players_of(memory, number, start, stop)
    arena, half_size, dt = rules.arena, rules.half_size, rules.dt
    velocities, afters = vectors(scratch.free_velocity), vectors(scratch.after)
    step, members = step_of(scratch, number), integers(scratch.members)
    for place in range(found):
        k = members[place]
        discs = discs_of(memory, scratch, start + k)
        position, radius = players.position[k], players.radius[k]
        end, after = move(arena, half_size, discs, radius, position, velocities[k], dt)
        step[k] = end - position
        afters[k] = after


@compiled_loop
def finish_motion(
    memory: np.record, scratch: np.record, number: int, start: int, stop: int
) -> None:
    """Writes how one player moves into its columns, where it is active and the game goes on."""
    rules, players = rules_of(memory), players_of(memory, number, start, stop)
    count, arena, half_size = stop - start, rules.arena, rules.half_size
    per_second, step = rules.steps_per_second, step_of(scratch, number)
    velocities, headings = vectors(scratch.free_velocity), vectors(scratch.free_heading)
    afters, moves, still = (vectors(scratch.after), flags(scratch.moves), flags(scratch.still))
    if curves(rules.models[PURSUER if number < rules.pursuers else EVADER]):
        _end_curve(scratch, count)
    for k in range(count):
        moves[k] = players.active[k] != 0 and still[k] == 0
    # Both sides of a choice are read before it is made: then it is a vector instruction.
    for k in range(count):
        after, before, acceleration = afters[k], players.velocity[k], players.acceleration[k]
        change = scale(after - before, per_second)
        players.acceleration[k] = change if moves[k] != 0 else acceleration
        players.velocity[k] = after if moves[k] != 0 else before
    for k in range(count):
        heading, before = headings[k], players.heading[k]
        players.heading[k] = heading if moves[k] != 0 else before
    stopped, found = integers(scratch.members), 0
    for k in range(count):
        stopped[found] = k
        found += 1 if moves[k] != 0 and afters[k] != velocities[k] else 0
    for place in range(found):  # few have come to a wall or an obstacle
        k = stopped[place]
        players.heading[k] = next_heading(headings[k], afters[k])
    for k in range(count):
        whole = step[k]
        step[k] = whole if moves[k] != 0 else 0j
    for k in range(count):
        end = players.position[k] + step[k]
        players.position[k] = wrap(end, half_size) if arena == TORUS else end


@compiled_loop
def move_players(memory: np.record, scratch: np.record, start: int, stop: int) -> None:
    """Moves a block's players for one step: those that are active, in games that go on."""
    for number in range(memory.players):
        accelerate_player(memory, scratch, number, start, stop)
        if memory.obstacles == 0:
            glide_player(memory, scratch, number, start, stop)
        else:
            whose = (memory.address, scratch.address, number, start, stop)
            call_routine(memory.move_among_obstacles, whose)
        finish_motion(memory, scratch, number, start, stop)
    if memory.part_overlapping != 0:
        here = (memory.address, scratch.address, start, stop)
        call_routine(memory.part_overlapping, here)
    if memory.bin_moved_pursuers != 0:
        where = (memory.address, scratch.address, start, stop)
        call_routine(memory.bin_moved_pursuers, where)
