"""The options of `reset`: how the episodes that it begins differ from others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.envs.keywords import check_options
from steer_env.errors import InvalidType, InvalidValue, check_choice, got
from steer_env.game.config import LIMITS, SIDES, GameConfig
from steer_env.game.limits import with_limits
from steer_env.game.start_states import for_every_player
from steer_env.game.state import UNSTARTED

OPTIONS = ("opponent", "start", "limits", "state")


def options_and_mask(
    options: Any, phases: NDArray[np.int64]
) -> tuple[dict[str, Any], NDArray[np.bool_] | None]:
    """The options of a vector environment's reset, and the mask of the games that begin.

    Args:
        options: some of `OPTIONS`, and ``reset_mask``; or None.
        phases: of the games, (N,).

    Raises:
        InvalidType, InvalidValue: for options or a mask that are not valid.
        gymnasium.error.ResetNeeded: for a mask before the first whole reset.
    """
    given = dict(check_options(options, ("reset_mask", *OPTIONS)))
    if "reset_mask" not in given:
        return given, None
    mask = given.pop("reset_mask")
    if not isinstance(mask, np.ndarray):
        raise InvalidType(f"reset_mask must be a numpy array, got {type(mask).__name__}")
    if mask.dtype != np.bool_:
        raise InvalidType(f"reset_mask must have dtype bool, got {mask.dtype}")
    if mask.shape != phases.shape:
        raise InvalidValue(f"reset_mask must have shape {phases.shape}, got {mask.shape}")
    if not mask.any():
        raise InvalidValue("reset_mask must have at least one True")
    if (phases[~mask] == UNSTARTED).any():
        raise ResetNeeded("reset all games once before resetting some with reset_mask")
    return given, mask


def games_by_limits(
    given: object, config: GameConfig, mask: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.intp], GameConfig]]:
    """Yields groups of the games that begin, and the game with the limits of each.

    Args:
        given: the option "limits"; see `Match.reset`.
        config: the game.
        mask: (N,): the games that begin.

    Raises:
        InvalidType, InvalidValue: for limits that are not valid.
    """
    if not isinstance(given, Mapping):
        raise InvalidType(
            "limits must be a dict such as {'evader': {'max_speed': 3.0}}, " + got(given)
        )
    columns: dict[tuple[str, str], NDArray[np.float64]] = {}
    for side, limits in given.items():
        check_choice("side in limits", side, SIDES)
        if isinstance(limits, Mapping):
            arrays = {k: v for k, v in limits.items() if isinstance(v, np.ndarray) and v.ndim}
            for limit, values in arrays.items():
                check_choice(f"limit of the {side}s", limit, LIMITS)
                what = f"limits[{side!r}][{limit!r}]"
                players = config.count(side)
                columns[side, limit] = for_every_player(what, values, len(mask), players)
            limits = {name: value for name, value in limits.items() if name not in arrays}
        config = with_limits(config, side, limits)
    games = np.flatnonzero(mask)
    if not columns:
        yield games, config
        return
    rows = np.concatenate(list(columns.values()), axis=1)
    different, group = np.unique(rows[mask], axis=0, return_inverse=True)
    for number in range(len(different)):
        chosen = games[group.ravel() == number]
        found = config
        for side in SIDES:
            arrays = {limit: rows for (of, limit), rows in columns.items() if of == side}
            each = [
                {limit: rows[chosen[0], place] for limit, rows in arrays.items()}
                for place in range(config.count(side))
            ]
            found = with_limits(found, side, each)
        yield chosen, found
