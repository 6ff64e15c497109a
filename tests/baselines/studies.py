"""Simulated studies: how often their intervals contain the truth."""

from __future__ import annotations

import numpy as np

LIMIT = 20.0
MEAN_TIME = 10.0


def capture_times(generator, shape, mean=MEAN_TIME):
    """Capture at a constant rate, so that means, medians, and shares have closed forms."""
    return np.minimum(generator.exponential(mean, shape), LIMIT)


def coverage(intervals, truth):
    intervals = np.array([tuple(found) for found in intervals])
    return np.mean((intervals[:, 1] <= truth + 1e-9) & (truth <= intervals[:, 2] + 1e-9))
