"""Solid bodies: which push each other, and how those that overlap are parted."""

from __future__ import annotations

import numpy as np

from steer_env.game.arena import ROUNDING, TORUS, move, nearest_offset
from steer_env.game.config import SOLID
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
    flags,
    integers,
    numbers,
    player_at,
    rules_of,
    step_of,
)
from steer_env.game.sight import discs_of
from steer_env.machine_code.addresses import call_routine, column, record_at
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.overlap import push_out
from steer_env.steering.vectors import norm, scale, wrap

MOST_PASSES = 30
"""Over all pairs of a game's bodies, to part them in one step."""

_ZEAL = 1.3  # from the second pass on: shifts that just do take ever smaller ones in a row

NOBODY, _TEAMMATES = SOLID.index("nobody"), SOLID.index("teammates")


@compiled
def are_solid(one: int, two: int, rules: np.record) -> bool:
    """Whether two players push each other apart where they overlap."""
    are_teammates = (one < rules.pursuers) == (two < rules.pursuers)
    return rules.solid != NOBODY and (rules.solid != _TEAMMATES or are_teammates)


@compiled
def _push_out(
    memory: np.record, one: int, two: int, k: int, first_step: complex, second_step: complex
) -> complex:
    """The shift that takes a player's body out of another's; 0 if they do not overlap.

    Bodies that do not push each other, or are not in play, do not; nor do those that overlap by
    what rounding leaves.

    Args:
        memory: of the engine.
        one: the number of the player.
        two: the number of the other.
        k: of the game.
        first_step: where the player was before it, in meters; 0 for where it is.
        second_step: the same of the other.
    """
    rules = rules_of(memory)
    first, second = player_at(memory, one, k), player_at(memory, two, k)
    both_play = first.active[0] != 0 and second.active[0] != 0
    if not (both_play and are_solid(one, two, rules)):
        return 0j
    from_here, to_here = second.position[0] - second_step, first.position[0] - first_step
    offset = nearest_offset(rules.arena, rules.half_size, from_here, to_here)
    shift = push_out(offset, first.radius[0], 0j, second.radius[0])
    return shift if norm(shift) > ROUNDING else 0j


@compiled
def _bin(memory: np.record, scratch: np.record, k: int) -> None:
    """Makes the grids of a game, if it has any, of where the bodies are now."""
    if memory.find_partner != 0:
        call_routine(memory.bin_players, (memory.address, scratch.address, k, k + 1))
        binned_at = column(scratch.binned_at, 0, memory.players, np.complex128)
        for number in range(memory.players):
            binned_at[number] = player_at(memory, number, k).position[0]
        numbers(scratch.drift)[0] = 0.0


@compiled
def _note_shift(
    memory: np.record, scratch: np.record, number: int, k: int, rules: np.record
) -> None:
    """Notes how far a body is from where its grid has it."""
    here, drift = player_at(memory, number, k).position[0], numbers(scratch.drift)
    binned_at = column(scratch.binned_at, 0, memory.players, np.complex128)[number]
    offset = nearest_offset(rules.arena, rules.half_size, binned_at, here)
    drift[0] = max(drift[0], norm(offset))


@compiled
def _next_partner(memory: np.record, scratch: np.record, one: int, after: int, k: int) -> int:
    """The next player that a body may overlap; the number of players if there is none.

    By the grids it leaves out those that are too far away, see `neighbors`; a body that has
    been shifted meets others than before, so it is asked for anew for every pair.
    """
    if memory.find_partner == 0:
        return after + 1
    call_routine(memory.find_partner, (memory.address, scratch.address, one, after, k))
    return integers(scratch.found)[0]


@compiled
def _shift(
    memory: np.record,
    scratch: np.record,
    number: int,
    start: int,
    k: int,
    shift: complex,
    discs: np.ndarray,
    rules: np.record,
) -> None:
    """Shifts a body as far as walls and obstacles let it; its velocity stays."""
    player, arena, half_size = player_at(memory, number, k), rules.arena, rules.half_size
    place, velocity = player.position[0], scale(shift, rules.steps_per_second)
    end, _ = move(arena, half_size, discs, player.radius[0], place, velocity, rules.dt)
    player.position[0] = wrap(end, half_size) if arena == TORUS else end
    step_of(scratch, number)[k - start] += end - place
    if memory.find_partner != 0:
        _note_shift(memory, scratch, number, k, rules)


