"""The decorators that mark functions for the compiler, without importing it.

Called from Python, such a function is the plain Python that it is written in; called from
compiled code it is compiled, and inlined there. With ``NUMBA_DISABLE_JIT=1`` the loops are
plain Python, too: so they are debugged, and their coverage is measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

IS_PLAIN: bool = os.environ.get("NUMBA_DISABLE_JIT", "").strip() in map(str, range(1, 10))
"""True if nothing is compiled."""


class Overload(NamedTuple):
    """The replacement of a function in compiled code, or a class that it uses."""

    function: Callable[..., Any]  # as Python code calls it; or the class
    choose: Callable[..., Any] | None  # takes the arguments' types, returns what is compiled
    is_inlined: bool
    checks_indices: bool = False  # an index outside an array raises an IndexError


overloads: list[Overload] = []
"""The overloads that the compiler does not know yet."""

on_overload: list[Callable[[], None]] = []
"""The compiler's function to call after each new overload, once it is there."""


def keep(one: Overload) -> None:
    """Keeps an overload for the compiler."""
    overloads.append(one)
    for call in on_overload:
        call()


def when_compiled(
    function: Callable[..., Any], checks_indices: bool = False
) -> Callable[[Function], Function]:
    """Decorates a function that chooses the one to compile in place of another."""

    def decorate(choose: Function) -> Function:
        keep(Overload(function, choose, True, checks_indices))
        return choose

    return decorate


def compiled_modular(function: Function) -> Function:
    """`steer_env.steering.compiled`, for integers that are meant to wrap around at 2**64."""
    wrapping = np.errstate(over="ignore")(function)
    when_compiled(wrapping)(lambda *arguments: function)
    return wrapping


def compiled_loop(function: Function) -> Function:
    """Lets compiled code call a function that loops over many games, without inlining it.

    The compiler makes vector instructions of a loop while it looks at this function alone, so
    columns are made in it, and numbers that do not change are read before the loop.
    """
    keep(Overload(function, lambda *arguments, **named: function, is_inlined=False))
    return function


def compiled_class(kind: type[Any]) -> type[Any]:
    """Lets compiled code use a dataclass of numbers, with its properties and methods."""
    keep(Overload(kind, None, is_inlined=True))
    return kind


def is_same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """True if two functions are one: ``is``, for the compiler, too."""
    return one is other


@when_compiled(is_same)
def _is_same_type(one: Any, other: Any) -> Callable[..., bool]:
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
