"""The decorator of textbook functions: plain Python at the prompt, inlined in loops."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar
from weakref import WeakSet

from steer_env.machine_code.marking import when_compiled
from steer_env.steering.arguments import explaining

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Lets compiled code call a function; from Python it stays the function that it is.

    Compiled, it divides as numpy does (by zero: inf or nan, no exception) and reorders no
    arithmetic, so that results do not depend on the machine's vector width or on the number
    of threads. It may read and write arrays, but not make any.

    Args:
        function: a function of numbers, Vehicles, NamedTuples and functions like it.

    Returns:
        The function, whose errors say which argument does not fit; see `arguments.explaining`.
    """
    if function in _explained:
        return function
    explained: Any = explaining(function)
    when_compiled(explained)(lambda *arguments, **named: function)
    _explained.add(explained)
    return explained


_explained: WeakSet[Any] = WeakSet()
"""What `compiled` has returned; compiling it twice would compile what explains its errors."""


def plain_function(value: Any) -> Any:
    """The function as it was before `compiled` decorated it; any other value is returned."""
    is_decorated = isinstance(value, FunctionType) and value in _explained
    return value.__wrapped__ if is_decorated else value
