"""Lookahead laws and predictors of a user's own, in the compiled loop and out of it."""

from __future__ import annotations

import copy
import functools
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import steer_env
from baselines import ScriptedPolicy, evaluate
from steer_env import steering
from steer_env.game.annotations import annotations_of
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, name_of_script
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER
from steer_env.steering import Vehicle, compiled

NOBODY = np.zeros((0, 1, 2), np.float32)


def shared_speed(me, other):
    """The closing law, written by a user."""
    return abs(other.position - me.position) / (me.max_speed + abs(other.velocity))


def straight_on(other, time):
    return other.position + other.velocity * time


def half_way(me, other):
    return 0.5 * shared_time(me, other)


@compiled
def shared_time(me, other):
    return abs(other.position - me.position) / me.max_speed


def beside(other, time):
    return other.position + 2j * other.heading


def play(pursuer, evader, games=30, steps=120, threads=1, **keywords):
    engine = Engine(game_config(**keywords), [pursuer], [evader], games, 0, threads)
    engine.seed(range(games))
    engine.start()
    for _ in range(steps):
        engine.step(NOBODY, NOBODY, PURSUER, True)
    return engine


def places(engine):
    return engine.get_state()["players"]["body"]["position"].copy()


OWN_PURSUIT = Script(
    behavior="pursuit", lookahead=shared_speed, predictor=straight_on, facing_test=True
)


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_the_default_law_and_predictor_written_by_a_user_play_the_same_games(arena):
    expected = places(play(ROSTER["pursuit"], ROSTER["evade"], arena=arena))
    found = places(play(OWN_PURSUIT, ROSTER["evade"], arena=arena))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    fleeing = Script(behavior="evade", predictor=straight_on, wander=0.3, walls=8.0)
    found = places(play(ROSTER["pursuit"], fleeing, arena=arena))
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.compiled
def test_a_steering_function_is_a_law_and_a_predictor_too():
    own = Script(behavior="pursuit", lookahead=steering.intercept, predictor=steering.turning)
    named = Script(behavior="pursuit", lookahead="intercept", predictor="turning")
    assert not own.tests_facing
    assert Script(behavior="pursuit", lookahead=steering.closing).tests_facing
    found, expected = (places(play(each, ROSTER["evade"])) for each in (own, named))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.compiled
def test_the_longest_lookahead_holds_for_a_law_of_a_users_own_too():
    capped = Script(behavior="pursuit", lookahead=half_way, lookahead_cap=0.25)
    constant = Script(behavior="pursuit", lookahead="constant", lookahead_seconds=0.25)
    start = [places(play(each, ROSTER["wander"], steps=5)) for each in (capped, constant)]
    np.testing.assert_array_equal(*start)  # all are farther than 0.5 s apart


def turn_left(me, other):
    return me.max_force * me.heading * (1.0 + 1.0j)


def know_the_circle(other, time):
    """Where a quarry will be that turns left at 12 N / sqrt(2) and 3.6 m/s."""
    turned = steering.direction(12.0 / math.sqrt(2.0) / 3.6 * min(time, 0.5))
    return other.position + other.velocity * turned * min(time, 0.5)


@pytest.mark.compiled
def test_a_predictor_that_knows_the_quarry_catches_sooner():
    quarry = Script(behavior=turn_left)
    times = [
        evaluate(
            Script(behavior="pursuit", predictor=predictor),
            quarry,
            game_config(arena="open", capture_radius=0.1, pursuer={"mass": 0.1}),
            episodes=300,
        ).mean_capture_time
        for predictor in ("linear", know_the_circle)
    ]
    assert times[1].high < times[0].low


