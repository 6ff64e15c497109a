"""Finite zero-sum Markov games (Shapley 1953), and their values by value iteration.

In every state the row player chooses one of its actions and the column player one of its own,
both at once. That has a cost, which the row player pays and the column player wants to be
high, and leads to one of several next states, each with its probability. The game ends in a
terminal state. Costs are added up, not discounted. With V the value of the states,

    V(s) = value of the matrix game with the entries cost(s, a, b) + E[V(s') | s, a, b].

The value of a matrix game is that of mixed strategies. If the row player has to move first, and
the column player knows its action, it is min over a, max over b: the upper value. The other way
round it is the lower value. Where both are equal, the game has a saddle point in pure
strategies. Otherwise a linear program gives the value, here by the simplex method with Bland's
rule, which is quick for so few actions.

Value iteration starts with 0, so that the values after k sweeps are those of a game that ends
after k steps, and they rise toward those of the endless game if no cost is negative. They may
rise forever; so the row player may give up in any state, for a cost of ``cap``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_array, check_integer, check_number
from steer_env.steering.compilation import compiled_entrance, compiled_loop

Numbers = NDArray[np.float64]

TOGETHER, ROW_FIRST, COLUMN_FIRST = 0, 1, 2
"""Who knows whose action: nobody; the column player; the row player."""

MOST_SWEEPS = 100_000
_LEAST = 1e-13  # a pivot or a gain below it is rounding; entries are scaled to [1, 2]
_MOST_PIVOTS = 1000  # Bland's rule ends by itself; rounding might not let it

_TABLE = types.Array(types.float64, 2, "C")
_ROW = types.Array(types.float64, 1, "C")
_INTEGERS = types.Array(types.int64, 1, "C")
_GAME = (
    types.Array(types.int32, 4, "C", readonly=True),
    types.Array(types.float64, 4, "C", readonly=True),
    types.Array(types.float64, 3, "C", readonly=True),
    types.Array(types.uint8, 1, "C", readonly=True),
)


# ---- One matrix game ----------------------------------------------------------------------


@compiled_loop
def _pivot(tableau: Numbers, basic: Any, free: Any) -> bool:
    """One step of the simplex method; returns whether there was one to make."""
    rows, columns = len(basic), len(free)
    column = -1
    for j in range(columns):
        gains = tableau[rows, j] < -_LEAST
        if gains and (column < 0 or free[j] < free[column]):
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
def _saddle(
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
    for _ in range(_MOST_PIVOTS):
        if not _pivot(tableau, basic, free):
            break
    value = 1.0 / tableau[columns, rows]
    mixes[0, best_row] = 0.0
    mixes[1, best_column] = 0.0
    for b in range(columns):
        if basic[b] < rows:
            mixes[0, basic[b]] = value * tableau[b, rows]
    for a in range(rows):
        if free[a] >= rows:
            mixes[1, free[a] - rows] = value * tableau[columns, a]
    return lowest + (value - 1.0) * spread


@compiled_entrance(types.float64(_TABLE, _TABLE, _INTEGERS, _INTEGERS, _TABLE))
def _solve_matrix(
    costs: Numbers, tableau: Numbers, basic: Any, free: Any, mixes: Numbers
) -> float:
    return _saddle(costs, TOGETHER, tableau, basic, free, mixes)


def _space(rows: int, columns: int) -> tuple[Numbers, Any, Any, Numbers]:
    """What `_saddle` works in."""
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
        InvalidValue: for numbers that are not finite, or another shape.

    Example:
        >>> matrix_game([[1.0, -1.0], [-1.0, 1.0]]).value  # matching pennies
        0.0
    """
    array = np.ascontiguousarray(check_array("costs", costs), np.float64)
    if array.ndim != 2 or array.size == 0:
        raise InvalidValue(f"costs must have the shape (A, B), got {array.shape}")
    if not np.isfinite(array).all():
        raise InvalidValue("costs must be finite")
    space = _space(*array.shape)
    value = float(_solve_matrix.call(array, *space))
    return MatrixValue(
        value, space[3][0, : array.shape[0]].copy(), space[3][1, : array.shape[1]].copy()
    )


