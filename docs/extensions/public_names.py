"""Docstrings as Sphinx's pages of the library show them.

Docstrings are written to be read at the prompt, with tables of Markdown and lengths such as
|z|. reStructuredText, which Sphinx reads, has other words for both.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_PART = re.compile(r"``.*?``|[^`|]+|\||`")
_SUFFIX = re.compile(r"(?<!`)(`[^`]+`)(?=\w)")  # as in `Vehicle`s
_RULE = re.compile(r"\|[\s:|-]+\|$")  # below the head of a table


def _translate(
    app: Sphinx, what: str, name: str, member: object, options: Any, lines: list[str]
) -> None:
    """Translates a docstring, line by line, in place."""
    if "## Description" in lines:  # an environment, which has a page of its own
        page = "/docs/game/generated/environments"
        lines[lines.index("## Description") :] = [f"See :doc:`{page}`."]
    if "References:" in lines:
        start = lines.index("References:")
        lines[start:] = _references(lines[start + 1 :])
    found: list[str] = []
    number = 0
    while number < len(lines):
        if number + 1 < len(lines) and _RULE.match(lines[number + 1].strip()):
            end = number + 2
            while end < len(lines) and lines[end].strip().startswith("|"):
                end += 1
            found += _table([lines[number], *lines[number + 2 : end]])
            number = end
        else:
            line = _PART.sub(_without_bars, lines[number])
            found.append(_SUFFIX.sub(r"\1\\ ", line))
            number += 1
    lines[:] = found


def _table(rows: list[str]) -> list[str]:
    """A table of Markdown, without the line below its head, as a directive."""
    indent = rows[0][: len(rows[0]) - len(rows[0].lstrip())]
    columns = rows[0].strip().count("|") - 1
    table = ["", ".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        cells = row.strip()[1:-1].split("|", columns - 1)  # a last cell may hold |z|
        first, *others = (_PART.sub(_without_bars, cell.strip()) for cell in cells)
        table += [f"   * - {first}", *(f"     - {cell}" for cell in others)]
    return [f"{indent}{line}" for line in (*table, "")]


def _references(lines: list[str]) -> list[str]:
    """A list of references, one a line, from the section that begins with "References:"."""
    found = ["", "**References**", ""]
    for line in lines:
        is_new = line.startswith("    ") and not line.startswith("     ")
        if is_new or not line.strip():
            found.append(f"* {line.strip()}" if line.strip() else "")
        else:
            found[-1] += f" {line.strip()}"
    return found


def _without_bars(part: re.Match[str]) -> str:
    return r"\|" if part[0] == "|" else part[0]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connects what is done to each docstring."""
    app.connect("autodoc-process-docstring", _translate, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
