"""The decorator of textbook functions: plain Python at the prompt, inlined in loops.

A steering function checks nothing, so that it is fast and takes any object with a Vehicle's
fields. If its arithmetic fails, the arguments are checked for a better message.
"""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from traceback import walk_tb
from types import FunctionType
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np

from steer_env.errors import InvalidType, InvalidValue, UsageError, got, shown, unknown
from steer_env.machine_code.marking import when_compiled

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, checks_indices: bool = False) -> Function:
    """Lets compiled code call a function that stays plain Python for others.

    Compiled, it divides as numpy does (by zero: inf or nan) and reorders no arithmetic, so
    results do not depend on vector width or threads. It may read and write arrays, but not make
    any; indices are checked in user-defined functions only. Arguments are numbers, Vehicles,
    NamedTuples and such functions; see `explaining` for errors.
    """
    if function in _explained:
        return function
    explained: Any = explaining(function)
    when_compiled(explained, checks_indices)(lambda *arguments, **named: function)
    _explained.add(explained)
    return explained


_explained: WeakSet[Any] = WeakSet()
"""The results of `compiled`: of these only the formula is compiled."""


def plain_function(value: Any) -> Any:
    """The function as it was before `compiled` decorated it, or any other value itself."""
    is_decorated = isinstance(value, FunctionType) and value in _explained
    return value.__wrapped__ if is_decorated else value


_VECTORS = ("position", "velocity", "heading", "acceleration", "center")
_BODIES: dict[str, tuple[str, ...]] = {
    "Vehicle": (*_VECTORS[:4], "max_speed", "max_force", "mass", "radius"),
    "Obstacle": ("center", "radius"),
}
"""The fields of objects that serve as one of these, and their vectors."""

_PACKAGE = str(Path(__file__).parent.parent)


def explaining(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the same function with errors that name the argument that does not fit.

    They are an InvalidType for an argument of the wrong type or name (with the nearest match),
    and an InvalidValue for one beyond floats.
    """

    @wraps(function)
    def explained(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except (TypeError, ValueError, AttributeError, LookupError, OverflowError) as error:
            fault: UsageError | None = None
            first: Exception = error
            while isinstance(first, UsageError) and isinstance(first.__cause__, Exception):
                first = first.__cause__  # of a function within, which has explained it already
            if _is_due_to(function, first):
                fault = fault_of_arguments(function, arguments, named, first)
            if fault is None:
                raise
            raise fault from first

    return explained


def _is_due_to(function: Any, error: Exception) -> bool:
    """True if a function or this package raised an error, and not a law that it called."""
    codes = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    if not codes:
        return False
    return codes[-1] is function.__code__ or codes[-1].co_filename.startswith(_PACKAGE)


def fault_of_arguments(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    named: Mapping[str, Any],
    error: Exception,
) -> UsageError | None:
    """The error for the first argument at fault, or None where Python says so itself."""
    signature = inspect.signature(function)
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for name in named:
        if name not in signature.parameters and not takes_any:
            what = f"argument of {function.__name__}"
            return InvalidType(unknown(what, name, signature.parameters))
    try:
        given = signature.bind(*arguments, **named).arguments
        hints = typing.get_type_hints(function)
    except Exception:  # a function of the caller's may have annotations of any kind
        return None
    faults = (
        _fault(f"{name} of {function.__name__}", value, hints.get(name), error)
        for name, value in given.items()
    )
    return next((fault for fault in faults if fault is not None), None)


def _fault(what: str, value: Any, hint: Any, error: Exception) -> UsageError | None:
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        # A list of bodies may be an array of records: its entries have fields, too.
        lists = [m for m in members if typing.get_origin(m) is collections.abc.Sequence]
        faults = [_fault(what, value, member, error) for member in lists or members]
        return None if None in faults else faults[0]
    if hint is type(None) and value is not None:
        return InvalidType(f"{what} must be None, got {shown(value)}")
    if hint in (complex, float, int):
        return fault_of_number(what, value, hint)
    if hint is bool and isinstance(value, np.ndarray) and value.ndim > 0:
        return InvalidType(f"{what} must be True or False, got {shown(value)}")
    if getattr(hint, "__name__", None) in _BODIES and inspect.isclass(hint):
        return _fault_of_body(what, value, hint.__name__, error)
    if origin is collections.abc.Sequence:
        return _fault_of_sequence(what, value, members[0], error)
    if origin is collections.abc.Callable:
        return _fault_of_function(what, value, members[0])
    return None


def fault_of_number(what: str, value: Any, kind: type) -> UsageError | None:
    """The error for a value that is not a number of a kind: complex, float or int."""
    words = {complex: "a complex number, x + iy", float: "a number", int: "an integer"}
    is_body, is_array = hasattr(value, "position"), isinstance(value, np.ndarray)
    hint = "; pass its position" if is_body and kind is complex else ""
    fault = InvalidType(f"{what} must be {words[kind]}, {got(value)}{hint}")
    if is_body or isinstance(value, str) or (is_array and value.ndim > 0):
        return fault
    try:
        if kind is int:
            value.__index__()
        else:
            kind(value * 1.0)
    except OverflowError:
        return InvalidValue(f"{what} must be at most 1e308, got {shown(value)}")
    except Exception:  # whatever the object raises
        return fault
    return None


def _fault_of_body(what: str, value: Any, kind: str, error: Exception) -> UsageError | None:
    # Only what the function asked for is missing; that of a record has no name.
    asked_for = (error.name,) if isinstance(error, AttributeError) else ()
    for field in _BODIES[kind]:
        if hasattr(value, field):
            number = complex if field in _VECTORS else float
            fault = fault_of_number(f"the {field} of {what}", getattr(value, field), number)
            if fault is not None:
                return fault
        elif field in asked_for or None in asked_for:
            article = "an" if kind == "Obstacle" else "a"
            has = f"{got(value)}, which has no {field}"
            return InvalidType(f"{what} must be {article} {kind}, {has}")
    return None


def _fault_of_sequence(
    what: str, value: Any, member: Any, error: Exception
) -> UsageError | None:
    try:
        if isinstance(value, str):
            raise TypeError
        members = [value[place] for place in range(len(value))]
    except Exception:  # whatever the object raises
        return InvalidType(f"{what} must be a list or an array, {got(value)}")
    entries = (f"entry {place} of {what}" for place in range(len(members)))
    faults = (_fault(name, one, member, error) for name, one in zip(entries, members))
    return next((fault for fault in faults if fault is not None), None)


def _fault_of_function(what: str, value: Any, takes: Any) -> UsageError | None:
    if not callable(value):
        return InvalidType(f"{what} must be a function, {got(value)}")
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # as for some functions written in C
        return None
    if not isinstance(takes, list):  # any arguments
        return None
    try:
        signature.bind(*takes)
    except TypeError:
        called = f"is called with {len(takes)} arguments"
        return InvalidType(f"{what} {called}, got {shown(value)}")
    return None
