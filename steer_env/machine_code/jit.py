"""Compiles while a program runs: a user's functions, and the package's if they were changed.

It is imported when it is first needed, and numba with it. At the end stands what functions on
addresses and lanes are in compiled code: bare pointers, and LLVM's words.
"""

from __future__ import annotations

import inspect
import operator
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from types import FunctionType
from typing import Any

from gymnasium.error import DependencyNotInstalled

from steer_env.errors import to_install
from steer_env.machine_code.addresses import (
    LANES,
    call_routine,
    column,
    lane_count,
    lanes_of_numbers,
    lanes_of_vectors,
    read_only,
    record_at,
)
from steer_env.machine_code.library import code_at_hand, digest_of, say
from steer_env.machine_code.marking import on_overload, overloads

try:
    import numba
    import numba.extending
    from llvmlite import ir  # type: ignore[import-untyped]
except ImportError as error:
    message = f"this has to be compiled, and numba is not installed; {to_install('own')}"
    raise DependencyNotInstalled(message) from error

_numba: Any = numba  # its type stubs lag behind
_extending: Any = numba.extending
types: Any = numba.types
_pointer_to: Any = types.CPointer
njit, _overload = _numba.njit, _extending.overload

# Division is numpy's: by zero it gives inf or nan, and no exception.
OPTIONS: dict[str, Any] = {"error_model": "numpy"}
APART = {**OPTIONS, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
_INLINED = {**APART, "forceinline": True}
CHECKED = {"boundscheck": True}

_KINDS = {"int": types.int64, "float": types.float64, "None": types.void}

_NOTICE_AFTER = 1.5  # seconds, in which most functions are compiled

_one_at_a_time = threading.Lock()  # numba has one setting for where its cache is

_compiled: list[Any] = []  # kept, since compiled code must last as long as the program


def know_functions(inlines: bool = True) -> None:
    """Makes numba know the functions that have been marked since the last call."""
    for one in overloads:
        options = _INLINED if one.is_inlined and inlines else APART
        if one.checks_indices:
            options = {**options, **CHECKED}
        if one.choose is None:
            _know_class(one.function, options)
        else:
            _overload(one.function, strict=False, jit_options=options)(one.choose)
    overloads.clear()
    if not on_overload:
        on_overload.append(know_functions)


def _know_class(made: Any, options: dict[str, Any]) -> None:
    """Makes a dataclass of numbers a type, apart from numba's one type of all named tuples."""
    names = [field.name for field in fields(made)]
    numbers = [_KINDS[str(field.type)] for field in fields(made)]  # annotations are texts
    kind: Any = type(made.__name__, (types.Type,), {})
    known = kind(made.__name__)

    class Model(_extending.models.StructModel):  # type: ignore[misc]
        def __init__(self, manager: Any, found: Any) -> None:
            super().__init__(manager, found, list(zip(names, numbers)))

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = context.get_constant_undef(known)
        for place, argument in enumerate(arguments):
            value = builder.insert_value(value, argument, place)
        return value

    _extending.register_model(kind)(Model)
    _extending.type_callable(made)(lambda context: _like(made, lambda *arguments: known))
    _extending.lower_builtin(made, *numbers)(make)
    for name in names:
        _extending.make_attribute_wrapper(kind, name, name)
    for name, member in vars(made).items():
        extend: Any = None
        if isinstance(member, property):
            extend, member = _extending.overload_attribute, member.fget
        elif isinstance(member, FunctionType) and not name.startswith("_"):
            extend = _extending.overload_method
        if extend is not None:
            chosen = _like(member, lambda *arguments, member=member: member)
            extend(kind, name, strict=False, jit_options=options)(chosen)


def _like(function: Any, other: Any) -> Any:
    """Another function with the signature of this one, by which numba passes arguments."""
    other.__signature__ = inspect.signature(function)
    return other


def signature_of(takes: Sequence[str], returns: str) -> Any:
    """A routine's signature, as numba has it."""
    return _KINDS[returns](*map(_KINDS.__getitem__, takes))


def compile_routine(
    function: Callable[..., Any], takes: Sequence[str], returns: str, is_users: bool
) -> int:
    """Compiles a routine or loads it from numba's cache (never a user's), for its address."""
    know_functions()
    signature = signature_of(takes, returns)
    if not is_users:
        found = _kept(function, signature) or _compiled_code(function, signature, cache=False)
    else:
        notice = threading.Timer(_NOTICE_AFTER, say, ["compiling a function of yours"])
        notice.daemon = True
        notice.start()
        try:
            found = _compiled_code(function, signature, cache=False)
        finally:
            notice.cancel()
    _compiled.append(found)
    return int(found.address)


def _compiled_code(function: Callable[..., Any], signature: Any, cache: bool) -> Any:
    return _numba.cfunc(signature, nopython=True, cache=cache, **OPTIONS)(function)


def _kept(function: Callable[..., Any], signature: Any) -> Any:
    """A routine in numba's cache for all of this code, or None where nothing can be kept."""
    config, name = _numba.config, f"compiled-{digest_of(ascii(code_at_hand()).encode())}"
    with _one_at_a_time:
        before = config.CACHE_DIR
        folder = Path(before or Path(__file__).parent / "__pycache__", name)
        config.CACHE_DIR = str(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass  # it can be written: numba would look for another folder
            return _compiled_code(function, signature, cache=True)
        except OSError:
            return None
        finally:
            config.CACHE_DIR = before


class VectorLanes(types.Type):  # type: ignore[misc]
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
