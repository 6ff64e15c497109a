"""Scripted players do in the loop what the textbook functions say."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from steer_env.game.arena import ARENAS
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.scripts.table import script_table
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import Vehicle

DT = 1 / 30
GAMES = 24
SIDES = (PURSUER, EVADER)
LIMITS = {"max_speed": (1.0, 6.0), "max_force": (1.0, 300.0), "mass": (0.5, 3.0)}


def vehicle(body):
    return Vehicle(*(body[name].item() for name in Vehicle._fields))


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
def test_the_wander_angle_spreads_by_its_rate():
    # A random walk: after a second, the spread is the rate, whatever the step.
    for dt, steps in ((1 / 30, 30), (1 / 10, 10)):
        script = Script(behavior="wander", wander_rate=0.5)
        engine = engine_with(script, EVADER, games=1000, dt=dt)
        start = engine.get_state()["players"]["wander_point"].copy()
        assert np.abs(start[:, EVADER].mean()) < 0.1
        for _ in range(steps):
            step(engine)
        point = engine.get_state()["players"]["wander_point"]
        np.testing.assert_array_equal(point[:, PURSUER], start[:, PURSUER])
        np.testing.assert_allclose(np.abs(point), 1.0, atol=1e-6)
        turned = np.angle(point[:, EVADER] / start[:, EVADER])
        assert turned.mean() == pytest.approx(0.0, abs=0.06)
        assert turned.std() == pytest.approx(0.5, rel=0.1)


def test_who_does_not_wander_draws_no_chance():
    engine = engine_with(Script(behavior="evade"), EVADER)
    draws = engine.get_state()["game"]["draws"].copy()
    step(engine)
    np.testing.assert_array_equal(engine.get_state()["game"]["draws"], draws)


@pytest.mark.compiled
def test_the_response_time_is_that_of_the_velocity():
    """Within it the gap to the desired velocity shrinks to 1 / e, whatever the law."""
    for seconds in (0.2, 0.5, 1.0):
        script = Script(behavior="seek", response_time=seconds)
        limits = {"max_speed": 4.0, "max_force": 1e6}
        config = game_config(
            arena="open",
            dt=1e-3,
            pursuer=limits,
            evader={"max_speed": 1e-6},
            capture_radius=1e-9,
            horizon=2000,
        )
        engine = Engine(config, [script], [ROSTER["idle"]], 1)
        engine.seed([0])
        engine.start()
        engine.state.velocity[:, 0] = 0
        nobody = np.zeros((0, 1, 2), np.float32)
        for _ in range(round(seconds * 1000)):
            engine.step(nobody, nobody, PURSUER, True)
        speed = abs(engine.state.velocity[PURSUER, 0])
        assert speed == pytest.approx(4.0 * (1.0 - math.exp(-1.0)), rel=2e-3)


# ---- To the letter of the sources ---------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ARENAS)
def test_contained_without_obstacles_is_a_plain_script_with_the_same_bits(kind):
    # Separation from nobody has the loop look at one vehicle at a time, and adds nothing.
    plain, places = Script(behavior="pursuit", predictor="contained", walls=2.0), []
    assert script_table([plain], DT)["is_vectorized"][0]
    assert not script_table([plain], DT)["is_vectorized_among_obstacles"][0]
    for script in (plain, dataclasses.replace(plain, separation=1.0)):
        engine = Engine(game_config(arena=kind), [script], [ROSTER["evade"]], 20)
        engine.seed(range(20))
        engine.start()
        nobody = np.zeros((0, 1, 2), np.float32)
        for _ in range(60):
            engine.step(nobody, nobody, PURSUER, True)
        places.append(engine.get_state()["players"]["body"]["position"])
    np.testing.assert_array_equal(*places)
