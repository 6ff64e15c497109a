"""Whole episodes in one picture, side by side: the trajectory plate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steer_env.drawing import DrawingConfig, Theme
from steer_env.episodes.recording import Recording
from steer_env.errors import InvalidValue, check_integer
from steer_env.rendering.camera import View
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.inset import Inset
from steer_env.rendering.plate_key import draw_key, key_height
from steer_env.rendering.plate_tracks import draw_tracks, seconds_between
from steer_env.rendering.scene import draw_arena
from steer_env.rendering.texts import fitted_names

_MARGIN = 0.035  # of a panel's side, around the arena
_TITLE = 2.2  # height of a panel's two lines, in sizes of their font
_MOST_TICKS = 30  # along a track


class _Layout(NamedTuple):
    """Sizes of a plate, in pixels."""

    columns: int
    rows: int
    width: int  # of a panel, with its title
    height: int  # likewise
    title: int  # height of the lines above an arena
    font: float

    @property
    def side(self) -> int:
        """Of the largest square below the title."""
        return min(self.width, self.height - self.title)


def plate_size(
    recordings: Sequence[Recording], columns: int | None = None, side: int = 600
) -> tuple[int, int]:
    """How large a plate has to be.

    Args:
        recordings: the episodes.
        columns: how many stand side by side; None for all.
        side: of each panel's square, in pixels.

    Returns:
        Width and height, in pixels.

    Raises:
        TypeError, ValueError: without recordings, or if the columns or the side are no
            positive integers.
    """
    columns, rows = _grid(recordings, columns)
    side = check_integer("side", side, 1)
    font = _font(side)
    width, height = columns * side, rows * (side + round(_TITLE * font))
    room = width - 2 * _MARGIN * side
    return width, height + key_height(recordings, room, font, _every(recordings))


def draw_plate(
    canvas: Canvas,
    recordings: Sequence[Recording],
    columns: int | None = None,
    theme: str = "light",
) -> None:
    """Draws whole episodes, each in a panel of its own, all to one scale.

    A track grows stronger with time; it has a tick each second (every few, where episodes are
    long), and labels wherever there is room. A hollow vehicle marks a start, a filled one the
    end, around pursuers with the capture radius; who was caught is crossed out.

    Args:
        canvas: of any size; `plate_size` says which is right.
        recordings: the episodes, row by row.
        columns: how many stand side by side; None for all.
        theme: "light" or "dark".

    Raises:
        TypeError, ValueError: without recordings, for an unknown theme, if the columns are no
            positive integer, or if the canvas has fewer pixels in a row.
        gymnasium.error.DependencyNotInstalled: without pygame, for texts on pixels.
    """
    drawing = DrawingConfig(theme=theme)
    layout = _layout(canvas, recordings, columns)
    every = _every(recordings)
    extent = max(_extent(recording)[1] for recording in recordings)
    shows_seeds = len({recording.seed for recording in recordings}) > 1
    canvas.fill(drawing.colors.background)
    for number, recording in enumerate(recordings):
        row, column = divmod(number, layout.columns)
        corner = complex(column * layout.width, row * layout.height)
        _draw_panel(canvas, corner, layout, recording, drawing, extent, every, shows_seeds)
    top = layout.rows * layout.height
    key = Inset(canvas, complex(0, top), canvas.width, max(canvas.height - top, 1))
    scale = _scale(layout, extent)
    margin = _MARGIN * layout.side
    draw_key(key, recordings, drawing.colors, layout.font, every, margin, scale)
    key.close()


def _grid(recordings: Sequence[Recording], columns: int | None) -> tuple[int, int]:
    """Columns and rows."""
    if not len(recordings):
        raise InvalidValue("a plate needs at least one recording, got none")
    columns = len(recordings) if columns is None else check_integer("columns", columns, 1)
    return columns, -(-len(recordings) // columns)


def _layout(canvas: Canvas, recordings: Sequence[Recording], columns: int | None) -> _Layout:
    columns, rows = _grid(recordings, columns)
    width = canvas.width // columns
    if width < 1:
        raise InvalidValue(
            f"a plate of {columns} columns is at least {columns} pixels wide, but this canvas "
            f"has {canvas.width} x {canvas.height}; see plate_size for what is right"
        )
    font = _font(width)
    title = round(_TITLE * font)
    room = canvas.width - 2 * _MARGIN * width
    key = key_height(recordings, room, font, _every(recordings))
    height = (canvas.height - key) // rows
    return _Layout(columns, rows, width, max(height, title + 1), title, font)


def _font(side: int) -> float:
    return max(15.0, side / 32)


def _every(recordings: Sequence[Recording]) -> int:
    """Whole seconds between ticks."""
    longest = max(float(recording.times[-1]) for recording in recordings)
    return seconds_between(longest, _MOST_TICKS)


def _extent(recording: Recording) -> tuple[complex, float]:
    """Center and side of the square that has to be seen, in meters."""
    config, positions = recording.config, recording.positions
    if config.arena.kind != "open":
        return 0j, config.arena.size
    x, y = positions.real, positions.imag
    center = complex(x.max() + x.min(), y.max() + y.min()) / 2
    return center, 1.1 * max(float(np.ptp(x)), float(np.ptp(y))) + 2 * config.capture_radius


def _scale(layout: _Layout, extent: float) -> float:
    """Pixels a meter."""
    return (1 - 2 * _MARGIN) * layout.side / extent


def _draw_panel(
    canvas: Canvas,
    corner: complex,
    layout: _Layout,
    recording: Recording,
    drawing: DrawingConfig,
    extent: float,
    every: int,
    shows_seed: bool,
) -> None:
    height = layout.height - layout.title
    inset = Inset(canvas, corner + 1j * layout.title, layout.width, height)
    view = View(_extent(recording)[0], _scale(layout, extent), layout.width, height)
    draw_arena(inset, view, recording.states[0]["obstacles"], recording.config, drawing)
    draw_tracks(inset, view, recording, drawing, every, layout.font)
    inset.close()
    _write_title(canvas, corner, layout, recording, drawing.colors, shows_seed)


def _write_title(
    canvas: Canvas,
    corner: complex,
    layout: _Layout,
    recording: Recording,
    colors: Theme,
    shows_seed: bool,
) -> None:
    """Who plays, in the sides' colors; below it, how the episode ended."""
    font, inset = layout.font, _MARGIN * layout.side
    room = layout.width - 2 * inset
    gap = 0.25 * font
    between = canvas.text_width("v", font) + 2 * gap
    pursuer, evader = fitted_names(canvas, recording.names, font, room - between)
    place = corner + complex(inset, 0.8 * font)
    for string, color in (
        (pursuer, colors.pursuer),
        ("v", colors.faint),
        (evader, colors.evader),
    ):
        canvas.text(string, color, place, font)
        place += canvas.text_width(string, font) + gap
    below = corner + complex(inset, 1.75 * font)
    canvas.text(recording.result, colors.ink, below, 0.85 * font)
    seed = f"seed {recording.seed}"
    taken = canvas.text_width(recording.result + "  " + seed, 0.85 * font)
    if shows_seed and taken < room:
        canvas.text(seed, colors.faint, below + room, 0.85 * font, 1.0)
