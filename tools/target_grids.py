"""Solves games about a target on a grid, as `grids` does."""

from __future__ import annotations

import math

import numpy as np
from grids import Numbers, compiled, largest_on_circle


@compiled
def distances_from_line(
    nu: float, capture_radius: float, size: float, spacing: float, step: float, seconds: float
) -> Numbers:
    """The distance of an attacker from a line when it is caught, at the latest when time is up.

    Args:
        nu: the attacker's speed over the defender's, which is 1.
        capture_radius: above 0.
        size: how far the grid reaches from the line, and beyond it.
        spacing: of its nodes.
        step: the time of a move.
        seconds: how long the game is.

    Returns:
        Plane p is the defender's distance (p - 1) * spacing - size from the line, negative
        beyond it, column e the attacker's, and row y is (y - 1) * spacing from one to the other
        along the line.
    """
    rows = round(size / spacing) + 3
    columns = 2 * rows - 3
    middle = 0.5 * (columns - 1)
    value = np.empty((columns, rows, columns))
    is_over = np.empty((columns, rows, columns), np.bool_)
    for p in range(columns):
        for y in range(rows):
            for e in range(columns):
                gap = math.hypot(p - e, y - 1.0) * spacing
                far = (e - middle) * spacing
                value[p, y, e] = max(far, 0.0)
                is_over[p, y, e] = gap <= capture_radius or far <= 0.0
    longer, by_evader = value.copy(), np.empty((rows, columns, columns))
    for _ in range(math.ceil(seconds / step)):
        for p in range(columns):
            for y in range(rows):
                for e in range(columns):
                    best, at = value[p, y, e], (float(y), float(e))
                    if not is_over[p, y, e]:
                        best = -largest_on_circle(value[p], *at, nu * step / spacing, -1.0)
                    by_evader[y, p, e] = best
        for e in range(columns):
            plane = np.ascontiguousarray(by_evader[:, :, e])
            for p in range(columns):
                for y in range(rows):
                    best = value[p, y, e]
                    if not is_over[p, y, e]:
                        best = largest_on_circle(plane, float(y), float(p), step / spacing, 1.0)
                    longer[p, y, e] = best
        value, longer = longer, value
    return value
