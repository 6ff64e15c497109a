"""Scripted players do in the loop what the textbook functions say."""

from __future__ import annotations

import pytest
from test_scripts import engine_with, step

from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.weekly


@pytest.mark.compiled
@pytest.mark.parametrize("name", [name for name in SHORTER_NAMES if name != "idle"])
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
