"""How an episode stands or ended, read from one record of the state."""

from __future__ import annotations

import numpy as np

from steer_env.game.config import GameConfig
from steer_env.game.state import OVER, UNSTARTED


def seconds_of(record: np.void, config: GameConfig) -> float:
    """How long the episode has lasted."""
    return float(record["game"]["steps"] * config.dt)


def is_captured(record: np.void, config: GameConfig) -> bool:
    """Whether all evaders are caught."""
    return bool(record["game"]["captured"] == config.evaders)


def result_of(record: np.void, config: GameConfig) -> str:
    """The end of an episode, or how it stands, in a few words: "caught after 4.2 s"."""
    game = record["game"]
    if game["phase"] == UNSTARTED:
        return "not begun"
    seconds = f"{seconds_of(record, config):.1f} s"
    if is_captured(record, config):
        return f"caught after {seconds}"
    how_far = f"got away for {seconds}" if game["phase"] == OVER else f"free after {seconds}"
    caught = f", {game['captured']} of {config.evaders} caught" if config.evaders > 1 else ""
    return how_far + caught
