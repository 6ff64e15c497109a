"""Draws whole episodes in one picture, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.episodes.recording import Recording
from steer_env.errors import InvalidValue, check_integer
from steer_env.rendering.camera import View
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.plate_legend import draw_legend, legend_height
from steer_env.rendering.plate_tracks import draw_tracks, seconds_between
from steer_env.rendering.scene import draw_arena
from steer_env.rendering.texts import fitted_names
from steer_env.sides import EVADER, PURSUER

_MARGIN = 0.035  # of a panel's side, around the arena
_TITLE = 2.2  # height of a panel's two lines of text, in font sizes
_MOST_TICKS = 30  # along a track


class _Panels(NamedTuple):
    """The panels of a plate; sizes are in pixels.

    Attributes:
        columns: of panels.
        rows: of panels.
        width: of a panel.
        height: of a panel, with its title.
        title: height of the text above an arena.
        font: size of the default text.
        every: seconds between ticks.
        extent: of the square in the plane that each panel shows, in meters.
        shows_seeds: whether the titles contain the seeds.
    """

    columns: int
    rows: int
    width: int
    height: int
    title: int
    font: float
    every: int
    extent: float
    shows_seeds: bool

    @property
    def margin(self) -> float:
        """Around an arena, in pixels."""
        return _MARGIN * self.side

    @property
    def side(self) -> int:
        """Of the largest square below the title, in pixels."""
        return min(self.width, self.height - self.title)

    @property
    def scale(self) -> float:
        """Pixels per meter."""
        return (self.side - 2 * self.margin) / self.extent


def plate_size(
    recordings: Sequence[Recording], columns: int | None = None, side: int = 600
) -> tuple[int, int]:
    """Returns the width and height of a plate, in pixels.

    Args:
        recordings: the episodes.
        columns: of panels; None for a single row.
        side: of each panel's square, in pixels.

    Raises:
        TypeError, ValueError: without recordings, or if columns or side is not a positive
            integer.
    """
    columns, rows = _grid(recordings, columns)
    side = check_integer("side", side, 1)
    font = _font(side)
    width, height = columns * side, rows * (side + round(_TITLE * font))
    room = width - 2 * _MARGIN * side
    return width, height + legend_height(recordings, room, font, _every(recordings))


def draw_plate(
    canvas: Canvas,
    recordings: Sequence[Recording],
    columns: int | None = None,
    theme: str = "light",
) -> None:
    """Draws whole episodes, each in a panel of its own, all at the same scale.

    A track becomes more opaque with time. It has a tick every second (or every few, if
    episodes are long), and labels if there is room. A hollow vehicle marks the start, a filled
    one the end; a captured evader is crossed out.

    Args:
        canvas: of any size; `plate_size` returns the right one.
        recordings: the episodes, row by row.
        columns: of panels; None for a single row.
        theme: "light" or "dark".

    Raises:
        TypeError, ValueError: without recordings, for an unknown theme, if columns is not a
            positive integer, or if the canvas has fewer pixels in a row.
        gymnasium.error.DependencyNotInstalled: without pygame, for texts on pixels.
    """
    drawing = DrawingConfig(theme=theme)
    panels = _panels(canvas, recordings, columns)
    canvas.fill(drawing.colors.background)
    for number, recording in enumerate(recordings):
        row, column = divmod(number, panels.columns)
        corner = complex(column * panels.width, row * panels.height)
        _draw_panel(canvas, corner, panels, recording, drawing)
    top = panels.rows * panels.height
    with canvas.part(1j * top, canvas.width, max(canvas.height - top, 1)) as part:
        draw_legend(
            *(part, recordings, drawing.colors, panels.font),
            *(panels.every, panels.margin, panels.scale),
        )


def _grid(recordings: Sequence[Recording], columns: int | None) -> tuple[int, int]:
    """Columns and rows."""
    if not len(recordings):
        raise InvalidValue("a plate needs at least one recording, got none")
    columns = len(recordings) if columns is None else check_integer("columns", columns, 1)
    return columns, -(-len(recordings) // columns)


def _panels(canvas: Canvas, recordings: Sequence[Recording], columns: int | None) -> _Panels:
    columns, rows = _grid(recordings, columns)
    width = canvas.width // columns
    if width < 1:
        raise InvalidValue(
            f"a plate of {columns} columns is at least {columns} pixels wide, but this canvas "
            f"is {canvas.width} x {canvas.height}; plate_size returns the right size"
        )
    font, every = _font(width), _every(recordings)
    title = round(_TITLE * font)
    room = canvas.width - 2 * _MARGIN * width
    height = (canvas.height - legend_height(recordings, room, font, every)) // rows
    return _Panels(
        *(columns, rows, width, max(height, title + 1), title, font, every),
        extent=max(_extent(recording)[1] for recording in recordings),
        shows_seeds=len({recording.seed for recording in recordings}) > 1,
    )


def _font(side: int) -> float:
    return max(15.0, side / 32)


def _every(recordings: Sequence[Recording]) -> int:
    """Whole seconds between ticks."""
    longest = max(float(recording.times[-1]) for recording in recordings)
    return seconds_between(longest, _MOST_TICKS)


def _extent(recording: Recording) -> tuple[complex, float]:
    """Center and side of the square that contains the episode, in meters."""
    config, positions = recording.config, recording.positions
    if config.arena.kind != "open":
        return 0j, config.arena.size
    x, y = positions.real, positions.imag
    center = complex(x.max() + x.min(), y.max() + y.min()) / 2
    return center, 1.1 * max(float(np.ptp(x)), float(np.ptp(y))) + 2 * config.capture_radius


def _draw_panel(
    canvas: Canvas,
    corner: complex,
    panels: _Panels,
    recording: Recording,
    drawing: DrawingConfig,
) -> None:
    height = panels.height - panels.title
    view = View(_extent(recording)[0], panels.scale, panels.width, height)
    with canvas.part(corner + 1j * panels.title, panels.width, height) as part:
        draw_arena(part, view, recording.states[0]["obstacles"], recording.config, drawing)
        draw_tracks(part, view, recording, drawing, panels.every, panels.font)
    # The title: who plays, in the sides' colors; below it, how the episode ended.
    font, colors = panels.font, drawing.colors
    room = panels.width - 2 * panels.margin
    gap = 0.25 * font
    between = canvas.text_width("v", font) + 2 * gap
    pursuer, evader = fitted_names(canvas, recording.names, font, room - between)
    words = ((pursuer, colors.of(PURSUER)), ("v", colors.faint), (evader, colors.of(EVADER)))
    place = corner + complex(panels.margin, 0.8 * font)
    for string, color in words:
        canvas.text(string, color, place, font)
        place += canvas.text_width(string, font) + gap
    below = corner + complex(panels.margin, 1.75 * font)
    canvas.text(recording.result, colors.ink, below, 0.85 * font)
    seed = f"seed {recording.seed}"
    taken = canvas.text_width(recording.result + "  " + seed, 0.85 * font)
    if panels.shows_seeds and taken < room:
        canvas.text(seed, colors.faint, below + room, 0.85 * font, 1.0)
