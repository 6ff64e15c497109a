"""Every wrong call is refused by name, says what is right, and breaks nothing."""

from __future__ import annotations

import re

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode

from steer_env.envs.parallel import ParallelEnv
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv

from .same import assert_same

NAN, INF = float("nan"), float("inf")

# keywords, type of the error, what its message says: the fault, then the remedy
KEYWORDS = [
    (
        {"oponent": "evade"},
        TypeError,
        "argument 'oponent'.*mean 'opponent'",
    ),
    (
        {"max_sped": 3.0},
        TypeError,
        "argument 'max_sped'. Did you mean 'start_speed'",
    ),
    ({"arenasize": 3.0}, TypeError, "argument 'arenasize'.*mean 'arena_size'"),
    ({"opponent": "evad"}, ValueError, "opponent 'evad'.*mean 'evade'.*`steer-env info oppo"),
    ({"opponent": "pursuit/closng"}, ValueError, "opponent 'pursuit/closng'.*mean 'pursuit/"),
    ({"opponent": "Evade"}, ValueError, "opponent 'Evade'.*mean 'evade'"),
    ({"opponent": ["wander", "fle"]}, ValueError, "opponent 'fle'.*mean 'flee'"),
    ({"opponent": []}, ValueError, "empty list.*at least one"),
    ({"opponent": 3}, TypeError, "opponent must be .* a name.*Script.*predict.*got 3 .int"),
    ({"opponent": ["rest", None]}, TypeError, "opponent must be .* a name.*got None"),
    ({"opponent": {}}, TypeError, "opponent lacks the field 'behavior', got {}"),
    ({"opponent": {"behavior": "evad"}}, ValueError, "behavior 'evad'.*mean 'evade'"),
    (
        {"opponent": ["rest", {"behavior": "evade", "wals": 1.0}]},
        TypeError,
        "field of opponent 'wals'.*mean 'walls'",
    ),
    ({"opponent": object}, TypeError, "opponent must be a policy itself.*pass object\\("),
    ({"pursuers": 0}, ValueError, "pursuers must be from 1 to 1024, got 0"),
    ({"evaders": 1025}, ValueError, "evaders must be from 1 to 1024, got 1025"),
    ({"evaders": -1}, ValueError, "evaders must be from 1 to 1024, got -1"),
    ({"pursuers": 1.0}, TypeError, "pursuers must be an integer, got 1.0 .float"),
    ({"pursuers": True}, TypeError, "pursuers must be an integer, got True"),
    ({"pursuer": 4.0}, TypeError, "pursuer must be a VehicleConfig or a dict, got 4.0"),
    ({"evader": {"maxspeed": 4.0}}, TypeError, "evader 'maxspeed'.*mean 'max_speed'.*'mass'"),
    ({"pursuer": {"model": "cart"}}, ValueError, "model 'cart'.*mean 'car'.*'simple_motion'"),
    *(
        (
            {side: {limit: value}},
            ValueError,
            f"{limit} must be finite and at least .*got {value}",
        )
        for limit, side in {
            "max_speed": "pursuer",
            "max_force": "evader",
            "mass": "evader",
        }.items()
        for value in (-1.0, 0.0, NAN, INF)
    ),
    (
        {"evader": {"radius": -0.1}},
        ValueError,
        "radius must be finite and at least 1e-06 .*or 0, got -0.1",
    ),
    (
        {"evader": {"radius": NAN}},
        ValueError,
        "radius must be finite and at least 1e-06 .*or 0, got nan",
    ),
    ({"evader": {"radius": 6.0}}, ValueError, "evader of radius 6 m has no room.*a quarter"),
    ({"evader": {"mass": "1"}}, TypeError, "mass must be a number, got '1' .str"),
    ({"evader": {"mass": 1j}}, TypeError, "mass must be a number, got 1j"),
    ({"evader": {"mass": [1.0]}}, TypeError, "mass must be a number, got \\[1.0\\]"),
    ({"evader": {"mass": np.ones(2)}}, TypeError, "mass must be a number, got array"),
    *(
        ({name: value}, ValueError, f"{name} must be finite and at least .*got {value}")
        for name in ("dt", "capture_radius")
        for value in (-0.1, 0.0, NAN, INF)
    ),
    ({"dt": 2.0}, ValueError, "dt must be finite and at least 1e-06 and at most 1, got 2.0"),
    ({"dt": []}, TypeError, r"dt must be a number, got \[\]"),
    ({"game": "torus"}, ValueError, "unknown game 'torus'. Did you mean 'agile_torus'"),
    ({"horizon": 0}, ValueError, "horizon must be from 1 to 1000000000, got 0"),
    ({"horizon": 600.0}, TypeError, "horizon must be an integer, got 600.0"),
    ({"arena": "wals"}, ValueError, "arena 'wals'.*mean 'walls'.*Valid: 'open', 'torus', 'wal"),
    ({"arena": 3}, ValueError, "arena 3.*Valid: 'open', 'torus', 'walls'"),
    ({"arena_size": 0.5}, ValueError, "arena_size must be finite and at least 1.*got 0.5"),
    ({"arena_size": INF}, ValueError, "arena_size must be finite and at least 1.*got inf"),
    ({"arena_size": "20"}, TypeError, "arena_size must be a number, got '20'"),
    ({"obstacles": -1}, ValueError, "obstacles must be from 0 to 64, got -1"),
    ({"obstacles": 2.0}, TypeError, "obstacles must be an integer, got 2.0"),
    ({"obstacles": "three"}, TypeError, "obstacles must be an integer, got 'three'"),
    ({"obstacles": [(1.0, 2.0)]}, ValueError, "an obstacle is .x, y, radius., got"),
    ({"obstacles": [1.0, 2.0, 3.0]}, ValueError, "an obstacle is .x, y, radius., got 1.0"),
    ({"obstacles": [(99.0, 0.0, 1.0)]}, ValueError, "obstacle x must be .*at most 10, got 99"),
    ({"obstacles": [(0.0, 0.0, 0.0)]}, ValueError, "obstacle radius must be .*at least 0.01"),
    ({"obstacles": [(0.0, NAN, 1.0)]}, ValueError, "obstacle y must be finite.*got nan"),
    ({"reward": {"captur": 1}}, TypeError, "reward 'captur'.*mean 'capture'.*'closing'"),
    ({"reward": {"time": -1.0}}, ValueError, "reward time must be finite and at least 0.*-1"),
    ({"reward": {"closing": NAN}}, ValueError, "reward closing must be finite.*nan"),
    ({"reward": {"discount": 1.5}}, ValueError, "discount must be .*at most 1, got 1.5"),
    ({"reward": 2.0}, TypeError, "reward must be a RewardConfig or a dict, got 2.0"),
    ({"randomize": ["evader"]}, TypeError, "randomize must be a dict such as .*got \\['evader"),
    ({"randomize": {"evaders": {}}}, ValueError, "side in randomize 'evaders'.*mean 'evader'"),
    ({"randomize": {"evader": [1, 2]}}, TypeError, "randomize\\['evader'\\] must be a dict"),
    ({"randomize": {"evader": {"max_sped": (1, 2)}}}, ValueError, "'max_sped'.*'max_speed'"),
    ({"randomize": {"evader": {"mass": (2, 1)}}}, ValueError, "mass.*.smallest, largest.*2, 1"),
    ({"randomize": {"evader": {"mass": 2.0}}}, ValueError, "mass.*a pair.*got 2.0"),
    ({"randomize": {"evader": {"mass": (1, 2, 3)}}}, ValueError, "mass.*a pair.*got .1, 2, 3"),
    ({"randomize": {"evader": {"mass": (0.0, 1.0)}}}, ValueError, "mass.*smallest.* at least"),
    ({"randomize": {"evader": {"mass": (1.0, NAN)}}}, ValueError, "mass.*largest.*finite.*nan"),
    ({"randomize": {"pursuer": {"mass": ("a", 1)}}}, TypeError, "mass.*must be a number, got"),
    ({"randomize": {"pursuer": {"radius": (0, 9)}}}, ValueError, "of radius 9 m has no room"),
    ({"dt": 1e-320}, ValueError, "dt must be finite and at least 1e-06 and .* got 1e-320"),
    ({"dt": 10**400}, ValueError, "dt must be finite .* got an integer of 1329 bits"),
    ({"arena_size": 10**5000}, ValueError, "arena_size must be finite.*16610 bits"),
    ({"capture_radius": -(10**400)}, ValueError, "capture_radius must be finite.*1329 bits"),
    ({"horizon": 10**400}, ValueError, "horizon must be from 1 to 10.*an integer of 1329 bits"),
    ({"obstacles": 64, "arena_size": 3}, ValueError, "do not fit .* side 3 m; at most 0 do"),
    ({"obstacles": 6, "arena_size": 8}, ValueError, "do not fit .* side 8 m; at most 3 do"),
    (
        {"obstacles": np.ones((2, 2))},
        ValueError,
        "an obstacle is .x, y, radius., got",
    ),
    ({"obstacles": [[0, 0, 0.01]] * 5000}, ValueError, "number of listed .* 0 to 4096, got 5"),
    ({"opponent_weights": [10**400]}, ValueError, "opponent_weights.0. must be finite"),
    ({"action_type": "discret"}, ValueError, "action_type 'discret'.*mean 'discrete'.*'contin"),
    ({"action_type": None}, ValueError, "action_type None.*Valid: 'continuous', 'discrete'"),
    ({"render_mode": "rgb"}, ValueError, "render_mode 'rgb'.*Valid: .*'rgb_array'"),
]

