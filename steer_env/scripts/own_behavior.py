"""A user's own behaviors inside the compiled loop, which is not compiled anew for them.

A behavior is compiled on its own, in a second or so, to machine code at some address; the
table of scripts holds the address, and the loop calls it. Addresses are valid in one process:
a script that is unpickled in another process asks for its address again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from steer_env.errors import InvalidType, shown
from steer_env.steering.addresses import column, records_at, routine_address
from steer_env.steering.compilation import compiled
from steer_env.steering.vehicle import VEHICLE, Vehicle, vehicle_of

Behavior = Callable[[Vehicle, Vehicle], complex]
"""A steering force from (me, other), in newtons."""


NOT_A_POLICY = (
    "a function from observations to actions is FunctionPolicy(function), from baselines"
)
"""A hint for messages: such functions are easily taken for behaviors."""


def behavior_name(behavior: Behavior) -> str:
    """The behavior's name in messages and tables."""
    return str(getattr(behavior, "__name__", behavior))


def check_behavior(behavior: object) -> None:
    """Raises an InvalidType unless a behavior is a function: only those can be compiled."""
    if not (inspect.isfunction(behavior) or inspect.ismethod(behavior)):
        raise InvalidType(
            "a behavior of your own must be a function of (me, other) that returns a force, "
            f"made with def or lambda, got {shown(behavior)}; {NOT_A_POLICY}"
        )


def behavior_address(behavior: Behavior) -> int:
    """The address of a routine that calls a behavior; it is compiled at the first call.

    The routine takes the addresses of two `VEHICLE` records, me and the other, and of a complex
    number, which it writes unless the behavior raises an error.

    Raises:
        InvalidType: if the behavior cannot be compiled, or does not return a number.
    """
    try:
        return routine_address(_routine_of(behavior), is_cached=False)
    except Exception as error:  # numba's own errors, and others where it gives up
        raise InvalidType(
            f"the behavior {behavior_name(behavior)!r} cannot be compiled: a behavior is a "
            "function of (me, other), two Vehicles, that returns a force as a complex number, "
            "and uses numbers, math, and functions of steer_env.steering only; helpers of your "
            f"own need the decorator steer_env.steering.compiled; {NOT_A_POLICY}.\n{error}"
        ) from None


@cache
def _routine_of(behavior: Behavior) -> Callable[[int, int], None]:
    function: Any = compiled(behavior)

    def routine(pair: int, answer: int) -> None:
        vehicles = records_at(pair, 2, VEHICLE)
        force = function(vehicle_of(vehicles[0]), vehicle_of(vehicles[1]))
        column(answer, 0, 1, np.complex128)[0] = force

    return routine
