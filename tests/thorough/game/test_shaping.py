"""Starts, capture, reward and the end of a game follow the rules."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import named_script
from steer_env.sides import EVADER, PURSUER

DIAGONAL = math.sqrt(2) * 20.0


def start(config, num_games=1, max_episode_steps=None, scripts=((None,), (None,))):
    engine = Engine(config, *scripts, num_games, max_episode_steps)
    engine.seed(range(num_games))
    engine.start()
    return engine


def play(engine, steps, side=PURSUER, restart=True):
    """Random play; yields the distances before and the outcomes of all steps."""
    generator = np.random.default_rng(0)
    for _ in range(steps):
        actions = [
            generator.uniform(-1, 1, (engine.num_games, engine.side_size(s), 2)).astype("f4")
            for s in (PURSUER, EVADER)
        ]
        before = engine.state.distance.copy()
        yield before, engine.step(*actions, side, restart)


@pytest.mark.parametrize("evaders", [1, 3])
def test_shaping_telescopes_to_the_start_potential(evaders):
    # Without discount, the closing terms of a won game add up to the distance at the start.
    weights = {"capture": 0.0, "time": 0.0, "closing": 1.0}
    config = game_config(evaders=evaders, reward=weights, evader={"max_speed": 1.0})
    scripts = [named_script("pursuit")], [named_script("evade")]
    engine = start(config, 10, None, scripts)
    potential = engine.get_state()["game"]["distance"] / DIAGONAL
    nobody = np.zeros((0, 1, 2), np.float32), np.zeros((0, evaders, 2), np.float32)
    total, over = np.zeros(10), np.zeros(10, bool)
    for _ in range(3000):
        outcome = engine.step(*nobody, PURSUER, True)
        total += np.where(over, 0, outcome.rewards)
        over |= outcome.terminated
        if over.all():
            break
    assert over.all()
    np.testing.assert_allclose(total, potential, atol=1e-9)
