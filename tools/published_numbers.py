"""Compares a published gap to perfect play with what is measured now."""

from __future__ import annotations

from pathlib import Path

import pytest

from steer_env.baselines import gap
from steer_env.files import read_json
from steer_env.scenarios.registry import SOLVED

PAGE = Path(__file__).parents[1] / "baselines" / "results" / "optimality" / "README.md"


def check(name: str, game: str, side: str) -> None:
    """Measures a player as the page says, and finds its numbers there."""
    found = gap(name, game, side)
    games = read_json(PAGE.with_name("optimality.json"))["games"]
    assert set(games) == set(SOLVED)
    (regions,) = (one["regions"] for one in games[game][side] if one["name"] == name)
    for region, one in {**found.regions, "all": found.overall}.items():
        assert regions[region]["gaps"] == [pytest.approx(one.gap.estimate, abs=1e-9)]
    shown, lines = f"{found.overall.share:.1%}", PAGE.read_text().splitlines()
    assert any(f"`{name}`" in line and shown in line for line in lines)
