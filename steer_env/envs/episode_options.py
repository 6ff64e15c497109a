"""What `reset` takes as options: how the episodes that it begins differ from others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.envs.keywords import check_options
from steer_env.errors import InvalidType, InvalidValue, check_choice, got
from steer_env.game.config import LIMITS, SIDES, GameConfig
from steer_env.game.limits import with_limits
from steer_env.game.placement import Placement
from steer_env.game.start_states import for_every_player
from steer_env.game.state import UNSTARTED
from steer_env.players import Player

OPTIONS = ("opponent", "start", "limits", "state")


class EpisodeOptions(NamedTuple):
    """The checked options of a reset; None for those that are not given.

    Attributes:
        opponents: one for all games, or one for each of the N.
        placement: where the vehicles start.
        limits: pairs of indices of games, and the configuration with their limits.
        state: N records, as `get_state` returns them; of the games that begin, those are used.
    """

    opponents: list[Player] | None
    placement: Placement | None
    limits: list[tuple[NDArray[np.intp], GameConfig]] | None
    state: NDArray[np.void] | None


def episode_options(
    options: Mapping[str, Any],
    config: GameConfig,
    mask: NDArray[np.bool_],
    check: Callable[[GameConfig], None],
) -> EpisodeOptions:
    """Checks the options of a reset.

    Args:
        options: some of `OPTIONS`. "opponent" is one player, or a list of N. "start" is what
            `Placement` takes, and "limits" has what `with_limits` takes for "pursuer",
            "evader" or both, where a limit may also be an array, as in `Placement`. "state"
            is what `get_state` returned; it can be combined with "opponent" only.
        config: the game.
        mask: (N,): the games that begin.
        check: raises an error for a game whose limits do not fit the observation space.

    Raises:
        InvalidType, InvalidValue: for options that are not valid.
    """
    count = len(mask)
    opponents = placement = limits = state = None
    for name in ("start", "limits"):
        if "state" in options and name in options:
            raise InvalidValue(
                f"the reset option 'state' says where vehicles are; leave out {name!r}"
            )
    if "opponent" in options:
        opponents = _one_or_each(options["opponent"], count)
    if "start" in options:
        placement = Placement(options["start"], count, (config.pursuers, config.evaders))
    if "limits" in options:
        limits = list(_games_by_limits(options["limits"], config, mask))
        for _, game in limits:
            check(game)
    if "state" in options:
        state = options["state"]
    return EpisodeOptions(opponents, placement, limits, state)


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


def _one_or_each(given: Any, count: int) -> list[Player]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        return [given]
    if len(given) != count:
        raise InvalidValue(
            "the reset option 'opponent' must be one opponent, or a list with one for each of "
            f"the {count} games, got {len(given)}; set_opponent takes a list to draw from"
        )
    return list(given)


def _games_by_limits(
    given: object, config: GameConfig, mask: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.intp], GameConfig]]:
    """Groups of games with equal limits."""
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
            each = [
                {
                    limit: columns[s, limit][chosen[0], place]
                    for s, limit in columns
                    if s == side
                }
                for place in range(config.count(side))
            ]
            found = with_limits(found, side, each)
        yield chosen, found
