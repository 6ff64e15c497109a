"""A user's own functions inside compiled loops, which are not compiled anew for them.

A function is compiled on its own, in a second or so, to machine code at some address, and a
loop calls it there. Addresses are valid in one process: what is unpickled in another process
asks for them again.

The routines here take the address of an `ASKED` record: what the function is asked about, and
where its answer goes. An answer stays as it is if the function raises an error.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from steer_env.errors import InvalidType, shown
from steer_env.steering.addresses import record_at, routine_address
from steer_env.steering.compilation import compiled, record_dtype
from steer_env.steering.vehicle import VEHICLE, vehicle_of

ASKED = record_dtype(
    [
        ("me", VEHICLE),
        ("other", VEHICLE),
        ("time", np.float64),  # seconds ahead that a predictor is asked for
        ("number", np.float64),  # the answer of what returns a number
        ("vector", np.complex128),  # the answer of what returns a vector
        ("address", np.intp),  # of the routine that was asked
    ]
)
"""What one of a user's own functions is asked, and what it answers."""

Routine = Callable[[int], None]


def function_name(function: object) -> str:
    """A function's name in messages and tables."""
    return str(getattr(function, "__name__", function))


def check_own_function(what: str, contract: str, function: object, hint: str = "") -> None:
    """Raises an InvalidType unless it is a function: only those can be compiled.

    Args:
        what: its kind in messages.
        contract: its arguments and what it returns, as "(me, other) that returns a force".
        function: as a caller gave it.
        hint: what to do if it is meant for something else.
    """
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        raise InvalidType(
            f"{what} must be a function of {contract}, made with def or lambda, got "
            f"{shown(function)}{hint and '; '}{hint}"
        )


def own_address(routine: Callable[..., None], what: str, contract: str, hint: str = "") -> int:
    """The address of a routine that calls a user's function; see `routine_address`.

    Args:
        routine: the same object for the same function, so that it is compiled once.
        what: the function's kind and name in messages.
        contract: its arguments and what it returns, in full.
        hint: what to do if it is meant for something else.

    Raises:
        InvalidType: if the function cannot be compiled, or returns something else.
    """
    try:
        return routine_address(routine, is_cached=False)
    except Exception as error:  # numba's own errors, and others where it gives up
        raise InvalidType(
            f"{what} cannot be compiled: {contract}, and uses numbers, math, and functions of "
            "steer_env.steering only; helpers of your own need the decorator "
            f"steer_env.steering.compiled{hint and '; '}{hint}.\n{error}"
        ) from None


@cache
def vector_routine(function: Callable[..., complex]) -> Routine:
    """The routine of a function (me, other) that returns a vector."""
    own: Any = compiled(function)

    def routine(asked: int) -> None:
        question = record_at(asked, ASKED)
        question.vector = own(vehicle_of(question.me), vehicle_of(question.other))

    return routine


@cache
def number_routine(function: Callable[..., float]) -> Routine:
    """The routine of a function (me, other) that returns a number."""
    own: Any = compiled(function)

    def routine(asked: int) -> None:
        question = record_at(asked, ASKED)
        question.number = own(vehicle_of(question.me), vehicle_of(question.other))

    return routine


@cache
def prediction_routine(function: Callable[..., complex]) -> Routine:
    """The routine of a function (other, time) that returns a vector."""
    own: Any = compiled(function)

    def routine(asked: int) -> None:
        question = record_at(asked, ASKED)
        question.vector = own(vehicle_of(question.other), question.time)

    return routine
