"""Behaviors of a user's own inside the compiled loop, which is not compiled anew for them.

A behavior is compiled by itself, for a second or so, to machine code at some address; the
table of scripts holds the address, and the loop calls it. Addresses hold for one process:
who is unpickled in another one has to ask again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from steer_env.errors import InvalidType
from steer_env.steering.compilation import JIT_ENABLED, compiled, is_compiled
from steer_env.steering.vehicle import VEHICLE, Vehicle

Behavior = Callable[[Vehicle, Vehicle], complex]
"""A steering force from (me, other), in newtons."""

_numba: Any = numba

_plain: list[Behavior] = []  # where nothing is compiled, an address is a place in this list


def behavior_name(behavior: Behavior) -> str:
    """What to call a behavior in messages and tables."""
    return str(getattr(behavior, "__name__", behavior))


def check_behavior(behavior: object) -> None:
    """Raises a TypeError unless a behavior is a function, which alone can be compiled."""
    is_function = inspect.isfunction(behavior) or inspect.ismethod(behavior)
    if not is_function and not is_compiled(behavior):
        raise InvalidType(
            "a behavior of your own must be a function of (me, other) that returns a force, "
            f"made with def or lambda; got {behavior!r}"
        )


def behavior_address(behavior: Behavior) -> int:
    """Where the machine code of a behavior begins; it is compiled at the first call.

    Raises:
        TypeError: if it cannot be compiled, or does not return a number.
    """
    if JIT_ENABLED:
        return int(_machine_code(behavior).address)
    if behavior not in _plain:
        _plain.append(behavior)
    return _plain.index(behavior)


@cache  # and keeps the machine code alive
def _machine_code(behavior: Behavior) -> Any:
    function: Any = behavior if is_compiled(behavior) else compiled(behavior)

    def entrance(pair, force):  # type: ignore[no-untyped-def]
        vehicles = _numba.carray(pair, 2)
        _numba.carray(force, 1)[0] = function(_vehicle(vehicles[0]), _vehicle(vehicles[1]))

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


@compiled
def _vehicle(record: np.record) -> Vehicle:
    return Vehicle(
        record.position,
        record.velocity,
        record.heading,
        record.max_speed,
        record.max_force,
        record.mass,
        record.radius,
        record.acceleration,
    )


def _call_in_python(address: int, pair: np.ndarray, force: np.ndarray) -> None:
    force[0] = _plain[address](_vehicle(pair[0]), _vehicle(pair[1]))


@intrinsic
def _call_pointer(context, address, pair, force):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(each, pointer) for each in arguments[1:]])

    return types.void(types.intp, types.uintp, types.uintp), generate


def _call_in_loop(address: int, pair: np.ndarray, force: np.ndarray) -> None:
    _call_pointer(address, pair.ctypes.data, force.ctypes.data)  # type: ignore[call-arg]


call_behavior: Callable[[int, np.ndarray, np.ndarray], None] = (
    compiled(_call_in_loop) if JIT_ENABLED else _call_in_python
)
"""Calls the behavior at an address with a pair of `VEHICLE` records: me and the other.

Args: the address, the pair (2,), and the array (1,) that the force is written to.
"""
