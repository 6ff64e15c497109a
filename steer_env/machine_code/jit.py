"""Compiles while a program runs: a user's functions, and the package's if they were changed.

It is imported when it is first needed, and numba with it.
"""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import Any

from gymnasium.error import DependencyNotInstalled

from steer_env.errors import to_install
from steer_env.machine_code.library import say, sources_digest
from steer_env.machine_code.marking import on_overload, overloads
from steer_env.machine_code.routines import Routine

try:
    import numba
    import numba.extending
except ImportError as error:
    message = f"this has to be compiled, and numba is not installed; {to_install('own')}"
    raise DependencyNotInstalled(message) from error

from steer_env.machine_code import lowering  # noqa: F401  (numba reads it)

_numba: Any = numba  # its type stubs lag behind
njit, _overload = _numba.njit, _numba.extending.overload

# Division is numpy's: by zero it gives inf or nan, and no exception.
OPTIONS: dict[str, Any] = {"error_model": "numpy"}
APART = {**OPTIONS, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
_INLINED = {**APART, "forceinline": True}

_KINDS = {"int": numba.types.int64, "float": numba.types.float64, "None": numba.types.void}

_NOTICE_AFTER = 1.5  # seconds, in which most functions are compiled

_one_at_a_time = threading.Lock()  # numba has one setting for where its cache is

_compiled: list[Any] = []
"""All that has been compiled, since it must last as long as the program."""


def know_functions(inlines: bool = True) -> None:
    """Tells numba about the functions that have been marked since the last call.

    Args:
        inlines: whether to inline those that are marked so, in numba's own way.
    """
    for one in overloads:
        options = _INLINED if one.is_inlined and inlines else APART
        _overload(one.function, strict=False, jit_options=options)(one.choose)
    overloads.clear()
    if not on_overload:
        on_overload.append(know_functions)


def signature_of(routine: Routine) -> Any:
    """A routine's signature, as numba has it."""
    return _KINDS[routine.returns](*map(_KINDS.__getitem__, routine.takes))


def compile_routine(routine: Routine) -> int:
    """Compiles a routine, or loads it from numba's cache; returns its address.

    A user's is never kept: what it calls may change.
    """
    know_functions()
    if not routine.is_users:
        found = _kept(routine) or _compiled_code(routine, cache=False)
    else:
        notice = threading.Timer(_NOTICE_AFTER, say, ["compiling a function of yours"])
        notice.daemon = True
        notice.start()
        try:
            found = _compiled_code(routine, cache=False)
        finally:
            notice.cancel()
    _compiled.append(found)
    return int(found.address)


def _compiled_code(routine: Routine, cache: bool) -> Any:
    options = {"nopython": True, "cache": cache, **OPTIONS}
    return _numba.cfunc(signature_of(routine), **options)(routine.function)


def _kept(routine: Routine) -> Any:
    """A routine in numba's cache, apart for these sources; None if nothing can be kept there.

    numba itself looks at the file of the routine only.
    """
    config, name = _numba.config, f"compiled-{sources_digest()[:16]}"
    with _one_at_a_time:
        before = config.CACHE_DIR
        folder = Path(before or Path(__file__).parent / "__pycache__", name)
        config.CACHE_DIR = str(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass  # it can be written: numba would look for another folder
            return _compiled_code(routine, cache=True)
        except OSError:
            return None
        finally:
            config.CACHE_DIR = before
