"""Draws whole episodes in one picture, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.episodes.recording import Recording
from steer_env.rendering.camera import View
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.pen import Pen
from steer_env.rendering.plate_legend import Legend
from steer_env.rendering.plate_tracks import draw_tracks
from steer_env.rendering.scene import draw_arena
from steer_env.rendering.texts import LEAST_FONT, fitted_names
from steer_env.sides import EVADER, PURSUER

_MARGIN = 0.035  # of a panel's side, around the arena
_SMALLER = 0.85  # of the font: texts below the titles
_TITLE = 2.2  # height of a panel's two lines of text, in font sizes


class Plate:
    """A picture of whole episodes, each in a panel of its own, all at the same scale.

    A track becomes more opaque with time. It has dots at round times, with labels where there
    is room. A hollow vehicle marks the start, a filled one the end; a captured evader is
    crossed out.

    Args:
        recordings: the episodes, row by row; at least one.
        columns: of panels.
        side: of each panel's square, in pixels.
        theme: "light" or "dark".

    Attributes:
        width: of the picture, in pixels.
        height: of the picture, in pixels.
    """

    def __init__(
        self, recordings: Sequence[Recording], columns: int, side: int, theme: str = "light"
    ) -> None:
        self._recordings, self._columns, self._side = recordings, columns, side
        self._drawing = DrawingConfig(theme=theme)
        self._margin = _MARGIN * side
        self._font = max(LEAST_FONT / _SMALLER, side / 26)
        self._title = round(_TITLE * self._font)
        extent = max(_extent(recording)[1] for recording in recordings)
        self._scale = (side - 2 * self._margin) / extent  # pixels per meter
        self._shows_seeds = len({recording.seed for recording in recordings}) > 1
        self.width = columns * side
        self._panels_height = -(-len(recordings) // columns) * (side + self._title)
        self._legend = Legend(self.width, self._margin, self._font)
        self.height = self._panels_height + self._legend.height

    def draw(self, canvas: Canvas) -> None:
        """Draws the plate on a canvas of its size.

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame, for texts on pixels.
        """
        colors = self._drawing.colors
        canvas.fill(colors.background)
        for number, recording in enumerate(self._recordings):
            row, column = divmod(number, self._columns)
            corner = complex(column * self._side, row * (self._side + self._title))
            self._write_title(canvas, corner, recording)
            view = View(_extent(recording)[0], self._scale, self._side, self._side)
            with canvas.part(corner + 1j * self._title, self._side, self._side) as part:
                pen = Pen(part, view, recording.config, self._drawing)
                draw_arena(pen, recording.states[0]["obstacles"])
                draw_tracks(pen, recording, self._font)
        with canvas.part(1j * self._panels_height, self.width, self._legend.height) as part:
            self._legend.draw(part, colors)

    def _write_title(self, canvas: Canvas, corner: complex, recording: Recording) -> None:
        """Writes the names, in the sides' colors, and below them how the episode ended."""
        font, colors = self._font, self._drawing.colors
        room = self._side - 2 * self._margin
        gap = 0.25 * font
        between = canvas.text_width("v", font) + 2 * gap
        pursuer, evader = fitted_names(canvas, recording.names, font, room - between)
        place = corner + complex(self._margin, 0.8 * font)
        for string, color in (
            (pursuer, colors.of(PURSUER)),
            ("v", colors.faint),
            (evader, colors.of(EVADER)),
        ):
            canvas.text(string, color, place, font)
            place += canvas.text_width(string, font) + gap
        below = corner + complex(self._margin, 1.75 * font)
        canvas.text(recording.status.result, colors.ink, below, _SMALLER * font)
        seed = f"seed {recording.seed}"
        taken = canvas.text_width(recording.status.result + "  " + seed, _SMALLER * font)
        if self._shows_seeds and taken < room:
            canvas.text(seed, colors.faint, below + room, _SMALLER * font, 1.0)


def _extent(recording: Recording) -> tuple[complex, float]:
    """Center and side of the square that contains the episode, in meters."""
    config, positions = recording.config, recording.positions
    if config.arena.kind != "open":
        return 0j, config.arena.size
    x, y = positions.real, positions.imag
    center = complex(x.max() + x.min(), y.max() + y.min()) / 2
    return center, 1.1 * max(float(np.ptp(x)), float(np.ptp(y))) + 2 * config.capture_radius
