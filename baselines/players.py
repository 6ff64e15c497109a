"""Turns what callers name or pass into a script or a policy."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from steer_env.envs.keywords import Controller, controllers
from steer_env.episodes.players import load_player
from steer_env.errors import InvalidType
from steer_env.scripts.roster import name_of_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

Player: TypeAlias = str | Path | Controller | Callable[..., Any]
"""A name, the path of an .npz file, a Script, a behavior, or a policy; see `evaluate`."""


def controllers_of(
    pursuer: Player, evader: Player, seed: int = 0
) -> tuple[Controller, Controller]:
    """Returns the players of both sides: scripts, or policies outside the compiled loop.

    Args:
        pursuer: see `evaluate`.
        evader: likewise.
        seed: the seed of random players, whose numbers differ between the sides.

    Raises:
        TypeError, ValueError, FileNotFoundError: as `evaluate`.
    """
    return _controller_of(pursuer, PURSUER, seed), _controller_of(evader, EVADER, seed)


def _controller_of(player: Player, side: Side, seed: int) -> Controller:
    if isinstance(player, str | Path):
        return load_player(player, side, seed=seed)
    return _controller_given(player, side)


def _controller_given(player: Any, side: Side) -> Controller:
    """Returns the controller for a player that is neither a name nor a file."""
    has_predict = callable(getattr(player, "predict", None))
    if isinstance(player, type):
        raise InvalidType(
            f"{side.name} must be a policy itself, not its class: got {player.__name__}; "
            f"pass {player.__name__}(...)"
        )
    if not (isinstance(player, Script) or has_predict or callable(player)):
        raise InvalidType(
            f"{side.name} must be one player: a name such as 'pursuit' or 'evade', the path "
            "of an .npz file, a Script, a function (me, other) -> force, or an object with "
            "predict(observation, state, episode_start, deterministic); "
            f"got {player!r} ({type(player).__name__})"
        )
    if callable(player) and not has_predict and not _takes_two(player):
        raise InvalidType(
            f"{name_of(player)} as {side.name} is not a behavior, a function (me, other) "
            "-> force; if it is a function from observations to actions, pass "
            "FunctionPolicy(function)"
        )
    return controllers(player, side)[0]


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # has no signature to look at
        return True
    return True


def name_of(player: Player) -> str:
    """Returns the name of a player in tables: its name, file, or type."""
    if isinstance(player, str | Path):
        return str(player)
    if isinstance(player, Script):
        return name_of_script(player)
    given = getattr(player, "name", None) or getattr(player, "__name__", None)
    return given if isinstance(given, str) else type(player).__name__
