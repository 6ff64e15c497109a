"""User-defined behaviors, lookahead laws and predictors, in the compiled loop and out of it."""

from __future__ import annotations

import functools
import math
import pickle

import gymnasium as gym
import numpy as np
import pytest
from engines import coast, started

from steer_env import steering
from steer_env.baselines import ScriptedPolicy
from steer_env.errors import FaultyBehavior
from steer_env.rendering.annotations import Annotator
from steer_env.scripts.roster import ROSTER, name_of_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import Blend, Vehicle, compiled, evade, intercept, linear

pytestmark = pytest.mark.compiled


@compiled
def evade_by_intercept(me, menace):
    return evade(me, menace, intercept, linear, math.inf)


def shared_speed(me, other):
    """The closing law, written by a user."""
    return abs(other.position - me.position) / (me.max_speed + abs(other.velocity))


def straight_on(other, time):
    return other.position + other.velocity * time


def half_a_second(me, other):
    return 0.5


OWN = {"lookahead": shared_speed, "predictor": straight_on, "facing_test": True}
QUARTER = {"lookahead": "constant", "lookahead_seconds": 0.25}


def play(pursuer, evader="evade", games=30, steps=60, **keywords):
    """An engine after some steps; a pursuer may be the fields of one that pursues."""
    if isinstance(pursuer, dict):
        pursuer = Script(behavior="pursuit", **pursuer)
    engine = started(pursuer, evader, games, **keywords)
    for _ in range(steps):
        coast(engine)
    return engine


CAREFUL = {"wander": 0.3, "walls": 8.0}


@pytest.mark.parametrize("arena", ["walls", "torus"])
@pytest.mark.parametrize(
    ("own", "built_in", "name"),
    [
        (
            Script(behavior=evade_by_intercept, **CAREFUL),
            Script(behavior="evade", lookahead="intercept", **CAREFUL),
            "Script(evade_by_intercept, wander=0.3, walls=8)",
        ),
        (
            Script(behavior="pursuit", **OWN),
            ROSTER["pursuit"],
            "Script(pursuit, lookahead=shared_speed, pred",
        ),
    ],
    ids=["behavior", "predictor"],
)
def test_the_same_written_by_a_user_plays_the_same_games(own, built_in, name, arena):
    """In the loop, and as policies."""
    own = pickle.loads(pickle.dumps(own))
    assert name_of_script(own).startswith(name)
    places, acted = [], []
    observations = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 21)).astype(np.float32)
    observations[:, 6:11] = 0.9
    for script in (own, built_in):
        sides = (script, "evade") if built_in.chases else ("seek", script)
        places.append(play(*sides, steps=100, arena=arena).state.position)
        policy = ScriptedPolicy(script, side="pursuer" if built_in.chases else "evader")
        acted.append(pickle.loads(pickle.dumps(policy)).predict(observations)[0])
    np.testing.assert_allclose(*places, atol=1e-9)
    np.testing.assert_allclose(*acted, atol=1e-6)


@pytest.mark.parametrize(
    ("own", "named"),
    [
        ({"lookahead": steering.intercept}, {"lookahead": "intercept"}),
        ({"lookahead": steering.closing}, {}),  # keeps the facing test
        ({"predictor": steering.turning}, {"predictor": "turning"}),
        ({"lookahead": half_a_second, "lookahead_cap": 0.25}, QUARTER),
    ],
)
def test_steering_functions_will_do_and_the_cap_holds_for_all(own, named):
    found, expected = (play(fields, "wander").state.position for fields in (own, named))
    np.testing.assert_array_equal(found, expected)


def test_the_crosshair_is_at_the_point_of_a_users_predictor():
    engine = play(OWN, games=1, steps=10)
    state, (mine, theirs) = engine.get_state(), engine.mixtures.scripts
    drawn = Annotator(engine.config, ([mine], [theirs])).annotations(state[0])[PURSUER]
    me, other = (Vehicle(*body) for body in state["players"]["body"][0].tolist())
    assert drawn.aim == pytest.approx(straight_on(other, shared_speed(me, other)))


