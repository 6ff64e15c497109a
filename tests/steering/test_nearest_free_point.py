"""The prediction among obstacles is the nearest free point."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.steering import (
    contained,
)
from steering.test_prediction import ROCKS, is_free
from steering.vehicles import vehicle

pytestmark = pytest.mark.weekly


def test_contained_is_the_nearest_free_point():
    generator, checked = np.random.default_rng(4), 0
    disc = np.linspace(0.0, 4.0, 100) * np.exp(0.05j * np.arange(126))[:, None]
    for x, y, *velocity in generator.uniform(-9, 9, (300, 4)).tolist():
        other = vehicle(complex(x, y), complex(*velocity))
        wanted = contained(other, 1.3, 9.5)
        found = contained(other, 1.3, 9.5, ROCKS)
        if not is_free(other.position, 0.5, ROCKS) or found == wanted:
            continue
        checked += 1
        assert is_free(found, 0.5, ROCKS, 9.5)
        distances = [abs(p) for p in disc.ravel() if is_free(wanted + p, 0.5, ROCKS, 9.5)]
        assert abs(found - wanted) <= min(distances) + 1e-9
    assert checked > 10
