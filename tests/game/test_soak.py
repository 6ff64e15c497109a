"""A short soak: all kinds of games, and no state that must not be."""

from __future__ import annotations

import numpy as np
import pytest
import soak

from steer_env.game.config import game_config
from steer_env.game.engine import Engine

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]


def test_nothing_breaks():
    report = soak.soak(3e6, seed=1, num_games=512, batch_steps=100, batches_per_environment=14)
    assert not report.violations, report.violations[0]
    assert report.steps >= 2.9e6
    assert report.environments == 5
    assert "violations 0" in str(report)


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("velocity", 9 + 0j, "speed is above max_speed"),
        ("heading", 2 + 0j, "heading is no unit vector"),
        ("heading", np.nan, "heading is not finite"),
        ("position", 11 + 0j, "body is in a wall"),
        ("position", 2.5 + 2j, "body is in an obstacle"),
        ("acceleration", 99 + 0j, "acceleration is above the limit"),
        ("position", 50 + 0j, "observation of the evaders"),
    ],
)
def test_it_notices(field, value, fault):
    engine = Engine(game_config(obstacles=((2, 2, 1),)), [None], [None], 3, 100)
    engine.seed(range(3))
    engine.start()
    engine.state.position[...] = -5 + 5j
    for is_damaged in (False, True):
        if is_damaged:
            getattr(engine.state, field)[1, 1] = value
        found = {**soak.faults_of_state(engine), **soak.faults_of_observations(engine)}
        assert found[fault][1].any() == is_damaged
