"""What functions on addresses and lanes are in compiled code: bare pointers, and LLVM's words.

numba reads this module when it is first needed; see `steer_env.machine_code.jit`.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending, types

from steer_env.machine_code.addresses import call_routine, column, record_at
from steer_env.machine_code.lanes import LANES, lane_count, lanes_of_numbers, lanes_of_vectors

_extending: Any = extending  # numba's type stubs lag behind


@_extending.type_callable(column)
def _type_column(context):  # type: ignore[no-untyped-def]
    pointer_to: Any = types.CPointer
    return lambda address, first, count, dtype: pointer_to(dtype.dtype)


@_extending.lower_builtin(column, types.Integer, types.Integer, types.Integer, types.Any)
def _lower_column(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    start = builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))
    return builder.gep(start, [arguments[1]])


@_extending.type_callable(record_at)
def _type_record(context):  # type: ignore[no-untyped-def]
    return lambda address, dtype: dtype.dtype


@_extending.lower_builtin(record_at, types.Integer, types.Any)
def _lower_record(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))


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


@_extending.type_callable(lane_count)
def _type_count(context):  # type: ignore[no-untyped-def]
    return lambda: types.intp


@_extending.lower_builtin(lane_count)
def _lower_count(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    integer = context.get_value_type(types.intp)
    kind = ir.FunctionType(integer, [integer])
    return builder.asm(kind, "", "=r,0", [ir.Constant(integer, LANES)], False)


class LanesType(types.Type):
    """The type of lanes in compiled code: a pointer to the lanes of each part of an entry.

    Attributes:
        dtype: of a part.
        entry: the type of an entry.
        parts: how many parts it has.
    """

    dtype = types.float64

    def __init__(self, entry: Any) -> None:
        self.entry, self.parts = entry, entry.bitwidth // types.float64.bitwidth
        super().__init__(f"Lanes({entry})")


_NUMBERS, _VECTORS = LanesType(types.float64), LanesType(types.complex128)
_extending.register_model(LanesType)(_extending.models.PointerModel)


@_extending.type_callable(lanes_of_numbers)
def _type_numbers(context):  # type: ignore[no-untyped-def]
    return lambda: _NUMBERS


@_extending.type_callable(lanes_of_vectors)
def _type_vectors(context):  # type: ignore[no-untyped-def]
    return lambda: _VECTORS


@_extending.lower_builtin(lanes_of_numbers)
@_extending.lower_builtin(lanes_of_vectors)
def _lower_lanes(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    with builder.goto_entry_block():  # once, also if they are made in a loop
        start = builder.alloca(ir.DoubleType(), LANES * signature.return_type.parts)
    start.align = 64  # bytes: no vector lies across two lines of the cache
    return start


@_extending.type_callable(operator.getitem)
def _type_get(context):  # type: ignore[no-untyped-def]
    def entry_of(lanes: Any, k: Any) -> Any:
        return lanes.entry if isinstance(lanes, LanesType) else None

    return entry_of


@_extending.type_callable(operator.setitem)
def _type_set(context):  # type: ignore[no-untyped-def]
    def check(lanes: Any, k: Any, value: Any) -> Any:
        return types.void if isinstance(lanes, LanesType) else None

    return check


def _places(builder: Any, start: Any, k: Any, parts: int) -> list[Any]:
    offsets = [ir.Constant(k.type, LANES * part) for part in range(parts)]
    return [builder.gep(start, [builder.add(k, offset)]) for offset in offsets]


@_extending.lower_builtin(operator.getitem, LanesType, types.Integer)
def _lower_get(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    kind, (start, k) = signature.args[0], arguments
    found = [builder.load(place) for place in _places(builder, start, k, kind.parts)]
    if kind.parts == 1:
        return found[0]
    entry = ir.Constant(context.get_value_type(kind.entry), ir.Undefined)
    for number, part in enumerate(found):
        entry = builder.insert_value(entry, part, number)
    return entry


@_extending.lower_builtin(operator.setitem, LanesType, types.Integer, types.Any)
def _lower_set(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    kind, _, given = signature.args
    start, k, value = arguments
    entry = context.cast(builder, value, given, kind.entry)
    places = _places(builder, start, k, kind.parts)
    if kind.parts == 1:
        builder.store(entry, places[0])
    else:
        for number, place in enumerate(places):
            builder.store(builder.extract_value(entry, number), place)
    return context.get_dummy_value()
