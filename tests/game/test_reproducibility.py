"""The same version and the same seed make the same trajectories, to the bit, on any machine."""

from __future__ import annotations

import ast
import json
import math
import os
import platform
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import trajectories
from trajectories import OLD_LIBRARY, OLD_NUMPY

import steer_env
from steer_env.actions import DIRECTIONS
from steer_env.game.random import (
    draw_uniform,
    gaussian_of_bits,
    key_of_seed,
    mix,
    next_key,
    random_actions,
    random_bits,
)
from steer_env.game.state import make_state
from steer_env.machine_code.library import FOLDER, LEVELS, LIBRARIES, Library, in_use

ADVICE = """the trajectories of {count} of {all} games are not those of version {version} of
the environments, such as "{name}". If the change was not meant to move results, it is a
mistake. If it was, raise the version where the environments are registered and VERSION in
tests/by_hand/trajectories.py, run python tests/by_hand/trajectories.py --write, and see
"Changing results" in CONTRIBUTING.md."""


def check(found, expected):
    changed = [name for name in found if found[name] != expected[name]]
    assert not changed, ADVICE.format(
        count=len(changed), all=len(found), version=trajectories.VERSION, name=changed[0]
    )


def hashes_elsewhere(beginning="", **settings):
    """The hashes that another process finds, with these variables in its environment."""
    script = Path(trajectories.__file__)
    variables = {**os.environ, "PYTHONPATH": str(script.parents[2]), **settings}
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


SOME = pytest.mark.parametrize(
    "beginning", ["Pursuit-v0 evade", pytest.param("", marks=pytest.mark.weekly)]
)


@pytest.mark.compiled
@SOME
def test_trajectories_do_not_depend_on_the_c_library_or_on_numpy(beginning):
    found = hashes_elsewhere(beginning, **OLD_LIBRARY, **OLD_NUMPY)
    assert len(found) > (4 if beginning else 500)
    check(found, trajectories.read_table()[trajectories.VERSION])


@pytest.mark.compiled
@SOME
@pytest.mark.parametrize("level", LEVELS[1:])
def test_trajectories_do_not_depend_on_the_level_of_the_processor(level, beginning):
    try:
        Library(FOLDER / LIBRARIES[sys.platform, platform.machine()], level)
    except OSError as error:  # of a processor that has not this level
        pytest.skip(str(error))
    found = hashes_elsewhere(beginning, STEER_ENV_CODE=level)
    check(found, trajectories.read_table()[trajectories.VERSION])


