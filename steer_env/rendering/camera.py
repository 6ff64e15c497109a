"""The part of the plane that is visible, and its scale in the picture."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import GameConfig
from steer_env.rendering.canvas import Places

MARGIN = 0.07
"""Space above and below an arena, as a share of the picture's shorter side, for texts."""

EDGE = 0.02
"""Space around an arena without texts, as a share of the picture's shorter side."""

_LEAST_EDGE = 3  # pixels: room for the walls of an arena in a small picture

_BESIDE = 0.32  # of the shorter side: width of a column of texts beside an arena
_LEAST_BESIDE = 150  # pixels
_GRID_CELLS = 12  # across the view, at most
_ROUNDING = 1e-9  # of a length: smaller differences are rounding errors


class View(NamedTuple):
    """The part of the plane that a picture shows.

    Attributes:
        center: the position in the picture's middle, in meters.
        scale: in pixels per meter.
        width: of the picture, in pixels.
        height: of the picture, in pixels.
    """

    center: complex
    scale: float
    width: int
    height: int

    @property
    def side(self) -> int:
        """The shorter side of the picture, in pixels."""
        return min(self.width, self.height)

    @property
    def middle(self) -> complex:
        """The picture's middle, in pixels."""
        return complex(self.width / 2, self.height / 2)

    def to_pixel(self, position: complex) -> complex:
        """Column and row, from the top left corner, of a position in meters (y points up)."""
        return (complex(position) - self.center).conjugate() * self.scale + self.middle

    def to_pixels(self, positions: Places) -> Places:
        """`to_pixel` for an array of any shape."""
        return np.conj(positions - self.center) * self.scale + self.middle

    def to_world(self, pixel: complex) -> complex:
        """The position in meters at a column and row: the inverse of `to_pixel`."""
        return ((complex(pixel) - self.middle) / self.scale).conjugate() + self.center


def view_of(
    config: GameConfig,
    positions: NDArray[np.complex128],
    size: tuple[int, int],
    margin: float | None = None,
) -> View:
    """The view of the whole arena; in the open, it also contains some positions.

    Args:
        config: the game.
        positions: in meters, an array of any shape.
        size: width and height of the picture, in pixels.
        margin: on all sides, at least, as a share of the picture's shorter side (but
            3 pixels). None to leave room for texts: above and below the arena or, in a picture
            so wide that the arena is then larger, on its right.
    """
    half = config.arena.half_size
    low, high = complex(-half, -half), complex(half, half)
    width, height = size
    side = min(size)
    if config.arena.kind == "open":
        if positions.size:
            low = complex(min(positions.real.min(), -half), min(positions.imag.min(), -half))
            high = complex(max(positions.real.max(), half), max(positions.imag.max(), half))
        extent, edge = high - low, 2 * side * (MARGIN if margin is None else margin)
        scale = min((width - edge) / extent.real, (height - edge) / extent.imag)
        return View((low + high) / 2, scale, *size)
    if margin is not None:
        edge = max(margin * side, min(_LEAST_EDGE, MARGIN * side))
        return View(0j, (side - 2 * edge) / (2 * half), *size)
    edge, column = 2 * EDGE * side, max(_BESIDE * side, _LEAST_BESIDE)
    stacked = min(width - edge, height - 2 * MARGIN * side)
    beside = min(height - edge, width - edge - column)
    if beside <= stacked:
        return View(0j, stacked / (2 * half), *size)
    scale = beside / (2 * half)
    shift = (width - edge - beside) / 2  # of the arena to the left, in pixels
    return View(complex(shift / scale, 0.0), scale, *size)


def ground_of(view: View, config: GameConfig) -> tuple[complex, complex]:
    """The arena's corners in the picture, top left and bottom right; in the open, all of it."""
    if config.arena.kind == "open":
        return 0j, complex(view.width, view.height)
    half = config.arena.half_size
    return view.to_pixel(complex(-half, half)), view.to_pixel(complex(half, -half))


def grid_spacing(view: View, config: GameConfig) -> float:
    """The distance between the lines of the grid, in meters."""
    extent = view.side / view.scale if config.arena.kind == "open" else config.arena.size
    return rounded_up(extent / _GRID_CELLS)


def rounded_up(least: float) -> float:
    """The shortest round length (1, 2 or 5 times a power of 10) not below a positive one."""
    power = 10.0 ** math.floor(math.log10(least))
    lengths = (power * factor for factor in (1, 2, 5, 10))
    return next(length for length in lengths if length >= least * (1 - _ROUNDING))
