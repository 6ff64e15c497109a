"""Specifications of environments survive JSON, and make the same games again."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import TimeAwareObservation, TimeLimit

from steer_env.drawing import DrawingConfig
from steer_env.envs.single import PursuitEnv
from steer_env.game.config import RewardConfig, VehicleConfig
from steer_env.game.config.observation import ObservationConfig
from steer_env.players.random_policy import RandomPolicy
from steer_env.scripts.script import Script

from .same import assert_same, play, play_all

GUARD = Script(
    behavior="offset_pursuit", offset=1 - 2j, threat_range=3.0, chances={"walls": 0.5}
)
KEYWORDS = {
    "one Script": {"opponent": GUARD},
    "a list with Scripts": {
        "opponent": ("wander", GUARD, Script(behavior="evade", lookahead="intercept")),
        "opponent_weights": np.array([1.0, 2.0, 3.0]),
    },
    "configurations": {
        "pursuer": VehicleConfig(max_speed=5.0, model="car"),
        "evader": VehicleConfig(mass=2.0),
        "reward": RewardConfig(time=0.0),
        "drawing": DrawingConfig(100, annotations="all"),
    },
    "a team": {
        "pursuers": 2,
        "evaders": 2,
        "pursuer": [VehicleConfig(max_speed=3.0), {"mass": 0.5}],
        "observation": ObservationConfig(scales={"length": 40.0}),
    },
    "arrays and pairs": {
        "obstacles": np.array([[1.0, 2.0, 0.5]]),
        "randomize": {"evader": {"max_speed": (2.0, 4.0)}},
        "dt": np.float64(0.05),
    },
}


def again(spec):
    """The specification after a way through JSON."""
    return EnvSpec.from_json(spec.to_json())


def is_plain(value):
    if isinstance(value, dict):
        return all(map(is_plain, value.values()))
    if isinstance(value, list):
        return all(map(is_plain, value))
    return type(value) in (str, int, float, bool, type(None))


def make_vector(env_id, **keywords):
    return gym.make_vec(env_id, num_envs=3, autoreset_mode="SameStep", **keywords)


@pytest.mark.parametrize("keywords", KEYWORDS.values(), ids=KEYWORDS)
@pytest.mark.parametrize(
    ("make", "make_again", "run"),
    [(gym.make, gym.make, play), (make_vector, gym.make_vec, play_all)],
    ids=["single", "vector"],
)
def test_a_game_made_again_from_json_is_the_same(make, make_again, run, keywords):
    env = make("Pursuit-v0", **keywords)
    twin = make_again(again(env.spec))
    assert is_plain(env.spec.kwargs)
    assert twin.spec == env.spec
    assert twin.unwrapped.config == env.unwrapped.config
    assert twin.unwrapped.metadata == env.unwrapped.metadata
    assert_same(env.reset(seed=3), twin.reset(seed=3))
    assert_same(run(env, 50), run(twin, 50))


def test_what_the_caller_gave_is_left_alone():
    given = {"evader": {"max_speed": (2.0, 4.0)}}
    specification = EnvSpec("Own-v0", entry_point=PursuitEnv, kwargs={"randomize": given})
    env = gym.make(specification)
    assert specification.kwargs == {"randomize": {"evader": {"max_speed": (2.0, 4.0)}}}
    assert env.spec.kwargs == {"randomize": {"evader": {"max_speed": [2.0, 4.0]}}}


@pytest.mark.parametrize("opponent", [lambda me, other: 0j, RandomPolicy()], ids=["f", "p"])
def test_functions_and_policies_are_kept_and_json_refuses_them(opponent):
    env = gym.make("Pursuit-v0", opponent=["idle", opponent])
    assert env.unwrapped.spec.kwargs["opponent"][1] is opponent
    with pytest.raises(TypeError, match="not JSON serializable"):
        env.spec.to_json()
    assert gym.make(env.spec).unwrapped.config == env.unwrapped.config


def test_a_script_becomes_the_fields_that_were_set():
    env = gym.make("Pursuit-v0", opponent=GUARD)
    assert env.spec.kwargs["opponent"] == {
        "behavior": "offset_pursuit",
        "offset": [1.0, -2.0],
        "threat_range": 3.0,
        "chances": {"walls": 0.5},
    }
    assert Script(**env.spec.kwargs["opponent"]) == GUARD


def test_the_specification_has_the_time_limit():
    env = gym.make("Pursuit-v0", horizon=70)
    assert not isinstance(env, TimeLimit)
    assert env.spec.max_episode_steps == 70
    assert TimeAwareObservation(env).max_timesteps == 70
    assert gym.make("Evade-v0").spec.max_episode_steps == 600
    assert gym.make("Evade-v0", max_episode_steps=50).spec.max_episode_steps == 50
    assert gym.make_vec("Pursuit-v0", 2, horizon=70).spec.max_episode_steps == 70
    limited = gym.make_vec("Pursuit-v0", 2, max_episode_steps=20)
    assert limited.spec.max_episode_steps == 20
    assert isinstance(gym.make(env.spec), TimeLimit)
    assert not isinstance(gym.make(env.spec, max_episode_steps=-1), TimeLimit)
    # At the horizon of such a game episodes terminate.
    assert gym.make("Drag-v0").spec.max_episode_steps is None
