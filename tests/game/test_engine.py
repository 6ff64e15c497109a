"""Games depend on their seeds and actions alone, and can be saved, restored and played on."""

from __future__ import annotations

import gc
import os
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from engines import random_actions, started
from gymnasium.error import ResetNeeded

from steer_env.errors import InvalidValue
from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.game.run.memory import BLOCK, make_measures
from steer_env.game.state import (
    OVER,
    RUNNING,
    UNSTARTED,
)
from steer_env.scripts.roster import named_script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.vehicle import VEHICLE

MIXTURE = [named_script(name) for name in ("evade", "wander", "flee", "evade/intercept")]
RANDOM_LIMITS = {
    "pursuer": {"max_speed": (3.0, 6.0), "radius": (0.1, 0.4)},
    "evader": {"mass": (0.5, 2.0), "max_force": (4.0, 20.0)},
}
GAMES = {
    "torus": {"arena": "torus", "randomize": RANDOM_LIMITS, "capture_radius": 2.0},
    "teams": {"pursuers": 2, "evaders": 3, "capture_radius": 4.0, "obstacles": 1},
}


def actions_for(engine, seed=0):
    """Random actions for the pursuers, (games, players, 2)."""
    return random_actions(engine, np.random.default_rng(seed))[PURSUER]


def step(engine, actions, restart=True):
    """Steps with the pursuers' actions."""
    return engine.step(actions, engine.no_actions(EVADER), PURSUER, restart)


@pytest.mark.parametrize("config", GAMES.values(), ids=GAMES)
def test_a_step_for_both_sides_is_a_step_and_what_the_others_observe(config):
    one, both = (started(None, None, 200, 10, **config) for _ in range(2))
    generator = np.random.default_rng(0)
    for _ in range(15):
        actions = random_actions(one, generator)
        expected = one.step(*actions, PURSUER, True)
        pursuers, evaders = both.step_both(*actions, True)
        for found, known in zip(pursuers, expected, strict=True):
            np.testing.assert_array_equal(found, known)
        np.testing.assert_array_equal(evaders.observations, one.observe(EVADER))
        np.testing.assert_array_equal(evaders.rewards, -expected.rewards)
    assert both.get_state().tobytes() == one.get_state().tobytes()


def test_engines_with_threads_can_be_pickled():
    engine = started(None, MIXTURE, 3 * BLOCK, 60, num_threads=3)
    actions = [actions_for(engine, seed) for seed in range(4)]
    for action in actions[:2]:
        step(engine, action)
    copied = pickle.loads(pickle.dumps(engine))
    for action in actions[2:]:
        for found, known in zip(step(copied, action), step(engine, action), strict=True):
            np.testing.assert_array_equal(found, known)
    assert copied.get_state().tobytes() == engine.get_state().tobytes()
    engine.close()
    engine.close()  # twice is fine
    step(engine, actions[0])  # and it goes on
    for one in (engine, copied):
        one.close()


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        *(("body", name, np.nan) for name in VEHICLE.names),
        ("body", "position", complex(0, np.inf)),
        ("body", "position", 10.1 + 0j),
        ("game", "phase", 3),
        ("game", "phase", -1),
        ("game", "steps", -1),
        ("game", "steps", 601),
        ("game", "distance", np.nan),
        ("game", "pursuer_script", 1),
        ("game", "evader_script", 4),
        ("game", "evader_script", -1),
        ("players", "wander_point", np.nan),
        ("players", "active", False),
        ("obstacles", "center", np.nan),
        ("obstacles", "radius", np.inf),
    ],
)
def test_damaged_states_are_refused(part, field, value):
    engine = started(None, MIXTURE, 4, obstacles=1)
    before, state = engine.get_state(), engine.get_state()
    array = state["players"]["body"] if part == "body" else state[part]
    array[field][2] = value
    with pytest.raises(ValueError, match=f"{field} of game 2"):
        engine.set_state(state)
    assert engine.get_state().tobytes() == before.tobytes()


def test_states_of_other_engines_are_refused():
    engine = started(None, MIXTURE, 4)
    others = [started(None, MIXTURE, 4, **{name: 2}) for name in ("evaders", "obstacles")]
    states = [other.get_state() for other in others]
    for wrong in (*states, None, np.zeros(4), "state", {"game": 1}):
        with pytest.raises(TypeError, match="get_state"):
            engine.set_state(wrong)
    with pytest.raises(ValueError, match="shape"):
        engine.set_state(engine.get_state()[:3])


