"""A few threads that make calls side by side; compiled calls release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from steer_env.errors import check_integer
from steer_env.game.memory import BLOCK

_GAMES_PER_THREAD = 8192
"""With fewer games than this, another thread costs more than it saves."""


def thread_count(num_threads: int | None, num_games: int) -> int:
    """How many threads step some games; each has a block of them at least.

    Args:
        num_threads: at most so many; None for as many as the machine has, where the number of
            games is worth it.
        num_games: N.

    Raises:
        InvalidType, InvalidValue: if num_threads is not an integer from 1 to 1024.
    """
    if num_threads is None:
        return max(1, min(os.cpu_count() or 1, num_games // _GAMES_PER_THREAD))
    return min(check_integer("num_threads", num_threads, 1, 1024), -(-num_games // BLOCK))


class Threads:
    """A pool of threads that is made when it is first needed, and again after a fork.

    Args:
        count: how many calls run at once; the first runs in the caller's own thread.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def shares(self, num_games: int) -> list[tuple[int, int]]:
        """Each thread's share of the games, in whole blocks: first, and one past the last."""
        blocks = -(-num_games // BLOCK)
        share = -(-blocks // self._count) * BLOCK
        return [(first, min(first + share, num_games)) for first in range(0, num_games, share)]

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
