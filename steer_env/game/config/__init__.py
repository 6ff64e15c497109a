"""The configuration of a game: frozen dataclasses, with units, checked when made."""

from __future__ import annotations

from steer_env.game.config.game import (
    DEFAULT_VEHICLES,
    PAYOFFS,
    SOLID,
    TARGET_PAYOFFS,
    GameConfig,
)
from steer_env.game.config.keywords import AnyGame, game_config, keywords_of
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.config.parts import (
    LIMITS,
    SIDES,
    ActionConfig,
    RewardConfig,
    VehicleConfig,
)
from steer_env.game.config.target import TargetConfig

__all__ = [
    "DEFAULT_VEHICLES",
    "LIMITS",
    "PAYOFFS",
    "SIDES",
    "SOLID",
    "TARGET_PAYOFFS",
    "ActionConfig",
    "AnyGame",
    "GameConfig",
    "ObservationConfig",
    "RewardConfig",
    "TargetConfig",
    "VehicleConfig",
    "game_config",
    "keywords_of",
]
