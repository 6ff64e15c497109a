"""Grids change no game by a single bit: they find what comparing all finds."""

from __future__ import annotations

import numpy as np
import pytest
from test_neighbors import (
    NEVER,
    PLAYERS,
    from_size,  # noqa: F401
    game,
    new_engine,
    trajectory,
)

from steer_env.game.run import phases
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]

GAMES, STEPS = 3, 40


def test_scripts_that_look_at_teammates_get_grids_when_they_come(from_size):
    """An engine of plain scripts needs none; with other scripts it makes them."""
    found = []
    for fewest in (1, NEVER):
        from_size(fewest)
        phases.FEWEST_TO_SEARCH = NEVER
        engine = new_engine(game(20, 20), PLAYERS["plain"])
        shown = trajectory(engine, 5)
        assert not engine._runner.memory["has_grid"].any()
        numbers = np.zeros(1, np.int64)
        engine.set_scripts(EVADER, [ROSTER["evade/herd"]], np.ones(1), numbers)
        shown += trajectory(engine, 20)
        assert engine._runner.memory["has_grid"].all() == (fewest == 1)
        found.append(shown)
    assert found[0] == found[1]
