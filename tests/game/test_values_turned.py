"""Perfect players in the engine: they get the value, and no other player does better."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.baselines.solved_games import known_values
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scenarios.registry import SOLVED
from steer_env.scripts.roster import ROSTER
from steer_env.sides import PURSUER

pytestmark = pytest.mark.weekly


@pytest.mark.compiled
@pytest.mark.parametrize("game", SOLVED)
@pytest.mark.parametrize("side", ["pursuer", "evader"])
def test_values_do_not_depend_on_where_and_how_the_plane_is_turned(game, side):
    """The same game, moved and turned: the same actions in the own frame, but for rounding."""
    config = game_config(game=game)
    scripts = [[None], [ROSTER[SOLVED[game].opponents[PURSUER]]]]
    if side == "pursuer":
        scripts.reverse()
    engine = Engine(config, *scripts, 300)
    engine.seed(range(300))
    engine.start()
    states = engine.get_state()
    turned, spin = states.copy(), np.exp(0.7j)
    body = turned["players"]["body"]
    for name in ("position", "velocity", "heading"):
        body[name] *= spin
    values = [known_values(config, one).value for one in (states, turned)]
    np.testing.assert_allclose(*values, rtol=1e-9)
