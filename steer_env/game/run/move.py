"""The second half of a step: `move_players` by their forces, then `part_overlapping` bodies."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from steer_env.game.config import SOLID
from steer_env.game.dynamics import (
    StepUnderDrag,
    accelerate,
    coast,
    curves,
    mean_velocity,
    next_heading,
)
from steer_env.game.region import ROUNDING
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.machine_code.addresses import call_routine
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.overlap import push_out
from steer_env.steering.sliding import slide
from steer_env.steering.vectors import dot, norm, scale

MOST_PASSES = 30
"""Over all pairs of a game's bodies, to part them in one step."""

_OVERRELAXATION = 1.3  # from the second pass on: exact shifts converge slowly in a row

NOBODY, _TEAMMATES = SOLID.index("nobody"), SOLID.index("teammates")


@compiled_loop
def accelerate_player(block: Block, number: int) -> None:
    """Applies forces to one player, free of walls, with mean velocities if it `curves`."""
    rules, players = block.rules, block.players(number)
    side, force, columns = block.side(number), block.force(number), block.columns
    model, kept, seconds = rules.models[side], rules.coasting[side], rules.push_seconds[side]
    velocities, headings = columns.free_velocity, columns.free_heading
    if curves(model):
        ends, dt = columns.end_velocity, rules.dt
        step = StepUnderDrag(kept, seconds, rules.push_meters[side])
        for k in range(block.size):
            me = body_at(players, k)
            velocities[k] = mean_velocity(model, me, force[k], step, dt)
            ends[k], headings[k] = accelerate(model, coast(me, kept), force[k], seconds)
    elif kept == 1.0:
        for k in range(block.size):
            velocity, heading = accelerate(model, body_at(players, k), force[k], seconds)
            velocities[k] = velocity
            headings[k] = heading
    else:  # apart, since it takes a quarter more of the time of a step
        for k in range(block.size):
            me = coast(body_at(players, k), kept)
            velocity, heading = accelerate(model, me, force[k], seconds)
            velocities[k] = velocity
            headings[k] = heading


@compiled_loop
def _end_curve(block: Block, count: int) -> None:
    """Replaces mean velocities by end velocities where nothing was touched."""
    velocities, afters = block.columns.free_velocity, block.columns.after
    ends = block.columns.end_velocity
    for k in range(count):
        if afters[k] == velocities[k]:
            velocities[k] = ends[k]
            afters[k] = ends[k]


@compiled_loop
def glide_player(block: Block, number: int) -> None:
    """Writes the step of one player in the games of a block, and its velocity after it."""
    rules, players = block.rules, block.players(number)
    region, dt = block.region, rules.dt
    velocities, afters = block.columns.free_velocity, block.columns.after
    step = block.step(number)
    for k in range(block.size):
        position, radius = players.position[k], players.radius[k]
        end, after = region.glide(radius, position, velocities[k], dt)
        step[k] = end - position
        afters[k] = after


@compiled_loop
def mark_near_obstacles(block: Block, number: int) -> None:
    """Marks in ``moves`` the games in which a step may reach an obstacle.

    Elsewhere the distance exceeds both radii and the step's length, with a margin far beyond
    rounding, and `Region.move` equals `glide`.
    """
    rules, players = block.rules, block.players(number)
    count, region, dt = block.size, block.region, rules.dt
    velocities, step = block.columns.free_velocity, block.step(number)
    reaches, near = block.columns.room, block.columns.moves
    for k in range(count):
        # A wall shortens a step; but it puts those back that rounding has left outside.
        free, slide = scale(velocities[k], dt), step[k]
        reaches[k] = players.radius[k] + math.sqrt(max(dot(free, free), dot(slide, slide)))
        near[k] = 0
    for place in range(block.memory.obstacles):
        centers, radii = block.obstacles(place)
        for k in range(count):
            offset = region.offset(players.position[k], centers[k])
            reach = radii[k] + reaches[k]
            is_far = dot(offset, offset) > 1.001 * reach * reach
            near[k] = near[k] if is_far else 1


@compiled_loop
def list_marked(block: Block) -> int:
    """Lists in ``members``, and counts, the games that ``moves`` marks."""
    members, near, found = block.columns.members, block.columns.moves, 0
    for k in range(block.size):
        members[found] = k
        found += near[k]
    return found


