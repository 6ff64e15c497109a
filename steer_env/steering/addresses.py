"""What compiled code reaches through an address: columns and records of arrays, and routines.

A column is a part of one row of an array: an entry for each game of a block. In compiled code
it is a bare pointer, in plain Python an array; both are read and written as ``column[k]``.

A routine is a function of integers (most of them addresses) that is compiled apart from the
code that calls it, when its address is first asked for: a user's own behavior, say.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending, types
from numpy.typing import NDArray

from steer_env.steering.compilation import JIT_ENABLED
from steer_env.steering.compile_cache import compile_once, load_or_compile

_numba: Any = numba  # its type stubs lag behind
_extending: Any = extending


def address_of(array: NDArray[Any]) -> int:
    """Where an array begins in memory."""
    return int(array.ctypes.data)


def column(address: int, first: int, count: int, dtype: Any) -> Any:
    """Some entries of the array at an address; nothing is copied.

    Args:
        address: of a C-contiguous array.
        first: the first of the entries, counted through the whole array.
        count: how many entries there are. Compiled code does not look at it.
        dtype: of the array; np.uint8 for an array of bools.
    """
    size, entries = np.dtype(dtype).itemsize, int(count)
    memory: Any = (ctypes.c_char * (entries * size)).from_address(int(address + first * size))
    return np.ndarray(entries, dtype, memory)


@_extending.type_callable(column)
def _type_column(context):  # type: ignore[no-untyped-def]
    pointer_to: Any = types.CPointer
    return lambda address, first, count, dtype: pointer_to(dtype.dtype)


@_extending.lower_builtin(column, types.Integer, types.Integer, types.Integer, types.Any)
def _lower_column(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    start = builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))
    return builder.gep(start, [arguments[1]])


def record_at(address: int, dtype: Any) -> Any:
    """The record at an address."""
    return column(address, 0, 1, dtype)[0]


@_extending.type_callable(record_at)
def _type_record(context):  # type: ignore[no-untyped-def]
    return lambda address, dtype: dtype.dtype


@_extending.lower_builtin(record_at, types.Integer, types.Any)
def _lower_record(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))


def records_at(address: int, count: int, dtype: Any) -> Any:
    """An array of the records at an address."""
    return column(address, 0, count, dtype)


@_extending.overload(records_at)
def _compiled_records_at(address, count, dtype):  # type: ignore[no-untyped-def]
    carray: Any = _numba.carray
    return lambda address, count, dtype: carray(column(address, 0, count, dtype), (count,))


_plain_routines: list[Callable[..., None]] = []
"""Where nothing is compiled, an address is a place in this list, counted from 1."""


def routine_address(routine: Callable[..., None], is_cached: bool = True) -> int:
    """The address of a routine's machine code, which is compiled at the first call.

    It is valid in this process only.

    Args:
        routine: takes integers, returns nothing. Compiled, it prints an error and ends there.
        is_cached: whether its machine code is kept on disk: only for the package's own.
    """
    if JIT_ENABLED:
        return int(_machine_code(routine, is_cached).address)
    if routine not in _plain_routines:
        _plain_routines.append(routine)
    return 1 + _plain_routines.index(routine)


@cache  # and keeps the machine code alive
def _machine_code(routine: Callable[..., None], is_cached: bool) -> Any:
    signature = types.void(*[types.intp] * len(inspect.signature(routine).parameters))

    def compile_routine(is_cached: bool = False) -> Any:
        options: dict[str, Any] = {"nopython": True, "error_model": "numpy"}
        return _numba.cfunc(signature, cache=is_cached, **options)(routine)

    if not is_cached:
        return compile_once(compile_routine)
    return load_or_compile(f"{routine.__module__}.{routine.__name__}", compile_routine)


def call_routine(address: int, arguments: tuple[int, ...]) -> None:
    """Calls the routine at an address (see `routine_address`)."""
    assert address > 0
    if JIT_ENABLED:
        ctypes.CFUNCTYPE(None, *[ctypes.c_ssize_t] * len(arguments))(address)(*arguments)
    else:
        _plain_routines[address - 1](*arguments)


@_extending.type_callable(call_routine)
def _type_call(context):  # type: ignore[no-untyped-def]
    return lambda address, arguments: types.void


@_extending.lower_builtin(call_routine, types.Integer, types.BaseTuple)
def _lower_call(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    address, given = arguments
    integer = context.get_value_type(types.intp)
    passed = [
        context.cast(builder, builder.extract_value(given, place), kind, types.intp)
        for place, kind in enumerate(signature.args[1])
    ]
    kind = ir.FunctionType(ir.VoidType(), [integer] * len(passed))
    builder.call(builder.inttoptr(address, kind.as_pointer()), passed)
    return context.get_dummy_value()
