"""The surface to draw on: pixels (`raster.RasterCanvas`) or a vector graphic (`SvgCanvas`)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color

Pixels: TypeAlias = NDArray[np.uint8]
"""A picture, (height, width, 3): red, green and blue of each pixel."""

Points: TypeAlias = NDArray[np.complexfloating[Any, Any]]
"""Complex numbers: in pixels, or in meters."""

Numbers: TypeAlias = NDArray[np.float64]


class Canvas(Protocol):
    """A surface to draw on, in pixels.

    A place is a complex number, column + row * 1j, from the top left corner; the middle of the
    first pixel is 0.5 + 0.5j. An opacity is from 0 to 1. Lines have round ends.
    """

    width: int
    height: int

    def fill(self, color: Color) -> None:
        """Paints everything."""

    def rectangle(
        self, color: Color, corner: complex, opposite: complex, opacity: float = 1.0
    ) -> None:
        """Draws a filled rectangle between two corners."""

    def disc(self, color: Color, center: complex, radius: float, opacity: float = 1.0) -> None:
        """Draws a filled circle."""

    def ring(
        self,
        color: Color,
        center: complex,
        radius: float,
        width: float,
        opacity: float = 1.0,
        dashes: int = 0,
    ) -> None:
        """Draws a circle's line, in this number of dashes unless it is 0."""

    def line(
        self, color: Color, start: complex, end: complex, width: float, opacity: float = 1.0
    ) -> None:
        """Draws a straight line."""

    def path(self, color: Color, points: Points, width: float, opacities: Numbers) -> None:
        """Draws a line through points, (M,), with an opacity for each piece, (M - 1,).

        Where pieces overlap, the more opaque one is visible. Pieces with an end that is not
        finite, or with opacity 0, are left out.
        """

    def polygon(self, color: Color, corners: Points, opacity: float = 1.0) -> None:
        """Draws a filled polygon, (corners,)."""

    def text(
        self, string: str, color: Color, place: complex, size: float, along: float = 0.0
    ) -> None:
        """Writes one line of text, vertically centered at the place's row.

        The size is that of the font, in pixels; `along` is the share of the text that is to the
        left of the place.
        """

    def text_width(self, string: str, size: float) -> float:
        """The width of a line of text, in pixels."""

    def clip(self, corner: complex | None = None, opposite: complex | None = None) -> None:
        """Restricts drawing to the rectangle between two corners, or lifts the restriction."""

    def part(self, corner: complex, width: int, height: int) -> AbstractContextManager[Canvas]:
        """Opens a rectangle below and right of a corner as a canvas, drawn when closed."""