VECTOR_KEYWORDS = [
    ({"num_envs": 2**63}, ValueError, "num_envs must be from 1 to 10000000, got 92233720"),
    ({"max_episode_steps": 2**63}, ValueError, "max_episode_steps must be from 1 to 10000"),
    ({"num_envs": 0}, ValueError, "num_envs must be from 1 to 10000000, got 0"),
    ({"num_envs": -2}, ValueError, "num_envs must be from 1 to 10000000, got -2"),
    ({"num_envs": 2.0}, TypeError, "num_envs must be an integer, got 2.0"),
    ({"num_envs": "2"}, TypeError, "num_envs must be an integer, got '2'"),
    ({"num_threads": 0}, ValueError, "num_threads must be from 1 to 1024, got 0"),
    ({"num_threads": 1.5}, TypeError, "num_threads must be an integer, got 1.5"),
    (
        {"max_episode_steps": 0},
        ValueError,
        "max_episode_steps must be from 1 to 1000000000, got 0",
    ),
    (
        {"max_episode_steps": -1},
        ValueError,
        "max_episode_steps must be from 1 to 1000000000, got -1",
    ),
    ({"max_episode_steps": 9.5}, TypeError, "max_episode_steps must be an integer, got 9.5"),
    ({"autoreset_mode": "nextstep"}, ValueError, "'nextstep'.*mean 'NextStep'.*'SameStep'"),
    ({"autoreset_mode": None}, ValueError, "autoreset_mode None.*Valid: 'Disabled', 'NextS"),
    (
        {"render_mode": "ansi"},
        ValueError,
        "render_mode 'ansi'.*Valid: 'human', 'mosaic', 'rgb_array'",
    ),
    ({"autoreset": "NextStep"}, TypeError, "argument 'autoreset'.*mean 'autoreset_mode'"),
]

