"""Behaviors of a user's own steer scripted players, in the compiled loop and out of it."""

from __future__ import annotations

import functools
import math
import pickle

import gymnasium as gym
import numpy as np
import pytest

import steer_env  # noqa: F401
from baselines import ScriptedPolicy
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.own_behavior import own_addresses
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import Blend, compiled, evade, intercept, linear, pursuit, turning
from steer_env.steering.own_functions import function_name

NOBODY = np.zeros((0, 1, 2), np.float32)


def look_half_a_second_ahead(me, other):
    return pursuit(me, other, half_a_second, turning, False)


@compiled
def half_a_second(me, other):
    return 0.5


@compiled
def evade_by_intercept(me, menace):
    return evade(me, menace, intercept, linear, math.inf)


def return_nan_when_near(me, other):
    return complex(math.nan, 0.0) if abs(other.position - me.position) < 8.0 else 0j


def return_very_much(me, other):
    return complex(1e200, 0.0)


def return_infinity(me, other):
    return complex(0.0, math.inf)


def play(pursuer, evader, games=40, steps=200, threads=1, **keywords):
    engine = Engine(game_config(**keywords), [pursuer], [evader], games, 0, threads)
    engine.seed(range(games))
    engine.start()
    for _ in range(steps):
        engine.step(*nobody(engine), PURSUER, True)
    return engine


def nobody(engine):
    return [np.zeros((0, engine.side_size(side), 2), np.float32) for side in (PURSUER, EVADER)]


def places(engine):
    return engine.get_state()["players"]["body"]["position"].copy()


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_the_same_behavior_written_by_a_user_plays_the_same_games(arena):
    built_in = Script(behavior="evade", lookahead="intercept", wander=0.3, walls=8.0)
    own = Script(behavior=evade_by_intercept, wander=0.3, walls=8.0)
    expected = places(play(ROSTER["seek"], built_in, arena=arena))
    np.testing.assert_allclose(places(play(ROSTER["seek"], own, arena=arena)), expected)


@pytest.mark.compiled
def test_a_plain_function_is_compiled_and_catches():
    script = Script(behavior=look_half_a_second_ahead)
    start, end = (play(script, ROSTER["rest"], steps=steps) for steps in (1, 60))
    nearer = start.get_state()["game"]["distance"] - end.get_state()["game"]["distance"]
    assert np.median(nearer) > 4.0
    assert function_name(script.behavior) == script.behavior_name == "look_half_a_second_ahead"
    addresses = [
        [address for *_, address in own_addresses(each)]
        for each in (script, Script(behavior=look_half_a_second_ahead, wander=2.0))
    ]
    assert addresses[0] == addresses[1]


@pytest.mark.compiled
def test_an_environment_takes_a_function_for_an_opponent():
    env = gym.make("Pursuit-v0", opponent=evade_by_intercept)
    envs = gym.make_vec("Pursuit-v0", num_envs=3, opponent=["flee", evade_by_intercept])
    first, _ = env.reset(seed=3)
    envs.reset(seed=3)
    for _ in range(20):
        observation, *_ = env.step(np.zeros(2, np.float32))
        envs.step(np.zeros((3, 2), np.float32))
    assert np.isfinite(observation).all()
    assert not np.array_equal(first, observation)
    with pytest.raises(TypeError, match="a function"):
        gym.make("Pursuit-v0", opponent=3)


@pytest.mark.compiled
def test_a_policy_acts_by_a_users_behavior():
    policy = ScriptedPolicy(Script(behavior=evade_by_intercept), side="evader")
    twin = ScriptedPolicy(Script(behavior="evade", lookahead="intercept"))
    observations = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 21)).astype(np.float32)
    observations[:, 6:11] = 0.9
    for each in (policy, pickle.loads(pickle.dumps(policy))):
        actions, _ = each.predict(observations)
        np.testing.assert_allclose(actions, twin.predict(observations)[0], atol=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_nan_is_told_of_and_leaves_the_game_sound(threads):
    engine = Engine(
        game_config(),
        [ROSTER["seek"]],
        [Script(behavior=return_nan_when_near)],
        300,
        0,
        threads,
    )
    engine.seed(range(300))
    engine.start()
    with pytest.raises(FloatingPointError, match=r"return_nan_when_near raised.*Vehicle"):
        engine.step(NOBODY, NOBODY, PURSUER, True)
    engine.check_state(engine.get_state())
    for behavior in (return_infinity, return_very_much):
        env = gym.make("Pursuit-v0", opponent=Script(behavior=behavior, response_time=1e-6))
        env.reset(seed=0)
        with pytest.raises(FloatingPointError, match=f"{behavior.__name__}.* 1e.100 newtons"):
            env.step(np.float32([1.0, 0.0]))
    env.reset(seed=1)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "behavior",
    [lambda me: 0j, lambda me, other: "left", lambda me, other: print(file=me)],
    ids=["arguments", "result", "language"],
)
def test_what_cannot_be_compiled_is_refused_at_once(behavior):
    with pytest.raises(
        TypeError, match=r"cannot be compiled: a behavior is a function of \(me"
    ):
        Engine(game_config(), [None], [Script(behavior=behavior)])


def raise_on_the_right(me, other):
    if me.position.real > 0:
        raise ValueError("boo")
    return 12 + 0j


def forget_to_return(me, other):
    if me.position.real <= 0:
        return 12 + 0j


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("behavior", [raise_on_the_right, forget_to_return])
def test_a_behavior_that_fails_in_some_games_is_told_of_and_steers_none(behavior):
    engine = Engine(game_config(arena="open"), [None], [Script(behavior=behavior)], 50)
    engine.seed(range(50))
    engine.start()
    before = engine.get_state()["players"]["body"][:, EVADER].copy()
    actions = np.zeros((50, 1, 2), np.float32)
    with pytest.raises(FloatingPointError, match="raised an error"):
        engine.step(actions, NOBODY, PURSUER, True)
    after = engine.get_state()["players"]["body"]["velocity"][:, EVADER]
    failed = before["position"].real > 0
    assert 5 < failed.sum() < 45
    np.testing.assert_allclose(after[~failed], before["velocity"][~failed] + 0.4)
    np.testing.assert_array_equal(after[failed], before["velocity"][failed])
    policy = ScriptedPolicy(Script(behavior=return_infinity), side="evader")
    with pytest.raises(FloatingPointError, match="return_infinity"):
        policy.predict(np.full((2, 21), 0.9, np.float32))


@pytest.mark.parametrize(
    "behavior",
    [abs, functools.partial(pursuit), Blend("sum", []), Script],
    ids=["builtin", "partial", "blend", "class"],
)
def test_only_functions_are_behaviors(behavior):
    with pytest.raises(TypeError, match="must be a function of"):
        Script(behavior=behavior)
