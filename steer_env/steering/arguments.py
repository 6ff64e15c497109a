"""Says which argument of a steering function does not fit, after a call of it has failed.

A steering function is a formula and checks nothing, so that it costs what the formula costs,
and so that an object of your own with a Vehicle's fields will do. Where the arithmetic fails,
Python's message is about an operator deep within. The arguments are looked at only then.
"""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from steer_env.errors import InvalidType, InvalidValue, UsageError, got, shown, unknown

_VECTORS = ("position", "velocity", "heading", "acceleration", "center")
_BODIES: dict[str, tuple[str, ...]] = {
    "Vehicle": (*_VECTORS[:4], "max_speed", "max_force", "mass", "radius"),
    "Obstacle": ("center", "radius"),
}
"""The fields of what serves as one of these, and those that are vectors."""

_PACKAGE = str(Path(__file__).parent.parent)


def explaining(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, whose errors name the argument that does not fit.

    Raises:
        InvalidType: for an argument that is not what its annotation says, or that the function
            does not have; the message has the nearest match.
        InvalidValue: for a number too large for a float.
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
    """Whether a function, or this package, raised an error; and not a law that it called."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    return code is function.__code__ or code.co_filename.startswith(_PACKAGE)


def fault_of_arguments(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    named: Mapping[str, Any],
    error: Exception,
) -> UsageError | None:
    """The error for the first argument that an error is due to; None if all of them fit.

    None also if arguments are missing, or if there are too many: Python says so itself.
    """
    signature = inspect.signature(function)
    name_of_function = function.__name__
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for name in named:
        if name not in signature.parameters and not takes_any:
            what = f"argument of {name_of_function}"
            return InvalidType(unknown(what, name, signature.parameters))
    try:
        given = signature.bind(*arguments, **named).arguments
        hints = typing.get_type_hints(function)
    except Exception:  # a function of the caller's may have annotations of any kind
        return None
    for name, value in given.items():
        fault = _fault(f"{name} of {name_of_function}", value, hints.get(name), error)
        if fault is not None:
            return fault
    return None


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
        return _fault_of_number(what, value, hint)
    if hint is bool and isinstance(value, np.ndarray) and value.ndim > 0:
        return InvalidType(f"{what} must be True or False, got {shown(value)}")
    if getattr(hint, "__name__", None) in _BODIES and inspect.isclass(hint):
        return _fault_of_body(what, value, hint.__name__, error)
    if origin is collections.abc.Sequence:
        return _fault_of_sequence(what, value, members[0], error)
    if origin is collections.abc.Callable:
        return _fault_of_function(what, value, members[0])
    return None


def _fault_of_number(what: str, value: Any, kind: type) -> UsageError | None:
    words = {complex: "a complex number, x + iy", float: "a number", int: "an integer"}
    fault = InvalidType(f"{what} must be {words[kind]}, {got(value)}")
    if hasattr(value, "position"):
        hint = "; pass its position" if kind is complex else ""
        return InvalidType(f"{what} must be {words[kind]}, got a {type(value).__name__}{hint}")
    if isinstance(value, str) or (isinstance(value, np.ndarray) and value.ndim > 0):
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
    article = "an" if kind == "Obstacle" else "a"
    # Only what the function asked for is missing; that of a record has no name.
    asked_for = (error.name,) if isinstance(error, AttributeError) else ()
    for field in _BODIES[kind]:
        if not hasattr(value, field):
            if field not in asked_for and None not in asked_for:
                continue
            return InvalidType(
                f"{what} must be {article} {kind}, {got(value)}, which has no {field}"
            )
        number = complex if field in _VECTORS else float
        fault = _fault_of_number(f"the {field} of {what}", getattr(value, field), number)
        if fault is not None:
            return fault
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
    for place, entry in enumerate(members):
        fault = _fault(f"entry {place} of {what}", entry, member, error)
        if fault is not None:
            return fault
    return None


def _fault_of_function(what: str, value: Any, takes: Any) -> UsageError | None:
    count = len(takes) if isinstance(takes, list) else None
    fault = InvalidType(f"{what} must be a function, {got(value)}")
    if not callable(value):
        return fault
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # as for some functions written in C
        return None
    try:
        signature.bind(*[None] * (count or 0))
    except TypeError:
        fault = InvalidType(f"{what} is called with {count} arguments, got {shown(value)}")
        return None if count is None else fault
    return None
