"""Every public function explains itself, with an example that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

from steer_env import steering

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


def test_the_package_example_is_true():
    assert run(steering.__doc__, "steering", {}) >= 5


def test_everything_public_is_listed_in_order():
    assert sorted(set(steering.__all__)) == sorted(steering.__all__)
    for name in PUBLIC:
        assert inspect.getdoc(getattr(steering, name)), name
