"""The key below a plate: what its marks mean, and a bar that tells lengths; see `plate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from steer_env.drawing import Theme
from steer_env.episodes.recording import Recording
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.letters import width_of
from steer_env.rendering.round_lengths import rounded_down
from steer_env.rendering.vehicles import EVADER_OUTLINE, PURSUER_OUTLINE

_FONT = 0.85  # of the plate's font
_LINE = 1.5  # height of a line, in sizes of the key's font
_GAP = 1.2  # between entries, likewise
_BELOW = 0.7  # free below, likewise
_SCALE_BAR = 7.0  # its width with its label, likewise


class _Entry(NamedTuple):
    """A mark, drawn in a box of a width in sizes of the font, and what it means."""

    draw: Callable[[Canvas, Theme, complex, float], None]  # the middle of the box, its height
    width: float
    meaning: str


def key_height(recordings: Sequence[Recording], width: float, font: float, every: int) -> int:
    """How high the key is, in pixels.

    Args:
        recordings: the episodes.
        width: that it may have, in pixels.
        font: size of the plate's usual text, in pixels.
        every: seconds between ticks.
    """
    lines = 1 + max(line for line, _ in _places(_entries(recordings, every), width, font))
    return round((lines * _LINE + _BELOW) * _FONT * font)


def draw_key(
    canvas: Canvas,
    recordings: Sequence[Recording],
    colors: Theme,
    font: float,
    every: int,
    margin: float,
    scale: float,
) -> None:
    """Draws the key.

    Args:
        canvas: of the height of the key.
        recordings: the episodes.
        colors: of the plate.
        font: size of its usual text, in pixels.
        every: seconds between ticks.
        margin: that is left free at both sides, in pixels.
        scale: pixels a meter.
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
        _Entry(_draw_starts, 2.0, "start"),
        _Entry(_draw_ends, 2.0, "end"),
        _Entry(_draw_ticked_line, 1.6, f"every {unit}"),
        _Entry(_draw_capture_radius, 1.1, "capture radius"),
    ]
    return entries + [_Entry(_draw_cross, 0.9, "caught")] * is_caught


def _places(entries: Sequence[_Entry], width: float, font: float) -> list[tuple[int, float]]:
    """The line of each entry, and its column in pixels; last those of the scale bar's end."""
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


def _draw_starts(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    _draw_pair(canvas, colors, middle, size, is_hollow=True)


def _draw_ends(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    _draw_pair(canvas, colors, middle, size, is_hollow=False)


def _draw_pair(
    canvas: Canvas, colors: Theme, middle: complex, size: float, is_hollow: bool
) -> None:
    sides = ((PURSUER_OUTLINE, colors.pursuer, -0.5), (EVADER_OUTLINE, colors.evader, 0.5))
    for outline, color, across in sides:
        corners = middle + across * size + 0.36 * size * np.conj(outline)
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
    canvas.disc(colors.pursuer, middle, 0.48 * size, 0.14)
    canvas.ring(colors.pursuer, middle, 0.48 * size, 0.08 * size, 0.6)


def _draw_cross(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    canvas.ring(colors.evader, middle, 0.38 * size, 0.12 * size)
    for arm in (0.26 + 0.26j, 0.26 - 0.26j):
        canvas.line(colors.evader, middle - arm * size, middle + arm * size, 0.12 * size)


def _draw_scale_bar(
    canvas: Canvas, colors: Theme, right: complex, size: float, scale: float
) -> None:
    """A length in round meters, left of a place, and how long it is."""
    meters = rounded_down(5.0 * size / scale)
    left, up = right - meters * scale, 0.2j * size
    for start, end in ((left, right), (left - up, left + up), (right - up, right + up)):
        canvas.line(colors.ink, start, end, 0.09 * size)
    canvas.text(f"{meters:g} m", colors.ink, left - 0.4 * size, size, 1.0)