# actions of one continuous player
ACTIONS = [
    ([NAN, 0.0], ValueError, "not finite.*nan.*-1 to 1"),
    ([0.0, INF], ValueError, "not finite.*inf.*-1 to 1"),
    (np.array([0.0, -INF], np.float32), ValueError, "not finite.*inf.*-1 to 1"),
    ([1e300, 0.0], ValueError, "not finite.*-1 to 1|out of range"),
    (0.5, ValueError, "shape .2,., got ..$"),
    ([0.5], ValueError, "shape .2,., got .1,"),
    ([0.5, 0.5, 0.5], ValueError, "shape .2,., got .3,"),
    ([[0.5, 0.5]], ValueError, "shape .2,., got .1, 2."),
    (None, ValueError, "shape .2,., got ..$"),
    (["left", "right"], TypeError, "real numbers, got dtype <U"),
    ([1j, 0.0], TypeError, "real numbers, got dtype complex"),
    ([True, False], TypeError, "real numbers, got dtype bool"),
    (np.array([None, 1.0]), TypeError, "real numbers, got dtype object"),
]

DISCRETE_ACTIONS = [
    (9, ValueError, "go from 0 to 8, got .*9"),
    (-1, ValueError, "go from 0 to 8, got .*-1"),
    (2**40, ValueError, "go from 0 to 8"),
    (1.0, TypeError, "must be integers, got dtype float"),
    (True, TypeError, "must be integers, got dtype bool"),
    ("1", TypeError, "must be integers, got dtype <U"),
    (None, TypeError, "must be integers, got dtype object"),
    ([1, 2], ValueError, "shape .., got .2,"),
    (np.array([0.5, 0.5], np.float32), (TypeError, ValueError), "shape .., got .2,|integers"),
]

