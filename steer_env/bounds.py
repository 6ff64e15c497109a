"""The smallest and the largest value of numbers that games are made of.

A sane game never meets these bounds. Within them, all that the compiled loop works out of such
numbers (a speed over a mass, a squared distance after a billion steps, the reciprocal of
``dt``) is far from overflow and from subnormal numbers, so that no game produces inf or nan.
What the loop divides by has a smallest value above 0.
"""

from __future__ import annotations

from typing import NamedTuple

from steer_env.errors import check_integer, check_number


class Bounds(NamedTuple):
    """The range of one number.

    Attributes:
        low: the smallest value.
        high: the largest value.
        or_zero: whether 0 is valid as well, below the smallest value.
    """

    low: float
    high: float
    or_zero: bool = False


NOISE = Bounds(0.0, 1e6)
"""Standard deviations of `ObservationConfig` and `ActionConfig`."""

DELAY = Bounds(0, 1000)
"""Delays of the same, in steps."""

FEATURE = Bounds(-1e6, 1e6)
"""The bounds of a user-defined feature."""

REWARD_TERM = Bounds(-1e6, 1e6)
"""The weight of a user-defined reward term."""

LARGEST_REWARD = 1e100
"""The largest value, of either sign, that a user-defined reward term may return."""

SCALE = Bounds(1e-6, 1e6)
"""`ObservationConfig`: the quantities that features show as 1."""

MOST_STARTS = 100_000
"""The largest number of starts that episodes draw from: `GameConfig.start`."""

LARGEST_ANSWER = 1e100
"""The largest number, of either sign, that a user-defined function of a script may return.

That is a behavior (newtons), a lookahead law (seconds) or a predictor (meters); of a vector,
either component. From 1e154 on, squares leave floats.
"""

MOST_GAMES = 10**7
"""The largest ``num_envs``."""


def check_within(bounds: Bounds, what: str, given: object) -> float:
    """Returns a number within bounds.

    Args:
        bounds: its smallest and its largest value.
        what: its name in messages.
        given: the number.

    Raises:
        InvalidType: if it is not a number.
        InvalidValue: if it is out of bounds, nan or infinite.
    """
    return check_number(what, given, bounds.low, bounds.high, or_zero=bounds.or_zero)


def check_count(bounds: Bounds, what: str, given: object) -> int:
    """Returns an integer within bounds, or raises the errors of `check_within`."""
    return check_integer(what, given, int(bounds.low), int(bounds.high))
