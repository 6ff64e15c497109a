"""Checks the environments' keywords, seeds and options of resets."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_integer,
    check_number,
    got,
    shown,
    unexpected_keyword,
)
from steer_env.game.config import LIMITS, SIDES, AnyGame, GameConfig, game_config
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.limits import with_limits
from steer_env.game.start_states import for_every_player
from steer_env.game.state import UNSTARTED

Weights: TypeAlias = Sequence[float] | NDArray[Any] | None

ACTION_TYPES = ("continuous", "discrete")

OPTIONS = ("opponent", "start", "limits", "state")
"""The options of `reset`: how the episodes that it begins differ from others."""


def given_game(given: AnyGame, what: str = "game", next_argument: str = "") -> GameConfig:
    """Returns the game itself, the one that a name or keywords describe, or the default one.

    Args:
        given: by a caller: a name of the suite, or a dict of keywords.
        what: its name in messages.
        next_argument: of the caller, which an integer is probably meant for.

    Raises:
        InvalidType: if it is none of these, or for an unknown keyword; it names the nearest.
        InvalidType, InvalidValue: as `game_config`.
    """
    if isinstance(given, GameConfig):
        return given
    keywords = {"game": given} if isinstance(given, str) else {} if given is None else given
    if not isinstance(keywords, Mapping):
        is_next = next_argument and isinstance(given, int)
        hint = f"; did you mean {next_argument}={shown(given)}?" if is_next else ""
        raise InvalidType(
            f"{what} must be a GameConfig, a name such as 'obstacles', or a dict such as "
            f"{{'arena': 'torus'}}, got {shown(given)} ({type(given).__name__}){hint}"
        )
    check_keywords(game_config, keywords)
    return game_config(**keywords)


def with_game_keywords(init: Callable[..., None]) -> Callable[..., None]:
    """Shows the keywords of `game_config` in the signature of a function that takes them."""
    own = inspect.signature(init).parameters.values()
    shown = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
    shown += inspect.signature(game_config).parameters.values()
    init.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return init


def check_keywords(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raises an InvalidType for a keyword that a function lacks, with the nearest match."""
    valid = _keywords_of(function)
    for name in given:
        if name not in valid:
            from steer_env.envs.single import PursuitEnv  # which imports this module

            all_listed = valid <= _keywords_of(PursuitEnv.__init__)
            listed_by = "steer-env info keywords" if all_listed else None
            raise InvalidType(unexpected_keyword(function.__qualname__, name, valid, listed_by))


def _keywords_of(function: Callable[..., Any]) -> set[str]:
    return {
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def normalized_weights(weights: Weights, opponents: int) -> NDArray[np.float64]:
    """The probability of each opponent in a mixture, (opponents,), that weights ask for.

    Args:
        weights: the `opponent_weights` keyword: a number for each opponent, 0 for never; None
            for equal chances.
        opponents: how many there are.

    Raises:
        InvalidType: if it is not a sequence of numbers.
        InvalidValue: if its length is another, a weight is negative, nan or infinite, or all
            are 0.
    """
    if weights is None:
        weights = [1.0] * opponents
    is_array = isinstance(weights, np.ndarray) and weights.ndim == 1
    if isinstance(weights, str) or not (is_array or isinstance(weights, Sequence)):
        raise InvalidType(f"opponent_weights must be a sequence of numbers, {got(weights)}")
    if len(weights) != opponents:
        raise InvalidValue(
            f"opponent_weights must have one weight for each of {opponents}, got {len(weights)}"
        )
    checked = [
        check_number(f"opponent_weights[{place}]", weight, 0.0)
        for place, weight in enumerate(weights)
    ]
    if max(checked) == 0.0:
        raise InvalidValue("opponent_weights must not all be 0")
    # By the largest first, since the sum of large weights may be infinite.
    shares = np.array(checked) / max(checked)
    return shares / shares.sum()


def check_fair(config: GameConfig) -> None:
    """Raises an InvalidValue for what only a side that learns alone can have."""
    observation, action = config.observation, config.action
    if observation.noise or observation.delay or action.noise or action.delay:
        raise InvalidValue("where both sides learn, noise and delays are not possible")
    if config.reward.terms:
        raise InvalidValue("where both sides learn, a zero-sum game, reward terms are refused")


def check_action_type(action_type: str) -> str:
    """Returns the action type.

    Raises:
        InvalidValue: if it is neither "continuous" nor "discrete".
    """
    check_choice("action_type", action_type, ACTION_TYPES)
    return action_type


def check_options(options: Any, valid: Sequence[str]) -> Mapping[str, Any]:
    """Returns the options of a reset: an empty dict for None.

    Raises:
        InvalidType: if they are neither a dict nor None.
        InvalidValue: if a key is not among the valid ones.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InvalidType(f"options must be a dict or None, got {shown(options)}")
    for name in options:
        check_choice("reset option", name, valid)
    return options


def check_seed(seed: Any) -> int | None:
    """Returns a seed as an int, or None.

    Raises:
        InvalidType: if it is neither an integer nor None.
        InvalidValue: if it is negative or has more than 64 bits.
    """
    return None if seed is None else check_integer("seed", seed, 0, LARGEST_SEED)


def check_seeds(seed: Any, num_envs: int) -> list[int | None]:
    """Returns the seeds of N games.

    Args:
        seed: None; an integer s, for the seeds s, s + 1, ...; or a list or a one-dimensional
            array of N integers and Nones.
        num_envs: N.

    Raises:
        InvalidType: if it is of another type.
        InvalidValue: if a seed is negative or has more than 64 bits, or there are not N.
    """
    if seed is None:
        return [None] * num_envs
    if isinstance(seed, Integral):
        first = check_integer("seed", seed, 0, LARGEST_SEED - num_envs + 1)
        return list(range(first, first + num_envs))
    is_list = isinstance(seed, Sequence) and not isinstance(seed, str)
    if not is_list and not (isinstance(seed, np.ndarray) and seed.ndim == 1):
        raise InvalidType(f"seed must be an integer, a list of them, or None, {got(seed)}")
    if len(seed) != num_envs:
        raise InvalidValue(f"seed must have num_envs={num_envs} entries, got {len(seed)}")
    return [check_seed(one) for one in seed]


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
