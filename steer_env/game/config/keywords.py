"""From the keywords of environments to a game's configuration, and back."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from pathlib import PurePath
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, check_choice, shown, unexpected_keyword
from steer_env.fields import rows
from steer_env.game.config.game import GameConfig
from steer_env.game.config.hooks import ScenarioFeature, with_features
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.config.parts import (
    SIDES,
    ActionConfig,
    ArenaConfig,
    RewardConfig,
    VehicleConfig,
)
from steer_env.game.config.target import TargetConfig
from steer_env.scenarios.registry import GAMES, suite_game
from steer_env.scenarios.scenario import Scenario
from steer_env.scripts.script import Script

AnyGame: TypeAlias = GameConfig | Mapping[str, Any] | Scenario | type[Scenario] | str | None
"""A game as functions take it, None for the default one."""

Vehicles: TypeAlias = VehicleConfig | Mapping[str, Any] | Sequence[Any]
"""The limits of a side: of all its vehicles, or a list for each."""

_Init = TypeVar("_Init", bound=Callable[..., None])


def game_config(  # noqa: D417  (the fields' entries explain themselves)
    *,
    game: str | Scenario | type[Scenario] | Mapping[str, Any] | None = None,
    pursuers: int | None = None,
    evaders: int | None = None,
    pursuer: Vehicles | None = None,
    evader: Vehicles | None = None,
    arena: str | None = None,
    arena_size: float | None = None,
    obstacles: int | Sequence[Sequence[float]] | NDArray[Any] | None = None,
    obstacle_radius: tuple[float, float] | None = None,
    start_distance: float | None = None,
    start_speed: float | None = None,
    start: Mapping[str, Any] | None = None,
    capture_radius: float | None = None,
    captors_needed: int | None = None,
    dt: float | None = None,
    horizon: int | None = None,
    solid: str | None = None,
    payoff: str | None = None,
    target: TargetConfig | Mapping[str, Any] | None = None,
    reward: RewardConfig | Mapping[str, Any] | None = None,
    randomize: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    observation: ObservationConfig | Mapping[str, Any] | None = None,
    action: ActionConfig | Mapping[str, Any] | None = None,
) -> GameConfig:
    """The configuration that the environments' keywords describe.

    The others are the fields of `GameConfig` and, as ``arena``, ``arena_size``, ``obstacles``
    and ``obstacle_radius``, of `ArenaConfig`; None is the game's own value.

    Args:
        game: a name of `steer_env.scenarios.registry.GAMES`, or a scenario or its class; the
            other keywords change that game. None for the default game.

    Raises:
        InvalidType: for a value of the wrong type, or an unknown field in a dict.
        InvalidValue: for a value out of range; the message says what is valid.
    """
    keywords: dict[str, Any] = dict(locals())
    scenario = suite_game(keywords.pop("game"))
    given = dict(scenario.keywords)
    for name, value in keywords.items():
        before = given.get(name)
        if name in SIDES and isinstance(value, Mapping) and isinstance(before, Mapping):
            value = {**before, **value}
        if value is not None:
            given[name] = value
    for name in given:
        check_choice(f"keyword of the scenario {scenario.name}", name, keywords)
    space = ArenaConfig(**{_ARENA[name]: given.pop(name) for name in _ARENA if name in given})
    seen = with_features(scenario, given.pop("observation", {}), space.num_obstacles > 0)
    rules = scenario if scenario.has_rules else None
    return GameConfig(**given, arena=space, observation=seen, scenario=rules)


_ARENA = {
    "arena": "kind",
    "arena_size": "size",
    "obstacles": "obstacles",
    "obstacle_radius": "obstacle_radius",
}
"""Keywords, and the fields of `ArenaConfig` that they are."""


def keywords_of(config: GameConfig) -> dict[str, Any]:
    """The keywords with which `game_config` makes a game, without defaults."""
    scenario = config.scenario
    given = _flat(config)
    default = _flat(GameConfig() if scenario is None else game_config(game=scenario))
    changed = {name: value for name, value in given.items() if value != default[name]}
    return changed if scenario is None else {"game": scenario, **changed}


def _flat(config: GameConfig) -> dict[str, Any]:
    """All that a game is made of, by the names of the keywords."""
    values = {entry.name: getattr(config, entry.name) for entry in fields(config)}
    arena: ArenaConfig = values.pop("arena")
    return {**values, **{name: getattr(arena, field) for name, field in _ARENA.items()}}


def given_game(given: AnyGame, what: str = "game", next_argument: str = "") -> GameConfig:
    """Returns a game, or makes one of a name, scenario or dict of keywords, or the default one.

    ``what`` is its name in messages; an integer is probably meant for ``next_argument``. Raises
    an InvalidType or InvalidValue for anything else.
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


