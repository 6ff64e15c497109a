"""Turns: one thread at a time uses an environment, and another one gets an error."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InUse
from steer_env.game.state import UNSTARTED

IN_USE = (
    "another thread is using this environment, and its call has not returned yet; one thread "
    "at a time can step, reset or change it: make an environment for each, or use a lock"
)

_NO_GAMES = np.zeros(0, np.int64)
_in_threads: WeakSet[Any] = WeakSet()
_Method = TypeVar("_Method", bound=Callable[..., Any])


def renew_after_fork(thing: Any) -> None:
    """Calls ``thing.renew()`` in a forked process: the threads of its parent are not there."""
    _in_threads.add(thing)


def _renew_all() -> None:
    for thing in list(_in_threads):
        thing.renew()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(after_in_child=_renew_all)


class Turn:
    """The turn of one call to use an environment or an engine, see `in_turn`.

    It is taken by deleting ``free``: faster than a lock, and no signal can come between that
    and the ``try`` whose end gives it back. Copies are free. A fork amid a step resets games by
    the column of their phases.
    """

    __slots__ = ("__weakref__", "_phases", "free")

    def __init__(self, phases: NDArray[np.int64] = _NO_GAMES) -> None:
        self.free, self._phases = True, phases
        renew_after_fork(self)

    def renew(self) -> None:
        """Frees it, in a process without the thread that has it."""
        if not hasattr(self, "free"):
            self._phases[...] = UNSTARTED
            self.free = True

    def __reduce__(self) -> Any:
        return Turn, ()


def in_turn(method: _Method) -> _Method:
    """Makes a method take the object's ``_turn``, or raise an InUse."""

    @wraps(method)
    def call(self: Any, *args: Any, **keywords: Any) -> Any:
        turn = self._turn
        try:
            del turn.free
        except AttributeError:
            raise InUse(IN_USE) from None
        try:
            return method(self, *args, **keywords)
        finally:
            turn.free = True

    return cast(_Method, call)
