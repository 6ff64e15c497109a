"""A user's own behaviors, whose addresses the table of scripts holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from steer_env.steering.addresses import column, records_at
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import check_own_function, function_name, own_address
from steer_env.steering.vehicle import VEHICLE, Vehicle, vehicle_of

Behavior = Callable[[Vehicle, Vehicle], complex]
"""A steering force from (me, other), in newtons."""


NOT_A_POLICY = (
    "a function from observations to actions is FunctionPolicy(function), from baselines"
)
"""A hint for messages: such functions are easily taken for behaviors."""


def check_behavior(behavior: object) -> None:
    """Raises an InvalidType unless a behavior is a function."""
    contract = "(me, other) that returns a force"
    check_own_function("a behavior of your own", contract, behavior, NOT_A_POLICY)


def behavior_address(behavior: Behavior) -> int:
    """The address of a routine that calls a behavior; it is compiled at the first call.

    The routine takes the addresses of two `VEHICLE` records, me and the other, and of a complex
    number, which it writes unless the behavior raises an error.

    Raises:
        InvalidType: if the behavior cannot be compiled, or does not return a number.
    """
    contract = (
        "a behavior is a function of (me, other), two Vehicles, that returns a force as a "
        "complex number"
    )
    what = f"the behavior {function_name(behavior)!r}"
    return own_address(_routine_of(behavior), what, contract, NOT_A_POLICY)


@cache
def _routine_of(behavior: Behavior) -> Callable[[int, int], None]:
    function: Any = compiled(behavior)

    def routine(pair: int, answer: int) -> None:
        vehicles = records_at(pair, 2, VEHICLE)
        force = function(vehicle_of(vehicles[0]), vehicle_of(vehicles[1]))
        column(answer, 0, 1, np.complex128)[0] = force

    return routine
