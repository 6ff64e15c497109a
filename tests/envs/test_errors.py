"""Wrong calls raise the right error, name the nearest match, and change nothing."""

from __future__ import annotations

import inspect
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.game.config.keywords import keyword_rows

from .same import assert_same

NAN, INF = float("nan"), float("inf")

# keywords, type of the error, what its message names; tests/game has those of the game itself
KEYWORDS = [
    ({"oponent": "evade"}, TypeError, "'oponent'.*mean 'opponent'"),
    ({"arenasize": 3.0}, TypeError, "'arenasize'.*mean 'arena_size'"),
    ({"opponent": "pursuit/closng"}, ValueError, "'pursuit/closng'.*mean 'pursuit/"),
    ({"opponent": ["wander", "fle"]}, ValueError, "'fle'.*mean 'flee'"),
    ({"opponent": []}, ValueError, "empty list"),
    ({"opponent": 3}, TypeError, "got 3 .int"),
    ({"opponent": ["idle", None]}, TypeError, "got None"),
    ({"opponent": {"behavior": "evad"}}, ValueError, "'evad'.*mean 'evade'"),
    ({"opponent": {"behavior": "evade", "wals": 1.0}}, TypeError, "'wals'.*mean 'walls'"),
    ({"opponent": object}, TypeError, "object\\("),
    ({"evaders": 1025}, ValueError, "evaders .*1024, got 1025"),
    ({"evader": {"mass": np.ones(2)}}, TypeError, "mass .*got array"),
    ({"dt": 10**400}, ValueError, "dt .* 1329 bits"),
    ({"game": "torus"}, ValueError, "'torus'.*mean 'agile_torus'"),
    ({"obstacles": 6, "arena_size": 8}, ValueError, "at most 3"),
    ({"randomize": {"evader": {"mass": (1.0, NAN)}}}, ValueError, "mass.*nan"),
    ({"action_type": "discret"}, ValueError, "'discret'.*mean 'discrete'"),
    ({"render_mode": "rgb"}, ValueError, "'rgb'.*'rgb_array'"),
]

VECTOR_KEYWORDS = [
    ({"num_envs": 2**63}, ValueError, "num_envs"),
    ({"num_envs": 0}, ValueError, "num_envs .*got 0"),
    ({"num_threads": 0}, ValueError, "num_threads .*got 0"),
    ({"max_episode_steps": 0}, ValueError, "max_episode_steps .*got 0"),
    ({"autoreset_mode": "nextstep"}, ValueError, "'nextstep'.*mean 'NextStep'"),
    ({"autoreset": "NextStep"}, TypeError, "'autoreset'.*mean 'autoreset_mode'"),
    ({"render_mode": "ansi"}, ValueError, "'ansi'"),
]

# actions of one continuous player
ACTIONS = [
    ([NAN, 0.0], ValueError, "finite"),
    (np.array([0.0, -INF], np.float32), ValueError, "finite"),
    (0.5, ValueError, "shape"),
    ([0.5, 0.5, 0.5], ValueError, "shape"),
    ([[0.5, 0.5]], ValueError, "shape"),
    (None, ValueError, "shape"),
    ([1j, 0.0], TypeError, "dtype complex"),
    ([True, False], TypeError, "dtype bool"),
    (np.array([None, 1.0]), TypeError, "dtype object"),
]

DISCRETE_ACTIONS = [
    (9, ValueError, "9"),
    (-1, ValueError, "-1"),
    (1.0, TypeError, "dtype float"),
    (True, TypeError, "dtype bool"),
    (None, TypeError, "dtype object"),
    ([1, 2], ValueError, "shape"),
]

SEEDS = [
    (-1, ValueError, "seed .*got -1"),
    (1.0, TypeError, "seed .*got 1.0"),
    ("1", TypeError, "seed .*got '1'"),
    (True, TypeError, "seed .*got True"),
]

VECTOR_SEEDS = [
    *SEEDS,
    (2**64 - 1, ValueError, "seed"),  # the last game's
    ([1, 2], ValueError, "num_envs=3 .*got 2"),
    ([1, 2, -3], ValueError, "seed .*got -3"),
    ([1, 2.0, 3], TypeError, "seed .*got 2.0"),
    (np.ones((3, 1), int), TypeError, "seed"),
    ({1, 2, 3}, TypeError, "seed .*got {1, 2, 3}"),
]

OPTIONS = [
    ({"low": 0.1}, ValueError, "'low'"),
    (3, TypeError, "got 3"),
]

VECTOR_OPTIONS = [
    *OPTIONS,
    ({"reset_masc": None}, ValueError, "'reset_masc'.*mean 'reset_mask'"),
    ({"reset_mask": [True, False, True]}, TypeError, r"\(list\)"),
    ({"reset_mask": np.ones(2, bool)}, ValueError, "got .2,"),
    ({"reset_mask": np.zeros(3, bool)}, ValueError, "at least one True"),
]


