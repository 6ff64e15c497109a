"""The configuration of a game: frozen dataclasses, with units, checked when made."""

from __future__ import annotations

from steer_env.game.config.game import DEFAULT_VEHICLES, SOLID, Game
from steer_env.game.config.keywords import AnyGame, keywords_of, make_game
from steer_env.game.config.lidar import LidarConfig
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.config.parts import (
    LIMITS,
    PAYOFFS,
    SIDES,
    TARGET_PAYOFFS,
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
    "Game",
    "LidarConfig",
    "ObservationConfig",
    "RewardConfig",
    "TargetConfig",
    "VehicleConfig",
    "keywords_of",
    "make_game",
]