@compiled
def _part_pair(
    memory: np.record,
    scratch: np.record,
    one: int,
    two: int,
    start: int,
    k: int,
    zeal: float,
    discs: np.ndarray,
    rules: np.record,
) -> bool:
    """Parts two bodies, each by half if it can; returns whether they overlapped.

    The shifts are ``zeal`` times as long as they need to be.
    """
    shift = _push_out(memory, one, two, k, 0j, 0j)
    if shift == 0j:
        return False
    _shift(memory, scratch, one, start, k, scale(shift, 0.5 * zeal), discs, rules)
    # What a wall or an obstacle keeps one from doing is left to the other.
    rest = _push_out(memory, one, two, k, 0j, 0j)
    _shift(memory, scratch, two, start, k, scale(rest, -zeal), discs, rules)
    rest = _push_out(memory, one, two, k, 0j, 0j)
    if rest != 0j:
        _shift(memory, scratch, one, start, k, rest, discs, rules)
    return True


@compiled
def _part_pairs(
    memory: np.record, scratch: np.record, start: int, k: int, zeal: float, discs: np.ndarray
) -> bool:
    """Parts every overlapping pair of a game once; returns whether there was any."""
    rules, overlapped = rules_of(memory), False
    _bin(memory, scratch, k)
    for one in range(memory.players):
        two = _next_partner(memory, scratch, one, one, k)
        while two < memory.players:
            if _part_pair(memory, scratch, one, two, start, k, zeal, discs, rules):
                overlapped = True
            two = _next_partner(memory, scratch, one, two, k)
    return overlapped


@compiled
def _should_go_back(
    memory: np.record, scratch: np.record, one: int, two: int, start: int, k: int
) -> bool:
    """Whether two bodies overlap, and did not before the step."""
    if _push_out(memory, one, two, k, 0j, 0j) == 0j:
        return False
    first, second = step_of(scratch, one)[k - start], step_of(scratch, two)[k - start]
    moved = first != 0j or second != 0j
    return moved and _push_out(memory, one, two, k, first, second) == 0j


@compiled
def _hold_back(memory: np.record, scratch: np.record, start: int, k: int) -> bool:
    """Takes back the steps of bodies that overlap since then; returns whether any was."""
    rules, took = rules_of(memory), False
    _bin(memory, scratch, k)
    for one in range(memory.players):
        two = _next_partner(memory, scratch, one, one, k)
        while two < memory.players:
            if _should_go_back(memory, scratch, one, two, start, k):
                took = True
                for number in (one, two):
                    player, step = player_at(memory, number, k), step_of(scratch, number)
                    before = player.position[0] - step[k - start]
                    is_torus = rules.arena == TORUS
                    player.position[0] = wrap(before, rules.half_size) if is_torus else before
                    step[k - start] = 0j
                    if memory.find_partner != 0:
                        _note_shift(memory, scratch, number, k, rules)
            two = _next_partner(memory, scratch, one, two, k)
    return took


@routine
def part_overlapping(memory_at: int, scratch_at: int, start: int, stop: int) -> None:
    """Pushes overlapping solid bodies of a block's games apart, each by half; a routine.

    Parting two may push one into a third, so all pairs are gone over until none overlaps. In a
    crush that `MOST_PASSES` do not part, bodies that overlap stay where they were before the
    step, and so do those that would overlap them there: then none does, if none did before.
    """
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    still = flags(scratch.still)
    for k in range(start, stop):
        if still[k - start] != 0:
            continue
        discs, passes = discs_of(memory, scratch, k), 0
        while passes < MOST_PASSES and _part_pairs(
            memory, scratch, start, k, _ZEAL if passes > 0 else 1.0, discs
        ):
            passes += 1
        while passes == MOST_PASSES and _hold_back(memory, scratch, start, k):
            pass
