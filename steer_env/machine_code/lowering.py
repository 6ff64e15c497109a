"""Functions on addresses and lanes in compiled code: bare pointers, and LLVM's words.

numba reads this module when it is first needed; see `steer_env.machine_code.jit`.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending, types

from steer_env.machine_code.addresses import call_routine, column, read_only, record_at
from steer_env.machine_code.lanes import LANES, lane_count, lanes_of_numbers, lanes_of_vectors

_extending: Any = extending  # numba's type stubs lag behind
_pointer_to: Any = types.CPointer


class VectorLanes(types.Type):
    """The type of lanes of vectors in compiled code: a pointer to all x, then all y."""

    def __init__(self) -> None:
        super().__init__("VectorLanes")


_extending.register_model(VectorLanes)(_extending.models.OpaqueModel)

_TYPES = {
    column: lambda address, first, count, dtype: _pointer_to(dtype.dtype),
    record_at: lambda address, dtype: dtype.dtype,
    read_only: lambda array: array.copy(readonly=True),
    call_routine: lambda address, arguments: types.void,
    lane_count: lambda: types.intp,
    lanes_of_numbers: lambda: _pointer_to(types.float64),
    lanes_of_vectors: VectorLanes,
    operator.getitem: lambda lanes, k: (
        types.complex128 if isinstance(lanes, VectorLanes) else None
    ),
    operator.setitem: lambda lanes, k, value: (
        types.void if isinstance(lanes, VectorLanes) else None
    ),
}
"""The functions that give the result's type by the arguments' types."""

for _function, _typing in _TYPES.items():
    _extending.type_callable(_function)(lambda context, typing=_typing: typing)


@_extending.lower_builtin(column, types.Integer, types.Integer, types.Integer, types.Any)
def _lower_column(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    start = builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))
    return builder.gep(start, [arguments[1]])


@_extending.lower_builtin(record_at, types.Integer, types.Any)
def _lower_record(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))


@_extending.lower_builtin(read_only, types.Array)
def _lower_read_only(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    return arguments[0]  # arrays at an address count no references


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


@_extending.lower_builtin(lane_count)
def _lower_count(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    integer = context.get_value_type(types.intp)
    kind = ir.FunctionType(integer, [integer])
    return builder.asm(kind, "", "=r,0", [ir.Constant(integer, LANES)], False)


@_extending.lower_builtin(lanes_of_numbers)
@_extending.lower_builtin(lanes_of_vectors)
def _lower_lanes(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    is_vectors = isinstance(signature.return_type, VectorLanes)
    with builder.goto_entry_block():  # once, also if they are made in a loop
        start = builder.alloca(ir.DoubleType(), LANES * (2 if is_vectors else 1))
    start.align = 64  # bytes: no vector lies across two lines of the cache
    return builder.bitcast(start, context.get_value_type(signature.return_type))


def _places(builder: Any, start: Any, k: Any) -> list[Any]:
    """The pointers to x and y of a vector."""
    start = builder.bitcast(start, ir.DoubleType().as_pointer())
    return [builder.gep(start, [builder.add(k, ir.Constant(k.type, n))]) for n in (0, LANES)]


@_extending.lower_builtin(operator.getitem, VectorLanes, types.Integer)
def _lower_get(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    vector = ir.Constant(context.get_value_type(types.complex128), ir.Undefined)
    for number, place in enumerate(_places(builder, *arguments)):
        vector = builder.insert_value(vector, builder.load(place), number)
    return vector


@_extending.lower_builtin(operator.setitem, VectorLanes, types.Integer, types.Any)
def _lower_set(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    start, k, value = arguments
    vector = context.cast(builder, value, signature.args[2], types.complex128)
    for number, place in enumerate(_places(builder, start, k)):
        builder.store(builder.extract_value(vector, number), place)
    return context.get_dummy_value()
