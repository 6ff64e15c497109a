"""Functions compile, compose with a user's own, and run as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from steer_env.steering import compiled, pursuit_aim, scale
from steer_env.steering.compilation import JIT_ENABLED

from .vehicles import moving, vehicle

PLAIN = """
from steer_env.steering import Vehicle, pursuit, evade, intercept, linear
me = Vehicle(0j, 1 + 0j, 1 + 0j, 3.0, 9.0)
other = Vehicle(6 + 1j, 2j, 1j, 2.0, 9.0)
print(type(pursuit).__name__, pursuit(me, other), evade(me, other, intercept, linear, 100.0))
"""


@compiled
def half_a_second(me, other):
    return 0.5


@compiled
def twice_as_far(other, time):
    return other.position + scale(other.velocity, 2 * time)


def test_a_users_own_law_and_predictor_work_in_place_of_ours():
    quarry = moving(8, 2j, max_speed=2)
    assert pursuit_aim(vehicle(), quarry, half_a_second, twice_as_far, False) == 8 + 2j


def run(**environment):
    root = str(Path(__file__).parent.parent.parent)
    env = {**os.environ, "PYTHONPATH": root, **environment}
    command = [sys.executable, "-c", PLAIN]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.compiled
def test_plain_python_gives_the_same_forces():
    assert JIT_ENABLED
    kind, *plain = run(NUMBA_DISABLE_JIT="1").split()
    assert kind == "function"
    _, *machine = run(NUMBA_DISABLE_JIT="0").split()
    for one, other in zip(plain, machine, strict=True):
        assert complex(one) == pytest.approx(complex(other), abs=1e-12)