def test_an_engine_that_never_started_can_be_restored():
    engine = Engine(make_game(), [None], MIXTURE, 2)
    assert (engine.state.phase == UNSTARTED).all()
    engine.set_state(engine.get_state())
    with pytest.raises(ResetNeeded, match="game 0 is over or has not begun"):
        step(engine, np.zeros((2, 1, 2), np.float32), restart=False)


def test_seeds():
    game = {"obstacles": 2, "randomize": RANDOM_LIMITS}
    one, same = (started(None, MIXTURE, 3, **game) for _ in range(2))
    for engine in (one, same):
        engine.seed([0, 1, 2**64 - 1])
        engine.start()
    assert one.get_state().tobytes() == same.get_state().tobytes()
    starts = one.get_state()["players"]["body"]["position"]
    assert len(np.unique(starts)) == 6
    one.start()
    second = one.get_state()["players"]["body"]["position"]
    assert len(np.unique([starts, second])) == 12  # the next episode is another
    one.seed([None, 1, None])
    same.start()  # to where `one` was
    before = one.get_state()["game"]["key"], same.get_state()["game"]["key"]
    assert (before[0] == before[1]).tolist() == [True, False, True]
    one.start()
    assert (one.get_state()["players"]["body"]["position"][1] == starts[1]).all()


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, None])
def test_actions_that_are_not_finite_and_games_that_are_over_step_no_game(wrong, num_threads):
    count = BLOCK + 10
    engine = started(None, MIXTURE, count, num_threads=num_threads)
    actions = actions_for(engine)
    error, match = ValueError, f"the action of game {BLOCK + 5} is not finite"
    if wrong is None:
        engine.state.phase[BLOCK + 5] = OVER
        error, match = ResetNeeded, f"game {BLOCK + 5} is over"
    else:
        actions[BLOCK + 5, 0, 1] = wrong
    before = engine.get_state().tobytes()
    with pytest.raises(error, match=match):
        step(engine, actions, restart=False)
    assert engine.get_state().tobytes() == before
    if wrong is None:
        step(engine, actions)
        assert (engine.state.phase == RUNNING).all()
    engine.close()


def test_arguments_are_checked():
    for wrong, error in ((0, ValueError), (2.0, TypeError), ("2", TypeError)):
        with pytest.raises(error, match="num_envs must be"):
            Engine(make_game(), [None], [None], wrong)
        with pytest.raises(error, match="num_threads must be"):
            Engine(make_game(), [None], [None], 2, None, wrong)
    assert Engine(make_game(), [None], [None], BLOCK, None, 8).num_threads == 1


@pytest.mark.parametrize(
    ("num_games", "game", "cause"),
    [
        (1, {"pursuers": 169, "evaders": 165, "observation": {"delay": 1000}}, "observations"),
        (10**6, {"action": {"delay": 1000}}, "the delay of actions"),
        (64, {"pursuers": 1024, "evaders": 1024}, "observations"),
        (10**7, {"evaders": 2}, "vehicles and obstacles"),
    ],
)
def test_arrays_that_are_too_large_are_refused_before_they_are_made(
    num_games, game, cause, monkeypatch
):
    monkeypatch.setattr(os, "sysconf", lambda name: 0, raising=False)
    monkeypatch.delattr("steer_env.game.state.make_state")
    with pytest.raises(InvalidValue, match=rf"{num_games:,} needs [\d,]+ bytes.*{cause}"):
        Engine(make_game(**game), [None], MIXTURE, num_games, learner=PURSUER)


def test_actions_that_the_compiled_loop_cannot_read_never_reach_it():
    engine = started(None, MIXTURE, 4, pursuers=3)
    before = engine.get_state().tobytes()
    shapes = (4, 1, 2), (0, 3, 2), (3, 3, 2), (4, 3, 3)
    wrong = [np.zeros(shape, np.float32) for shape in shapes]
    fixed = np.zeros((4, 3, 2), np.float32)
    fixed.flags.writeable = False
    wrong += [fixed, np.zeros((4, 3, 2)), np.zeros((4, 3, 4), np.float32)[:, :, ::2]]
    for actions in wrong:
        with pytest.raises(ValueError, match="actions"):
            step(engine, actions, restart=False)
        assert engine.get_state().tobytes() == before


def test_a_prepared_step_keeps_its_engine_alive():
    engine = started(None, MIXTURE)
    kept = weakref.ref(engine)
    actions = np.zeros((1, 1, 2), np.float32)
    outcome = engine.new_outcome(PURSUER)
    step = engine.prepare_step(outcome, actions, engine.no_actions(EVADER), PURSUER)
    del engine
    gc.collect()
    assert kept() is not None
    assert step() == -1
    assert kept().state.steps.tolist() == [1]


