"""Docstrings begin with one plain clause, in the field's words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("steer_env", "baselines", "agents")
FILES = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]

QUESTION = re.compile(r"(What|Where|How|Whether|Who|Whom|Whose|When|Why)\b")
SECOND_CLAUSE = re.compile(
    r";|, (which|who|whose|where|so that|as if|unless|because|since|while|however|whatever|if)"
    r"\b"
)
NOT_OURS = re.compile(
    r"\b(so many|so much|likewise|nobody|of yours|of one's own|of a user's own|of your own|"
    r"what is wrong with|each for itself|of those that)\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"""(["'`]).*?\1""")
NO_NEWS = re.compile(r"Raises:\n\s+[\w., ]+: as ")

WRITTEN = [
    path
    for folder in (*PACKAGES, "docs", "examples", "deploy", "tests/by_hand", "tools")
    for kind in ("md", "py", "ipynb", "js", "yml")
    for path in (ROOT / folder).rglob(f"*.{kind}")
]
OTHER_FORM = re.compile(r"[0-9}]\s%(?!\s\d|[\w{%])|\d% ?±")  # but for LLVM's names, and modulo


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields the line and the text of each docstring, also those below constants."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            value = getattr(statement, "value", None)
            is_text = isinstance(statement, ast.Expr) and isinstance(value, ast.Constant)
            if is_text and isinstance(value.value, str):
                yield statement.lineno, value.value.strip()


def test_percentages_have_one_form():
    """That is 99.8%, with both ends of an interval, since 2% ± 5 is not possible."""
    faults = {
        f"{path.relative_to(ROOT)}: {found[0]!r}"
        for path in (ROOT / "README.md", *WRITTEN)
        if "generated" not in path.parts
        for found in OTHER_FORM.finditer(path.read_text("utf-8"))
    }
    assert not faults


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings_are_plain(path):
    faults = []
    for line, text in docstrings(ast.parse(path.read_text("utf-8"))):
        first = text.split("\n")[0]
        rest = "\n".join(QUOTED.sub("", one) for one in text.split("\n"))
        found = [QUESTION.match(first), SECOND_CLAUSE.search(first), NOT_OURS.search(rest)]
        found += [NO_NEWS.search(text)]
        faults += [f"line {line}: {one[0]!r} in {first!r}" for one in found if one]
    assert not faults
