"""Starts, capture, reward and the end of a game follow the rules."""

from __future__ import annotations

import numpy as np
import pytest
from test_rules import DIAGONAL, start

from steer_env.game.config import game_config
from steer_env.scripts.roster import named_script
from steer_env.sides import PURSUER

pytestmark = pytest.mark.weekly


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
