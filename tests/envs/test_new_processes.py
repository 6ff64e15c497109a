"""The prefix of an id registers the environments in new processes."""

from __future__ import annotations

import pytest

from envs.test_registration import run

pytestmark = pytest.mark.weekly


def test_the_prefix_registers_in_workers_that_import_nothing():
    program = """
import gymnasium
make = lambda: gymnasium.make("steer_env:Pursuit-v0")
envs = gymnasium.vector.AsyncVectorEnv([make], context="spawn")
print(*envs.reset(seed=0)[0].shape)
envs.close()
"""
    assert run(program) == ["1", "21"]


def test_ids_are_unknown_without_the_package():
    program = """
import gymnasium
try:
    gymnasium.make("Pursuit-v0")
except gymnasium.error.NameNotFound:
    print("unknown")
"""
    assert run(program) == ["unknown"]