# ---- Functions at fault -------------------------------------------------------------------


def return_nan_when_near(me, other):
    return complex(math.nan, 0.0) if abs(other.position - me.position) < 8.0 else 0j


def return_very_much(me, other):
    return complex(1e200, 0.0)


def return_infinity(me, other):
    return complex(0.0, math.inf)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_force_that_is_no_number_is_reported_and_leaves_the_game_sound(threads):
    engine = play("seek", Script(behavior=return_nan_when_near), 300, 0, num_threads=threads)
    with pytest.raises(FloatingPointError, match=r"return_nan_when_near.*Vehicle"):
        coast(engine)
    engine.check_state(engine.get_state())


@pytest.mark.parametrize("behavior", [return_infinity, return_very_much])
def test_a_force_that_is_too_large_is_reported_by_environments_and_policies(behavior):
    env = gym.make("Pursuit-v0", opponent=Script(behavior=behavior, response_time=1e-6))
    env.reset(seed=0)
    with pytest.raises(FloatingPointError, match=behavior.__name__):
        env.step(np.float32([1.0, 0.0]))
    policy = ScriptedPolicy(Script(behavior=behavior), side="evader")
    with pytest.raises(FloatingPointError, match=behavior.__name__):
        policy.predict(np.full((2, 21), 0.9, np.float32))


def raise_on_the_right(me, other):
    if me.position.real > 0:
        raise ValueError("boo")
    return 12 + 0j


def forget_to_return(me, other):
    if me.position.real <= 0:
        return 12 + 0j


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("behavior", [raise_on_the_right, forget_to_return])
def test_a_behavior_that_fails_in_some_games_is_reported_and_steers_none(behavior):
    engine = play("idle", Script(behavior=behavior), 50, 0, arena="open")
    before = engine.get_state()["players"]["body"][:, EVADER].copy()
    with pytest.raises(FloatingPointError, match=behavior.__name__):
        coast(engine)
    after = engine.state.velocity[EVADER]
    failed = before["position"].real > 0
    assert 5 < failed.sum() < 45
    np.testing.assert_allclose(after[~failed], before["velocity"][~failed] + 0.4)
    np.testing.assert_array_equal(after[failed], before["velocity"][failed])


def lose_it(other, time):
    if other.position.real > 0:
        raise ValueError("boo")
    return other.position


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("field", "function"),
    [
        ("predictor", lose_it),
        ("predictor", lambda other, time: complex(math.nan, 0.0)),
        ("predictor", lambda other, time: 1e200 + 0j),
        ("lookahead", lambda me, other: -1.0),
        ("lookahead", lambda me, other: math.inf),
    ],
)
def test_a_function_at_fault_is_named_and_the_quarry_pursued_where_it_is(field, function):
    faulty = play({field: function, "facing_test": False}, "wander", 50, steps=0)
    with pytest.raises(FaultyBehavior, match=f"{function.__name__} raised.*other = Vehicle"):
        coast(faulty)
    now = {"lookahead": "constant", "lookahead_seconds": 0.0}
    expected = play(now, "wander", 50, steps=1).state.position
    np.testing.assert_array_equal(faulty.state.position, expected)


@pytest.mark.parametrize(
    ("field", "function", "match"),
    [
        ("behavior", lambda me: 0j, "cannot be compiled"),
        ("behavior", abs, "must be a function of"),
        ("behavior", functools.partial(evade), "must be a function of"),
        ("behavior", Blend("sum", []), "must be a function of"),
        ("behavior", Script, "must be a function of"),
        ("predictor", lambda other: 0j, "predictor"),
        ("lookahead", lambda me, other: 1j, "lookahead"),
        ("lookahead", functools.partial(half_a_second), "lookahead"),
    ],
)
def test_what_cannot_be_compiled_is_refused_at_once(field, function, match):
    with pytest.raises(TypeError, match=match):
        play(Script(**{"behavior": "pursuit", field: function}), steps=0)
