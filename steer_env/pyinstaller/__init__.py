"""The hooks that PyInstaller finds by an entry point."""

from __future__ import annotations

from pathlib import Path


def folders() -> list[str]:
    """The folder of the hooks, as PyInstaller takes it."""
    return [str(Path(__file__).parent)]
