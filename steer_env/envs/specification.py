"""Keywords of games and environments in the plain values that JSON has."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

from steer_env.errors import InvalidType
from steer_env.game.config import GameConfig, keywords_of
from steer_env.game.config.scenario import ScenarioFeature
from steer_env.scenarios.scenario import Scenario
from steer_env.scripts.script import Script
from steer_env.suite import GAMES, suite_game


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
    """The keywords that make a game, as JSON holds them, without those of the default game.

    Raises:
        InvalidType: if there are functions in it, which JSON cannot hold; ``what`` names it.
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
