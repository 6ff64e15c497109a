"""Lets tests here take the games, fixtures and checks of the quick tests of the same folder."""

from __future__ import annotations

import sys
from pathlib import Path

_QUICK = Path(__file__).parents[1]
for _folder in sorted({path.parent for path in _QUICK.rglob("test_*.py")}):
    if "thorough" not in _folder.parts and not (_folder / "__init__.py").exists():
        sys.path.append(str(_folder))
sys.path.append(str(_QUICK / "agents"))