@routine
def move_among_obstacles(call_at: int, start: int, stop: int, number: int) -> None:
    """`glide_player` where there are obstacles."""
    block = block_at(call_at, start, stop)
    glide_player(block, number)
    mark_near_obstacles(block, number)
    found = list_marked(block)
    rules, players = block.rules, block.players(number)
    region, dt = block.region, rules.dt
    velocities, afters = block.columns.free_velocity, block.columns.after
    step, members = block.step(number), block.columns.members
    for place in range(found):
        k = members[place]
        discs = block.discs(block.start + k)
        position, radius = players.position[k], players.radius[k]
        end, after = region.move(discs, radius, position, velocities[k], dt)
        step[k] = end - position
        afters[k] = after


@compiled_loop
def finish_motion(block: Block, number: int) -> None:
    """Writes the motion of one active player into its columns, in games that go on."""
    rules, columns, players = block.rules, block.columns, block.players(number)
    count, region = block.size, block.region
    per_second, step = rules.steps_per_second, block.step(number)
    velocities, headings = columns.free_velocity, columns.free_heading
    afters, moves, is_idle = columns.after, columns.moves, columns.is_idle
    if curves(rules.models[block.side(number)]):
        _end_curve(block, count)
    for k in range(count):
        moves[k] = players.active[k] != 0 and is_idle[k] == 0
    # Both sides of a choice are read before it is made: then it is a vector instruction.
    for k in range(count):
        after, before, acceleration = afters[k], players.velocity[k], players.acceleration[k]
        change = scale(after - before, per_second)
        players.acceleration[k] = change if moves[k] != 0 else acceleration
        players.velocity[k] = after if moves[k] != 0 else before
    for k in range(count):
        heading, before = headings[k], players.heading[k]
        players.heading[k] = heading if moves[k] != 0 else before
    stopped, found = columns.members, 0
    for k in range(count):
        stopped[found] = k
        found += 1 if moves[k] != 0 and afters[k] != velocities[k] else 0
    if block.memory.scenario_motion != 0:
        found = 0  # a scenario's vehicles face where it says
    for place in range(found):  # few have come to a wall or an obstacle
        k = stopped[place]
        players.heading[k] = next_heading(headings[k], afters[k])
    for k in range(count):
        whole = step[k]
        step[k] = whole if moves[k] != 0 else 0j
    for k in range(count):
        end = players.position[k] + step[k]
        players.position[k] = region.wrap(end)


@compiled_loop
def move_players(block: Block) -> None:
    """Moves a block's active players for one step, except in idle games."""
    for number in range(block.memory.players):
        if block.memory.accelerate_in_place != 0:
            call_routine(block.memory.accelerate_in_place, (*block.numbers, number))
        else:
            accelerate_player(block, number)
        if block.memory.move_among_obstacles == 0:
            glide_player(block, number)
        else:
            call_routine(block.memory.move_among_obstacles, (*block.numbers, number))
        finish_motion(block, number)


@routine
def hold_pursuers(call_at: int, start: int, stop: int) -> None:
    """Keeps the pursuers at rest in the head start of the evaders."""
    block = block_at(call_at, start, stop)
    rules, steps = block.rules, block.games.steps
    for number in range(rules.pursuers):
        velocities, force = block.players(number).velocity, block.force(number)
        for k in range(block.size):
            if steps[k] < rules.steps_of_head_start:
                force[k] = velocities[k] = 0j


@compiled
def are_solid(one: int, two: int, rules: np.record) -> bool:
    """Returns whether two players push each other apart where they overlap."""
    are_teammates = (one < rules.pursuers) == (two < rules.pursuers)
    return rules.solid != NOBODY and (rules.solid != _TEAMMATES or are_teammates)


@compiled
def _push_out(
    block: Block, one: int, two: int, k: int, first_step: complex, second_step: complex
) -> complex:
    """The shift that takes a player's body out of another's, 0 if they do not overlap.

    It is 0 as well for bodies that are not solid, not in play, or overlap by rounding only. The
    steps are subtracted from the positions: 0 for the present ones.
    """
    first, second = block.player(one, k), block.player(two, k)
    both_play = first.active[0] != 0 and second.active[0] != 0
    if not (both_play and are_solid(one, two, block.rules)):
        return 0j
    from_here, to_here = second.position[0] - second_step, first.position[0] - first_step
    offset = block.region.offset(from_here, to_here)
    shift = push_out(offset, first.radius[0], 0j, second.radius[0])
    return shift if norm(shift) > ROUNDING else 0j


@compiled
def _bin(block: Block, k: int) -> None:
    """Rebuilds the grids of a game."""
    if block.memory.find_partner != 0:
        call_routine(block.memory.bin_players, (block.call_at, k, k + 1))
        binned_at = block.columns.binned_at
        for number in range(block.memory.players):
            binned_at[number] = block.player(number, k).position[0]
        block.columns.drift[0] = 0.0


