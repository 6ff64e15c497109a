"""Ids and their specifications: importing registers them, and JSON brings games back."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import TimeAwareObservation, TimeLimit

import steer_env
from steer_env.drawing import DrawingConfig
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.game.config import RewardConfig, VehicleConfig
from steer_env.game.config.observation import ObservationConfig
from steer_env.players.random_policy import RandomPolicy
from steer_env.scenarios.registry import register_environments
from steer_env.scripts.script import Script

from .same import IDS, assert_same, play, play_all

ROOT = Path(steer_env.__file__).parents[1]
HEAVY = ("numba", "pygame", "torch", "stable_baselines3", "pettingzoo", "imageio", "scipy")
CLASSES = {"Pursuit": (PursuitEnv, PursuitVectorEnv), "Evade": (EvadeEnv, EvadeVectorEnv)}


def run(program):
    """The output of a new Python process that treats warnings as errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("env_id", IDS)
def test_specification(env_id):
    spec = gym.spec(env_id)
    side = env_id.removesuffix("-v0").removesuffix("Discrete")
    assert spec.entry_point == f"steer_env.envs.single:{side}Env"
    assert spec.vector_entry_point == f"steer_env.envs.vector:{side}VectorEnv"
    assert spec.max_episode_steps is None  # an environment ends at its own horizon
    assert spec.kwargs == {"action_type": "discrete" if "Discrete" in env_id else "continuous"}
    assert not spec.nondeterministic


def test_registering_twice_is_silent():
    before = dict(gym.registry)
    register_environments()
    importlib.reload(steer_env)
    assert dict(gym.registry) == before


def test_the_package_offers_its_checker_and_nothing_unknown():
    assert steer_env.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'PursuitEnv'"):
        steer_env.PursuitEnv  # noqa: B018


def test_importing_loads_nothing_heavy():
    program = "import sys, steer_env; print(*(m.split('.')[0] for m in sys.modules))"
    assert not set(HEAVY) & set(run(program))


@pytest.mark.parametrize("kinds", CLASSES.values(), ids=CLASSES)
def test_the_classes_name_gymnasiums_among_their_bases(kinds):
    single, vector = kinds  # skrl looks no further
    assert gym.Env in single.__bases__
    assert gym.vector.VectorEnv in vector.__bases__


NEW_PROCESSES = {
    "registered by the prefix": (
        """
import gymnasium
make = lambda: gymnasium.make("steer_env:Pursuit-v0")
envs = gymnasium.vector.AsyncVectorEnv([make], context="spawn")
print(*envs.reset(seed=0)[0].shape)
envs.close()
""",
        ["1", "21"],
    ),
    "unknown without the package": (
        """
import gymnasium
try:
    gymnasium.make("Pursuit-v0")
except gymnasium.error.NameNotFound:
    print("unknown")
""",
        ["unknown"],
    ),
}


@pytest.mark.weekly
@pytest.mark.parametrize(("program", "printed"), NEW_PROCESSES.values(), ids=NEW_PROCESSES)
def test_ids_in_new_processes(program, printed):
    assert run(program) == printed


# ---- Specifications ------------------------------------------------------------------------

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