def takes_keywords_of(
    *functions: Callable[..., Any], but: Collection[str] = ()
) -> Callable[[_Init], _Init]:
    """Gives an ``__init__(**keywords)`` the signatures of functions."""

    def decorate(init: _Init) -> _Init:
        own = inspect.signature(init).parameters.values()
        shown = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
        for function in functions:
            taken = inspect.signature(function).parameters.values()
            keywords = [p for p in taken if p.kind is inspect.Parameter.KEYWORD_ONLY]
            shown += [p for p in keywords if p.name not in but]
        init.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        return init

    return decorate


def check_keywords(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raises an InvalidType for a keyword that a function lacks, with the nearest match."""
    taken = inspect.signature(function).parameters.values()
    valid = {p.name for p in taken if p.kind is inspect.Parameter.KEYWORD_ONLY}
    for name in given:
        if name not in valid:
            all_listed = valid <= {name for name, _, _ in keyword_rows()}
            listed_by = "steer-env info keywords" if all_listed else None
            raise InvalidType(unexpected_keyword(function.__qualname__, name, valid, listed_by))


def plain(value: Any) -> Any:
    """A keyword's value in plain values, beside functions and policies."""
    if isinstance(value, Scenario) or (isinstance(value, type) and issubclass(value, Scenario)):
        return _plain_scenario(value)
    if isinstance(value, ScenarioFeature):
        return value.name
    if isinstance(value, Script):
        return plain({"behavior": value.behavior, **value.changes})
    is_policy = callable(getattr(value, "predict", None))
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and not is_policy:
        names = [entry.name for entry in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, Enum):
        return value.value
    return str(value) if isinstance(value, PurePath) else value


def _plain_scenario(given: Scenario | type[Scenario]) -> Any:
    """A registered scenario as its name, with parameters that are not the default ones."""
    scenario = suite_game(given)
    known = GAMES.get(scenario.name)
    if type(known) is not type(scenario):
        return given  # it cannot be made from its name
    changed = {
        name: value for name, value in vars(scenario).items() if value != vars(known)[name]
    }
    return {"scenario": scenario.name, **changed} if changed else scenario.name


def json_keywords(config: GameConfig, what: str = "game") -> dict[str, Any]:
    """The keywords that make a game as JSON, without defaults.

    Functions in it, which JSON cannot hold, are an InvalidType; ``what`` names it.
    """
    keywords: dict[str, Any] = plain(keywords_of(config))
    for name, value in keywords.items():
        if not is_json(value):
            raise InvalidType(
                f"{name} of the {what} must have no functions of your own, such as reward "
                "terms, features and scenarios that are not registered: a game is written as "
                "JSON, which cannot hold them"
            )
    return keywords


def is_json(value: Any) -> bool:
    """True if JSON can hold a value."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


_Row: TypeAlias = tuple[str, str, str]


def keyword_rows() -> list[_Row]:
    """The name, default and meaning of each keyword of `PursuitEnv`, for tables."""
    of_game = [row for row in rows(GameConfig) if row[0] not in ("arena", "scenario")]
    opponent = "name, file, Script or dict, function, policy, or a list of them"
    weights = "how often each of a list of opponents is drawn, by ratio"
    game = "a game by its name, or a Scenario, which the other keywords change"
    return [
        ("opponent", '"evade"', opponent),
        ("opponent_weights", "equal", weights),
        ("game", '"walls"', game),
        *of_game[:4],
        *rows(ArenaConfig),
        *of_game[4:],
        ("action_type", '"continuous"', 'or "discrete": nine pushes'),
        ("render_mode", "None", '"human" for a window, "rgb_array" for pixels'),
        ("drawing", "600 x 600, light", "dict or DrawingConfig: size, theme, annotations"),
    ]