SEEDS = [
    (-1, ValueError, "seed must be from 0 to 2\\*\\*64 - 1, got -1"),
    (2**64, ValueError, "seed must be from 0 to 2\\*\\*64 - 1, got 18446744073709551616"),
    (1.0, TypeError, "seed must be an integer.*None.*got 1.0"),
    (NAN, TypeError, "seed must be an integer.*None.*got nan"),
    ("1", TypeError, "seed must be an integer.*None.*got '1'"),
    (True, TypeError, "seed must be an integer.*None.*got True"),
]

VECTOR_SEEDS = [
    *SEEDS,
    (2**64 - 1, ValueError, "seed must be from 0 to 2\\*\\*64 - 1"),  # the last game's
    ([1, 2], ValueError, "must hold num_envs=3 of them, got 2"),
    ([1, 2, 3, 4], ValueError, "must hold num_envs=3 of them, got 4"),
    ([], ValueError, "must hold num_envs=3 of them, got 0"),
    ([1, 2, -3], ValueError, "seed must be from 0 to 2\\*\\*64 - 1, got -3"),
    ([1, 2.0, 3], TypeError, "seed must be an integer or None, got 2.0"),
    (["1", "2", "3"], TypeError, "seed must be an integer or None, got '1'"),
    (np.array(1), TypeError, "seed must be an integer, a list .*, got array.1."),
    (
        np.ones((3, 1), int),
        TypeError,
        "seed must be an integer, a list .*one-dim.* array",
    ),
    ({1, 2, 3}, TypeError, "seed must be an integer, a list .*, or None, got {1, 2, 3}"),
]

OPTIONS = [
    (
        {"low": 0.1},
        ValueError,
        "unknown reset option 'low'. Valid: 'limits'",
    ),
    (3, TypeError, "options must be a dict or None, got 3"),
    ({"reset_mask": np.ones(1, bool)}, ValueError, "unknown reset option 'reset_mask'"),
]

