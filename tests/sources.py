"""The source files, and their syntax trees, for tests that look at how code is written."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("steer_env", "baselines", "agents")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
