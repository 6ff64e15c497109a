"""A few threads that make calls side by side; compiled calls release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Threads:
    """A pool of threads that is made when it is first needed, and again after a fork.

    Args:
        count: how many calls run at once; the first runs in the caller's own thread.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def call(self, function: Callable[..., int], shares: Sequence[tuple[Any, ...]]) -> int:
        """Calls a function with each of some arguments at once; returns the least result."""
        # Threads do not survive a fork: a child process starts its own.
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self._count - 1, "steer_env")
            self._process = os.getpid()
        others = [self._pool.submit(function, *share) for share in shares[1:]]
        return min(function(*shares[0]), *(other.result() for other in others))

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        """All but the threads."""
        return {"_count": self._count, "_pool": None, "_process": 0}