VECTOR_OPTIONS = [
    (3, TypeError, "options must be a dict or None, got 3"),
    ({"low": 0.1}, ValueError, "unknown reset option 'low'.*'reset_mask'"),
    ({"reset_masc": None}, ValueError, "option 'reset_masc'.*mean 'reset_mask'"),
    ({"reset_mask": [True, False, True]}, TypeError, "must be a numpy array, got list"),
    ({"reset_mask": None}, TypeError, "must be a numpy array, got NoneType"),
    ({"reset_mask": np.array([1, 0, 1])}, TypeError, "must have dtype bool, got int"),
    ({"reset_mask": np.ones(2, bool)}, ValueError, "must have shape .3,., got .2,"),
    ({"reset_mask": np.ones((3, 1), bool)}, ValueError, "must have shape .3,., got .3, 1"),
    ({"reset_mask": np.zeros(3, bool)}, ValueError, "must have at least one True"),
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


def in_batch(action, kind):
    """The action for game 1 of three, good ones for the others."""
    array = np.asarray(action)
    good = np.zeros(array.shape, array.dtype) if array.dtype.kind in "fiu" else array
    return kind([good, array, good])


@pytest.mark.parametrize(("keywords", "error", "message"), KEYWORDS)
@pytest.mark.parametrize("kind", [PursuitEnv, EvadeEnv, PursuitVectorEnv])
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


@pytest.mark.parametrize(
    ("env_id", "script"), [("Pursuit-v0", "evade"), ("EvadeDiscrete-v0", "pursuit")]
)
@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_an_unknown_opponent_is_refused_with_the_nearest_names(make, env_id, script):
    message = (
        r"^unknown opponent 'wandr'\. Did you mean 'wander'.*\? `steer-env info opponents` "
        r"lists scripts, `steer-env info pretrained` networks; 'random' .*\.npz file "
        "are valid, too$"
    )
    for opponent in ("wandr", ["rest", "wandr"]):
        with pytest.raises(ValueError, match=message):
            make(env_id, opponent=opponent)
    with pytest.raises(TypeError, match=f"a name such as '{script}', the path.*got 3 .int"):
        make(env_id, opponent=3)


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_wrong_keywords_through_gymnasium(make):
    # In Python's own words, which TorchRL looks for.
    words = r"Env.__init__\(\) got an unexpected keyword argument 'oponent'. Did you mean 'opp"
    with pytest.raises(TypeError, match=words):
        make("Pursuit-v0", oponent="flee")


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [("credti", " Did you mean 'credit'? There are "), ("qqq", " Some of ")],
)
def test_a_list_is_named_only_where_it_has_the_keyword(wrong, remedy):
    with pytest.raises(TypeError, match=re.escape(f"'{wrong}'.{remedy}")) as e:
        ParallelEnv(**{wrong: "own"})  # whose credit PursuitEnv lacks
    assert "steer-env info" not in str(e.value)
    with pytest.raises(TypeError, match=r"'qqq'\. `steer-env info keywords` lists them"):
        PursuitEnv(qqq=1)


@pytest.mark.parametrize(("action", "error", "message"), ACTIONS)
def test_wrong_continuous_actions(action, error, message):
    assert_refused(begun(PursuitEnv), lambda env: env.step(action), error, message)


@pytest.mark.parametrize(("action", "error", "message"), DISCRETE_ACTIONS)
def test_wrong_discrete_actions(action, error, message):
    env = begun(EvadeEnv, action_type="discrete")
    assert_refused(env, lambda env: env.step(action), error, message)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(("action", "error", "message"), ACTIONS)
def test_wrong_continuous_actions_in_a_batch(action, error, message, mode):
    envs = begun(PursuitVectorEnv, 3, autoreset_mode=mode)
    message = "shape .3, 2., got .3" if "shape" in message else message
    assert_refused(envs, lambda env: env.step(in_batch(action, np.array)), error, message)


@pytest.mark.parametrize(("action", "error", "message"), DISCRETE_ACTIONS[:-2])
def test_wrong_discrete_actions_in_a_batch(action, error, message):
    envs = begun(PursuitVectorEnv, 3, action_type="discrete")
    assert_refused(envs, lambda env: env.step(in_batch(action, np.array)), error, message)


@pytest.mark.parametrize(
    "actions",
    [0, np.array(0.0, np.float32), [0, 0], [[0], [0], [0]], np.zeros((3, 2), np.float32)],
    ids=["one", "one float", "two", "nested", "continuous"],
)
def test_wrong_shapes_of_discrete_batches(actions):
    envs = begun(PursuitVectorEnv, 3, action_type="discrete")
    message = "must have the shape .3,., got|must be integers"
    assert_refused(envs, lambda env: env.step(actions), (TypeError, ValueError), message)


