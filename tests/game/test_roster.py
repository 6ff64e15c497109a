"""The rest of the roster plays soundly."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.sides import PURSUER

pytestmark = pytest.mark.weekly

CHASERS = sorted(name for name in SHORTER_NAMES if ROSTER[name].chases)
OTHERS = sorted(name for name in SHORTER_NAMES if not ROSTER[name].chases)
NOBODY = np.zeros((0, 3, 2), np.float32)


def play(chasers, others, steps, **keywords):
    config = game_config(pursuers=3, evaders=3, obstacles=4, **keywords)
    scripts = [[ROSTER[name] for name in names] for names in (chasers, others)]
    engine = Engine(config, *scripts, 96, 150)
    engine.seed(range(96))
    engine.start()
    for _ in range(steps):
        engine.step(NOBODY, NOBODY, PURSUER, True)
    return engine


@pytest.mark.compiled
@pytest.mark.parametrize("name", [*CHASERS, *OTHERS])
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_every_script_plays_soundly_on_either_side(name, arena):
    for sides in ((["pursuit"], [name]), ([name], ["evade"])):
        engine = play(*sides, 60, arena=arena)
        engine.check_state(engine.get_state())
        body = engine.get_state()["players"]["body"]
        for field in ("position", "velocity", "heading", "acceleration"):
            assert np.isfinite(body[field]).all()
        assert (abs(body["velocity"]) <= body["max_speed"] * (1 + 1e-9)).all()


@pytest.mark.compiled
@pytest.mark.parametrize("chaser", ["pursuit", "offset_pursuit", "deviated_pursuit"])
def test_a_hair_does_not_decide_when_a_chase_ends(chaser):
    """Starts moved by a nanometer: nobody trembles at a wall or across a line of sight."""
    config, nobody = game_config(), np.zeros((0, 1, 2), np.float32)
    ends = []
    for nudge in (0.0, 1e-9, 1e-9j):
        engine = Engine(config, [ROSTER[chaser]], [ROSTER["evade/herd"]], 500, 600)
        engine.seed(range(500))
        engine.start()
        state = engine.get_state()
        state["players"]["body"]["position"][:, 1] += nudge
        engine.set_state(state)
        end = np.zeros(500, int)
        for step in range(1, 601):
            over = engine.step(nobody, nobody, PURSUER, True).terminated
            end[over & (end == 0)] = step
        ends.append(end)
    for end in ends[1:]:
        assert (end == ends[0]).mean() >= 0.99