@compiled
def _note_shift(block: Block, number: int, k: int) -> None:
    """Notes the distance of a body from its place in the grid."""
    here, drift = block.player(number, k).position[0], block.columns.drift
    binned_at = block.columns.binned_at[number]
    drift[0] = max(drift[0], norm(block.region.offset(binned_at, here)))


@compiled
def _next_partner(block: Block, one: int, after: int, k: int) -> int:
    """The next player that a body may overlap after all shifts, or the number of players."""
    if block.memory.find_partner == 0:
        return after + 1
    call_routine(block.memory.find_partner, (block.call_at, k, k + 1, one, after))
    return block.columns.neighbor_result[0]


@compiled
def _shift(block: Block, number: int, k: int, shift: complex, discs: np.ndarray) -> None:
    """Shifts a body as far as walls and obstacles let it, without changing its velocity."""
    rules, player = block.rules, block.player(number, k)
    place, velocity = player.position[0], scale(shift, rules.steps_per_second)
    radius = player.radius[0]
    if block.memory.num_maps > 0:
        end, _ = slide(block.walls(k), discs, radius, place, velocity, rules.dt)
    else:
        end, _ = block.region.move(discs, radius, place, velocity, rules.dt)
    player.position[0] = block.region.wrap(end)
    block.step(number)[k - block.start] += end - place
    if block.memory.find_partner != 0:
        _note_shift(block, number, k)


@compiled
def _part_pair(
    block: Block, one: int, two: int, k: int, relaxation: float, discs: np.ndarray
) -> bool:
    """Parts two bodies by shifts ``relaxation`` times as long as needed, each by half.

    Returns False if they did not overlap.
    """
    shift = _push_out(block, one, two, k, 0j, 0j)
    if shift == 0j:
        return False
    _shift(block, one, k, scale(shift, 0.5 * relaxation), discs)
    # What a wall or an obstacle keeps one from doing is left to the other.
    rest = _push_out(block, one, two, k, 0j, 0j)
    _shift(block, two, k, scale(rest, -relaxation), discs)
    rest = _push_out(block, one, two, k, 0j, 0j)
    if rest != 0j:
        _shift(block, one, k, rest, discs)
    return True


@compiled
def _take_back_pair(
    block: Block, one: int, two: int, k: int, relaxation: float, discs: np.ndarray
) -> bool:
    """Takes back the steps of two bodies that overlap because of them, or returns False."""
    if _push_out(block, one, two, k, 0j, 0j) == 0j:
        return False
    first, second = block.step(one)[k - block.start], block.step(two)[k - block.start]
    moved = first != 0j or second != 0j
    if not (moved and _push_out(block, one, two, k, first, second) == 0j):
        return False
    for number in (one, two):
        player, step = block.player(number, k), block.step(number)
        before = player.position[0] - step[k - block.start]
        player.position[0] = block.region.wrap(before)
        step[k - block.start] = 0j
        if block.memory.find_partner != 0:
            _note_shift(block, number, k)
    return True


@compiled
def _treat_pairs(
    block: Block, k: int, treat: Callable[..., bool], relaxation: float, discs: np.ndarray
) -> bool:
    """Treats every pair that may overlap once, and returns False if none needed it."""
    was_needed = False
    _bin(block, k)
    for one in range(block.memory.players):
        two = _next_partner(block, one, one, k)
        while two < block.memory.players:
            if treat(block, one, two, k, relaxation, discs):
                was_needed = True
            two = _next_partner(block, one, two, k)
    return was_needed


@routine
def part_overlapping(call_at: int, start: int, stop: int) -> None:
    """Pushes overlapping solid bodies of a block's games apart, each by half.

    Passes over all pairs repeat until none overlaps. After `MOST_PASSES`, bodies that overlap
    return to their places before the step, and so do bodies that would overlap them there.
    """
    block = block_at(call_at, start, stop)
    is_idle = block.columns.is_idle
    for k in range(block.start, block.stop):
        if is_idle[k - block.start] != 0:
            continue
        discs, passes, relaxation = block.discs(k), 0, 1.0
        while passes < MOST_PASSES and _treat_pairs(block, k, _part_pair, relaxation, discs):
            passes += 1
            relaxation = _OVERRELAXATION
        while passes == MOST_PASSES and _treat_pairs(block, k, _take_back_pair, 1.0, discs):
            pass
