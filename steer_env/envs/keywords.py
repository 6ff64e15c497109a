"""Checks the environments' keywords and seeds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_number,
    got,
    shown,
    unexpected_keyword,
)
from steer_env.game.config import AnyGame, GameConfig, game_config
from steer_env.game.engine import LARGEST_SEED

Weights: TypeAlias = Sequence[float] | NDArray[Any] | None

ACTION_TYPES = ("continuous", "discrete")


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
    if isinstance(given, str):
        return game_config(game=given)
    if given is not None and not isinstance(given, Mapping):
        is_next = next_argument and isinstance(given, int)
        hint = f"; did you mean {next_argument}={shown(given)}?" if is_next else ""
        raise InvalidType(
            f"{what} must be a GameConfig, a name such as 'obstacles', or a dict such as "
            f"{{'arena': 'torus'}}, got {shown(given)} ({type(given).__name__}){hint}"
        )
    check_keywords(game_config, given or {})
    return game_config(**(given or {}))


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
        raise InvalidType(
            "opponent_weights must be a sequence of numbers, one for each opponent, or None "
            f"for equal chances; {got(weights)}"
        )
    if len(weights) != opponents:
        raise InvalidValue(
            "opponent_weights must hold one weight for each opponent in the list `opponent`: "
            f"{opponents}, got {len(weights)}"
        )
    checked = [
        check_number(f"opponent_weights[{place}]", weight, 0.0)
        for place, weight in enumerate(weights)
    ]
    if max(checked) == 0.0:
        raise InvalidValue(
            "opponent_weights must not all be 0: give at least one opponent a chance"
        )
    # By the largest first, since the sum of large weights may be infinite.
    shares = np.array(checked) / max(checked)
    return shares / shares.sum()


def check_fair(config: GameConfig) -> None:
    """Raises an InvalidValue for what only a side that learns alone can have."""
    observation, action = config.observation, config.action
    if observation.noise or observation.delay or action.noise or action.delay:
        raise InvalidValue("both sides learn here: they observe and act without noise or delay")
    if config.reward.terms:
        raise InvalidValue("both sides learn here: a zero-sum game has no reward terms")


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
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise InvalidType(f"a seed must be an integer or None, got {shown(seed)}")
    number = int(seed)
    if not 0 <= number <= LARGEST_SEED:
        raise InvalidValue(f"a seed must be from 0 to 2**64 - 1, got {shown(number)}")
    return number


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
        first = check_seed(seed)
        assert first is not None
        check_seed(first + num_envs - 1)
        return list(range(first, first + num_envs))
    is_list = isinstance(seed, Sequence) and not isinstance(seed, str)
    if not is_list and not (isinstance(seed, np.ndarray) and seed.ndim == 1):
        raise InvalidType(
            "seed must be an integer, a list or one-dimensional array of num_envs seeds, "
            f"or None, got {shown(seed)}"
        )
    if len(seed) != num_envs:
        raise InvalidValue(
            f"a list of seeds must hold num_envs={num_envs} of them, got {len(seed)}"
        )
    return [check_seed(one) for one in seed]
