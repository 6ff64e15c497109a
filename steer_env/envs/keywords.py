"""Checks the keywords of environments, and seeds."""

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
    check_integer,
    check_number,
    got,
    shown,
    unexpected_keyword,
)
from steer_env.game.config import AnyGame, GameConfig, game_config
from steer_env.game.engine import LARGEST_SEED
from steer_env.scenarios.scenario import Scenario

Weights: TypeAlias = Sequence[float] | NDArray[Any] | None

ACTION_TYPES = ("continuous", "discrete")

LEARNER_KEYWORDS = ("opponent", "opponent_weights", "action_type", "render_mode", "drawing")
"""The keywords of `PursuitEnv` beside those of the game."""


def given_game(given: AnyGame, what: str = "game", next_argument: str = "") -> GameConfig:
    """Returns the game itself, the one that a name or keywords describe, or the default one.

    Args:
        given: by a caller: a name of the suite, a scenario, or a dict of keywords.
        what: its name in messages.
        next_argument: of the caller, which an integer is probably meant for.

    Raises:
        InvalidType, InvalidValue: if it is none of these, and for keywords that are not valid.
    """
    if isinstance(given, GameConfig):
        return given
    is_name = isinstance(given, str | Scenario | type)
    keywords: Any = {"game": given} if is_name else {} if given is None else given
    if not isinstance(keywords, Mapping):
        is_next = next_argument and isinstance(given, int)
        hint = f"; did you mean {next_argument}={shown(given)}?" if is_next else ""
        raise InvalidType(
            f"{what} must be a GameConfig, a name such as 'obstacles', a Scenario, or a dict "
            f"such as {{'arena': 'torus'}}, got {shown(given)} ({type(given).__name__}){hint}"
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
            all_listed = valid <= _keywords_of(game_config).union(LEARNER_KEYWORDS)
            listed_by = "steer-env info keywords" if all_listed else None
            raise InvalidType(unexpected_keyword(function.__qualname__, name, valid, listed_by))


def _keywords_of(function: Callable[..., Any]) -> set[str]:
    return {
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def normalized_weights(weights: Weights, opponents: int) -> NDArray[np.float64]:
    """Returns the probability of each opponent in a mixture, (opponents,).

    Args:
        weights: the `opponent_weights` keyword: a number for each opponent, 0 for never; None
            for equal chances.
        opponents: their number.

    Raises:
        InvalidType: if it is not a sequence of numbers.
        InvalidValue: for another length, a negative, nan or infinite weight, or only zeros.
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
    """Returns the action type, or raises an InvalidValue if it is not in `ACTION_TYPES`."""
    check_choice("action_type", action_type, ACTION_TYPES)
    return action_type


def check_seed(seed: Any) -> int | None:
    """Returns a seed as an int from 0 to 2**64 - 1, or None."""
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
