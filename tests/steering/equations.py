"""Equations between calls, as texts: rows of tables, which are tests each."""

import cmath
import math

import pytest

from steer_env import steering

from .vehicles import mirrored, moving, vehicle

NAMES = {**vars(steering), "approx": pytest.approx, "exp": cmath.exp, "inf": math.inf}
NAMES |= {"moving": moving, "vehicle": vehicle, "mirrored": mirrored, "pi": math.pi}
NAMES |= {"copysign": math.copysign}


def each(equation, *rows):
    """An equation with the values of each row in its braces."""
    return [equation.format(*(row if isinstance(row, tuple) else (row,))) for row in rows]


def check(equation, names):
    """Compares all sides with the last one: to the bit, unless that is an `approx`."""
    *found, expected = (eval(side, NAMES | names) for side in equation.split(" == "))
    for one in found:
        assert one == expected, f"{one} and {expected}"
        assert isinstance(one, bool) == isinstance(expected, bool)
