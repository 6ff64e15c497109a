"""Columns, records and routines at an address, and lanes, for compiled code.

A column is a part of one row of an array: an entry for each game of a block. In compiled code
it is a bare pointer, in plain Python an array; both are read and written as ``column[k]``.
`steer_env.machine_code.jit` says what compiled code has in place of these functions.

Lanes are short columns for a formula that is applied to a few cases side by side. The compiler
turns a loop over them into vector instructions, too, but they are on the stack and last as long
as the function that makes them. In compiled code lanes of vectors keep all x before all y, so
that vector instructions read each without sorting; in plain Python they are lists.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from steer_env.machine_code.marking import IS_PLAIN, when_compiled

_addressof, _byte_of = ctypes.addressof, cast(Any, ctypes.c_char).from_buffer

plain_routines: list[Callable[..., Any]] = []
"""The routines where nothing is compiled, by their addresses 1, 2 and so on."""


def address_of(array: NDArray[Any]) -> int:
    """The place in memory where an array begins."""
    try:
        return _addressof(_byte_of(array))  # several times as fast
    except (TypeError, ValueError, BufferError):  # it is read-only or empty, or not contiguous
        return int(array.ctypes.data)


def column(address: int, first: int, count: int, dtype: Any) -> Any:
    """A view of some entries of the C-contiguous array at an address, np.uint8 for bools.

    The first is counted through the whole array. Compiled code does not look at the count.
    """
    size, entries = np.dtype(dtype).itemsize, int(count)
    memory: Any = (ctypes.c_char * (entries * size)).from_address(int(address + first * size))
    return np.ndarray(entries, dtype, memory)


def record_at(address: int, dtype: Any) -> Any:
    """The record at an address."""
    return column(address, 0, 1, dtype)[0]


def records_at(address: int, count: int, dtype: Any) -> Any:
    """An array of the records or numbers at an address."""
    return column(address, 0, count, dtype)


def read_only(array: Any) -> Any:
    """The same array, to read only: compiled code that writes to it does not compile."""
    view = array.view()
    view.flags.writeable = False
    return view


@when_compiled(records_at)
def _compiled_records_at(address: Any, count: Any, dtype: Any) -> Any:
    from numba import carray  # type: ignore[attr-defined]

    return lambda address, count, dtype: carray(column(address, 0, count, dtype), (count,))


def matrix_at(address: int, rows: int, columns: int, dtype: Any) -> Any:
    """The matrix at an address, (rows, columns), row by row in memory."""
    return column(address, 0, rows * columns, dtype).reshape(rows, columns)


@when_compiled(matrix_at)
def _compiled_matrix_at(address: Any, rows: Any, columns: Any, dtype: Any) -> Any:
    from numba import carray  # type: ignore[attr-defined]

    return lambda address, rows, columns, dtype: carray(
        column(address, 0, rows * columns, dtype), (rows, columns)
    )


def call_routine(address: int, arguments: tuple[int, ...]) -> None:
    """Calls the routine of integers at an address."""
    assert address > 0
    if IS_PLAIN:
        plain_routines[address - 1](*arguments)
    else:
        ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(arguments))(address)(*arguments)


LANES = 16
"""Their number: a multiple of what any vector register holds."""


def lanes_of_numbers() -> list[float]:
    """Makes `LANES` numbers (in compiled code of any value)."""
    return [0.0] * LANES


def lanes_of_vectors() -> list[complex]:
    """Makes `LANES` vectors (in compiled code of any value)."""
    return [0j] * LANES


def lane_count() -> int:
    """`LANES`, as a number that the compiler does not know.

    It writes a short loop of a known length out, and then finds no vector instructions for it.
    """
    return LANES
