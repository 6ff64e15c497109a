"""The global state shows everything, within its bounds."""

from __future__ import annotations

import numpy as np
import pytest
from test_global_state import played

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_it_stays_within_its_bounds(arena):
    randomize = {"pursuer": {"max_speed": (2.0, 6.0), "mass": (0.5, 3.0)}}
    game = {"pursuers": 3, "evaders": 2, "arena": arena, "randomize": randomize}
    for envs in played(capture_radius=2.0, obstacles=2, **game):
        state = envs.state()
        assert state.dtype == np.float32
        for row in state:
            assert envs.state_space.contains(row)
