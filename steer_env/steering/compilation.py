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

JIT_ENABLED = not numba.config.DISABLE_JIT


def compiled(function: Function) -> Function:
    """Compiles a scalar function with numba, and caches the machine code on disk.

    The function releases the interpreter's lock, divides like numpy (by zero: inf
    or nan, no exception) and reorders no arithmetic, so that results do not depend
    on the machine's vector width or on the number of threads.

    Args:
        function: a function of numbers, records, NamedTuples and compiled functions.

    Returns:
        The compiled function; the function itself when ``NUMBA_DISABLE_JIT=1``.
    """
    if not JIT_ENABLED:
        return function
    dispatcher = numba.njit(nogil=True, error_model="numpy", forceinline=True, _nrt=False)(function)
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # neither the package's folder nor the user's is writable
        return dispatcher  # type: ignore[no-any-return]
    _watch_whole_package(dispatcher)
    return dispatcher  # type: ignore[no-any-return]


def _watch_whole_package(dispatcher: Any) -> None:
    # numba invalidates a cached function when its own file changes, not when a file
    # that it calls into does; so the stamp that it compares covers all of our files.
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (cache_file._source_stamp, _package_stamp())


@cache
def _package_stamp() -> str:
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("steering", "game"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
