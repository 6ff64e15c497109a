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


def legend_height(
    recordings: Sequence[Recording], width: float, font: float, every: int
) -> int:
    """Returns the height of the legend, in pixels.

    Args:
        recordings: the episodes.
        width: the room for it, in pixels.
        font: size of the plate's default text, in pixels.
        every: seconds between ticks.
    """
    lines = 1 + max(line for line, _ in _places(_entries(recordings, every), width, font))
    return round((lines * _LINE + _BELOW) * _FONT * font)


def draw_legend(
    canvas: Canvas,
    recordings: Sequence[Recording],
    colors: Theme,
    font: float,
    every: int,
    margin: float,
    scale: float,
) -> None:
    """Draws the legend.

    Args:
        canvas: of the legend's height.
        recordings: the episodes.
        colors: of the plate.
        font: size of its default text, in pixels.
        every: seconds between ticks.
        margin: at both sides, in pixels.
        scale: in pixels per meter.
    """
    size = _FONT * font
    entries = _entries(recordings, every)
    places = _places(entries, canvas.width - 2 * margin, font)
    for entry, (line, column) in zip(entries, places):
        middle = complex(margin + column + entry.width * size / 2, (line + 0.5) * _LINE * size)
        entry.draw(canvas, colors, middle, size)
        start = middle + (entry.width / 2 + 0.3) * size
        canvas.text(entry.meaning, colors.ink, start, size)
    right = complex(canvas.width - margin, (places[-1][0] + 0.5) * _LINE * size)
    _draw_scale_bar(canvas, colors, right, size, scale)


def _entries(recordings: Sequence[Recording], every: int) -> list[_Entry]:
    is_caught = any(recording.states[-1]["game"]["captured"] for recording in recordings)
    unit = "second" if every == 1 else f"{every} s"
    entries = [
        _Entry(partial(_draw_vehicles, is_hollow=True), 2.0, "start"),
        _Entry(_draw_vehicles, 2.0, "end"),
        _Entry(_draw_ticked_line, 1.6, f"every {unit}"),
        _Entry(_draw_capture_radius, 1.1, "capture radius"),
    ]
    return entries + [_Entry(_draw_cross, 0.9, "caught")] * is_caught


def _places(entries: Sequence[_Entry], width: float, font: float) -> list[tuple[int, float]]:
    """The line and the column (in pixels) of each entry; at last, of the scale bar's end."""
    size = _FONT * font
    places: list[tuple[int, float]] = []
    line, used = 0, 0.0
    for entry in entries:
        extent = (entry.width + 0.3) * size + width_of(entry.meaning, size)
        if used and used + extent > width:
            line, used = line + 1, 0.0
        places.append((line, used))
        used += extent + _GAP * size
    if used + _SCALE_BAR * size > width:
        line += 1
    return [*places, (line, width)]


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


def _draw_scale_bar(
    canvas: Canvas, colors: Theme, right: complex, size: float, scale: float
) -> None:
    """Draws a bar of a round length to the left of a place, with its length in meters."""
    meters = rounded_down(5.0 * size / scale)
    left, up = right - meters * scale, 0.2j * size
    for start, end in ((left, right), (left - up, left + up), (right - up, right + up)):
        canvas.line(colors.ink, start, end, 0.09 * size)
    canvas.text(f"{meters:g} m", colors.ink, left - 0.4 * size, size, 1.0)