def test_what_a_call_writes_and_reads_must_fit():
    engine = started(None, MIXTURE, 6)
    good = np.zeros((6, 1, engine.num_features), np.float32)
    assert engine.observe(PURSUER, into=good) is good
    for bad in (good[:5], good.astype(float), good[..., ::-1], good[:, 0]):
        with pytest.raises(InvalidValue, match="into must be"):
            engine.observe(PURSUER, into=bad)
    for mask in ([], [True], np.ones((6, 1), bool)):
        with pytest.raises(InvalidValue, match="a mask must have shape"):
            engine.observe(PURSUER, mask=mask)


def test_threads_of_a_program_may_share_an_engine():
    """One after the other: the arguments of a call last as long as it does."""
    engine = started(None, MIXTURE, 300)
    expected = engine.observe(EVADER)

    def is_same(_):
        return all((engine.observe(EVADER) == expected).all() for _ in range(200))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(is_same, range(4)))


# ---- Playing to the end ---------------------------------------------------------------------

LIMIT = 60
KEYWORDS = [
    {},
    {"arena": "torus"},
    {"pursuers": 2, "evaders": 2, "obstacles": 3, "solid": "everyone", "capture_radius": 0.8},
    {"pursuer": {"model": "car"}, "evader": {"model": "simple_motion"}},
]


def make(chaser="pursuit", chased="evade", **keywords):
    return started(chaser, chased, 5, LIMIT, **keywords)


def nobody(engine):
    return engine.no_actions(PURSUER), engine.no_actions(EVADER)


@pytest.mark.parametrize("keywords", KEYWORDS, ids=["walls", "torus", "teams", "models"])
def test_playing_is_stepping(keywords):
    played, stepped = make(**keywords), make(**keywords)
    measures = make_measures(5)
    played.play(measures, LIMIT, *nobody(played))
    paths, closest = np.zeros((2, 5)), np.full(5, np.inf)
    pursuers = played.side_size(PURSUER)
    final = stepped.get_state()
    for _ in range(LIMIT):
        before = stepped.get_state()
        stepped.step(*nobody(stepped), PURSUER, True)
        after = stepped.get_state()
        running = before["game"]["phase"] != OVER
        running &= final["game"]["phase"] != OVER
        final[running] = after[running]
        places = (one["players"]["body"]["position"] for one in (before, after))
        moved = abs(played.config.region.offsets(*places))
        moved = np.where(before["players"]["active"], moved, 0.0)
        paths[0, running] += moved[running, :pursuers].sum(axis=1)
        paths[1, running] += moved[running, pursuers:].sum(axis=1)
        closest[running] = np.minimum(closest, after["game"]["distance"])[running]
    for name in ("steps", "captured", "distance", "draws", "phase"):
        np.testing.assert_array_equal(played.get_state()["game"][name], final["game"][name])
    for name in ("position", "velocity", "heading"):
        ours, theirs = (s["players"]["body"][name] for s in (played.get_state(), final))
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(measures.path, paths, rtol=1e-9)
    if played.side_size(EVADER) == 1:
        assert (measures.closest <= np.where(closest > 0, closest, np.inf) + 1e-9).all()
    assert (measures.closest > 0).all()


def test_it_does_not_matter_in_how_many_calls():
    whole, parts = make(), make()
    one, other = make_measures(5), make_measures(5)
    whole.play(one, LIMIT, *nobody(whole))
    for steps in (1, 7, 0, 12, LIMIT):
        parts.play(other, steps, *nobody(parts))
    for mine, yours in zip(one, other):
        np.testing.assert_array_equal(mine, yours)
    before = whole.get_state()
    whole.play(one, 10, *nobody(whole))  # all are over: nothing happens
    np.testing.assert_array_equal(whole.get_state(), before)
    np.testing.assert_array_equal(one.path, other.path)


def test_effort_is_the_length_of_the_action():
    engine, measures = make(None, "idle"), make_measures(5)
    actions = np.tile(np.float32([0.3, 0.4]), (5, 1, 1))
    engine.play(measures, 4, actions, nobody(engine)[EVADER])
    np.testing.assert_allclose(measures.effort[PURSUER], 4 * 0.5, rtol=1e-6)
    np.testing.assert_array_equal(measures.effort[EVADER], 0.0)
    np.testing.assert_array_equal(measures.turns, 4)
    too_long = np.tile(np.float32([3.0, 4.0]), (5, 1, 1))
    engine.play(measures, 1, too_long, nobody(engine)[EVADER])
    np.testing.assert_allclose(measures.effort[PURSUER], 3.0, rtol=1e-6)
