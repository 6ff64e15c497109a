"""The legend below a plate."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from steer_env.drawing import Theme
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.letters import width_of
from steer_env.rendering.vehicles import OUTLINES
from steer_env.sides import EVADER, PURSUER, Side

_FONT = 0.85  # of the plate's font
# In sizes of the legend's font:
_LINE = 1.5  # height of a line
_GAP = 1.2  # between entries
_BELOW = 0.7  # space below


class _Entry(NamedTuple):
    """A symbol, in a box of a width in font sizes, and its meaning."""

    draw: Callable[[Canvas, Theme, complex, float], None]  # at the box's middle, in a size
    width: float
    meaning: str


class Legend:
    """The legend of a plate.

    Args:
        width: of the plate, in pixels.
        margin: at both sides, in pixels.
        font: size of the plate's default text, in pixels.

    Attributes:
        height: in pixels.
    """

    def __init__(self, width: int, margin: float, font: float) -> None:
        self._size = _FONT * font
        entries = [
            _Entry(partial(_draw_vehicles, is_hollow=True), 2.0, "start"),
            _Entry(_draw_vehicles, 2.0, "end"),
            _Entry(_draw_capture_radius, 1.1, "capture radius"),
            _Entry(_draw_cross, 0.9, "caught"),
        ]
        self._entries: list[tuple[_Entry, complex]] = []  # with their places
        line, end = 0, width - margin
        column = margin
        for entry in entries:
            extent = (entry.width + 0.3) * self._size + width_of(entry.meaning, self._size)
            if column > margin and column + extent > end:
                line, column = line + 1, margin
            self._entries.append((entry, self._place(column, line)))
            column += extent + _GAP * self._size
        self.height = round(((line + 1) * _LINE + _BELOW) * self._size)

    def _place(self, column: float, line: int) -> complex:
        return complex(column, (line + 0.5) * _LINE * self._size)

    def draw(self, canvas: Canvas, colors: Theme) -> None:
        """Draws the legend on a canvas of its height."""
        size = self._size
        for entry, place in self._entries:
            entry.draw(canvas, colors, place + entry.width / 2 * size, size)
            canvas.text(entry.meaning, colors.ink, place + (entry.width + 0.3) * size, size)


def _draw_vehicles(
    canvas: Canvas, colors: Theme, middle: complex, size: float, is_hollow: bool = False
) -> None:
    for side, across in zip(Side, (-0.5, 0.5)):
        color = colors.of(side)
        corners = middle + across * size + 0.36 * size * np.conj(OUTLINES[side])
        if is_hollow:
            closed = np.append(corners, corners[0])
            canvas.path(color, closed, 0.14 * size, np.ones(len(corners)))
            canvas.polygon(colors.background, corners)
        else:
            canvas.polygon(color, corners)


def _draw_capture_radius(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    canvas.disc(colors.of(PURSUER), middle, 0.48 * size, 0.14)
    canvas.ring(colors.of(PURSUER), middle, 0.48 * size, 0.08 * size, 0.6)


def _draw_cross(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    color = colors.of(EVADER)
    canvas.ring(color, middle, 0.38 * size, 0.12 * size)
    for arm in (0.26 + 0.26j, 0.26 - 0.26j):
        canvas.line(color, middle - arm * size, middle + arm * size, 0.12 * size)
