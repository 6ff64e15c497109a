"""A part of a canvas that is drawn on as if it were one of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color
from steer_env.rendering.canvas import Canvas, Places


class Inset:
    """A `Canvas` that is a rectangle of another; nothing is drawn outside it.

    Leave it with `close`: until then the other canvas draws in the rectangle only.

    Args:
        canvas: the other one.
        corner: of the rectangle, left and above, in whole pixels.
        width: in pixels.
        height: in pixels.
    """

    def __init__(self, canvas: Canvas, corner: complex, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._canvas, self._corner = canvas, corner
        self.clip()

    def close(self) -> None:
        """Has the other canvas draw everywhere again."""
        self._canvas.clip()

    def fill(self, color: Color) -> None:
        """See `Canvas.fill`."""
        self.rectangle(color, 0j, complex(self.width, self.height))

    def rectangle(
        self, color: Color, corner: complex, opposite: complex, opacity: float = 1.0
    ) -> None:
        """See `Canvas.rectangle`."""
        self._canvas.rectangle(color, corner + self._corner, opposite + self._corner, opacity)

    def disc(self, color: Color, center: complex, radius: float, opacity: float = 1.0) -> None:
        """See `Canvas.disc`."""
        self._canvas.disc(color, center + self._corner, radius, opacity)

    def ring(
        self,
        color: Color,
        center: complex,
        radius: float,
        width: float,
        opacity: float = 1.0,
        dashes: int = 0,
    ) -> None:
        """See `Canvas.ring`."""
        self._canvas.ring(color, center + self._corner, radius, width, opacity, dashes)

    def arc(
        self,
        color: Color,
        center: complex,
        radius: float,
        width: float,
        direction: complex,
        half_angle: float,
        opacity: float = 1.0,
    ) -> None:
        """See `Canvas.arc`."""
        self._canvas.arc(
            color, center + self._corner, radius, width, direction, half_angle, opacity
        )

    def line(
        self, color: Color, start: complex, end: complex, width: float, opacity: float = 1.0
    ) -> None:
        """See `Canvas.line`."""
        self._canvas.line(color, start + self._corner, end + self._corner, width, opacity)

    def path(
        self,
        color: Color,
        points: Places,
        width: float,
        opacities: NDArray[np.float64],
    ) -> None:
        """See `Canvas.path`."""
        self._canvas.path(color, points + self._corner, width, opacities)

    def polygon(self, color: Color, corners: Places, opacity: float = 1.0) -> None:
        """See `Canvas.polygon`."""
        self._canvas.polygon(color, corners + self._corner, opacity)

    def text(
        self,
        string: str,
        color: Color,
        place: complex,
        size: float,
        along: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """See `Canvas.text`."""
        self._canvas.text(string, color, place + self._corner, size, along, opacity)

    def text_width(self, string: str, size: float) -> float:
        """See `Canvas.text_width`."""
        return self._canvas.text_width(string, size)

    def clip(self, corner: complex | None = None, opposite: complex | None = None) -> None:
        """See `Canvas.clip`."""
        low, high = 0j, complex(self.width, self.height)
        if corner is not None and opposite is not None:
            low = complex(max(corner.real, 0.0), max(corner.imag, 0.0))
            high = complex(min(opposite.real, self.width), min(opposite.imag, self.height))
        self._canvas.clip(low + self._corner, high + self._corner)
