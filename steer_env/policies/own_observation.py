"""The observation that a policy was trained with and brings into its games.

It is an attribute ``observation_config``, an `ObservationConfig` or a dict of its fields, a
network's ``metadata["observation"]``, or the keywords ``observation`` and ``observe_nearest``
in a file model.json beside model.zip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from steer_env.errors import InvalidValue, UsageError, coerce
from steer_env.files import read_json
from steer_env.game.config import GameConfig, ObservationConfig


def observation_of(policy: object) -> ObservationConfig | None:
    """The observation that a policy says it was trained with, or None.

    Raises:
        InvalidType, InvalidValue: if what it says is not an observation.
    """
    for one in (policy, getattr(policy, "model", None)):  # of a `NormalizedModel`
        metadata = getattr(one, "metadata", None)
        kept = metadata.get("observation") if isinstance(metadata, dict) else None
        given = getattr(one, "observation_config", kept)
        if given is not None:
            found: ObservationConfig = coerce(ObservationConfig, "observation_config", given)
            return found
    return None


def with_observation_of(config: GameConfig, players: Iterable[object]) -> GameConfig:
    """The game with the observation that its policies bring, instead of the standard one.

    Raises:
        InvalidValue: if they bring different ones.
    """
    if not config.observation.is_standard:
        return config
    brought = [found for one in players if (found := observation_of(one)) is not None]
    if not brought:
        return config
    if any(found != brought[0] for found in brought):
        raise InvalidValue(
            "the two policies were trained with different observations, and a game has one: "
            "let each play against a script, or against a policy that observes all features"
        )
    return replace(config, observation=brought[0])


def read_beside(path: Path) -> ObservationConfig | None:
    """The observation in the .json file beside a model, or None.

    Raises:
        InvalidType, InvalidValue: if it is damaged, or no observation; the message names it.
    """
    beside = path.with_suffix(".json")
    content: Any = read_json(beside) if beside.is_file() else None
    if not isinstance(content, Mapping) or not {"observation", "observe_nearest"} & {*content}:
        return None  # it is about something else
    try:
        found = coerce(ObservationConfig, "observation", content.get("observation", {}))
        if "observe_nearest" in content:
            found = replace(found, nearest=content["observe_nearest"])
    except UsageError as error:
        raise type(error)(f"{beside}: {error}") from error
    assert isinstance(found, ObservationConfig)
    return found
