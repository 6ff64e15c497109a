"""Perfect players in the engine: they get the value, and no other player does better."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.optimality import gap
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.game.known_value import behavior_of_game, known_values
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER
from steer_env.suite import SOLVED


def errors(keywords, dt, starts=60):
    """The relative errors of the perfect pair, absolute below 1 s or 1 m; and the regions."""
    per_second = round(1 / dt)
    config = game_config(**keywords)
    game = {**keywords, "dt": dt, "horizon": round(config.horizon / 30 * per_second)}
    perfect = Script(behavior=behavior_of_game(config))
    margin = 0.05 * min(config.capture_radius, config.arena.size)
    found = gap(perfect, game, starts=starts, margin=margin, seed=0)
    known = found.starts[np.isfinite(found.starts["value"])]
    value, payoff = known["value"], known["floor_payoff"]
    assert not found.starts["captured"][~np.isfinite(found.starts["value"])].any()
    return np.abs(payoff - value) / np.maximum(value, 1.0), known["region"]


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
