"""Scripted players: their random walks and response, limited sight, and what they remember."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from engines import coast, started
from recorded import annotations_of

from steer_env.baselines import evaluate
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.run.general_scripts import coasted
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import Vehicle, seek, truncate

SPANS = {"max_speed": (1.0, 6.0), "max_force": (1.0, 300.0), "mass": (0.5, 3.0)}
LIMITS = {"pursuer": SPANS, "evader": SPANS}


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


# ---- What scripts are good for --------------------------------------------------------------


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
        script = replace(ROSTER["pursuit/searching"], **fields)
        rates.append(evaluate(script, evader, config, 150).capture_rate.estimate)
    assert rates[1] > rates[0] + gain


# ---- Limited sight and memory ---------------------------------------------------------------

SEARCHER = Script(behavior="seek", sees="observed", memory_seconds=0.5)
AHEAD = np.float32([1.0, 0.2])
DT = 1 / 30


def start(*places, script=SEARCHER, **keywords):
    """An engine with one game of scripted pursuers and of evaders that stand still."""
    engine = started(script, "idle", **{"observation": {"range": 5.0}, **keywords})
    for number, place in enumerate(places):
        put(engine, number, place)
    return engine


def put(engine, number, position, velocity=0j):
    state = engine.state
    state.position[number, 0], state.velocity[number, 0] = position, velocity
    state.heading[number, 0] = velocity / abs(velocity) if velocity else 1.0


def step(engine):
    """Steps the game; returns the force of the first pursuer, and its body before."""
    before = Vehicle(*engine.record()["players"]["body"][0].item())
    coast(engine, restart=False)
    return engine.forces()[0], before


def check_aim(engine, aim):
    """Steps the game, and holds that the first pursuer steers for a place, as is drawn."""
    scripts = [[script] for script in engine.mixtures.scripts]
    drawn = annotations_of(engine.record(), engine.config, scripts)[0]["aim"][0]
    assert drawn == pytest.approx(aim)
    force, before = step(engine)
    assert force == pytest.approx(truncate(seek(before, aim), before.max_force))


# ---- Formulas -------------------------------------------------------------------------------


def test_a_vehicle_coasts_in_a_straight_line_until_a_wall():
    assert coasted(1 + 2j, 3 - 1j, 2.0, 100.0) == 7 + 0j
    assert coasted(1 + 2j, 3 - 1j, 0.0, 100.0) == 1 + 2j
    assert coasted(8 + 2j, 4 + 1j, 2.0, 9.7) == 9.7 + 4j
    assert coasted(1j, 0j, 1e6, float("inf")) == 1j


def test_it_steers_for_where_its_quarry_would_be_by_now():
    engine = start(0j)
    put(engine, 1, 4 + 1j, 1 + 2j)
    check_aim(engine, 4 + 1j)
    for steps in (1, 2, 3):  # out of sight, wherever it is
        put(engine, 1, -8 + steps * 1j, 1j)
        check_aim(engine, 4 + 1j + steps * DT * (1 + 2j))
    put(engine, 1, 3 - 2j, 0j)  # it is back
    check_aim(engine, 3 - 2j)


def test_memory_ends_after_its_seconds():
    engine = start(0j, 4 + 1j, script=replace(SEARCHER, memory_seconds=3.5 * DT))
    step(engine)
    put(engine, 1, -9 - 9j)
    forces = [abs(step(engine)[0]) for _ in range(6)]
    assert [force > 0.0 for force in forces] == [True, True, True, False, False, False]
    assert not engine.get_state()["sightings"].any()


@pytest.mark.parametrize("memory", [0.0, 1e6])
def test_what_was_never_seen_is_not_there(memory):
    engine = start(0j, 6 + 1j, script=replace(SEARCHER, memory_seconds=memory))
    assert [step(engine)[0] for _ in range(3)] == [0j] * 3
    assert not engine.get_state()["sightings"].any()


def test_it_attends_to_the_nearest_in_sight_and_not_to_a_nearer_one_behind():
    view = {"observation": {"field_of_view": 1.0}}
    engine = start(0j, -2 + 0j, 6 + 1j, 5 + 1j, evaders=3, **view)
    check_aim(engine, 5 + 1j)


def test_on_a_torus_what_coasts_across_the_edge_is_at_its_nearest_image():
    engine = start(8 + 0j, arena="torus")
    put(engine, 1, 9.99 + 1j, 3.0 + 0j)
    step(engine)
    put(engine, 1, 0j)
    check_aim(engine, 9.99 + 3.0 * DT + 1j)
    put(engine, 0, -9.9 + 0j)
    check_aim(engine, 9.99 + 6.0 * DT - 20.0 + 1j)


def test_teammates_and_obstacles_out_of_sight_do_not_count():
    flock = {"behavior": "idle", "separation": 5.0, "neighbor_distance": 100.0}
    careful = {"behavior": "idle", "obstacles": 20.0, "obstacle_seconds": 10.0}
    for fields, place, keywords in (
        (flock, 4 + 0.1j, {"pursuers": 2}),
        (careful, -9 - 9j, {"obstacles": [(4.0, 0.1, 1.0)]}),
    ):
        for reach, sees in itertools.product((2.0, 8.0), ("observed", "all")):
            sight = {"observation": {"range": reach}}
            script = Script(sees=sees, **fields)
            engine = start(0j, place, script=script, **sight, **keywords)
            engine.state.velocity[0] = 2.0
            assert (step(engine)[0] != 0j) == (reach == 8.0 or sees == "all")


@pytest.mark.parametrize(
    "name",
    ["pursuit", "hide", "escape", "evade/herd", "evade/among_obstacles", "evade/dithered"],
)
def test_where_all_is_in_sight_it_plays_as_one_that_sees_everything(name):
    plays = []
    for sees in ("all", "observed"):
        script = replace(ROSTER[name], sees=sees)
        keywords = {"pursuers": 2, "evaders": 2, "obstacles": 3, "arena": "torus"}
        envs = gym.make_vec("Pursuit-v0", 20, opponent=script, **keywords)
        found = [envs.reset(seed=1)[0]]
        for _ in range(60):
            found.append(envs.step(np.tile(AHEAD, (20, 2, 1)))[0])
        plays.append(found)
    np.testing.assert_array_equal(*plays)


# ---- The state ------------------------------------------------------------------------------


def make(opponent="pursuit/searching", **keywords):
    keywords = {"observation": {"range": 6.0}, "obstacles": 2, "horizon": 200, **keywords}
    return gym.make("Evade-v0", opponent=opponent, **keywords).unwrapped


def test_an_opponent_that_remembers_can_come_later():
    env, other = make("pursuit"), make()
    env.reset(seed=3)
    env.step(AHEAD)
    env.set_opponent("pursuit/searching")
    for one in (env, other):
        one.reset(seed=4)
    for _ in range(150):
        np.testing.assert_array_equal(env.step(AHEAD)[0], other.step(AHEAD)[0])
    np.testing.assert_array_equal(env.get_state()["sightings"], other.get_state()["sightings"])


def test_a_damaged_memory_is_refused():
    env = make()
    env.reset(seed=3)
    state = env.get_state()
    with pytest.raises(InvalidType, match="get_state"):
        make("pursuit").set_state(state)
    state["sightings"][0, 3] = np.nan
    with pytest.raises(InvalidValue, match="sightings of game 0"):
        env.set_state(state)