@pytest.mark.compiled
def test_threads_games_and_autoreset_make_no_difference():
    own = Script(behavior="pursuit", lookahead=half_way, predictor=beside, walls=2.0)
    one = places(play(own, ROSTER["evade"], games=300, threads=1))
    two = places(play(own, ROSTER["evade"], games=300, threads=2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one[:7], places(play(own, ROSTER["evade"], games=7)))


@pytest.mark.compiled
def test_a_vector_environment_with_a_mixture_is_its_single_environments():
    mixture = ["evade", Script(behavior="evade", predictor=beside), Script(behavior="flee")]
    envs = gym.make_vec("Pursuit-v0", num_envs=6, opponent=mixture)
    singles = [gym.make("Pursuit-v0", opponent=mixture) for _ in range(6)]
    seen, _ = envs.reset(seed=4)
    alone = [env.reset(seed=4 + k)[0] for k, env in enumerate(singles)]
    for _ in range(40):
        np.testing.assert_array_equal(seen, alone)
        seen, *_ = envs.step(np.full((6, 2), 0.5, np.float32))
        alone = [env.step(np.full(2, 0.5, np.float32))[0] for env in singles]


@pytest.mark.compiled
def test_copies_and_pickles_go_on_as_the_original_does():
    engine = play(OWN_PURSUIT, ROSTER["wander"], steps=20)
    others = [copy.deepcopy(engine), pickle.loads(pickle.dumps(engine))]
    for each in (engine, *others):
        each.step(NOBODY, NOBODY, PURSUER, True)
    for other in others:
        np.testing.assert_array_equal(places(other), places(engine))
    assert pickle.loads(pickle.dumps(OWN_PURSUIT)) == OWN_PURSUIT


@pytest.mark.compiled
def test_a_policy_predicts_by_a_users_functions():
    policy = ScriptedPolicy(OWN_PURSUIT, side="pursuer")
    twin = ScriptedPolicy(ROSTER["pursuit"], side="pursuer")
    observations = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 21)).astype(np.float32)
    observations[:, 6:11] = 0.9
    expected, _ = twin.predict(observations)
    np.testing.assert_allclose(policy.predict(observations)[0], expected, atol=1e-6)


@pytest.mark.compiled
def test_the_crosshair_is_at_the_point_of_a_users_predictor():
    script = Script(behavior="pursuit", lookahead=half_way, predictor=beside)
    engine = play(script, ROSTER["evade"], games=1, steps=10)
    scripts = [script], [ROSTER["evade"]]
    drawn = annotations_of(engine.get_state()[0], engine.config, scripts)[PURSUER]
    me, other = (Vehicle(*b) for b in engine.get_state()["players"]["body"][0].tolist())
    assert drawn.aim == beside(other, 0.0)
    assert drawn.lead == other.position
    assert drawn.lookahead == half_way(me, other)


def test_names_tell_of_a_users_functions():
    assert (
        name_of_script(OWN_PURSUIT)
        == "Script(pursuit, lookahead=shared_speed, predictor=straight_on, facing_test=True)"
    )


def test_json_refuses_them():
    env = gym.make("Pursuit-v0", opponent=Script(behavior="evade", predictor=beside))
    assert env.unwrapped.spec.kwargs["opponent"] == {"behavior": "evade", "predictor": beside}
    with pytest.raises(TypeError, match="not JSON serializable"):
        env.spec.to_json()
    assert gym.make(env.spec).unwrapped.config == env.unwrapped.config


# ---- Faults -------------------------------------------------------------------------------


def lose_it_when_near(other, time):
    return complex(math.nan, 0.0) if time < 1.0 else other.position


def raise_on_the_right(other, time):
    if other.position.real > 0:
        raise ValueError("boo")
    return other.position


def look_back(me, other):
    return -1.0


def forget_to_return(me, other):
    if me.position.real > 0:
        return 1.0


def play_on(engine):
    for _ in range(300):
        engine.step(NOBODY, NOBODY, PURSUER, True)


