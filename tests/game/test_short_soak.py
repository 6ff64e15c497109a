"""A short soak: all kinds of games, and no state that must not be."""

from __future__ import annotations

import pytest
import soak

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]


def test_nothing_breaks():
    report = soak.soak(3e6, seed=1, num_games=512, batch_steps=100, batches_per_environment=14)
    assert not report.violations, report.violations[0]
    assert report.steps >= 2.9e6
    assert report.environments == 5
    assert "violations 0" in str(report)
