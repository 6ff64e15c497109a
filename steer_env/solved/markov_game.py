"""Finite zero-sum Markov games (Shapley 1953), and their values by value iteration.

In every state the row player chooses one of its actions and the column player one of its own,
both at once. That has a cost, which the row player pays and the column player wants to be
high, and leads to one of several next states, each with its probability. The game ends in a
terminal state. Costs are added up, not discounted. With V the value of the states,

    V(s) = value of the matrix game with the entries cost(s, a, b) + E[V(s') | s, a, b].

The value of a matrix game is that of mixed strategies. If the row player has to move first, and
the column player knows its action, it is min over a, max over b: the upper value. The other way
round it is the lower value. Where both are equal, the game has a saddle point in pure
strategies. Otherwise see `steer_env.solved.matrix_game`.

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
from steer_env.solved.matrix_game import (
    COLUMN_FIRST,
    INTEGERS,
    ROW_FIRST,
    TABLE,
    TOGETHER,
    saddle,
    space_of,
)
from steer_env.steering.compilation import compiled_entrance

Numbers = NDArray[np.float64]

MOST_SWEEPS = 100_000
_ROW = types.Array(types.float64, 1, "C")
_GAME = (
    types.Array(types.int32, 4, "C", readonly=True),
    types.Array(types.float64, 4, "C", readonly=True),
    types.Array(types.float64, 3, "C", readonly=True),
    types.Array(types.uint8, 1, "C", readonly=True),
)


@compiled_entrance(
    types.float64(
        *_GAME,
        *[types.int64, types.float64, _ROW, _ROW],
        *[TABLE, TABLE, INTEGERS, INTEGERS, TABLE],
        *[TABLE, TABLE],
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
    """Writes the values of games that are a step longer.

    Returns:
        The largest change; nan if a matrix game was not solved.
    """
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
        found = saddle(entries, order, tableau, basic, free, mixes)
        if math.isnan(found):
            return math.nan
        renewed[s] = min(found, cap)
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
            for name, given in (
                ("probabilities", probabilities),
                ("costs", costs),
                ("ends", final),
            )
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
        (lower, first), (value, second), (upper, third) = found
        gap = float((upper - lower).max())
        return Solution(lower, value, upper, gap, (first, second, third))

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
                f"the values do not settle within {MOST_SWEEPS} sweeps: the column player may "
                "be able to go on forever; give a cap"
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
        work = np.zeros((rows, columns)), *space_of(rows, columns)
        mixes = row_mixes, column_mixes
        change = float(_sweep.call(*game, order, cap, values, renewed, *work, *mixes))
        if math.isnan(change):
            raise InvalidValue(
                f"a matrix game of {rows} by {columns} actions is too large here"
            )
        return change


def _checked_cap(cap: float) -> float:
    return cap if cap == math.inf else check_number("cap", cap, 0.0)