@pytest.mark.parametrize("moves", [False, True])
def test_a_machine_compares_itself_with_what_is_published(moves, monkeypatch, capsys):
    if moves:
        table = {trajectories.VERSION: {"Pursuit-v0 evade walls": "0"}}
        monkeypatch.setattr(trajectories, "read_table", lambda: table)
    words = ["trajectories.py", "--compare", "--only", "Pursuit-v0 evade walls"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        trajectories.main()
    assert ended.value.code == moves
    said = capsys.readouterr().out
    assert said.startswith(f"{in_use()}: ")
    assert f"1 games, {int(moves)} moved" in said


def test_trajectories_are_the_same_in_plain_python():
    """Cars, whose turns are sines and cosines, led by another angle."""
    found = hashes_elsewhere("deviated_pursuit against evade open", NUMBA_DISABLE_JIT="1")
    assert len(found) == 1
    check(found, trajectories.read_table()[trajectories.VERSION])


PACKAGE = Path(steer_env.__file__).parent
EXACT = {"inf", "nan", "pi", "sqrt", "copysign", "floor", "fsum", "isfinite", "isnan"}
"""What trajectories may use of math and cmath: IEEE 754 fixes the results to the bit."""

INEXACT = {
    *("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("arcsin", "arccos", "arctan", "arctan2", "power", "float_power", "hypot", "angle"),
    *("cbrt", "linalg", "dot"),
}
"""What they may not use of numpy."""


def inexact_parts(text):
    """The names and powers in a program whose last bits are not fixed, with their lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            library, name = node.value.id, node.attr
            if library in ("math", "cmath") and name not in EXACT:
                yield f"{library}.{name}, line {node.lineno}"
            if library == "np" and name in INEXACT:
                yield f"np.{name}, line {node.lineno}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            exponent = ast.unparse(node.right).strip("-").removesuffix(".0")
            if not exponent.isdigit():
                yield f"** {exponent}, line {node.lineno}"


SOLUTIONS = ("chauffeur.py", "two_cars.py", "drag.py", "reach_avoid.py", "perimeter.py")


def test_nothing_in_the_loop_rounds_as_the_machine_likes():
    found = []
    for folder in ("steering", "scripts", "solved", "game"):
        for path in (PACKAGE / folder).glob("*.py"):
            if path.name in SOLUTIONS:
                continue  # what they compute for arrays enters no trajectory
            found += [f"{path.name}: {part}" for part in inexact_parts(path.read_text())]
    assert not found


def test_that_test_sees_what_it_should():
    seen = inexact_parts("cmath.exp(1j)\nmath.sqrt(2.0)\nx**0.5 + y**2\nnp.arctan2(1, 2)")
    assert len(list(seen)) == 3


def test_discrete_pushes_are_exact():
    diagonal = np.float32(math.sqrt(0.5))
    assert set(np.abs(DIRECTIONS).ravel().tolist()) == {0.0, float(diagonal), 1.0}
    np.testing.assert_array_equal(DIRECTIONS[1:5], -DIRECTIONS[5:])


# ---- Random numbers: those of SplitMix64, and as random as they should be ----------------

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15
MANY = 100_000


def mix_integer(bits):
    """The finalizer of SplitMix64 (Steele, Lea and Flood 2014) in unbounded integers."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def game_with_key(key):
    """The columns of one game, with this key."""
    game = make_state(1, 2, 0)
    game.key[0] = key
    return game


def some_integers(count=1000):
    drawn = np.random.default_rng(0).integers(2**64, size=count, dtype="u8")
    return [0, 1, GAMMA, MASK, *drawn]


def test_bits_and_keys_are_those_of_splitmix64():
    for number in some_integers():
        bits, one = int(number), np.uint64(number)
        mixed = mix_integer((bits + GAMMA) & MASK)
        assert int(mix(one)) == mix_integer(bits)
        assert int(key_of_seed(one)) == mix_integer(mixed ^ 0xD1B54A32D192ED03)
        assert int(next_key(one)) == mix_integer(bits ^ 0xD1B54A32D192ED03)
        for draw in (1, 2, 19):
            expected = mix_integer((bits + draw * GAMMA) & MASK)
            assert int(random_bits(one, np.uint64(draw))) == expected


def test_uniform_numbers():
    game = game_with_key(key_of_seed(np.uint64(1)))
    drawn = np.array([draw_uniform(game, -2.0, 3.0) for _ in range(MANY)])
    assert drawn.min() >= -2.0
    assert drawn.max() < 3.0
    assert drawn.mean() == pytest.approx(0.5, abs=0.02)
    assert drawn.var() == pytest.approx(25 / 12, rel=0.02)
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.02


def test_gaussian_numbers():
    key = key_of_seed(np.uint64(3))
    drawn = gaussian_of_bits(random_bits(key, np.arange(1, MANY + 1, dtype="u8")))
    assert drawn.mean() == pytest.approx(0.0, abs=0.02)
    assert drawn.var() == pytest.approx(1.0, rel=0.02)
    assert abs(drawn).max() < 3.5
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.02


def test_random_actions_are_uniform_and_unrelated():
    key = np.arange(1, 2001, dtype=np.uint64)
    actions = random_actions(key, np.full(2000, 7), players=3)
    assert actions.shape == (2000, 3, 2)
    assert actions.dtype == np.float32
    flat = actions.reshape(2000, 6).astype(np.float64)
    gaps = np.abs(np.sort(flat.ravel()) - np.linspace(-1, 1, flat.size))
    assert gaps.max() / 2 < 1.63 / flat.size**0.5  # Kolmogorov and Smirnov, at 1 %
    later = random_actions(key, np.full(2000, 8), players=3).reshape(2000, 6)
    correlations = np.corrcoef(np.hstack([flat, later]).T) - np.eye(12)
    assert np.abs(correlations).max() < 0.1