@pytest.mark.parametrize(
    "actions", [np.zeros(2), np.zeros((2, 2)), np.zeros((3, 3)), np.zeros((3, 2, 1))]
)
def test_wrong_shapes_of_continuous_batches(actions):
    envs = begun(PursuitVectorEnv, 3)
    message = "must have the shape .3, 2., got"
    assert_refused(envs, lambda env: env.step(actions), ValueError, message)


def test_a_team_needs_an_action_for_each():
    env = begun(PursuitEnv, pursuers=3)
    for action in (np.zeros(2, np.float32), np.zeros((2, 2), np.float32), np.zeros((2, 3))):
        message = "must have the shape .3, 2., got"
        assert_refused(env, lambda env, given=action: env.step(given), ValueError, message)


def test_not_finite_actions_name_the_game():
    envs = begun(PursuitVectorEnv, 300, num_threads=2)
    actions = np.zeros((300, 2), np.float32)
    actions[217, 1] = np.nan
    assert_refused(envs, lambda env: env.step(actions), ValueError, "action of game 217 is not")


@pytest.mark.parametrize(("seed", "error", "message"), SEEDS)
def test_wrong_seeds(seed, error, message):
    assert_refused(begun(PursuitEnv), lambda env: env.reset(seed=seed), error, message)


@pytest.mark.parametrize(("seed", "error", "message"), VECTOR_SEEDS)
def test_wrong_seeds_of_vector_environments(seed, error, message):
    envs = begun(PursuitVectorEnv, 3)
    assert_refused(envs, lambda env: env.reset(seed=seed), error, message)


@pytest.mark.parametrize(("options", "error", "message"), OPTIONS)
def test_wrong_options(options, error, message):
    env = begun(PursuitEnv)
    assert_refused(env, lambda env: env.reset(seed=5, options=options), error, message)


@pytest.mark.parametrize(("options", "error", "message"), VECTOR_OPTIONS)
def test_wrong_options_of_vector_environments(options, error, message):
    envs = begun(PursuitVectorEnv, 3)
    assert_refused(envs, lambda env: env.reset(seed=5, options=options), error, message)


@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
@pytest.mark.parametrize("call", ["step", "render"])
def test_reset_comes_first(kind, call):
    env = kind(render_mode="rgb_array")
    action = env.action_space.sample()
    with pytest.raises(ResetNeeded, match="call reset.. before " + call):
        env.step(action) if call == "step" else env.render()
    env.reset(seed=0)
    env.step(action)


def test_a_whole_reset_comes_before_one_with_a_mask():
    envs = PursuitVectorEnv(2)
    with pytest.raises(ResetNeeded, match=r"reset all games once before .*reset_mask"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(seed=0)
    envs.step(envs.action_space.sample())


def test_after_the_end_comes_a_reset():
    env = begun(PursuitEnv, horizon=1)
    env.step([0.0, 0.0])
    for _ in range(2):
        with pytest.raises(ResetNeeded, match="episode is over; call reset"):
            env.step([0.0, 0.0])
    env.reset()
    env.step([0.0, 0.0])


def test_without_autoreset_the_caller_must_reset():
    envs = PursuitVectorEnv(300, autoreset_mode="Disabled", max_episode_steps=3, num_threads=2)
    actions = np.zeros((300, 2), np.float32)
    envs.reset(seed=0)
    envs.step(actions), envs.step(actions)
    envs.reset(options={"reset_mask": np.arange(300) != 217})
    envs.step(actions)
    before = envs.get_state()
    with pytest.raises(ResetNeeded, match=r"game 217 is over .*reset it first"):
        envs.step(actions)
    assert_same(envs.get_state(), before)
    envs.reset(options={"reset_mask": np.arange(300) == 217})
    envs.step(actions)


@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
def test_closed_is_closed(kind):
    env = begun(kind, render_mode="rgb_array")
    state, action = env.get_state(), env.action_space.sample()
    env.close(), env.close()
    calls = [env.reset, env.render, lambda: env.step(action), lambda: env.set_state(state)]
    for call in calls:
        with pytest.raises(ClosedEnvironmentError, match=r"closed; make .*new one"):
            call()
