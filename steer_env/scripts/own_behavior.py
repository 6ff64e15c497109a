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

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, overload

from steer_env.errors import InvalidType
from steer_env.steering.compilation import JIT_ENABLED, array_at, compiled
from steer_env.steering.vehicle import VEHICLE, Vehicle, vehicle_of

Behavior = Callable[[Vehicle, Vehicle], complex]
"""A steering force from (me, other), in newtons."""

_numba: Any = numba

_plain: list[Behavior] = []  # where nothing is compiled, an address is a place in this list


def behavior_name(behavior: Behavior) -> str:
    """The behavior's name in messages and tables."""
    return str(getattr(behavior, "__name__", behavior))


def check_behavior(behavior: object) -> None:
    """Raises an InvalidType unless a behavior is a function: only those can be compiled."""
    if not (inspect.isfunction(behavior) or inspect.ismethod(behavior)):
        raise InvalidType(
            "a behavior of your own must be a function of (me, other) that returns a force, "
            f"made with def or lambda; got {behavior!r}"
        )


def behavior_address(behavior: Behavior) -> int:
    """The address of a behavior's machine code; it is compiled at the first call.

    Raises:
        InvalidType: if it cannot be compiled, or does not return a number.
    """
    if JIT_ENABLED:
        return int(_machine_code(behavior).address)
    if behavior not in _plain:
        _plain.append(behavior)
    return _plain.index(behavior)


@cache  # and keeps the machine code alive
def _machine_code(behavior: Behavior) -> Any:
    function: Any = compiled(behavior)

    def entrance(pair, force):  # type: ignore[no-untyped-def]
        vehicles = _numba.carray(pair, 2)
        me, other = vehicle_of(vehicles[0]), vehicle_of(vehicles[1])
        _numba.carray(force, 1)[0] = function(me, other)

    vehicle = _numba.from_dtype(VEHICLE)
    pointer: Any = types.CPointer
    signature = types.void(pointer(vehicle), pointer(types.complex128))
    try:
        return _numba.cfunc(signature, nopython=True, error_model="numpy")(entrance)
    except Exception as error:  # numba's own errors, and others where it gives up
        raise InvalidType(
            f"the behavior {behavior_name(behavior)!r} cannot be compiled: a behavior is a "
            "function of (me, other), two Vehicles, that returns a force as a complex number, "
            "and uses numbers, math, and functions of steer_env.steering only; helpers of your "
            f"own need the decorator steer_env.steering.compiled.\n{error}"
        ) from None


def call_behavior(address: int, pair: int, answer: int) -> None:
    """Calls the behavior at an address with a pair of `VEHICLE` records: me and the other.

    Args:
        address: see `behavior_address`.
        pair: the address of the two records.
        answer: the address of a complex number; written, unless the behavior raises an error.
    """
    records = array_at(pair, 2, VEHICLE)
    array_at(answer, 1, np.complex128)[0] = _plain[address](
        vehicle_of(records[0]), vehicle_of(records[1])
    )


@intrinsic
def _call_pointer(context, address, pair, answer):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(each, pointer) for each in arguments[1:]])

    return types.void(types.intp, types.intp, types.intp), generate


@overload(call_behavior)
def _call_compiled_behavior(address, pair, answer):  # type: ignore[no-untyped-def]
    call: Any = _call_pointer
    return lambda address, pair, answer: call(address, pair, answer)
