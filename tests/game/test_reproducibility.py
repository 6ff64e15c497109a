"""The same version and the same seed make the same trajectories, to the bit, on any machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest
import trajectories

ADVICE = """the trajectories of {count} of {all} games are not those of version {version} of
the environments, such as "{name}". If the change was not meant to move results, it is a
mistake. If it was, raise the version where the environments are registered and VERSION in
tests/trajectories.py, run python tests/trajectories.py --write, and see "Changing results" in
CONTRIBUTING.md."""

FOREIGN = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX2 FMA3 AVX512F",
}
"""Makes the C library and numpy compute as on an old processor, with other last bits."""


def check(found, expected):
    changed = [name for name in found if found[name] != expected[name]]
    assert not changed, ADVICE.format(
        count=len(changed), all=len(found), version=trajectories.VERSION, name=changed[0]
    )


def hashes_elsewhere(beginning="", **settings):
    """The hashes that another process finds, with these variables in its environment."""
    script = Path(trajectories.__file__)
    variables = {**os.environ, "PYTHONPATH": str(script.parents[1]), **settings}
    command = [sys.executable, str(script), "--only", beginning]
    printed = subprocess.run(command, env=variables, capture_output=True, check=True).stdout
    return json.loads(printed)


def test_the_table_is_that_of_the_newest_version():
    versions = {spec.version for spec in gym.registry.values() if spec.name == "Pursuit"}
    assert f"v{max(versions)}" == trajectories.VERSION
    assert list(trajectories.read_table())[-1] == trajectories.VERSION


@pytest.mark.compiled
def test_trajectories_are_those_of_this_version():
    expected = trajectories.read_table()[trajectories.VERSION]
    found = trajectories.all_hashes()
    assert found.keys() == expected.keys()
    check(found, expected)


@pytest.mark.compiled
def test_trajectories_do_not_depend_on_the_c_library_or_on_numpy():
    found = hashes_elsewhere(**FOREIGN)
    assert len(found) > 500
    check(found, trajectories.read_table()[trajectories.VERSION])


def test_trajectories_are_the_same_in_plain_python():
    """Cars, whose turns are sines and cosines, led by another angle."""
    found = hashes_elsewhere("deviated_pursuit against evade open", NUMBA_DISABLE_JIT="1")
    assert len(found) == 1
    check(found, trajectories.read_table()[trajectories.VERSION])
