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


CACHED = """
from steer_env.steering import Vehicle, compiled, evade, intercept, pursuit, turning

@compiled
def own_law(me, other):
    return 0.5

me, quarry = Vehicle(max_speed=3.0), Vehicle(8 + 0j)
pursuit(me, quarry)
pursuit(me, quarry, intercept, turning)
evade(me, quarry, intercept)
for function in (pursuit, evade):
    print(sum(function._cache_hits.values()), sum(function._cache_misses.values()))
pursuit(me, quarry, own_law)
"""


@pytest.mark.compiled
def test_functions_of_functions_are_found_in_the_cache_by_other_processes(tmp_path):
    root = str(Path(__file__).parent.parent.parent)
    env = {**os.environ, "PYTHONPATH": root, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", CACHED]
    printed, files = [], []
    for _ in range(3):
        run = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        printed.append(run.stdout.split())
        files.append(len(list(tmp_path.rglob("*.nbc"))))
    assert printed == [["0", "2", "0", "1"], ["2", "0", "1", "0"], ["2", "0", "1", "0"]]
    assert files[0] == files[1] == files[2]  # a user's own functions leave nothing behind
