"""The value of one zero-sum matrix game, and strategies that guarantee it.

The row player pays an entry of a matrix to the column player; each chooses its index without
knowing the other's. If no entry is a saddle point, the best strategies are mixed. A linear
program finds them (von Neumann and Morgenstern 1944), here by the simplex method: each step
goes where the gain is largest (Dantzig's rule), and after many steps by Bland's rule, which
cannot go in circles.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_array
from steer_env.steering.compilation import compiled_entrance, compiled_loop

Numbers = NDArray[np.float64]

TOGETHER, ROW_FIRST, COLUMN_FIRST = 0, 1, 2
"""Who knows whose action: nobody; the column player; the row player."""

_LEAST = 1e-13  # a pivot or a gain below it is rounding; entries are scaled to [1, 2]
_BY_LARGEST_GAIN = 20  # times the actions of both: so many steps until Bland's rule
_MOST_PIVOTS = 200  # likewise: Bland's rule ends by itself; rounding might not let it
_LARGEST = 1e150  # an entry, so that differences are finite

TABLE = types.Array(types.float64, 2, "C")
INTEGERS = types.Array(types.int64, 1, "C")


@compiled_loop
def _pivot(tableau: Numbers, basic: Any, free: Any, by_largest_gain: bool) -> bool:
    """One step of the simplex method; returns whether there was one to make."""
    rows, columns = len(basic), len(free)
    column = -1
    for j in range(columns):
        if tableau[rows, j] >= -_LEAST:
            continue
        if column < 0 or (
            tableau[rows, j] < tableau[rows, column]
            if by_largest_gain
            else free[j] < free[column]
        ):
            column = j
    if column < 0:
        return False
    row, least = -1, math.inf
    for i in range(rows):
        if tableau[i, column] > _LEAST:
            ratio = tableau[i, columns] / tableau[i, column]
            if ratio < least or (ratio == least and basic[i] < basic[row]):
                row, least = i, ratio
    if row < 0:
        return False
    pivot = tableau[row, column]
    for j in range(columns + 1):
        if j != column:
            tableau[row, j] /= pivot
    for i in range(rows + 1):
        if i != row:
            factor = tableau[i, column]
            for j in range(columns + 1):
                if j != column:
                    tableau[i, j] -= factor * tableau[row, j]
            tableau[i, column] = -factor / pivot
    tableau[row, column] = 1.0 / pivot
    basic[row], free[column] = free[column], basic[row]
    return True


@compiled_loop
def saddle(
    costs: Numbers, order: int, tableau: Numbers, basic: Any, free: Any, mixes: Numbers
) -> float:
    """The value of one matrix game.

    Args:
        costs: (A, B); the row player wants them low.
        order: TOGETHER, ROW_FIRST or COLUMN_FIRST.
        tableau: (B + 1, A + 1), to work in.
        basic: (B,), likewise.
        free: (A,), likewise.
        mixes: (2, A or B, the larger), written: both players' probabilities.

    Returns:
        The value; nan if rounding kept the simplex method from ending.
    """
    rows, columns = costs.shape
    upper, lower, best_row, best_column = math.inf, -math.inf, 0, 0
    highest, lowest = -math.inf, math.inf
    for a in range(rows):
        worst = -math.inf
        for b in range(columns):
            worst = max(worst, costs[a, b])
            lowest = min(lowest, costs[a, b])
        highest = max(highest, worst)
        if worst < upper:
            upper, best_row = worst, a
    for b in range(columns):
        least = math.inf
        for a in range(rows):
            least = min(least, costs[a, b])
        if least > lower:
            lower, best_column = least, b
    for k in range(mixes.shape[1]):
        mixes[0, k] = 0.0
        mixes[1, k] = 0.0
    mixes[0, best_row] = 1.0
    mixes[1, best_column] = 1.0
    if order == ROW_FIRST or lower >= upper:
        return upper
    if order == COLUMN_FIRST:
        return lower
    # With u = x / value the row player's program is: maximize sum u, entries' u <= 1, u >= 0.
    spread = highest - lowest
    for b in range(columns):
        basic[b] = rows + b
        tableau[b, rows] = 1.0
        for a in range(rows):
            tableau[b, a] = 1.0 + (costs[a, b] - lowest) / spread
    for a in range(rows):
        free[a] = a
        tableau[columns, a] = -1.0
    tableau[columns, rows] = 0.0
    pivots, is_solved = 0, False
    while not is_solved and pivots < _MOST_PIVOTS * (rows + columns):
        by_largest_gain = pivots < _BY_LARGEST_GAIN * (rows + columns)
        is_solved = not _pivot(tableau, basic, free, by_largest_gain)
        pivots += 1
    if not is_solved:
        return math.nan
    value = 1.0 / float(tableau[columns, rows])
    mixes[0, best_row] = 0.0
    mixes[1, best_column] = 0.0
    for b in range(columns):
        if basic[b] < rows:
            mixes[0, basic[b]] = value * tableau[b, rows]
    for a in range(rows):
        if free[a] >= rows:
            mixes[1, free[a] - rows] = value * tableau[columns, a]
    return lowest + (value - 1.0) * spread


@compiled_entrance(types.float64(TABLE, TABLE, INTEGERS, INTEGERS, TABLE))
def _solve_matrix(
    costs: Numbers, tableau: Numbers, basic: Any, free: Any, mixes: Numbers
) -> float:
    value: float = saddle(costs, TOGETHER, tableau, basic, free, mixes)
    return value


def space_of(rows: int, columns: int) -> tuple[Numbers, Any, Any, Numbers]:
    """What `saddle` works in."""
    return (
        np.zeros((columns + 1, rows + 1)),
        np.zeros(columns, np.int64),
        np.zeros(rows, np.int64),
        np.zeros((2, max(rows, columns))),
    )


class MatrixValue(NamedTuple):
    """The value of a matrix game and strategies that guarantee it."""

    value: float
    row: Numbers  # (A,), the probabilities of the row player's actions
    column: Numbers  # (B,)


def matrix_game(costs: Any) -> MatrixValue:
    """Solves one zero-sum matrix game.

    Args:
        costs: (A, B); what the row player pays to the column player.

    Raises:
        InvalidType: for anything but real numbers.
        InvalidValue: for numbers that are not finite or beyond 1e150, another shape, or a
            matrix so large that rounding keeps the method from ending.

    Example:
        >>> matrix_game([[1.0, -1.0], [-1.0, 1.0]]).value  # matching pennies
        0.0
    """
    array = np.ascontiguousarray(check_array("costs", costs), np.float64)
    if array.ndim != 2 or array.size == 0:
        raise InvalidValue(f"costs must have the shape (A, B), got {array.shape}")
    if not (np.abs(array) <= _LARGEST).all():
        raise InvalidValue(f"costs must be finite, and within -{_LARGEST:g} and {_LARGEST:g}")
    space = space_of(*array.shape)
    value = float(_solve_matrix.call(array, *space))
    if math.isnan(value):
        raise InvalidValue(
            f"a matrix game of {array.shape[0]} by {array.shape[1]} actions is too large here"
        )
    return MatrixValue(
        value, space[3][0, : array.shape[0]].copy(), space[3][1, : array.shape[1]].copy()
    )