def assert_refused(env, call, error, message):
    """Holds that the call raises, changes nothing, and that the env steps on."""
    before = env.get_state()
    with pytest.raises(error, match=message):
        call(env)
    assert_same(env.get_state(), before)
    good = np.zeros_like(env.action_space.sample())
    env.step(int(good) if good.ndim == 0 else good)
    steps = env.get_state()["game"]["steps"]
    assert (steps == before["game"]["steps"] + 1).all()


def begun(kind, *arguments, **keywords):
    env = kind(*arguments, **keywords)
    env.reset(seed=0)
    return env


def in_batch(action):
    """The action for game 1 of three, good ones for the others."""
    array = np.asarray(action)
    good = np.zeros(array.shape, array.dtype) if array.dtype.kind in "fiu" else array
    return np.array([good, array, good])


@pytest.mark.parametrize(("keywords", "error", "message"), KEYWORDS)
@pytest.mark.parametrize("kind", [EvadeEnv, PursuitVectorEnv])
def test_wrong_keywords(kind, keywords, error, message):
    env = kind.__new__(kind)
    with pytest.raises(error, match=message):
        env.__init__(**keywords)
    env.close()  # as the destructor of Gymnasium's vector environments does up to 1.2.3


@pytest.mark.parametrize(("keywords", "error", "message"), VECTOR_KEYWORDS)
def test_wrong_keywords_of_vector_environments(keywords, error, message):
    with pytest.raises(error, match=message):
        gym.make_vec("Evade-v0", **keywords)
    envs = EvadeVectorEnv.__new__(EvadeVectorEnv)
    with pytest.raises(error, match=message):
        envs.__init__(**keywords)
    assert envs.closed  # nothing was begun that must be ended


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_wrong_keywords_through_gymnasium(make):
    # In Python's own words, which TorchRL looks for.
    words = r"Env.__init__\(\) got an unexpected keyword argument 'oponent'. Did you mean 'opp"
    with pytest.raises(TypeError, match=words):
        make("Pursuit-v0", oponent="flee")


THREE, TEAMS = partial(PursuitVectorEnv, 3), partial(PursuitVectorEnv, 3, pursuers=2)
NINE = partial(EvadeEnv, action_type="discrete")
THREE_NINE = partial(PursuitVectorEnv, 3, action_type="discrete")
SHAPES = [
    *((THREE, np.zeros(shape)) for shape in [(2,), (2, 2), (3, 3), (3, 2, 1)]),
    *((TEAMS, np.zeros(shape)) for shape in [(3, 2), (3, 1, 2), (2, 3, 2)]),
    *((THREE_NINE, actions) for actions in ([0], [0, 0], [0] * 4, [[0]] * 3, np.zeros((3, 2)))),
]
CALLS = [
    *((PursuitEnv, "step", {"action": one}, *error) for one, *error in ACTIONS),
    *((NINE, "step", {"action": one}, *error) for one, *error in DISCRETE_ACTIONS),
    *((THREE, "step", {"actions": in_batch(one)}, *error) for one, *error in ACTIONS),
    *(
        (THREE_NINE, "step", {"actions": in_batch(one)}, *error)
        for one, *error in DISCRETE_ACTIONS
    ),
    *(
        (make, "step", {"actions": given}, (TypeError, ValueError), "shape|integers")
        for make, given in SHAPES
    ),
    *((PursuitEnv, "reset", {"seed": seed}, *error) for seed, *error in SEEDS),
    *((THREE, "reset", {"seed": seed}, *error) for seed, *error in VECTOR_SEEDS),
    *((PursuitEnv, "reset", {"seed": 5, "options": one}, *error) for one, *error in OPTIONS),
    *((THREE, "reset", {"seed": 5, "options": one}, *error) for one, *error in VECTOR_OPTIONS),
]


@pytest.mark.parametrize(("make", "method", "given", "error", "message"), CALLS)
def test_wrong_calls(make, method, given, error, message):
    assert_refused(begun(make), lambda env: getattr(env, method)(**given), error, message)


@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
def test_reset_comes_first(kind):
    env = kind(render_mode="rgb_array")
    action = env.action_space.sample()
    for call in (lambda: env.step(action), env.render):
        with pytest.raises(ResetNeeded):
            call()
    with pytest.raises(ResetNeeded):
        PursuitVectorEnv(2).reset(options={"reset_mask": np.array([True, False])})
    env.reset(seed=0)
    env.step(action)


@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
def test_closed_is_closed(kind):
    env = begun(kind, render_mode="rgb_array")
    state, action = env.get_state(), env.action_space.sample()
    env.close(), env.close()
    calls = [env.reset, env.render, lambda: env.step(action), lambda: env.set_state(state)]
    for call in calls:
        with pytest.raises(ClosedEnvironmentError):
            call()


def test_the_keywords_of_an_environment_are_those_of_the_table():
    names = inspect.signature(PursuitEnv.__init__).parameters.keys() - {"self"}
    assert names == {name for name, _, _ in keyword_rows()}
