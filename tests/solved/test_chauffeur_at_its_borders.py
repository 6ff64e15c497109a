"""The homicidal chauffeur with a slow evader or a wide capture: what is next to its line."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steer_env.solved import chauffeur

pytestmark = pytest.mark.weekly

# Of an independent solution: nu, l, right, ahead, V.


@pytest.mark.parametrize("seed", range(20))
def test_a_faster_evader_or_a_smaller_capture_circle_takes_longer(seed):
    generator = np.random.default_rng(seed)
    nu, share = generator.uniform(0.01, 0.4), generator.uniform(0.05, 0.95)
    l = share * math.sqrt(1 - nu * nu)  # noqa: E741
    bearing = generator.uniform(-np.pi, np.pi, 4000)
    r = np.where(np.arange(4000) % 2, 3.0 * generator.random(4000), l)
    r = np.where(r == l, l * (1.0 + generator.exponential(0.1, 4000)), r)
    x, y = r * np.sin(bearing), r * np.cos(bearing)
    value = chauffeur.value(x, y, nu, l)
    faster = nu + generator.uniform(0.0, 0.02)
    if l < 0.9999 * math.sqrt(1 - faster**2):
        assert (chauffeur.value(x, y, faster, l) >= value - 1e-8).all()
    smaller = l * generator.uniform(0.9, 1.0)
    assert (chauffeur.value(x, y, nu, smaller) >= value - 1e-8).all()


def test_the_solution_has_no_seam_where_region_t_comes_beside_the_line():
    nu = 0.1
    seam = nu * (2 * math.pi - 2 * math.acos(nu))
    generator = np.random.default_rng(6)
    x, y = generator.uniform(-2.5, 2.5, (2, 5000))
    below, above = (chauffeur.value(x, y, nu, seam + e) for e in (-1e-9, 1e-9))
    assert (np.abs(below - above) > 1e-6).mean() < 1e-3  # but at the barrier
