"""What a player sees of the obstacles: the last blocks of its observation, nearest first."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import nearest_offset
from steer_env.game.features import OBSTACLE_SIZE, place_of
from steer_env.game.memory import BLOCK, MEMORY, SCRATCH, obstacles_of, players_of, rules_of
from steer_env.game.observation import scales_of, shrink
from steer_env.game.state import Integers, Numbers
from steer_env.machine_code.addresses import column, record_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import dot

_PRESENCE = place_of("obstacle", "presence")
_OFFSET = place_of("obstacle", "offset_forward")
_RADIUS = place_of("obstacle", "radius")

_FEW = 8
"""Up to as many obstacles are compared in pairs."""


@compiled
def _features(scratch: np.record, place: int) -> np.ndarray:
    size = OBSTACLE_SIZE * BLOCK
    return column(scratch.disc_features, place * size, size, np.float32)


@compiled
def _ranks(scratch: np.record, place: int) -> Integers:
    return column(scratch.disc_ranks, place * BLOCK, BLOCK, np.int64)


@compiled
def _squares(scratch: np.record, place: int) -> Numbers:
    return column(scratch.disc_squares, place * BLOCK, BLOCK, np.float64)


@compiled_loop
def encode_obstacle(
    memory: np.record, scratch: np.record, me: int, place: int, start: int, stop: int
) -> None:
    """Writes how a player sees an obstacle into the thread's columns of this obstacle.

    They are its features, 0 in games that lack it, and the square of its distance, infinite
    there.
    """
    rules, mine = rules_of(memory), players_of(memory, me, start, stop)
    arena, half_size, scales = rules.arena, rules.half_size, scales_of(rules)
    centers, radii = obstacles_of(memory, place, start, stop)
    squares = _squares(scratch, place)
    features = _features(scratch, place)
    for k in range(stop - start):
        radius, own_frame = radii[k], mine.heading[k].conjugate()
        offset = nearest_offset(arena, half_size, mine.position[k], centers[k])
        share, square = shrink(arena, offset * own_frame, scales.offset), dot(offset, offset)
        size, is_there = radius * scales.obstacle, radius > 0.0
        squares[k] = square if is_there else math.inf
        features[_PRESENCE * BLOCK + k] = 1.0 if is_there else 0.0
        features[_OFFSET * BLOCK + k] = share.real if is_there else 0.0
        features[(_OFFSET + 1) * BLOCK + k] = share.imag if is_there else 0.0
        features[_RADIUS * BLOCK + k] = size if is_there else 0.0


@compiled_loop
def rank_obstacles(memory: np.record, scratch: np.record, count: int) -> None:
    """Writes how many obstacles of each game come before each: those nearer to the player.

    Of several as near, it is those that stand before it. All pairs are compared, many games at
    a time, which is the fastest for a few obstacles.
    """
    for place in range(memory.obstacles):
        mine, ranks = _squares(scratch, place), _ranks(scratch, place)
        for k in range(count):
            ranks[k] = 0
        for other in range(memory.obstacles):
            theirs = _squares(scratch, other)
            if other < place:
                for k in range(count):
                    ranks[k] += 1 if theirs[k] <= mine[k] else 0
            else:
                for k in range(count):
                    ranks[k] += 1 if theirs[k] < mine[k] else 0


@compiled_loop
def sort_obstacles(memory: np.record, scratch: np.record, count: int) -> None:
    """`rank_obstacles` by insertion, one game at a time, which is faster for many of them."""
    obstacles = memory.obstacles
    squares = column(scratch.disc_squares, 0, obstacles * BLOCK, np.float64)
    ranks = column(scratch.disc_ranks, 0, obstacles * BLOCK, np.int64)
    order = column(scratch.disc_order, 0, obstacles, np.int64)
    for k in range(count):
        for place in range(obstacles):
            square, rank = squares[place * BLOCK + k], place
            while rank > 0 and square < squares[order[rank - 1] * BLOCK + k]:
                order[rank] = order[rank - 1]
                rank -= 1
            order[rank] = place
        for rank in range(obstacles):
            ranks[order[rank] * BLOCK + k] = rank


@routine
def observe_obstacles(
    memory_at: int, scratch_at: int, me: int, start: int, stop: int, rows_at: int, stride: int
) -> None:
    """Writes the obstacles' blocks of one player's observations in a block of games; a routine.

    ``rows_at`` is that of the first game's first block of an obstacle, in float32, and
    ``stride`` leads from one observation to the next.
    """
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    count, size = stop - start, memory.obstacles * OBSTACLE_SIZE
    rows = column(rows_at, 0, (count - 1) * stride + size, np.float32)
    for place in range(memory.obstacles):
        encode_obstacle(memory, scratch, me, place, start, stop)
    if memory.obstacles <= _FEW:
        rank_obstacles(memory, scratch, count)
    else:
        sort_obstacles(memory, scratch, count)
    for place in range(memory.obstacles):
        features, ranks = _features(scratch, place), _ranks(scratch, place)
        for k in range(count):
            first = k * stride + ranks[k] * OBSTACLE_SIZE
            for feature in range(OBSTACLE_SIZE):
                rows[first + feature] = features[feature * BLOCK + k]
