"""Every public function explains itself, with an example that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect

import numba
import numpy as np
import pytest

from steer_env import steering
from steer_env.steering.compilation import is_compiled

PUBLIC = [name for name in steering.__all__ if callable(getattr(steering, name))]
DOCUMENTED = [name for name in PUBLIC if name != "compiled"]


def run(text, name, globs):
    test = doctest.DocTestParser().get_doctest(text, globs, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)
    return len(test.examples)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_example_is_true(name):
    function = getattr(steering, name)
    module = importlib.import_module(function.__module__)
    text = inspect.getdoc(function)
    assert run(text, name, {**vars(steering), **vars(module)}) >= 1


VEHICLES = np.zeros(3, steering.VEHICLE)
OBSTACLES = np.zeros(3, steering.OBSTACLE)
POINTS = np.array([0j, 1 + 0j, 1j])
ARRAYS = {"neighbors": VEHICLES, "obstacles": OBSTACLES, "points": POINTS}
OTHERS = {"vehicle", "other", "quarry", "menace", "leader", "hunter", "a", "b"}
VECTORS = {"target", "point", "vector", "position", "other_position", "offset", "jitter"}
VECTORS |= {"force", "total"}


def example_of(parameter):
    """An argument of the usual type."""
    if parameter.default is not parameter.empty:
        return parameter.default
    if parameter.name in ARRAYS:
        return ARRAYS[parameter.name]
    if parameter.name == "me" or parameter.name in OTHERS:
        return steering.Vehicle()
    if parameter.name == "obstacle":
        return steering.Obstacle(1j, 1.0)
    if parameter.name in ("method", "waypoint"):
        return 1
    return 1j if parameter.name in VECTORS else 1.0


@pytest.mark.compiled
@pytest.mark.parametrize("name", [n for n in DOCUMENTED if is_compiled(getattr(steering, n))])
def test_it_runs_as_machine_code(name):
    """What cannot be compiled runs as plain Python: nothing of ours may do so unnoticed."""
    function = getattr(steering, name)
    parameters = inspect.signature(function.py_func).parameters
    if name in ("dot", "cross"):
        arguments = [1j, 1j]
    else:
        arguments = [example_of(parameter) for parameter in parameters.values()]
    before = len(function.signatures)
    function(*arguments)
    assert len(function.signatures) >= max(before, 1)
    kinds = tuple(numba.typeof(argument) for argument in arguments)
    assert kinds in function.signatures


def test_the_package_example_is_true():
    assert run(steering.__doc__, "steering", {}) >= 5


def test_everything_public_is_listed_in_order():
    assert sorted(set(steering.__all__)) == sorted(steering.__all__)
    for name in PUBLIC:
        assert inspect.getdoc(getattr(steering, name)), name
