"""Perimeter defense against a grid that knows only the rules: the errors shrink.

The grid holds the payoff W(r, theta) of a game of n steps, by the attacker's radius and its
angle from the defender. A game of n + 1 steps begins with a straight move of the attacker for a
time h and a run of the defender. W is interpolated there, or it is the arc between them if the
attacker has come through.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from steer_env.solved import perimeter

DIRECTIONS = 48  # of the attacker
RUNS = np.array([-1.0, 0.0, 1.0])  # of the defender


def solve(nu, farthest, rows, attacker_first):
    """W of long games on nodes from r = 1 to the farthest radius and theta = 0 to pi."""
    spacing = (farthest - 1.0) / (rows - 1)
    columns = round(math.pi / spacing) + 1
    r = np.linspace(1.0, farthest, rows)[:, None, None, None]
    theta = np.linspace(0.0, math.pi, columns)[:, None, None]
    step = 2.0 * spacing
    moves = nu * step * np.exp(2j * math.pi * np.arange(DIRECTIONS) / DIRECTIONS)[:, None]
    # The part of the move until it comes through the rim, if it does: |r + share * move| = 1.
    length, along = (nu * step) ** 2, r * moves.real
    under = along**2 - length * (r**2 - 1.0)
    share = (-along - np.sqrt(np.maximum(under, 0.0))) / length
    is_through = (under >= 0.0) & (share >= 0.0) & (share <= 1.0)
    share = np.where(is_through, share, 1.0)
    after = r + share * moves
    angle = theta + np.angle(after) - share * step * RUNS
    angle = np.abs(np.angle(np.exp(1j * angle)))  # both sides are mirror images
    # Between nodes.
    row = np.clip((np.abs(after) - 1.0) / spacing, 0.0, rows - 1.0)
    row, column = np.broadcast_arrays(row, angle * (columns - 1) / math.pi)
    i, j = np.minimum(row.astype(int), rows - 2), np.minimum(column.astype(int), columns - 2)
    t, u = row - i, column - j
    corner = i * columns + j
    weights = (1 - t) * (1 - u), (1 - t) * u, t * (1 - u), t * u
    corners = corner, corner + 1, corner + columns, corner + columns + 1
    payoff = np.zeros((rows, columns))
    for _ in range(round(1.5 * (farthest + math.pi) / (nu * step))):
        later = sum(w * payoff.ravel()[c] for w, c in zip(weights, corners))
        later = np.where(is_through, angle, later)
        if attacker_first:
            payoff = later.min(axis=3).max(axis=2)
        else:
            payoff = later.max(axis=2).min(axis=2)
    return r[..., 0, 0], theta[:, 0, 0], payoff


@pytest.mark.weekly
@pytest.mark.parametrize(("nu", "farthest"), [(0.6, 2.9), (1.0, 4.7)])
@pytest.mark.parametrize("attacker_first", [True, False])
def test_the_errors_of_grids_shrink_with_the_spacing(nu, farthest, attacker_first):
    """Beyond the farthest radius the attacker never wins. Rounding a barrier off costs most."""
    means = []
    for rows in (11, 21, 41):
        r, theta, payoff = solve(nu, farthest, rows, attacker_first)
        exact = perimeter.value(r * np.exp(1j * theta), 1.0, nu)
        behind = (theta + np.arccos(nu / r) - math.acos(nu) > math.pi) & (exact > 0.3)
        errors = np.abs(payoff - exact)
        means.append([errors[region].mean() for region in (exact >= 0.0, exact > 0.0, behind)])
    coarse, middle, fine = np.array(means)
    assert np.all(middle < 0.6 * coarse)
    assert np.all(fine < 0.6 * middle)
    assert np.all(fine < ((0.06, 0.02, 0.02) if attacker_first else (0.16, 0.04, 0.04)))
