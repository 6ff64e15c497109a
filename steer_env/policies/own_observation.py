"""The observation that a policy was trained with and brings into its games.

A policy has it in an attribute ``observation_config``, an `ObservationConfig` or a dict of its
fields, which stable-baselines3 saves with a model; a network has it in its ``metadata``, under
"observation".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from steer_env.errors import InvalidValue, coerce
from steer_env.game.config import GameConfig, ObservationConfig


def observation_of(policy: object) -> ObservationConfig | None:
    """The observation that a policy says it was trained with, or None."""
    for one in (policy, getattr(policy, "model", None)):  # of a `NormalizedModel`
        metadata = getattr(one, "metadata", None)
        kept = metadata.get("observation") if isinstance(metadata, dict) else None
        given = getattr(one, "observation_config", kept)
        if given is not None:
            return coerce(ObservationConfig, "observation_config", given)
    return None


def with_observation_of(config: GameConfig, players: Iterable[object]) -> GameConfig:
    """The game with the observation that its policies bring, instead of the standard one."""
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
