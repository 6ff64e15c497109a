"""Docstrings as Sphinx's pages of the library show them."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx


def _shorten(
    app: Sphinx, what: str, name: str, member: object, options: Any, lines: list[str]
) -> None:
    """Keeps the first lines of an environment's docstring, since a page of its own has it all."""
    if "## Description" in lines:
        lines[lines.index("## Description") :] = ["See :doc:`/docs/game/generated/environments`.", ""]
    lines[:] = [_LITERAL.sub(_bars_escaped, line) for line in lines]


_LITERAL = re.compile(r"``.*?``|[^`|]+|\||`")


def _bars_escaped(part: re.Match[str]) -> str:
    """A length, such as |z|, is not what reStructuredText calls a substitution."""
    return r"\|" if part[0] == "|" else part[0]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connects what is done to each docstring."""
    app.connect("autodoc-process-docstring", _shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
