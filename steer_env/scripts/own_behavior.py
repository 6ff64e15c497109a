"""User-defined behaviors: functions that the table of scripts holds the addresses of.

`steer_env.scripts.force` asks them for forces.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from steer_env.bounds import LARGEST_ANSWER
from steer_env.errors import FaultyBehavior
from steer_env.steering.addresses import call_routine, record_at, records_at
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import (
    ASKED,
    check_own_function,
    function_name,
    own_address,
    vector_routine,
)
from steer_env.steering.vehicle import Vehicle, copy_vehicle

if TYPE_CHECKING:
    from steer_env.scripts.script import Script

NOT_A_POLICY = (
    "a function from observations to actions is FunctionPolicy(function), from baselines"
)
"""A hint for messages: such functions are easily taken for behaviors."""

_CONTRACT = "(me, other), two Vehicles, that returns a force as a complex number"


def check_behavior(behavior: Callable[..., Any]) -> None:
    """Raises an InvalidType if a behavior is not a function that can be compiled."""
    check_own_function("a behavior of your own", _CONTRACT, behavior, NOT_A_POLICY)


def behavior_address(behavior: Callable[..., Any]) -> int:
    """The address of the routine of a user-defined behavior; compiled at the first call.

    Raises:
        InvalidType: if it cannot be compiled, or does not return a number.
    """
    what = f"the behavior {function_name(behavior)!r}"
    contract = f"a behavior is a function of {_CONTRACT}"
    return own_address(vector_routine(behavior), what, contract, NOT_A_POLICY)


@compiled
def ask_behavior(address: int, me: Vehicle, other: Vehicle, asked: int) -> complex:
    """The force of a user-defined behavior, in newtons; 0 if it is at fault.

    Args:
        address: of its routine.
        me: the vehicle.
        other: its nearest opponent.
        asked: the address of two `ASKED` records: the first is for this question, and the
            first question whose answer is not sound is kept in the second.
    """
    question = record_at(asked, ASKED)
    copy_vehicle(me, question.me)
    copy_vehicle(other, question.other)
    question.vector = complex(math.nan, 0.0)  # stays so if the behavior raises an error
    call_routine(address, (asked,))
    answer = question.vector
    if abs(answer.real) <= LARGEST_ANSWER and abs(answer.imag) <= LARGEST_ANSWER:
        return answer
    records = records_at(asked, 2, ASKED)
    if records[1].address == 0:
        records[1] = records[0]
        records[1].address = address
    return 0j


def fault_of(scripts: Iterable[Script | None], asked: np.void) -> FaultyBehavior:
    """The error for the first behavior at fault.

    Args:
        scripts: that the games play.
        asked: the `ASKED` record that was kept.
    """
    behavior = next(
        script.behavior
        for script in scripts
        if script is not None
        and callable(script.behavior)
        and behavior_address(script.behavior) == asked["address"]
    )
    me, other = (Vehicle(*asked[name].item()) for name in ("me", "other"))
    return FaultyBehavior(
        f"the behavior {function_name(behavior)} raised an error (printed above), or returned "
        f"None, nan, infinity or more than {LARGEST_ANSWER:g} newtons; the step has been made "
        f"with a force of 0. It was called with me = {me} and other = {other}"
    )
