"""Routines: functions of integers and floats that are compiled apart, and have an address.

Python calls them, and so does compiled code (`addresses.call_routine`). The package's own are
in the libraries that it ships; see `steer_env.machine_code.library`.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

from steer_env.machine_code.addresses import plain_routines
from steer_env.machine_code.marking import IS_PLAIN

KINDS: dict[str, Any] = {"int": ctypes.c_int64, "float": ctypes.c_double, "None": None}
"""The types of C by the annotations of a routine."""

ROUTINES: dict[str, Routine] = {}
"""The package's routines in the modules that are imported, by name."""


class Routine:
    """A function of numbers, annotated by `KINDS`, as machine code, or a user's."""

    def __init__(self, function: Callable[..., Any], is_users: bool = False) -> None:
        self.function, self.name, self.is_users = function, function.__name__, is_users
        signature = inspect.signature(function)
        self.takes = [str(one.annotation) for one in signature.parameters.values()]
        self.returns = str(signature.return_annotation)

    @cached_property
    def address(self) -> int:
        """The address of the machine code in this process, loaded when this is first read.

        A function that has to be compiled raises whatever numba raises, and a
        `DependencyNotInstalled` without it.
        """
        from steer_env.machine_code.library import library

        found = None if IS_PLAIN or self.is_users else library()
        return self._address_here() if found is None else found.address(self.name)

    def _address_here(self) -> int:
        if IS_PLAIN:
            plain_routines.append(self.function)
            return len(plain_routines)
        from steer_env.machine_code.jit import compile_routine

        return compile_routine(self.function, self.takes, self.returns, self.is_users)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """Calls the machine code while other threads go on."""
        if IS_PLAIN:
            return self.function
        prototype = ctypes.CFUNCTYPE(KINDS[self.returns], *(KINDS[kind] for kind in self.takes))
        return prototype(self.address)


class ShippedRoutine(Routine):
    """A routine of an address at a place in the package, imported where no library has it."""

    takes, returns, is_users = ["int"], "int", False

    def __init__(self, place: str) -> None:
        self._module, _, self.name = place.rpartition(".")

    @cached_property
    def function(self) -> Callable[..., Any]:  # type: ignore[override]
        """The function, imported when this is first read."""
        return self._routine.function

    def _address_here(self) -> int:
        return self._routine.address

    @property
    def _routine(self) -> Routine:
        found: Routine = getattr(import_module(f"steer_env.{self._module}"), self.name)
        return found


def routine(function: Callable[..., Any]) -> Routine:
    """Makes a function of the package, of a unique name, a `Routine`."""
    ROUTINES[function.__name__] = found = Routine(function)
    return found
