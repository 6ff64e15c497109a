"""Columns: named parts of an engine's arrays, reached through their addresses.

A column is a part of one row of an array: an entry for each game of a block. In compiled code
it is a bare pointer, in plain Python an array; both are read and written as ``column[k]``.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from steer_env.steering.compilation import array_at

_numba: Any = numba  # its type stubs lag behind


def column(address: int, first: int, count: int, dtype: Any) -> Any:
    """Some entries of the array at an address; nothing is copied.

    Args:
        address: of a C-contiguous array.
        first: the first of the entries, counted through the whole array.
        count: how many entries there are. Compiled code does not look at it.
        dtype: of the array; np.uint8 for an array of bools.
    """
    return array_at(address + first * np.dtype(dtype).itemsize, count, dtype)


@overload(column)
def _compiled_column(address, first, count, dtype):  # type: ignore[no-untyped-def]
    pointer_into: Any = _pointer_into
    return lambda address, first, count, dtype: pointer_into(address, first, dtype)


@intrinsic
def _pointer_into(context, address, first, dtype):  # type: ignore[no-untyped-def]
    pointer_to: Any = types.CPointer
    pointer = pointer_to(dtype.dtype)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        base = builder.inttoptr(arguments[0], context.get_value_type(pointer))
        return builder.gep(base, [arguments[1]])

    return pointer(types.intp, types.intp, dtype), generate


def record_at(address: int, dtype: Any) -> Any:
    """The record at an address."""
    return column(address, 0, 1, dtype)[0]


def records_at(address: int, count: int, dtype: Any) -> Any:
    """An array of the records at an address."""
    return column(address, 0, count, dtype)


@overload(record_at)
def _compiled_record_at(address, dtype):  # type: ignore[no-untyped-def]
    at: Any = _record_at
    return lambda address, dtype: at(address, dtype)


@intrinsic
def _record_at(context, address, dtype):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return dtype.dtype(types.intp, dtype), generate


@overload(records_at)
def _compiled_records_at(address, count, dtype):  # type: ignore[no-untyped-def]
    pointer_into: Any = _pointer_into
    carray: Any = _numba.carray
    return lambda address, count, dtype: carray(pointer_into(address, 0, dtype), (count,))
