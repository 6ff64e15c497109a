"""Importing the package registers four ids, loads nothing heavy, and works in a new process."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

import steer_env
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.scenarios.registry import register_environments

from .same import IDS

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
    assert callable(steer_env.check_vector_env)
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
