"""The outlines of grids of free and solid cells, and their simplification."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.maps.polygons import Places, area_of, crossing_of, distances, is_within

Grid = NDArray[np.bool_]


class Component(NamedTuple):
    """A connected part of the free cells, as polygons."""

    outline: Places
    holes: tuple[Places, ...]


def components(free: Grid) -> list[Component]:
    """Returns the connected parts of a grid's free cells, the largest first.

    Cells are squares of the side 1; the first row is the uppermost, and the lower left corner
    of the grid is the origin. Cells that share a corner only are not connected.

    Raises:
        InvalidValue: if no cell is free.
    """
    if not free.any():
        raise InvalidValue("no cell of the map is free")
    loops = _loops(np.pad(free, 1))
    outer = sorted((one for one in loops if area_of(one) > 0.0), key=area_of, reverse=True)
    holes: list[list[Places]] = [[] for _ in outer]
    for hole in loops:
        if area_of(hole) < 0.0:
            inside = _free_place(hole)
            owner = max(k for k, one in enumerate(outer) if is_within(one, inside)[0])
            holes[owner].append(hole)
    return [Component(one, tuple(inner)) for one, inner in zip(outer, holes)]


def _loops(padded: Grid) -> list[Places]:
    """The polygons around a grid's free cells, with these to the left and a solid rim."""
    leaving: dict[complex, list[complex]] = {}
    height = len(padded) - 2
    for step, ahead in ((1, (1, 0)), (1j, (0, 1)), (-1, (-1, 0)), (-1j, (0, -1))):
        # The cell to the right of a step is solid: below it if the step goes to the right.
        row, column = np.nonzero(padded & ~np.roll(padded, (-ahead[0], -ahead[1]), (0, 1)))
        first = complex({1: 0, 1j: 1, -1: 1 + 1j, -1j: 1j}[step])  # the corner of the cell
        for start in (column - 1 + 1j * (height - row) + first).tolist():
            leaving.setdefault(start, []).append(complex(step))
    edges = {(start, step) for start, steps in leaving.items() for step in steps}
    loops = []
    for first_edge in sorted(edges, key=lambda edge: (edge[0].real, edge[0].imag)):
        if first_edge not in edges:
            continue
        place, step = first_edge
        corners, before = [], 0j
        while (place, step) in edges:
            edges.remove((place, step))
            if step != before:
                corners.append(place)
            place, before = place + step, step
            # Free cells that share a corner only are apart: turn left as far as possible.
            step = max(leaving[place], key=lambda one: (one * before.conjugate()).imag)
        loops.append(np.array(corners if before != first_edge[1] else corners[1:]))
    return loops


def filled(part: Component, height: int, width: int) -> Grid:
    """Returns the grid of this size in which a component's cells are free."""
    turns = np.zeros((height, width + 1), bool)
    for corners in (part.outline, *part.holes):
        for start, end in zip(corners, np.roll(corners, -1)):
            if start.real == end.real:  # rows are inside after an odd number of sides
                low, high = sorted((int(start.imag), int(end.imag)))
                turns[height - high : height - low, int(start.real)] ^= True
    return np.asarray(np.logical_xor.accumulate(turns, axis=1)[:, :-1])


def opened(free: Grid, radius: float) -> Grid:
    """Returns the free cells that a disc covers on its ways, for a radius in cells.

    Of places that no way joins, the disc is in the largest. Distances are those of centers.
    """
    centers = ~_dilated(np.pad(~free, 1, constant_values=True), radius)[1:-1, 1:-1]
    if not centers.any():
        return centers
    return _dilated(filled(components(centers)[0], *free.shape), radius)


def _dilated(grid: Grid, radius: float) -> Grid:
    """The cells within a distance of those in a grid."""
    reach, (height, width) = int(radius), grid.shape
    counts = np.zeros((height, width + 2 * reach + 1), np.int32)
    counts[:, reach + 1 : reach + 1 + width] = np.cumsum(grid, axis=1, dtype=np.int32)
    counts[:, reach + 1 + width :] = counts[:, reach + width : reach + width + 1]
    near = np.zeros_like(grid)
    for up in range(-min(reach, height - 1), min(reach, height - 1) + 1):
        half = int(math.sqrt(radius * radius - up * up))
        first = reach - half
        row = counts[:, first + 2 * half + 1 :][:, :width] > counts[:, first:][:, :width]
        near[max(up, 0) : height + min(up, 0)] |= row[max(-up, 0) : height - max(up, 0)]
    return near


def _free_place(corners: Places) -> Places:
    """A place in the free cell to the left of a polygon's first side."""
    along = corners[1] - corners[0]
    return np.array([corners[0] + along / abs(along) * (0.5 + 0.5j)])


def simple_polygon(corners: Places, tolerance: float) -> Places:
    """Returns a polygon `simplified`, by a smaller tolerance if it would cross itself.

    Of one that is smaller than the tolerance two corners are left, or one.
    """
    for error in (tolerance, tolerance / 2, tolerance / 4):
        fewer = simplified(corners, error)
        is_small = (
            len(fewer) < 3 and max(np.ptp(corners.real), np.ptp(corners.imag)) < 4 * error
        )
        if is_small or len(fewer) > 512 or (len(fewer) > 2 and crossing_of(fewer) is None):
            return fewer
    return corners


def simplified(corners: Places, tolerance: float) -> Places:
    """Leaves corners of a polygon out, none of them farther than a tolerance from the rest.

    By the algorithm of Douglas and Peucker (1973), for both halves between the first corner and
    the one that is farthest from it.
    """
    apart = corners - corners[0]
    far = int(np.argmax(apart.real**2 + apart.imag**2))
    closed = np.append(corners, corners[0])
    kept = np.zeros(len(closed), bool)
    kept[[0, far, -1]] = True
    parts = [(0, far), (far, len(corners))]
    while parts:
        start, end = parts.pop()
        if end - start < 2:
            continue
        off = distances(closed[start], closed[end], closed[start + 1 : end])
        if off.max() > tolerance:
            middle = start + 1 + int(off.argmax())
            kept[middle] = True
            parts += [(start, middle), (middle, end)]
    return np.asarray(closed[:-1][kept[:-1]])
