"""The decorators that turn textbook functions into machine code.

A steering function has two faces by design. Called from Python it is the plain Python that
it is written in: any object with a Vehicle's fields will do, a traceback shows the line, and
there is nothing to wait for. Called from compiled code it is compiled, and inlined there.

Set ``NUMBA_DISABLE_JIT=1`` before Python starts to run the loops as plain Python too: that is
how they are debugged, and how their coverage is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar
from weakref import WeakSet

import numba
import numpy as np
from numba.extending import overload

from steer_env.steering.arguments import explaining
from steer_env.steering.compile_cache import load_or_compile

Function = TypeVar("Function", bound=Callable[..., Any])

_numba: Any = numba  # its type stubs lag behind

JIT_ENABLED: bool = not _numba.config.DISABLE_JIT

# Division is numpy's: by zero it gives inf or nan, and no exception.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
_INLINED: dict[str, Any] = {**_OPTIONS, "forceinline": True, "no_cpython_wrapper": True}


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
    overload_of: Any = overload
    implementation = overload_of(explained, strict=False, jit_options=_INLINED)
    implementation(lambda *arguments, **named: function)
    _explained.add(explained)
    return explained


_explained: WeakSet[Any] = WeakSet()
"""What `compiled` has returned; compiling it twice would compile what explains its errors."""


def plain_function(value: Any) -> Any:
    """The function as it was before `compiled` decorated it; any other value is returned."""
    is_decorated = isinstance(value, FunctionType) and value in _explained
    return value.__wrapped__ if is_decorated else value


def compiled_loop(function: Function) -> Function:
    """Compiles a function that loops over many games, for compiled code to call.

    The compiler makes vector instructions of a loop while it looks at this function alone. So
    what it needs to know must stand in it: columns are made there, from the records of
    `steer_env.game.memory`, and numbers that do not change are read before the loop.
    """
    loop: Function = _numba.njit(function, no_cpython_wrapper=True, **_OPTIONS)
    return loop


class Entrance:
    """A compiled function that Python calls, kept on disk with all that it calls.

    It is compiled, or loaded, at the first call, for one signature. Arguments of other types
    are converted or raise a TypeError, so that no game waits for the compiler twice.

    Attributes:
        call: the function; look it up anew for a call that may be the first.
        function: as plain Python.
    """

    call: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self.function = function
        self._signature = signature
        self.call = self._first_call if JIT_ENABLED else function

    def _first_call(self, *arguments: Any) -> Any:
        return self.load()(*arguments)

    def load(self) -> Callable[..., Any]:
        """Compiles the function, or loads its machine code, and returns `call`."""
        if self.call == self._first_call:
            name = f"{self.function.__module__}.{self.function.__name__}"
            self.call = load_or_compile(name, self._compile)
        return self.call

    def _compile(self, is_cached: bool) -> Callable[..., Any]:
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": is_cached}
        dispatcher: Any = _numba.njit(self.function, **options)
        dispatcher.compile(self._signature)
        dispatcher.disable_compile()
        return dispatcher


def compiled_entrance(signature: Any) -> Callable[[Callable[..., Any]], Entrance]:
    """`compiled_loop` for a function that Python calls, as an `Entrance`.

    Args:
        signature: numba's, of its arguments and result.
    """
    return lambda function: Entrance(function, signature)


def compiled_modular(function: Function) -> Function:
    """`compiled`, for integer arithmetic that is meant to wrap around at 2**64."""
    wrapping = np.errstate(over="ignore")(function)
    overload_of: Any = overload
    overload_of(wrapping, strict=False, jit_options=_INLINED)(lambda *arguments: function)
    return wrapping


def is_same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether two functions are one: ``is``, which the compiler does not know for functions."""
    return one is other


@overload(is_same)
def _is_same_type(one, other):  # type: ignore[no-untyped-def]
    # To the compiler every function is a type of its own.
    return (lambda one, other: True) if one == other else (lambda one, other: False)


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The aligned dtype of records whose fields are attributes, in plain Python as well.

    Example:
        >>> import numpy as np
        >>> np.ones(2, record_dtype([("radius", np.float64)]))[0].radius
        np.float64(1.0)
    """
    return np.dtype((np.record, np.dtype(fields, align=True)))
