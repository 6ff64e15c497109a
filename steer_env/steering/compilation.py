"""The one decorator that turns a textbook function into machine code.

Set ``NUMBA_DISABLE_JIT=1`` before Python starts to run the same functions as
plain Python: that is how they are debugged, and how their coverage is measured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_numba: Any = numba  # its type stubs lag behind

JIT_ENABLED: bool = not _numba.config.DISABLE_JIT


def compiled(function: Function) -> Function:
    """Compiles a scalar function with numba, and caches the machine code on disk.

    The function releases the interpreter's lock, divides like numpy (by zero: inf
    or nan, no exception) and reorders no arithmetic, so that results do not depend
    on the machine's vector width or on the number of threads. It is inlined where
    compiled code calls it. It may read and write arrays, but not make new ones.

    Args:
        function: a function of numbers, records, NamedTuples and compiled functions.

    Returns:
        The compiled function; the function itself when ``NUMBA_DISABLE_JIT=1``.
    """
    return _compile(function, forceinline=True)


def compiled_loop(function: Function) -> Function:
    """`compiled`, for a function that loops over many: called seldom, so not inlined.

    Only compiled code can call it: a door for Python, which would have to unwrap all the
    columns that such functions take, can take longer to compile than the function.
    """
    return _compile(function, no_cpython_wrapper=True)


def compiled_entrance(function: Function) -> Function:
    """`compiled_loop`, with a door for Python."""
    return _compile(function)


def _compile(function: Function, **options: bool) -> Function:
    if not JIT_ENABLED:
        return function
    # Without numba's run-time (_nrt) arrays are not counted, which costs atomic operations.
    dispatcher: Any = _numba.njit(
        nogil=True, error_model="numpy", _nrt=False, no_cfunc_wrapper=True, **options
    )(function)
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # neither the package's folder nor the user's is writable
        return dispatcher
    _watch_whole_package(dispatcher)
    return dispatcher


def entry_point(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Compiles a function for arguments like these, and returns it without type checks.

    Looking at the types of a dozen arrays costs more than a step of a game. The caller
    must pass arguments of the same types, dtypes and dimensions ever after; arrays of
    records may have any strides.
    """
    if not JIT_ENABLED:
        return function
    signature = tuple(_any_strides(_numba.typeof(argument)) for argument in arguments)
    function.compile(signature)  # type: ignore[attr-defined]
    return function.overloads[signature].entry_point  # type: ignore[attr-defined]


def _any_strides(kind: Any) -> Any:
    is_records = isinstance(kind, numba.types.Array) and isinstance(
        kind.dtype, numba.types.Record
    )
    return kind.copy(layout="A") if is_records else kind


def _watch_whole_package(dispatcher: Any) -> None:
    # numba invalidates a cached function when its own file changes, not when a file
    # that it calls into does; so the stamp that it compares covers all of our files.
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None and hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (cache_file._source_stamp, _package_stamp())


@cache
def _package_stamp() -> str:
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("steering", "game"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
