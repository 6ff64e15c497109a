"""Standings agree with games solved by hand, and their pages show them."""

from __future__ import annotations

import numpy as np
import pytest
from standings import Standing

from steer_env.baselines import EPISODE
from steer_env.baselines.cross_play import CrossPlay
from steer_env.game.config import game_config
from steer_env.scenarios.registry import SUITE
from steer_env.sides import PURSUER

pytestmark = pytest.mark.weekly

# Numbers.


def test_the_interval_of_a_headroom_contains_it():
    """Also where no learned player is better, and the estimate is biased upward."""
    generator = np.random.default_rng(5)
    held = []
    for better in (0.0, 0.8) * 20:
        of_starts = generator.normal(0.0, 2.0, 100)
        times = 8.0 + of_starts + generator.normal(0.0, 2.0, (5, 1, 100))
        times[-1] -= better
        episodes = np.zeros(times.shape, EPISODE)
        episodes["time"] = times.clip(0.0, 20.0)
        names = ("seek", *(f"pretrained/pursuit/ppo/{seed}" for seed in range(4)))
        played = CrossPlay(names, ("flee",), game_config(), episodes)
        room = Standing(SUITE["walls"], played).headroom[PURSUER]
        held.append(room.low <= better <= room.high)
        assert room.low <= room.estimate <= room.high < better + 3.0
    assert np.mean(held) >= 0.95


# The rule.


# Players.


# Pages.
