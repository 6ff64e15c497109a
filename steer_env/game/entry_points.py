"""Compiles the loop, or loads it from the cache, once in a process."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from steer_env.game import loop
from steer_env.game.state import PURSUER
from steer_env.steering.compilation import entry_point

if TYPE_CHECKING:
    from steer_env.game.engine import Engine

_NOTICE_AFTER = 1.5  # seconds; loading the compiled loop from the cache takes less


class EntryPoints:
    """The compiled loop's functions for the types that every engine passes."""

    def __init__(self, engine: Engine) -> None:
        with _SlowCompilationNotice():
            mask = np.ones(engine.num_games, np.bool_)
            parts = (engine._games, engine._bodies, engine._discs)
            observations = engine._new_observations(PURSUER)
            actions = np.zeros((0, 1, 2), np.float32)
            shared = (engine._rules, engine._scales)
            self.reset = entry_point(
                loop.reset_games, mask, *parts, engine.mixtures.table, engine._rules
            )
            self.observe = entry_point(
                loop.observe_games,
                *parts,
                *shared,
                PURSUER,
                mask,
                observations,
                engine._spaces[0],
            )
            self.step = entry_point(
                loop.step_games,
                0,
                1,
                True,
                PURSUER,
                *parts,
                engine.mixtures.table,
                *shared,
                actions,
                actions,
                engine.new_outcome(PURSUER),
                engine._spaces[0],
            )


class EntryPoint:
    """A compiled entrance that only some programs need; made when it is first asked for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._made: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Callable[..., Any]:
        """The function for the types of these arguments, which all engines share."""
        if self._made is None:
            with _SlowCompilationNotice():
                self._made = entry_point(self._function, *arguments)
        return self._made


_made: list[EntryPoints] = []


def entry_points(engine: Engine) -> EntryPoints:
    """The loop's functions, compiled or loaded at the first call."""
    if not _made:
        _made.append(EntryPoints(engine))
    return _made[0]


class _SlowCompilationNotice:
    """Says on stderr that the loop is being compiled, if that takes long enough to wonder."""

    def __enter__(self) -> None:
        message = "steer_env: compiling the game loop, once for this machine (some 20 s)"
        self._timer = threading.Timer(_NOTICE_AFTER, print, (message,), {"file": sys.stderr})
        self._timer.daemon = True
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
