"""The decorators that turn textbook functions into machine code.

A steering function has two faces by design. Called from Python it is the plain Python that
it is written in: any object with a Vehicle's fields will do, a traceback shows the line, and
there is nothing to wait for. Called from compiled code it is compiled, and inlined there.

Set ``NUMBA_DISABLE_JIT=1`` before Python starts to run the loops as plain Python too: that is
how they are debugged, and how their coverage is measured.
"""

from __future__ import annotations

import gc
import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CellType, FunctionType
from typing import Any, TypeVar
from weakref import WeakSet

import numba
import numpy as np
from numba.extending import overload

from steer_env.steering.arguments import explaining

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


def compiled_loop(function: Function) -> Function:
    """Compiles a function that loops over many games, for compiled code to call.

    The compiler makes vector instructions of a loop while it looks at this function alone. So
    what it needs to know must stand in it: columns are made there, from the records of
    `steer_env.game.memory`, and numbers that do not change are read before the loop.
    """
    loop: Function = _numba.njit(function, no_cpython_wrapper=True, **_OPTIONS)
    return loop


def compiled_entrance(function: Function) -> Function:
    """`compiled_loop` for a function that Python calls: cached on disk with all that it calls.

    Routines (`steer_env.steering.addresses`) are cached by themselves.
    numba notices a change in the function's own file only; but what a function closes over is
    part of the key that its machine code is cached under. So an entrance closes over a digest
    of all the files that its code can come from.
    """
    closing_over = closing_over_digest(function) if JIT_ENABLED else function
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        entrance: Function = _numba.njit(closing_over, cache=True, **options)
    except RuntimeError:  # neither the package's folder nor the user's is writable
        entrance = _numba.njit(closing_over, **options)
    return entrance


def closing_over_digest(function: Any) -> Any:
    """The same function, kept in numba's cache under a digest of all files of ours as well."""
    code = function.__code__
    return FunctionType(
        code.replace(co_freevars=(*code.co_freevars, "package_digest")),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        (*(function.__closure__ or ()), CellType(_package_digest())),
    )


@cache
def _package_digest() -> str:
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("steering", "scripts", "game"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


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


_NOTICE_AFTER = 1.5  # seconds; loading machine code from the cache takes less


@cache  # so that it is said once
def _say(message: str) -> None:
    print(f"steer_env: {message}", file=sys.stderr)


@contextmanager
def compiling(is_cached: bool = True) -> Iterator[None]:
    """Says on stderr that something is compiled, if that takes long enough to wonder.

    Args:
        is_cached: whether the machine code is kept on disk.

    The compiler makes so many objects that looking for garbage among them takes a tenth of its
    time. So that is put off.
    """
    kept = "compiling the game, once for this machine (some 15 s in all)"
    message = kept if is_cached else "compiling a behavior"
    notice = threading.Timer(_NOTICE_AFTER, _say, (message,))
    notice.daemon = True
    notice.start()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
        notice.cancel()
