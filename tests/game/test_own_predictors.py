"""User-defined lookahead laws and predictors, in the compiled loop and out of it."""

from __future__ import annotations

import functools
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import steer_env
from steer_env import steering
from steer_env.baselines import ScriptedPolicy, evaluate
from steer_env.errors import FaultyBehavior
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.rendering.annotations import Annotator
from steer_env.scripts.roster import ROSTER, name_of_script
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER
from steer_env.steering import Vehicle

pytestmark = pytest.mark.compiled


def shared_speed(me, other):
    """The closing law, written by a user."""
    return abs(other.position - me.position) / (me.max_speed + abs(other.velocity))


def straight_on(other, time):
    return other.position + other.velocity * time


def half_a_second(me, other):
    return 0.5


def raise_on_the_right(other, time):
    if other.position.real > 0:
        raise ValueError("boo")
    return other.position


def lose_it(other, time):
    return complex(math.nan, 0.0)


OWN = {"lookahead": shared_speed, "predictor": straight_on, "facing_test": True}
QUARTER = {"lookahead": "constant", "lookahead_seconds": 0.25}


def play(fields, evader="evade", games=30, steps=60, **keywords):
    pursuer = Script(behavior="pursuit", **fields)
    engine = Engine(game_config(**keywords), [pursuer], [ROSTER[evader]], games)
    engine.seed(range(games))
    engine.start()
    for _ in range(steps):
        engine.step(engine.no_actions(0), engine.no_actions(1), PURSUER, True)
    return engine


@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_the_default_law_and_predictor_written_by_a_user_play_the_same_games(arena):
    found, expected = (play(fields, arena=arena) for fields in (OWN, {}))
    np.testing.assert_allclose(found.state.position, expected.state.position, atol=1e-9)
    script = pickle.loads(pickle.dumps(Script(behavior="pursuit", **OWN)))
    assert name_of_script(script).startswith("Script(pursuit, lookahead=shared_speed, pred")
    observations = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 21)).astype(np.float32)
    observations[:, 6:11] = 0.9
    found, expected = (
        ScriptedPolicy(each, side="pursuer").predict(observations)[0]
        for each in (script, ROSTER["pursuit"])
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


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


def turn_left(me, other):
    return me.max_force * me.heading * (1.0 + 1.0j)


def know_the_circle(other, time):
    """Where a quarry will be that turns left at 12 N / sqrt(2) and 3.6 m/s."""
    turned = steering.direction(12.0 / math.sqrt(2.0) / 3.6 * min(time, 0.5))
    return other.position + other.velocity * turned * min(time, 0.5)


def test_a_predictor_that_knows_the_quarry_catches_sooner():
    config = game_config(arena="open", capture_radius=0.1, pursuer={"mass": 0.1})
    quarry = Script(behavior=turn_left)
    knowing, plain = (
        evaluate(Script(behavior="pursuit", predictor=each), quarry, config, 200)
        for each in (know_the_circle, "linear")
    )
    assert knowing.mean_capture_time.high < plain.mean_capture_time.low


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("field", "function"),
    [
        ("predictor", raise_on_the_right),
        ("predictor", lose_it),
        ("predictor", lambda other, time: 1e200 + 0j),
        ("lookahead", lambda me, other: -1.0),
        ("lookahead", lambda me, other: math.inf),
    ],
)
def test_a_function_at_fault_is_named_and_the_quarry_pursued_where_it_is(field, function):
    faulty = play({field: function, "facing_test": False}, "wander", 50, steps=0)
    with pytest.raises(FaultyBehavior, match=f"{function.__name__} raised.*other = Vehicle"):
        faulty.step(faulty.no_actions(0), faulty.no_actions(1), PURSUER, True)
    now = {"lookahead": "constant", "lookahead_seconds": 0.0}
    expected = play(now, "wander", 50, steps=1).state.position
    np.testing.assert_array_equal(faulty.state.position, expected)


def test_what_cannot_be_compiled_is_refused_at_once():
    for field, function in (
        ("predictor", lambda other: 0j),
        ("lookahead", lambda me, other: 1j),
        ("lookahead", functools.partial(half_a_second)),
    ):
        with pytest.raises(TypeError, match=field):
            play({field: function}, steps=0)


def test_plain_python_plays_the_same_games():
    root = str(Path(steer_env.__file__).parents[1])
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": root}
    command = [sys.executable, __file__]
    plain = subprocess.run(command, env=variables, capture_output=True, check=True, text=True)
    assert plain.stdout.strip() == str(some_places())


def some_places():
    fields = {"lookahead": half_a_second, "predictor": straight_on}
    return play(fields, "wander", 2, steps=20).state.position.tolist()


if __name__ == "__main__":
    print(some_places())
