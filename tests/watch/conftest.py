"""Fixtures of the tests of the window."""

from __future__ import annotations

import pytest


@pytest.fixture
def make(monkeypatch, tmp_path):
    """Makes programs, each on a window that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("pygame")
    from .windows import Program

    made = []

    def make_program(**options):
        made.append(Program(**options))
        return made[-1]

    yield make_program
    for program in made:
        program.close()
