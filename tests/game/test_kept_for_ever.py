"""What is cached without a limit is known."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import steer_env

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]


KEPT_FOR_EVER = {
    "state_dtype",  # of as many kinds as there are sizes of games
}


def test_what_is_kept_for_ever_is_known():
    """A cache without a limit grows as long as a program makes new games, scripts or texts."""
    found = set()
    for path in Path(steer_env.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.args.args:
                decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
                found |= {node.name} if decorators & {"cache", "functools.cache"} else set()
    assert found == KEPT_FOR_EVER
