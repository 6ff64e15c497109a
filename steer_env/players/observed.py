"""The observations that policies are for: the standard one, a game's, or their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from gymnasium import spaces

from steer_env.errors import InvalidValue, coerce
from steer_env.game.config import Game, ObservationConfig
from steer_env.game.config.hooks import ScenarioFeature, named_features
from steer_env.game.engine import Engine
from steer_env.game.look.learner import chosen_features
from steer_env.game.rules import unscaled_features
from steer_env.players.archive import SavedPolicy
from steer_env.players.random_policy import RandomPolicy
from steer_env.scenarios.scenario import Scenario


def observation_of(
    policy: object, scenario: Scenario | None = None
) -> ObservationConfig | None:
    """The observation that a policy says it was trained with, or None.

    It is in an attribute ``observation_config``, an `ObservationConfig` or a dict of its
    fields, which stable-baselines3 saves with a model; a network has it in its ``metadata``,
    under "observation".
    """
    for one in (policy, getattr(policy, "model", None)):  # of a `NormalizedModel`
        metadata = getattr(one, "metadata", None)
        kept = metadata.get("observation") if isinstance(metadata, dict) else None
        given = getattr(one, "observation_config", kept)
        if isinstance(given, Mapping) and "features" in given:
            given = {**given, "features": named_features(scenario, given["features"])}
        if given is not None:
            return coerce(ObservationConfig, "observation_config", given)
    return None


def seen_by(policies: Iterable[object], config: Game) -> Game:
    """The game with the observation that policies bring, instead of the standard one."""
    if not config.observation.is_standard:
        return config
    known = (observation_of(one, config.scenario) for one in policies)
    brought = [found for found in known if found is not None]
    if not brought:
        return config
    if any(found != brought[0] for found in brought):
        raise InvalidValue(
            "the two policies were trained with different observations, and a game has one: "
            "let each play against a script, or against a policy that observes all features"
        )
    return replace(config, observation=brought[0])


def is_for_chosen_features(policy: object, engine: Engine, side: int) -> bool:
    """True if a policy was made for the features that the configuration gives its learner."""
    config = engine.config
    observation = config.observation
    if observation_of(policy, config.scenario) == observation:
        return True
    if not observation.features and observation.nearest is None:
        # Limits of sight do not change the space, so each possible learner has them.
        return observation.limits_sight and engine.learner in (None, side)
    return _fits_chosen(policy, config)


def _fits_chosen(policy: object, config: Game) -> bool:
    """True if a policy's space is that of the features that a game's learner observes."""
    space, chosen = getattr(policy, "observation_space", None), chosen_features(config)
    size = len(chosen)
    if not isinstance(space, spaces.Box) or space.shape[-1:] != (size,):
        return False
    if size != len(unscaled_features(config)):
        return True
    # There are as many features as without a choice: only the bounds show which they are.
    bounds = space.low.reshape(-1, size)[0], space.high.reshape(-1, size)[0]
    return np.allclose(bounds, np.transpose([(one.low, one.high) for one in chosen]))


def has_own_features(config: Game) -> bool:
    """True if the learner of a game observes features of its scenario."""
    return any(isinstance(one, ScenarioFeature) for one in config.observation.features)


def seen_in_scenario(policy: object, config: Game) -> ObservationConfig | None:
    """The observation of a policy in a game with `has_own_features`, or None.

    It is the one that it was trained with, or else the learner's; None is the standard one, of
    a policy with a space of another size.
    """
    if not has_own_features(config):
        return None
    trained = observation_of(policy, config.scenario)
    if trained is not None:
        return replace(config.observation, features=trained.features)
    says = isinstance(policy, SavedPolicy) or hasattr(policy, "observation_space")
    return None if says and not _fits_chosen(policy, config) else config.observation


def seen_in_common(policies: Iterable[object], config: Game) -> ObservationConfig:
    """The one observation of a side's policies in a game with `has_own_features`.

    None stands for a script. Raises an InvalidValue if they have several.
    """
    standard = config.observation.standard
    looking = (one for one in policies if not isinstance(one, RandomPolicy | None))
    found = [seen_in_scenario(one, config) or standard for one in looking]
    if any(one != found[0] for one in found):
        raise InvalidValue(
            "all opponents observe the same, and some of these policies, or of those that "
            "still play, are for other features of the scenario, or for the standard ones; let "
            "each play in an environment of its own"
        )
    return found[0] if found else standard
