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
from steer_env.scripts.script import Script


def plain(value: Any) -> Any:
    """A keyword's value in numbers, texts, lists and dicts, as far as it can be.

    Functions and policies stay what they are.
    """
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


def json_keywords(config: GameConfig, what: str = "game") -> dict[str, Any]:
    """The keywords that make a game, as JSON holds them, without those of the default game.

    Args:
        config: the game.
        what: its name in messages.

    Raises:
        InvalidType: if there are functions in it, which JSON cannot hold.
    """
    keywords: dict[str, Any] = plain(keywords_of(config))
    for name, value in keywords.items():
        if not is_json(value):
            raise InvalidType(
                f"{name} of the {what} must have no functions of your own, such as reward "
                "terms and features: a game is written as JSON, which cannot hold them"
            )
    return keywords


def is_json(value: Any) -> bool:
    """Whether JSON can hold a value."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