FAULTS = {
    "nan": (
        {"predictor": lose_it_when_near},
        "the predictor lose_it_when_near raised.*time =",
    ),
    "much": ({"predictor": lambda other, time: 1e200 + 0j}, r"1e\+100 meters"),
    "error": ({"predictor": raise_on_the_right}, "the predictor raise_on_the_right raised"),
    "infinite": ({"lookahead": lambda me, other: math.inf}, "the lookahead law <lambda>"),
    "negative": ({"lookahead": look_back}, "the lookahead law look_back.*less than 0"),
    "nothing": ({"lookahead": forget_to_return}, "forget_to_return.*me = Vehicle.*other = V"),
}


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fields", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("threads", [1, 2])
def test_faults_are_told_of_and_leave_the_game_sound(fields, threads):
    fields, words = fields
    fine = Script(behavior="evade", predictor=beside)  # is not blamed
    scripts = [Script(behavior="pursuit", **fields)], [fine]
    engine = Engine(game_config(), *scripts, 300, 0, threads)
    engine.seed(range(300))
    engine.start()
    with pytest.raises(FloatingPointError, match=words):
        play_on(engine)
    engine.check_state(engine.get_state())


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore")
def test_a_step_with_a_fault_is_made_with_the_present_position():
    config, lost = game_config(), Script(behavior="pursuit", predictor=raise_on_the_right)
    engines = [Engine(config, [each], [ROSTER["rest"]], 50) for each in (lost, ROSTER["seek"])]
    for engine in engines:
        engine.seed(range(50))
        engine.start()
    with pytest.raises(FloatingPointError):
        engines[0].step(NOBODY, NOBODY, PURSUER, True)
    engines[1].step(NOBODY, NOBODY, PURSUER, True)
    np.testing.assert_array_equal(places(engines[0]), places(engines[1]))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"predictor": lambda other: 0j},
            r"cannot be compiled: a predictor is a function",
        ),
        (
            {"predictor": lambda other, time: "left"},
            "the predictor '<lambda>' cannot",
        ),
        (
            {"lookahead": lambda me, other: 1j},
            "a lookahead law is a function .*seconds",
        ),
        ({"lookahead": lambda me, other: print(file=me)}, "the lookahead law"),
    ],
    ids=["arguments", "result", "complex", "language"],
)
def test_what_cannot_be_compiled_is_refused_at_once(fields, words):
    with pytest.raises(TypeError, match=words):
        Engine(game_config(), [Script(behavior="pursuit", **fields)], [None])


@pytest.mark.parametrize("field", ["lookahead", "predictor"])
@pytest.mark.parametrize(
    "given", [abs, functools.partial(half_way), Script], ids=["builtin", "partial", "class"]
)
def test_only_functions_and_names_will_do(field, given):
    with pytest.raises(TypeError, match="of your own must be a function of"):
        Script(behavior="pursuit", **{field: given})


def test_an_unknown_name_shows_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'intercept'"):
        Script(behavior="pursuit", lookahead="intercpt")
    with pytest.raises(ValueError, match="unknown predictor 3"):
        Script(behavior="pursuit", predictor=3)
    with pytest.raises(TypeError, match="facing_test must be True or False"):
        Script(behavior="pursuit", facing_test="no")


PLAIN = """
import numpy as np
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.script import Script

def law(me, other): return 0.5
def predictor(other, time): return other.position + time * other.velocity
def lost(other, time): return complex(float("nan"), 0.0)

nobody = np.zeros((0, 1, 2), np.float32)
for place in (predictor, lost):
    script = Script(behavior="pursuit", lookahead=law, predictor=place)
    engine = Engine(game_config(), [script], [Script(behavior="wander")], 2)
    engine.seed([0, 1])
    engine.start()
    try:
        for _ in range(20):
            engine.step(nobody, nobody, 0, True)
        print(engine.get_state()["players"]["body"]["position"].tolist())
    except FloatingPointError as error:
        print(str(error)[:40])
"""


@pytest.mark.compiled
def test_plain_python_plays_the_same_games():
    root = str(Path(steer_env.__file__).parents[1])
    printed = []
    for plain in ("0", "1"):
        variables = {**os.environ, "NUMBA_DISABLE_JIT": plain, "PYTHONPATH": root}
        command = [sys.executable, "-c", PLAIN]
        done = subprocess.run(
            command, env=variables, capture_output=True, check=True, text=True
        )
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert "the predictor lost raised an error" in printed[0]
