"""Scripted players do in the loop what the textbook functions say, and play soundly."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from engines import coast, started

from steer_env.baselines import evaluate
from steer_env.game.arena import ARENAS
from steer_env.game.run.memory import make_measures
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.scripts.script import Script
from steer_env.scripts.table import script_table
from steer_env.sides import EVADER, PURSUER

SPANS = {"max_speed": (1.0, 6.0), "max_force": (1.0, 300.0), "mass": (0.5, 3.0)}
LIMITS = {"pursuer": SPANS, "evader": SPANS}
NAMES = [name for name in SHORTER_NAMES if name != "idle"]


def engine_with(script, side, games=24, **keywords):
    """Games in which one side plays a script, and the other stands still."""
    sides = ["idle", "idle"]
    sides[side] = script
    return started(*sides, games, **{"arena": "open", "randomize": LIMITS, **keywords})


@pytest.mark.compiled
def test_the_wander_angle_spreads_by_its_rate():
    # A random walk: after a second, the spread is the rate, whatever the step.
    for dt, steps in ((1 / 30, 30), (1 / 10, 10)):
        script = Script(behavior="wander", wander_rate=0.5)
        engine = engine_with(script, EVADER, games=1000, dt=dt)
        start = engine.state.wander_point.copy()
        assert np.abs(start[EVADER].mean()) < 0.1
        for _ in range(steps):
            coast(engine, restart=False)
        point = engine.state.wander_point
        np.testing.assert_array_equal(point[PURSUER], start[PURSUER])
        np.testing.assert_allclose(np.abs(point), 1.0, atol=1e-6)
        turned = np.angle(point[EVADER] / start[EVADER])
        assert turned.mean() == pytest.approx(0.0, abs=0.06)
        assert turned.std() == pytest.approx(0.5, rel=0.1)


def test_who_does_not_wander_draws_no_chance():
    engine = engine_with(Script(behavior="evade"), EVADER)
    draws = engine.state.draws.copy()
    coast(engine, restart=False)
    np.testing.assert_array_equal(engine.state.draws, draws)


@pytest.mark.compiled
@pytest.mark.parametrize("seconds", [0.2, 0.5, 1.0])
def test_the_response_time_is_that_of_the_velocity(seconds):
    """Within it the gap to the desired velocity shrinks to 1 / e, whatever the law."""
    limits = {"pursuer": {"max_force": 1e6}, "evader": {"max_speed": 1e-6}}
    script = Script(behavior="seek", response_time=seconds)
    rules = {"arena": "open", "dt": 1e-3, "capture_radius": 1e-9, "horizon": 2000}
    engine = started(script, "idle", **rules, **limits)
    engine.state.velocity[:, 0] = 0
    for _ in range(round(seconds * 1000)):
        coast(engine, restart=False)
    speed = abs(engine.state.velocity[PURSUER, 0])
    assert speed == pytest.approx(4.0 * (1.0 - math.exp(-1.0)), rel=2e-3)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ARENAS)
def test_contained_without_obstacles_is_a_plain_script_with_the_same_bits(kind):
    # Separation from nobody has the loop look at one vehicle at a time, and adds nothing.
    plain, places = Script(behavior="pursuit", predictor="contained", walls=2.0), []
    assert script_table([plain], 1 / 30)["is_vectorized"][0]
    assert not script_table([plain], 1 / 30)["is_vectorized_among_obstacles"][0]
    for script in (plain, dataclasses.replace(plain, separation=1.0)):
        engine = started(script, "evade", 20, arena=kind)
        for _ in range(60):
            coast(engine)
        places.append(engine.state.position.copy())
    np.testing.assert_array_equal(*places)


# ---- What scripts are good for --------------------------------------------------------------


@pytest.mark.weekly
@pytest.mark.compiled
@pytest.mark.parametrize("chaser", ["pursuit", "offset_pursuit", "deviated_pursuit"])
def test_a_hair_does_not_decide_when_a_chase_ends(chaser):
    """Starts moved by a nanometer: nobody trembles at a wall or across a line of sight."""
    ends = []
    for nudge in (0.0, 1e-9, 1e-9j):
        engine = started(chaser, "evade/herd", 500, 600)
        engine.state.position[EVADER] += nudge
        engine.play(make_measures(500), 600, engine.no_actions(0), engine.no_actions(1))
        ends.append(engine.state.steps.copy())
    for end in ends[1:]:
        assert (end == ends[0]).mean() >= 0.99


@pytest.mark.weekly
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("pursuer", "evader", "low", "high"),
    [
        ("random", "evade", 0.0, 0.05),
        ("pursuit", "random", 0.9, 1.0),
        ("pursuit", "evade", 0.5, 0.9),
        ("pursuit", "flee", 0.5, 0.9),
        ("pursuit", "evade/intercept", 0.5, 0.9),
        ("pursuit", "idle", 0.95, 1.0),
        ("pursuit", "wander", 0.95, 1.0),
    ],
)
def test_the_defaults_leave_something_to_learn_and_something_to_beat(
    pursuer, evader, low, high
):
    found = evaluate(pursuer, evader, episodes=2000)
    assert low <= found.capture_rate.estimate <= high


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("sight", "evader", "lacks", "gain"),
    [
        # It finds what it cannot see at first.
        ({"range": 4.0}, "idle", {"wander": 0.0, "walls": 0.0}, 0.6),
        # It remembers what slips out of view.
        ({"field_of_view": 0.6}, "evade", {"memory_seconds": 0.0}, 0.1),
    ],
)
def test_searching_pays(sight, evader, lacks, gain):
    config, rates = {"observation": sight, "horizon": 1800 if evader == "idle" else 900}, []
    for fields in (lacks, {}):
        script = dataclasses.replace(ROSTER["pursuit/searching"], **fields)
        rates.append(evaluate(script, evader, config, 150).capture_rate.estimate)
    assert rates[1] > rates[0] + gain
