"""The decorator of textbook functions: plain Python at the prompt, inlined in loops.

A steering function checks nothing, so that it is fast and takes any object with a Vehicle's
fields. If its arithmetic fails, the message shows what it takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from traceback import walk_tb
from types import FunctionType
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np

from steer_env.errors import InvalidType, InvalidValue, UsageError, got, shown
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


_PACKAGE = str(Path(__file__).parent.parent)


def explaining(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the same function with errors that show its signature, or the wrong number.

    They are an InvalidType for arguments of the wrong type or name, and an InvalidValue for
    numbers beyond floats.
    """

    @wraps(function)
    def explained(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except (TypeError, ValueError, AttributeError, LookupError, OverflowError) as error:
            first: Exception = error
            while isinstance(first, UsageError) and isinstance(first.__cause__, Exception):
                first = first.__cause__  # of a function within, which has explained it already
            if isinstance(first, UsageError) or not _is_due_to(function, error):
                raise
            raise _fault(function, arguments, named, first) from first

    return explained


def _is_due_to(function: Any, error: Exception) -> bool:
    """True if a function and this package raised an error, and not a law that they called."""
    codes = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    return all(c is function.__code__ or c.co_filename.startswith(_PACKAGE) for c in codes)


def _fault(function: Any, arguments: Any, named: Any, error: Exception) -> UsageError:
    signature = inspect.signature(function)
    with suppress(TypeError):  # Python's own, of too few or unknown arguments
        for name, value in signature.bind(*arguments, **named).arguments.items():
            hint = signature.parameters[name].annotation
            kind = next((k for k in (complex, float, int) if hint in (k, k.__name__)), None)
            fault = kind and fault_of_number(f"{name} of {function.__name__}", value, kind)
            if fault is not None:
                return fault
    parameters = signature.parameters.values()
    shape = ", ".join(str(p.replace(default=p.empty)).replace("'", "") for p in parameters)
    text = f"{function.__name__}({shape}): {error}; vectors are complex numbers, x + iy"
    return InvalidValue(text) if isinstance(error, OverflowError) else InvalidType(text)


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
