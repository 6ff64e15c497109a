"""Lanes: short columns for a formula that is applied to a few cases side by side.

The compiler turns a loop over the lanes into vector instructions, as it does with the columns
of a block of games. But lanes are on the stack and last as long as the function that makes
them. In compiled code lanes of vectors keep all x before all y, so that vector instructions
read each without sorting (see `steer_env.machine_code.lowering`); in plain Python lanes are
lists. Both are used as ``lanes[k]``.
"""

from __future__ import annotations

LANES = 16
"""Their number: a multiple of what any vector register holds."""


def lanes_of_numbers() -> list[float]:
    """Makes `LANES` numbers (in compiled code of any value)."""
    return [0.0] * LANES


def lanes_of_vectors() -> list[complex]:
    """Makes `LANES` vectors (in compiled code of any value)."""
    return [0j] * LANES


def lane_count() -> int:
    """`LANES`, for short formulas: compiled code does not know that it never changes.

    The compiler writes a short loop of a known length out before it looks for vector
    instructions, and then finds none.
    """
    return LANES