# ---- Games of many states -----------------------------------------------------------------


@compiled_entrance(
    types.float64(
        *_GAME,
        *[types.int64, types.float64, _ROW, _ROW],
        *[_TABLE, _TABLE, _INTEGERS, _INTEGERS, _TABLE],
        *[_TABLE, _TABLE],
    )
)
def _sweep(
    successors: Any,
    probabilities: Numbers,
    costs: Numbers,
    is_over: Any,
    order: int,
    cap: float,
    values: Numbers,
    renewed: Numbers,
    entries: Numbers,
    tableau: Numbers,
    basic: Any,
    free: Any,
    mixes: Numbers,
    row_mixes: Numbers,
    column_mixes: Numbers,
) -> float:
    """Writes the values of games that are a step longer; returns the largest change."""
    states, rows, columns, places = successors.shape
    largest = 0.0
    for s in range(states):
        if is_over[s] != 0:
            renewed[s] = values[s]
            continue
        for a in range(rows):
            for b in range(columns):
                expected = costs[s, a, b]
                for k in range(places):
                    expected += probabilities[s, a, b, k] * values[successors[s, a, b, k]]
                entries[a, b] = expected
        renewed[s] = min(_saddle(entries, order, tableau, basic, free, mixes), cap)
        largest = max(largest, abs(renewed[s] - values[s]))
        if len(row_mixes) > 0:
            for a in range(rows):
                row_mixes[s, a] = mixes[0, a]
            for b in range(columns):
                column_mixes[s, b] = mixes[1, b]
    return largest


class Solution(NamedTuple):
    """The values of a Markov game, (S,) each."""

    lower: Numbers
    """If in every state the column player moves first, and the row player knows its action."""
    value: Numbers
    """If both choose at once, by chance if they like."""
    upper: Numbers
    """If in every state the row player moves first."""
    gap: float
    """The largest difference of upper and lower."""
    sweeps: tuple[int, int, int]
    """How many the three took."""


