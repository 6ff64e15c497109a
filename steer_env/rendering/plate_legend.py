"""The legend below a plate: its symbols, and a scale bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from steer_env.drawing import Theme
from steer_env.episodes.recording import Recording
from steer_env.rendering.camera import rounded_down
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.letters import width_of
from steer_env.rendering.vehicles import OUTLINES
from steer_env.sides import EVADER, PURSUER, Side

_FONT = 0.85  # of the plate's font
# In sizes of the legend's font:
_LINE = 1.5  # height of a line
_GAP = 1.2  # between entries
_BELOW = 0.7  # space below
_SCALE_BAR = 7.0  # width of the scale bar with its label


class _Entry(NamedTuple):
    """A symbol, in a box of a width in font sizes, and its meaning."""

    draw: Callable[[Canvas, Theme, complex, float], None]  # at the box's middle, in a size
    width: float
    meaning: str


class Legend:
    """The legend of a plate.

    Args:
        recordings: the episodes.
        width: of the plate, in pixels.
        margin: at both sides, in pixels.
        font: size of the plate's default text, in pixels.
        every: seconds between ticks.
        scale: in pixels per meter.

    Attributes:
        height: in pixels.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        width: int,
        margin: float,
        font: float,
        every: int,
        scale: float,
    ) -> None:
        self._size, self._scale = _FONT * font, scale
        unit = "second" if every == 1 else f"{every} s"
        entries = [
            _Entry(partial(_draw_vehicles, is_hollow=True), 2.0, "start"),
            _Entry(_draw_vehicles, 2.0, "end"),
            _Entry(_draw_ticked_line, 1.6, f"every {unit}"),
            _Entry(_draw_capture_radius, 1.1, "capture radius"),
        ]
        if any(recording.states[-1]["game"]["captured"] for recording in recordings):
            entries.append(_Entry(_draw_cross, 0.9, "caught"))
        self._entries: list[tuple[_Entry, complex]] = []  # with their places
        line, end = 0, width - margin
        column = margin
        for entry in entries:
            extent = (entry.width + 0.3) * self._size + width_of(entry.meaning, self._size)
            if column > margin and column + extent > end:
                line, column = line + 1, margin
            self._entries.append((entry, self._place(column, line)))
            column += extent + _GAP * self._size
        if column + _SCALE_BAR * self._size > end:
            line += 1
        self._end = self._place(end, line)
        self.height = round(((line + 1) * _LINE + _BELOW) * self._size)

    def _place(self, column: float, line: int) -> complex:
        return complex(column, (line + 0.5) * _LINE * self._size)

    def draw(self, canvas: Canvas, colors: Theme) -> None:
        """Draws the legend on a canvas of its height."""
        size = self._size
        for entry, place in self._entries:
            entry.draw(canvas, colors, place + entry.width / 2 * size, size)
            canvas.text(entry.meaning, colors.ink, place + (entry.width + 0.3) * size, size)
        # A bar of a round length, with its length in meters.
        meters = rounded_down(5.0 * size / self._scale)
        right, up = self._end, 0.2j * size
        left = right - meters * self._scale
        for start, end in ((left, right), (left - up, left + up), (right - up, right + up)):
            canvas.line(colors.ink, start, end, 0.09 * size)
        canvas.text(f"{meters:g} m", colors.ink, left - 0.4 * size, size, 1.0)


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


def _draw_ticked_line(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    width = 0.09 * size
    canvas.line(colors.ink, middle - 0.75 * size, middle + 0.75 * size, width)
    for across in (-0.4, 0.0, 0.4):
        place = middle + across * size
        canvas.line(colors.ink, place - 0.2j * size, place + 0.2j * size, width)


def _draw_capture_radius(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    canvas.disc(colors.of(PURSUER), middle, 0.48 * size, 0.14)
    canvas.ring(colors.of(PURSUER), middle, 0.48 * size, 0.08 * size, 0.6)


def _draw_cross(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    color = colors.of(EVADER)
    canvas.ring(color, middle, 0.38 * size, 0.12 * size)
    for arm in (0.26 + 0.26j, 0.26 - 0.26j):
        canvas.line(color, middle - arm * size, middle + arm * size, 0.12 * size)
