"""Which part of the plane is seen, and where in the picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import GameConfig
from steer_env.rendering.canvas import Places

MARGIN = 0.07
"""Usual one around an arena, in shorter sides of the picture; the score stands in it."""


class View(NamedTuple):
    """A part of the plane, as it is seen in a picture.

    Attributes:
        center: what lies in the picture's middle, in meters.
        scale: pixels a meter.
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
        """`to_pixel` of an array of any shape."""
        return np.conj(positions - self.center) * self.scale + self.middle

    def to_world(self, pixel: complex) -> complex:
        """The position in meters that is seen at a column and row: `to_pixel` undone."""
        return ((complex(pixel) - self.middle) / self.scale).conjugate() + self.center


def arena_view(config: GameConfig, size: tuple[int, int], margin: float = MARGIN) -> View:
    """The view of the whole arena; in the open, of the square where episodes begin.

    Args:
        config: the game.
        size: width and height of the picture, in pixels.
        margin: at least, on all sides, as a share of the picture's shorter side.
    """
    return View(0j, _side(size, margin) / config.arena.size, *size)


def view_of(
    config: GameConfig,
    positions: NDArray[np.complex128],
    size: tuple[int, int],
    margin: float = MARGIN,
) -> View:
    """The view of the whole arena, and in the open of some positions as well.

    Args:
        config: the game.
        positions: in meters, an array of any shape.
        size: width and height of the picture, in pixels.
        margin: at least, on all sides, as a share of the picture's shorter side.
    """
    if config.arena.kind != "open" or positions.size == 0:
        return arena_view(config, size, margin)
    half = config.arena.half_size
    low = complex(min(positions.real.min(), -half), min(positions.imag.min(), -half))
    high = complex(max(positions.real.max(), half), max(positions.imag.max(), half))
    extent = max((high - low).real, (high - low).imag)
    return View((low + high) / 2, _side(size, margin) / extent, *size)


def _side(size: tuple[int, int], margin: float) -> float:
    return min(size) * (1 - 2 * margin)
