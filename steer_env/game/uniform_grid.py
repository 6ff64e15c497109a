"""A uniform grid of cells over a box, or all around a torus."""

from __future__ import annotations

import math

import numpy as np

from steer_env.machine_code.marking import record_dtype
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, norm

CELLS_BESIDE = 2
"""A grid of n vehicles has at most 2 n + 1 cells; and the last one has an end."""

GRID = record_dtype(
    [
        ("count", np.int64),  # of vehicles in it
        ("columns", np.int64),  # of cells
        ("rows", np.int64),
        ("wraps", np.bool_),  # on a torus the last cell is beside the first
        ("corner", np.complex128),  # the lower left one, in meters
        ("far_corner", np.complex128),
        ("cells_per_meter", np.complex128),  # along x and along y
        ("longest_step", np.float64),  # of a vehicle, in meters
        ("fastest", np.float64),  # speed of a vehicle, in m/s
        ("widest", np.float64),  # radius of a vehicle, in meters
    ]
)
"""The grid of one side in one game, with about a cell for each vehicle: on a torus over all of
it, elsewhere over the box around the vehicles."""


@compiled
def cell_along(place: float, corner: float, per_meter: float, cells: int) -> int:
    """The column or the row of a place; beyond the grid, one that is beyond it as well.

    It never falls as the place grows, whatever rounding does.
    """
    along = (place - corner) * per_meter
    return math.floor(min(max(along, -float(cells)), 2.0 * cells))


@compiled
def cell_of(grid: np.record, place: complex) -> int:
    """The number of the cell that a vehicle is in."""
    x, y = grid.corner.real, grid.corner.imag
    along = cell_along(place.real, x, grid.cells_per_meter.real, grid.columns)
    up = cell_along(place.imag, y, grid.cells_per_meter.imag, grid.rows)
    # Rounding may put one at the far edge beyond it.
    along, up = min(max(along, 0), grid.columns - 1), min(max(up, 0), grid.rows - 1)
    return up * grid.columns + along


@compiled
def lay_out(grid: np.record, low: complex, high: complex, count: int, wraps: bool) -> None:
    """Divides a box into cells: at most 2 count + 1 of them."""
    wide, tall = high.real - low.real, high.imag - low.imag
    # The second keeps a long and narrow box from having more.
    side = max(math.sqrt(wide * tall / count), (wide + tall) / count)
    grid.count, grid.wraps, grid.corner, grid.far_corner = count, wraps, low, high
    if not side > TINY:  # all are in one place
        grid.columns, grid.rows, grid.cells_per_meter = 1, 1, complex(1.0, 1.0)
    elif wraps:
        # A whole number of them goes round.
        grid.columns = grid.rows = max(int(wide / side), 1)
        grid.cells_per_meter = complex(grid.columns / wide, grid.rows / tall)
    else:
        grid.columns, grid.rows = 1 + int(wide / side), 1 + int(tall / side)
        grid.cells_per_meter = complex(1.0 / side, 1.0 / side)


@compiled
def span(
    place: float, reach: float, corner: float, per_meter: float, cells: int, wraps: bool
) -> tuple[int, int]:
    """The first and the last column or row within reach; on a torus they may lie beyond it."""
    first = cell_along(place - reach, corner, per_meter, cells)
    last = cell_along(place + reach, corner, per_meter, cells)
    if not wraps:
        return max(first, 0), min(last, cells - 1)
    return (first, last) if last - first < cells - 1 else (0, cells - 1)


@compiled
def distance_to_box(place: complex, low: complex, high: complex) -> float:
    """How far a place is from a box, in meters; 0 inside.

    Args:
        place: in meters.
        low: the box's lower left corner.
        high: its upper right corner.

    Example:
        >>> distance_to_box(7 + 5j, 0j, 4 + 1j)
        5.0
    """
    beside = max(low.real - place.real, place.real - high.real, 0.0)
    above = max(low.imag - place.imag, place.imag - high.imag, 0.0)
    return norm(complex(beside, above))
