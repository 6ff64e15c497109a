"""Solves two pursuers after one evader on a grid, as `grids` does.

It is a semi-Lagrangian scheme as in `grids.py`: the grid holds the least distance up to the
time t, and the time to capture is when that comes to the capture radius. The evader is at the
origin, the first pursuer at the distance r on the x axis, and the second at (x, y) with y >= 0,
since the other half mirrors this one. In a step the evader moves, then either pursuer, each in
any direction, and each knows how those before it moved.
"""

from __future__ import annotations

import math

import numpy as np
from grids import DIRECTIONS, Numbers, compiled, in_space

NU, RADIUS = 0.5, 0.4
SIZE = 2.5  # of the grid
SECONDS = 2.4  # longer than any of their times


@compiled
def looked_up(values: Numbers, first: complex, second: complex, spacing: float) -> float:
    """The value of a state that is turned and mirrored into the grid."""
    distance = math.hypot(first.real, first.imag)
    if distance > 0.0:
        second = second * first.conjugate() / distance
    row = 1.0 + (second.real + SIZE) / spacing
    return in_space(values, 1.0 + distance / spacing, row, 1.0 + abs(second.imag) / spacing)


@compiled
def best_move(
    values: Numbers, first: complex, second: complex, moves: Numbers, spacing: float
) -> float:
    """The largest value after one of the moves of both, or less the smallest for a sign of -1.

    The moves are the factors of the first and of the second pursuer's displacement, its length,
    and the sign. A sinusoid through the best three directions finds what is in between.
    """
    found, best = np.empty(DIRECTIONS), 0
    for n in range(DIRECTIONS):
        angle = 2.0 * math.pi / DIRECTIONS * n
        move = complex(math.cos(angle), math.sin(angle)) * moves[2]
        moved = first + moves[0] * move, second + moves[1] * move
        found[n] = moves[3] * looked_up(values, moved[0], moved[1], spacing)
        best = n if found[n] > found[best] else best
    before, after = found[best - 1], found[(best + 1) % DIRECTIONS]
    apart = 2.0 * math.pi / DIRECTIONS
    along = (2.0 * found[best] - before - after) / (2.0 - 2.0 * math.cos(apart))
    across = (after - before) / (2.0 * math.sin(apart))
    return moves[3] * (found[best] - along + math.hypot(along, across))


@compiled
def times_to_capture(spacing: float, step: float) -> Numbers:
    """The time to capture by the nodes of the distance r and of x and y, infinite beyond."""
    half = round(SIZE / spacing)
    shape = half + 3, 2 * half + 3, half + 3
    distances = np.empty(shape)
    for c in range(shape[0]):
        for i in range(shape[1]):
            for j in range(shape[2]):
                second = math.hypot((i - 1) * spacing - SIZE, (j - 1) * spacing)
                distances[c, i, j] = min(abs(c - 1) * spacing, second) - RADIUS
    least = distances.copy()
    times = np.where(distances <= 0.0, 0.0, math.inf)
    turns = (
        np.array([-1.0, -1.0, NU * step, 1.0]),  # the evader's, seen from itself
        np.array([1.0, 0.0, step, -1.0]),
        np.array([0.0, 1.0, step, -1.0]),
    )
    for n in range(math.ceil(SECONDS / step)):
        later = least
        for moves in (turns[2], turns[1], turns[0]):  # the last to move is the first backward
            before = np.empty(shape)
            for c in range(shape[0]):
                first = complex((c - 1) * spacing, 0.0)
                for i in range(shape[1]):
                    for j in range(shape[2]):
                        second = complex((i - 1) * spacing - SIZE, (j - 1) * spacing)
                        before[c, i, j] = best_move(later, first, second, moves, spacing)
            later = before
        later = np.minimum(later, distances)
        for c in range(shape[0]):
            for i in range(shape[1]):
                for j in range(shape[2]):
                    old, new = least[c, i, j], later[c, i, j]
                    if new <= 0.0 < old:
                        times[c, i, j] = step * (n + old / (old - new))
        least = later
    return times
