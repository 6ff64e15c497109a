"""From the keywords of environments to a game's configuration, and back."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from enum import Enum
from pathlib import PurePath
from typing import Any, TypeAlias, TypeVar

import numpy as np

from steer_env.errors import InvalidType, check_choice, shown, unexpected_keyword
from steer_env.fields import rows
from steer_env.game.config.game import Game
from steer_env.game.config.hooks import ScenarioFeature, with_features
from steer_env.game.config.parts import SIDES
from steer_env.maps.map import Map, plain_maps
from steer_env.scenarios.registry import GAMES, suite_game
from steer_env.scenarios.scenario import Scenario
from steer_env.scripts.script import Script

AnyGame: TypeAlias = Game | Mapping[str, Any] | Scenario | type[Scenario] | str | None
"""A game as functions take it, None for the default one."""

_Function = TypeVar("_Function", bound=Callable[..., Any])

_KEYWORDS = tuple(field.name for field in fields(Game) if field.name != "scenario")


def takes_keywords_of(
    *functions: Callable[..., Any], but: Collection[str] = ()
) -> Callable[[_Function], _Function]:
    """Gives a function with ``**keywords`` the signatures of others.

    A configuration's fields are None by default, which stands for a game's own value.
    """

    def decorate(taker: _Function) -> _Function:
        own = inspect.signature(taker).parameters.values()
        shown = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
        for function in functions:
            taken = inspect.signature(function).parameters.values()
            keywords = [p for p in taken if p.kind is inspect.Parameter.KEYWORD_ONLY]
            if isinstance(function, type):
                keywords = [p.replace(default=None, annotation=p.empty) for p in keywords]
            shown += [p for p in keywords if p.name not in but]
        taker.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        return taker

    return decorate


@takes_keywords_of(Game, but=("scenario",))
def make_game(
    *, game: str | Scenario | type[Scenario] | Mapping[str, Any] | None = None, **keywords: Any
) -> Game:
    """The configuration that the environments' keywords describe.

    Args:
        game: a name of `steer_env.scenarios.registry.GAMES`, or a scenario or its class; the
            other keywords change that game. None for the default game.
        **keywords: the fields of `Game`; None is the game's own value.

    Raises:
        InvalidType: for an unknown keyword, a value of the wrong type, or an unknown field in a
            dict.
        InvalidValue: for a value out of range; the message says what is valid.
    """
    check_keywords(make_game, keywords)
    scenario = suite_game(game)
    given = dict(scenario.keywords)
    for name, value in keywords.items():
        before = given.get(name)
        if name in SIDES and isinstance(value, Mapping) and isinstance(before, Mapping):
            value = {**before, **value}
        if value is not None:
            given[name] = value
    for name in scenario.keywords:
        check_choice(f"keyword of the scenario {scenario.name}", name, _KEYWORDS)
    seen = with_features(scenario, given.pop("observation", {}))
    rules = scenario if scenario.has_rules else None
    return Game(**given, observation=seen, scenario=rules)


def keywords_of(config: Game) -> dict[str, Any]:
    """The keywords with which `make_game` makes a game, without defaults."""
    scenario = config.scenario
    default = Game() if scenario is None else make_game(game=scenario)
    given = {field.name: getattr(config, field.name) for field in fields(config)}
    changed = {n: value for n, value in given.items() if value != getattr(default, n)}
    if "map" in changed:
        changed.pop("arena_size", None)  # which is that of the maps
    return changed if scenario is None else {"game": scenario, **changed}


def given_game(given: AnyGame, what: str = "game", next_argument: str = "") -> Game:
    """Returns a game, or makes one of a name, scenario or dict of keywords, or the default one.

    ``what`` is its name in messages; an integer is probably meant for ``next_argument``. Raises
    an InvalidType or InvalidValue for anything else.
    """
    if isinstance(given, Game):
        return given
    is_name = isinstance(given, str | Scenario | type)
    keywords: Any = {"game": given} if is_name else {} if given is None else given
    if not isinstance(keywords, Mapping):
        is_next = next_argument and isinstance(given, int)
        hint = f"; did you mean {next_argument}={shown(given)}?" if is_next else ""
        raise InvalidType(
            f"{what} must be a Game, a name such as 'obstacles', a Scenario, or a dict "
            f"such as {{'arena': 'torus'}}, got {shown(given)} ({type(given).__name__}){hint}"
        )
    check_keywords(make_game, keywords)
    return make_game(**keywords)


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
    if isinstance(value, Map):
        return value.name or value.to_dict()
    is_policy = callable(getattr(value, "predict", None))
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and not is_policy:
        names = [entry.name for entry in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        if value and all(isinstance(entry, Map) for entry in value):
            return plain_maps(value)
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


_Row: TypeAlias = tuple[str, str, str]


def keyword_rows() -> list[_Row]:
    """The name, default and meaning of each keyword of `PursuitEnv`, for tables."""
    of_game = [row for row in rows(Game) if row[0] != "scenario"]
    opponent = "name, file, Script or dict, function, policy, or a list of them"
    weights = "how often each of a list of opponents is drawn, by ratio"
    game = "a game by its name, or a Scenario, which the other keywords change"
    return [
        ("opponent", '"evade"', opponent),
        ("opponent_weights", "equal", weights),
        ("game", '"walls"', game),
        *of_game,
        ("action_type", '"continuous"', 'or "discrete": nine pushes'),
        ("render_mode", "None", '"human" for a window, "rgb_array" for pixels'),
        ("drawing", "600 x 600, light", "dict or DrawingConfig: size, theme, annotations"),
    ]
