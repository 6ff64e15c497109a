"""Scripted players do in the loop what the textbook functions say."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.sides import EVADER, PURSUER

GAMES = 24
SIDES = (PURSUER, EVADER)
LIMITS = {"max_speed": (1.0, 6.0), "max_force": (1.0, 300.0), "mass": (0.5, 3.0)}


def engine_with(script, side, kind="open", copies=1, games=GAMES, **keywords):
    """Games in which one side plays a script, and the other stands still."""
    sides = [[None], [None]]
    sides[side] = [script] * copies
    randomize = {"pursuer": LIMITS, "evader": LIMITS}
    engine = Engine(game_config(arena=kind, randomize=randomize, **keywords), *sides, games)
    engine.seed(range(games))
    engine.start()
    return engine


def step(engine):
    actions = [np.zeros((engine.num_games, engine.side_size(side), 2), "f4") for side in SIDES]
    engine.step(*actions, PURSUER, False)
    return engine.get_state()["players"]


@pytest.mark.compiled
@pytest.mark.parametrize("name", [name for name in SHORTER_NAMES if name != "rest"])
def test_scripts_behave_as_they_are_called(name):
    """Chasers get nearer to a quarry at rest, and the chased get away from a slow menace."""
    script = ROSTER[name]
    side = PURSUER if script.chases else EVADER
    engine = engine_with(script, side, games=100)
    start = engine.get_state()["game"]["distance"].copy()
    origin = engine.state.position[EVADER].copy()
    for _ in range(45):
        step(engine)
        if (engine.get_state()["game"]["captured"] > 0).any():
            break
    if script.behavior == "wander":
        assert (abs(engine.state.position[EVADER] - origin) > 0.5).mean() > 0.9
    elif side == PURSUER:
        assert (engine.get_state()["game"]["distance"] < start).all()
    else:
        near = start < script.threat_range
        assert near.any()
        assert (engine.get_state()["game"]["distance"] > start)[near].all()
