"""Networks that pool blocks: their formula, their file, and what they do not depend on."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.policies.blocks import allotted

pytestmark = pytest.mark.weekly


def test_hunters_agree_on_whose_a_quarry_is():
    """Each sees the others from its own place; between them all quarries are shared once."""
    random = np.random.default_rng(5)
    hunters, quarries = random.normal(size=(2, 60, 4, 2)).astype(np.float32)
    quarries = np.concatenate([quarries, quarries + 3.0], axis=1)
    flags = []
    for me in range(4):
        mates = np.delete(hunters, me, axis=1) - hunters[:, me, None]
        there = [np.ones(one.shape[:2], bool) for one in (mates, quarries)]
        seen = allotted(np, mates, quarries - hunters[:, me, None], *there)
        flags.append(seen[..., 0])
        np.testing.assert_array_equal(seen[..., 0] * seen[..., 1], 0.0)
    flags = np.stack(flags, axis=1)  # games, hunters, quarries
    assert (flags.sum(axis=1) <= 1.0).all()
    assert (flags.sum(axis=2) <= 1.0).all()
    assert (flags.sum(axis=2) == 1.0).mean() > 0.95
