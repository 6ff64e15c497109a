"""Scripted players do in the loop what the textbook functions say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from test_scripts import DT

from steer_env import steering
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER
from steer_env.steering import Vehicle

pytestmark = pytest.mark.weekly


def truncated(vector, limit):
    return vector if abs(vector) <= limit else vector / abs(vector) * limit


def next_velocity(me, force):
    velocity = me.velocity + truncated(force, me.max_force) / me.mass * DT
    return truncated(velocity, me.max_speed)


# ---- To the letter of the sources ---------------------------------------------------------


AROUND_ROCKS = Script(behavior="pursuit", predictor="contained", lookahead="target_speed")


def velocity_toward_a_rock(script, obstacles, x=0.0, **keywords):
    """A pursuer's velocity after a step from rest, 7 m below a quarry that runs right."""
    config = game_config(obstacles=obstacles, **keywords)
    engine = Engine(config, [script], [ROSTER["idle"]], 1)
    engine.seed([0])
    engine.start()
    state = engine.get_state()
    body = state["players"]["body"]
    body["position"] = [[x - 4j, x + 3j]]
    body["velocity"] = [[0j, 1.8 + 0j]]
    body["heading"] = 1.0
    engine.set_state(state)
    nobody = np.zeros((0, 1, 2), np.float32)
    engine.step(nobody, nobody, PURSUER, False)
    return engine.get_state()["players"]["body"]["velocity"][0, PURSUER]


@pytest.mark.compiled
def test_contained_pursuit_aims_beside_an_obstacle():
    # After 7 / 3.6 s the quarry would be at (3.5, 3): its body has room 2.3 m from the center.
    rock, elsewhere = [(4.0, 3.0, 2.0)], [(-6.0, -6.0, 2.0)]
    me = Vehicle(-4j, max_speed=4.0, max_force=12.0, radius=0.3)
    beside, linear = (next_velocity(me, steering.seek(me, aim)) for aim in (1.7 + 3j, 3.5 + 3j))
    assert velocity_toward_a_rock(AROUND_ROCKS, rock) == pytest.approx(beside)
    budget = dataclasses.replace(AROUND_ROCKS, combination="budget")
    assert velocity_toward_a_rock(budget, rock) == pytest.approx(beside)
    for obstacles in (0, elsewhere):
        assert velocity_toward_a_rock(AROUND_ROCKS, obstacles) == pytest.approx(linear)
    # Across the edge of a torus, too: 9.9 + 4 is -6.1.
    torus = {"x": 9.9, "arena": "torus"}
    found = velocity_toward_a_rock(AROUND_ROCKS, [(-6.1, 3.0, 2.0)], **torus)
    assert found == pytest.approx(beside)
