"""The outlines of grids of free and solid cells, and their simplification."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from steer_env.errors import InvalidValue
from steer_env.maps.polygons import Mask, Places, area_of, crossing_of, distances, is_within


def components(free: Mask) -> list[list[Places]]:
    """Returns the outline and the holes of each connected part of free cells, largest first.

    Cells are squares of the side 1; the first row is the uppermost, and the lower left corner
    of the grid is the origin. Cells that share a corner only are not connected.

    Raises:
        InvalidValue: if no cell is free.
    """
    if not free.any():
        raise InvalidValue("no cell of the map is free")
    loops = _loops(np.pad(free, 1))
    parts = [[one] for one in sorted(loops, key=area_of, reverse=True) if area_of(one) > 0.0]
    for hole in loops:
        if area_of(hole) < 0.0:
            along = hole[1] - hole[0]
            left_of_it = np.array([hole[0] + along / abs(along) * (0.5 + 0.5j)])
            [part for part in parts if is_within(part[0], left_of_it)[0]][-1].append(hole)
    return parts


def _loops(padded: Mask) -> list[Places]:
    """The polygons around a grid's free cells, with these to the left and a solid rim."""
    leaving: dict[complex, list[complex]] = {}
    for step in (1 + 0j, 1j, -1 + 0j, -1j):
        # The cell to the right of a step is solid: below it if the step goes to the right.
        solid = ~np.roll(padded, (-int(step.real), -int(step.imag)), (0, 1))
        row, column = np.nonzero(padded & solid)
        corner = (0.5 + 0.5j) * (1.0 - step) - 1.0 + 1j * (len(padded) - 2)
        for start in (column - 1j * row + corner).tolist():
            leaving.setdefault(start, []).append(step)
    edges = {(start, step) for start, steps in leaving.items() for step in steps}
    loops = []
    for first in sorted(edges, key=lambda edge: (edge[0].real, edge[0].imag)):
        (place, step), before = first, 0j
        corners = []
        while (place, step) in edges:
            edges.remove((place, step))
            if step != before:
                corners.append(place)
            place, before = place + step, step
            # Free cells that share a corner only are apart: turn left as far as possible.
            step = max(leaving[place], key=lambda one: (one * before.conjugate()).imag)
        if corners:
            loops.append(np.array(corners[before == first[1] :]))
    return loops


def filled(part: Sequence[Places], height: int, width: int) -> Mask:
    """Returns the grid of this size in which a component's cells are free."""
    turns = np.zeros((height, width + 1), bool)
    for corners in part:
        for start, end in zip(corners, np.roll(corners, -1)):
            if start.real == end.real:  # rows are inside after an odd number of sides
                low, high = sorted((int(start.imag), int(end.imag)))
                turns[height - high : height - low, int(start.real)] ^= True
    return np.asarray(np.logical_xor.accumulate(turns, axis=1)[:, :-1])


def opened(free: Mask, radius: float) -> Mask:
    """Returns the free cells that a disc covers on its ways, for a radius in cells.

    Of places that no way joins, the disc is in the largest. Distances are those of centers.
    """
    centers = ~_dilated(np.pad(~free, 1, constant_values=True), radius)[1:-1, 1:-1]
    if not centers.any():
        return centers
    return _dilated(filled(components(centers)[0], *free.shape), radius)


def _dilated(grid: Mask, radius: float) -> Mask:
    """The cells within a distance of those in a grid."""
    height, width = grid.shape
    reach = min(int(radius), height + width)
    padded = np.pad(grid, ((0, 0), (reach + 1, reach)))
    counts = np.cumsum(padded, axis=1, dtype=np.int32)
    near = np.zeros_like(grid)
    for up in range(max(-reach, 1 - height), min(reach, height - 1) + 1):
        half = min(int(math.sqrt(radius * radius - up * up)), reach)
        row = counts[:, reach + 1 + half :][:, :width] > counts[:, reach - half :][:, :width]
        near[max(up, 0) : height + min(up, 0)] |= row[max(-up, 0) : height - max(up, 0)]
    return near


def simple_polygons(part: Sequence[Places], side: float, tolerance: float) -> list[Places]:
    """Returns a component of cells with this side with fewer corners, without small holes."""
    outline, *holes = (simple_polygon(one * side, tolerance) for one in part)
    return [outline, *(one for one in holes if len(one) > 2)]


def simple_polygon(corners: Places, tolerance: float) -> Places:
    """Returns a polygon `simplified`, by a smaller tolerance if it would cross itself.

    Of one that is smaller than the tolerance two corners are left, or one.
    """
    size = max(np.ptp(corners.real), np.ptp(corners.imag))
    for error in (tolerance, tolerance / 2, tolerance / 4):
        fewer = simplified(corners, error)
        is_simple = len(fewer) > 512 or (len(fewer) > 2 and not crossing_of(fewer))
        if is_simple or (len(fewer) < 3 and size < 4 * error):
            return fewer
    return corners


def simplified(corners: Places, tolerance: float) -> Places:
    """Leaves corners of a polygon out, none of them farther than a tolerance from the rest.

    By the algorithm of Douglas and Peucker (1973), for both halves between the first corner and
    the one that is farthest from it.
    """
    apart, closed = corners - corners[0], np.append(corners, corners[0])
    kept = [0, int(np.argmax(apart.real**2 + apart.imag**2))]
    parts = [(0, kept[1]), (kept[1], len(corners))]
    for start, end in parts:  # which become more
        off = distances(closed[start], closed[end], closed[start + 1 : end])
        if off.max(initial=0.0) > tolerance:
            kept.append(start + 1 + int(off.argmax()))
            parts += [(start, kept[-1]), (kept[-1], end)]
    return closed[sorted(kept)]
