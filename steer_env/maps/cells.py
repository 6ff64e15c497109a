"""The walls of a map as compiled functions find them: in the cells of a grid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steer_env.maps.map import Map, Places
from steer_env.steering.walls import Walls

_CELLS_PER_WALL = 32


def make_walls(world: Map, margin: float) -> Walls:
    """Returns a map's walls in cells that list all walls within a margin, in meters."""
    starts, ends = world.segments.T.copy()
    low = complex(starts.real.min(), starts.imag.min()) - (1 + 1j) * margin
    high = complex(starts.real.max(), starts.imag.max()) + (1 + 1j) * margin
    size = high - low
    cell = max(margin, math.sqrt(size.real * size.imag / (_CELLS_PER_WALL * len(starts))))
    columns, rows = math.ceil(size.real / cell), math.ceil(size.imag / cell)
    centers = low + cell * (np.arange(columns) + 0.5 + 1j * (np.arange(rows)[:, None] + 0.5))
    apart = distances_to_boxes(starts, ends, centers.ravel()[:, None], 0.5 * cell)
    is_near = apart <= margin
    begins = np.concatenate([[0], np.cumsum(is_near.sum(1))])
    sides = [len(one) for one in world.polygons]
    thin = [-1] * (len(starts) - sum(sides))
    along = ends - starts
    lengths = np.sqrt(along.real * along.real + along.imag * along.imag)
    rooms = np.nextafter(apart.min(1).astype(np.float32), np.float32(0.0))
    return Walls(
        *(len(starts), starts, ends, along / lengths, lengths),
        np.array([*np.repeat(np.arange(len(sides)), sides), *thin], np.int16),
        *(begins.astype(np.int32), np.nonzero(is_near)[1].astype(np.int16), rooms),
        *(low, cell, columns, rows, margin),
    )


def distances_to_boxes(starts: Places, ends: Places, centers: Places, half: float) -> Any:
    """The distances of segments from squares of a half side, for arrays broadcast together.

    They are exact but for segments near a square's corner, where they may be up to 30 % less.
    """
    along, offset = ends - starts, starts - centers

    def beyond(one: Any, step: Any) -> Any:  # of the interval that a segment covers on an axis
        low, high = np.minimum(one, one + step), np.maximum(one, one + step)
        return np.maximum(np.maximum(low, -high), 0.0)

    axes = np.maximum(
        beyond(offset.real, along.real) - half, beyond(offset.imag, along.imag) - half
    )
    normal = 1j * along / np.abs(along)
    across = np.abs((offset * normal.conjugate()).real)
    reach = half * (np.abs(normal.real) + np.abs(normal.imag))
    return np.maximum(np.maximum(axes, across - reach), 0.0)