class MarkovGame:
    """A finite zero-sum Markov game with S states and A and B actions.

    Args:
        successors: (S, A, B, K) integers: the states that may come next.
        probabilities: (S, A, B, K): theirs; the sums over the last axis are 1.
        costs: (S, A, B): of the step, paid by the row player; finite.
        is_over: (S,) booleans: terminal states, whose other rows mean nothing.
        ends: (S,): what a terminal state costs; 0 if None. Others do not count.

    Attributes:
        successors: int32, as the rest C-contiguous and not writable.
        probabilities: float64.
        costs: float64.
        is_over: bool.
        ends: float64.

    Raises:
        InvalidType: for arrays of other types.
        InvalidValue: for shapes that do not fit together, or values out of range.
    """

    def __init__(
        self, successors: Any, probabilities: Any, costs: Any, is_over: Any, ends: Any = None
    ) -> None:
        next_states = np.asarray(successors)
        if next_states.dtype.kind not in "iu":
            raise InvalidType(f"successors must be integers, got dtype {next_states.dtype}")
        if next_states.ndim != 4 or next_states.size == 0 or len(next_states) > 2**31 - 1:
            shape = next_states.shape
            raise InvalidValue(f"successors must have the shape (S, A, B, K), got {shape}")
        states = len(next_states)
        over = np.asarray(is_over)
        if over.dtype != np.bool_:
            raise InvalidType(f"is_over must be booleans, got dtype {over.dtype}")
        final = np.zeros(states) if ends is None else ends
        chances, paid, final = (
            check_array(name, given)
            for name, given in (("probabilities", probabilities), ("costs", costs), ("ends", final))
        )
        shapes = {
            "probabilities": (chances, next_states.shape),
            "costs": (paid, next_states.shape[:3]),
            "is_over": (over, (states,)),
            "ends": (final, (states,)),
        }
        for name, (array, shape) in shapes.items():
            if array.shape != shape:
                raise InvalidValue(f"{name} must have the shape {shape}, got {array.shape}")
        if next_states.min() < 0 or next_states.max() >= states:
            raise InvalidValue(f"successors must be from 0 to {states - 1}")
        if not (chances >= 0.0).all() or not (abs(chances.sum(axis=3) - 1.0) <= 1e-9).all():
            raise InvalidValue("probabilities must not be negative, and add up to 1")
        if not np.isfinite(paid).all() or not np.isfinite(final).all():
            raise InvalidValue("costs and ends must be finite")
        self.successors = np.array(next_states, np.int32, order="C")
        self.probabilities = np.array(chances, np.float64, order="C")
        self.costs = np.array(paid, np.float64, order="C")
        self.is_over, self.ends = np.array(over), np.array(final, np.float64)
        for array in (self.successors, self.probabilities, self.costs, self.is_over, self.ends):
            array.flags.writeable = False

    def value_iteration(self, tolerance: float = 1e-9, cap: float = math.inf) -> Solution:
        """The values of the endless game: lower, upper, and that of simultaneous moves.

        Args:
            tolerance: sweeps end when none changes a value by more.
            cap: what giving up costs the row player; no value is higher.

        Raises:
            InvalidValue: if the values do not settle within `MOST_SWEEPS` sweeps, as without
                a cap where the column player can go on forever.
        """
        least = check_number("tolerance", tolerance, 0.0, above=True)
        orders = (COLUMN_FIRST, TOGETHER, ROW_FIRST)
        found = [self._iterate(order, least, _checked_cap(cap), None) for order in orders]
        (lower, value, upper), sweeps = zip(*found)
        return Solution(lower, value, upper, float((upper - lower).max()), sweeps)

    def values_of_steps(
        self, steps: int, cap: float = math.inf, order: int = TOGETHER
    ) -> Numbers:
        """The values (S,) of the game that ends after so many steps, if not before.

        Args:
            steps: at least 0.
            cap: as in `value_iteration`.
            order: TOGETHER, ROW_FIRST or COLUMN_FIRST.
        """
        count = check_integer("steps", steps, 0, MOST_SWEEPS)
        which = check_integer("order", order, TOGETHER, COLUMN_FIRST)
        return self._iterate(which, 0.0, _checked_cap(cap), count)[0]

    def strategies(self, values: Any) -> tuple[Numbers, Numbers]:
        """Both players' best probabilities of their actions, (S, A) and (S, B).

        Args:
            values: (S,), those of the states that come next, such as `Solution.value`. Rows of
                terminal states are 0.
        """
        known = np.ascontiguousarray(check_array("values", values), np.float64)
        if known.shape != self.ends.shape or not np.isfinite(known).all():
            raise InvalidValue(f"values must be {len(self.ends)} finite numbers")
        mixes = [np.zeros((len(known), count)) for count in self.costs.shape[1:]]
        self._swept(TOGETHER, math.inf, known, np.empty_like(known), mixes[0], mixes[1])
        return mixes[0], mixes[1]

    def _iterate(
        self, order: int, tolerance: float, cap: float, steps: int | None
    ) -> tuple[Numbers, int]:
        values = np.where(self.is_over, self.ends, 0.0)
        renewed, none = values.copy(), np.zeros((0, 0))
        for sweep in range(MOST_SWEEPS if steps is None else steps):
            change = self._swept(order, cap, values, renewed, none, none)
            values, renewed = renewed, values
            if steps is None and change <= tolerance:
                return values, sweep + 1
        if steps is None:
            raise InvalidValue(
                f"the values do not settle within {MOST_SWEEPS} sweeps: the column player may be "
                "able to go on forever; give a cap"
            )
        return values, steps

    def _swept(
        self,
        order: int,
        cap: float,
        values: Numbers,
        renewed: Numbers,
        row_mixes: Numbers,
        column_mixes: Numbers,
    ) -> float:
        rows, columns = self.costs.shape[1:]
        game = self.successors, self.probabilities, self.costs, self.is_over.view(np.uint8)
        work = np.zeros((rows, columns)), *_space(rows, columns)
        mixes = row_mixes, column_mixes
        return float(_sweep.call(*game, order, cap, values, renewed, *work, *mixes))


def _checked_cap(cap: float) -> float:
    return cap if cap == math.inf else check_number("cap", cap, 0.0)
