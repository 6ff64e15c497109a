"""Lengths that people like to read: ... 0.5, 1, 2, 5, 10, 20 ..."""

from __future__ import annotations

import math

_NEARLY = 1e-9  # of a length: what is off by no more is off by rounding


def rounded_up(least: float) -> float:
    """The shortest round length that is not below a positive one."""
    power = 10.0 ** math.floor(math.log10(least))
    lengths = (power * factor for factor in (1, 2, 5, 10))
    return next(length for length in lengths if length >= least * (1 - _NEARLY))


def rounded_down(most: float) -> float:
    """The longest round length that is not above a positive one."""
    return 1.0 / rounded_up(1.0 / most)  # the same numbers, read the other way around
