"""Without autoreset modes single environments work; vector ones name the version they need."""

from __future__ import annotations

import pytest

from envs.test_registration import run

pytestmark = pytest.mark.weekly


def test_a_gymnasium_without_autoreset_modes():
    program = """
import gymnasium
del gymnasium.vector.AutoresetMode
gymnasium.__version__ = "0.29.1"
import steer_env
from steer_env.baselines import collect, evaluate
from steer_env.bench import vector_step

env = gymnasium.make("Pursuit-v0")
env.reset(seed=0)
env.step(env.action_space.sample())
print(env.spec.id, evaluate("pursuit", "evade", episodes=2).episodes.size)
print(len(collect("pursuit", "evade", {"horizon": 5}, episodes=3)))

def import_sb3():
    import steer_env.envs.sb3

for call in (
    lambda: gymnasium.make_vec("Pursuit-v0", num_envs=2),
    lambda: steer_env.check_vector_env,
    lambda: vector_step("CartPole-v1", 2),
    import_sb3,
):
    try:
        call()
    except gymnasium.error.DependencyNotInstalled as error:
        (line,) = str(error).splitlines()
        assert "need gymnasium>=1.1, and 0.29.1 is installed; run: pip install" in line, line
        print("refused")
"""
    assert run(program) == ["Pursuit-v0", "2", "3", *["refused"] * 4]
