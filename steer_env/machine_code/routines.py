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
"""All routines of the modules that are imported, by name."""

_plain: list[Callable[..., Any]] = []
"""Where nothing is compiled, an address is a place in this list, counted from 1."""


class Routine:
    """A function of numbers as machine code.

    Args:
        function: in plain Python, with annotations out of `KINDS`.

    Attributes:
        function: the same.
        name: the function's.
        takes: the kinds of its arguments.
        returns: the kind of what it returns.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.name = function, function.__name__
        signature = inspect.signature(function)
        self.takes = [str(one.annotation) for one in signature.parameters.values()]
        self.returns = str(signature.return_annotation)

    @cached_property
    def address(self) -> int:
        """Where the machine code is, in this process; it is loaded when this is first read.

        Raises:
            gymnasium.error.DependencyNotInstalled: if it has to be compiled, without numba.
        """
        if IS_PLAIN:
            return plain_address(self.function)
        from steer_env.machine_code.library import library

        found = library()
        if found is not None:
            return found.address(self.name)
        from steer_env.machine_code.jit import compile_routine

        return compile_routine(self)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """Calls the machine code; other Python threads run meanwhile."""
        if IS_PLAIN:
            return self.function
        prototype = ctypes.CFUNCTYPE(KINDS[self.returns], *(KINDS[kind] for kind in self.takes))
        return prototype(self.address)

    def __call__(self, *arguments: float) -> Any:
        """`call`."""
        return self.call(*arguments)


def routine(function: Callable[..., Any]) -> Routine:
    """Makes a function of the package a `Routine`; its name must be the only one."""
    ROUTINES[function.__name__] = found = Routine(function)
    return found


def user_routine_address(function: Callable[..., None]) -> int:
    """The address of a routine that calls a user's function; it is compiled now.

    Args:
        function: takes integers.

    Raises:
        gymnasium.error.DependencyNotInstalled: without numba.
        Exception: if it cannot be compiled, whatever numba raises.
    """
    if IS_PLAIN:
        return plain_address(function)
    from steer_env.machine_code.jit import compile_for_user

    return compile_for_user(function)


def plain_address(function: Callable[..., Any]) -> int:
    """What stands for a function's address where nothing is compiled."""
    if function not in _plain:
        _plain.append(function)
    return 1 + _plain.index(function)


def call_plain(address: int, arguments: tuple[int, ...]) -> None:
    """Calls the function that such an address stands for."""
    _plain[address - 1](*arguments)
