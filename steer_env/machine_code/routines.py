"""Routines: functions of numbers that are compiled apart, and called by their addresses.

A routine's arguments are integers, most of them addresses, and floats. Python calls it, and so
does compiled code that has its address (`addresses.call_routine`). The package's own are in the
libraries that it ships; see `steer_env.machine_code.library`.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from steer_env.machine_code.marking import IS_PLAIN

KINDS: dict[str, Any] = {"int": ctypes.c_int64, "float": ctypes.c_double, "None": None}
"""What a routine takes and returns, as annotations say it, and as C knows it."""

ROUTINES: dict[str, Routine] = {}
"""The package's routines in the modules that are imported, by name."""

plain_routines: list[Callable[..., Any]] = []
"""Where nothing is compiled, an address is a place in this list, counted from 1."""


class Routine:
    """A function of numbers as machine code.

    Args:
        function: in plain Python, with annotations out of `KINDS`.
        is_users: whether it calls a function of a user's, so that no library has it.

    Attributes:
        name: the function's.
        takes: the kinds of its arguments.
        returns: the kind of what it returns.
    """

    def __init__(self, function: Callable[..., Any], is_users: bool = False) -> None:
        self.function, self.name, self.is_users = function, function.__name__, is_users
        signature = inspect.signature(function)
        self.takes = [str(one.annotation) for one in signature.parameters.values()]
        self.returns = str(signature.return_annotation)

    @cached_property
    def address(self) -> int:
        """Where the machine code is, in this process; it is loaded when this is first read.

        Raises:
            gymnasium.error.DependencyNotInstalled: if it has to be compiled, without numba.
            Exception: if a user's function cannot be compiled, whatever numba raises.
        """
        if IS_PLAIN:
            plain_routines.append(self.function)
            return len(plain_routines)
        from steer_env.machine_code.library import library

        found = None if self.is_users else library()
        if found is not None:
            return found.address(self.name)
        from steer_env.machine_code.jit import compile_routine

        return compile_routine(self)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """Calls the machine code with the numbers that it takes; other threads go on."""
        if IS_PLAIN:
            return self.function
        prototype = ctypes.CFUNCTYPE(KINDS[self.returns], *(KINDS[kind] for kind in self.takes))
        return prototype(self.address)


def routine(function: Callable[..., Any]) -> Routine:
    """Makes a function of the package a `Routine`; its name must be the only one."""
    ROUTINES[function.__name__] = found = Routine(function)
    return found
