"""User-defined behaviors steer scripted players, in the compiled loop and out of it."""

from __future__ import annotations

import functools
import math
import pickle

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import ScriptedPolicy
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, name_of_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import Blend, compiled, evade, intercept, linear

NOBODY = np.zeros((0, 1, 2), np.float32)


@compiled
def evade_by_intercept(me, menace):
    return evade(me, menace, intercept, linear, math.inf)


def return_nan_when_near(me, other):
    return complex(math.nan, 0.0) if abs(other.position - me.position) < 8.0 else 0j


def return_very_much(me, other):
    return complex(1e200, 0.0)


def return_infinity(me, other):
    return complex(0.0, math.inf)


def started(pursuer, evader, games=40, threads=1, **keywords):
    engine = Engine(game_config(**keywords), [pursuer], [evader], games, 0, threads)
    engine.seed(range(games))
    engine.start()
    return engine


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_the_same_behavior_written_by_a_user_plays_the_same_games(arena):
    built_in = Script(behavior="evade", lookahead="intercept", wander=0.3, walls=8.0)
    own = Script(behavior=evade_by_intercept, wander=0.3, walls=8.0)
    places = []
    for script in (built_in, own):
        engine = started(ROSTER["seek"], script, arena=arena)
        for _ in range(200):
            engine.step(NOBODY, NOBODY, PURSUER, True)
        places.append(engine.state.position.copy())
    np.testing.assert_allclose(*places)
    assert name_of_script(own) == "Script(evade_by_intercept, wander=0.3, walls=8)"


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
def test_a_force_that_is_no_number_is_reported_and_leaves_the_game_sound(threads):
    engine = started(ROSTER["seek"], Script(behavior=return_nan_when_near), 300, threads)
    with pytest.raises(FloatingPointError, match=r"return_nan_when_near.*Vehicle"):
        engine.step(NOBODY, NOBODY, PURSUER, True)
    engine.check_state(engine.get_state())
    for behavior in (return_infinity, return_very_much):
        env = gym.make("Pursuit-v0", opponent=Script(behavior=behavior, response_time=1e-6))
        env.reset(seed=0)
        with pytest.raises(FloatingPointError, match=behavior.__name__):
            env.step(np.float32([1.0, 0.0]))
        with pytest.raises(FloatingPointError, match=behavior.__name__):
            ScriptedPolicy(Script(behavior=behavior), side="evader").predict(
                np.full((2, 21), 0.9, np.float32)
            )


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
def test_a_behavior_that_fails_in_some_games_is_reported_and_steers_none(behavior):
    engine = started(None, Script(behavior=behavior), 50, arena="open")
    before = engine.get_state()["players"]["body"][:, EVADER].copy()
    with pytest.raises(FloatingPointError, match=behavior.__name__):
        engine.step(np.zeros((50, 1, 2), np.float32), NOBODY, PURSUER, True)
    after = engine.state.velocity[EVADER]
    failed = before["position"].real > 0
    assert 5 < failed.sum() < 45
    np.testing.assert_allclose(after[~failed], before["velocity"][~failed] + 0.4)
    np.testing.assert_array_equal(after[failed], before["velocity"][failed])


@pytest.mark.compiled
@pytest.mark.parametrize(
    "behavior",
    [lambda me: 0j, lambda me, other: "left", lambda me, other: print(file=me)],
    ids=["arguments", "result", "language"],
)
def test_what_cannot_be_compiled_is_refused_at_once(behavior):
    with pytest.raises(TypeError, match="cannot be compiled"):
        Engine(game_config(), [None], [Script(behavior=behavior)])


@pytest.mark.parametrize(
    "behavior",
    [abs, functools.partial(evade), Blend("sum", []), Script],
    ids=["builtin", "partial", "blend", "class"],
)
def test_only_functions_are_behaviors(behavior):
    with pytest.raises(TypeError, match="must be a function of"):
        Script(behavior=behavior)
