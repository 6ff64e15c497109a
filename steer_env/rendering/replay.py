"""The moments of a recorded episode as pictures, in any order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.episodes.recording import Recording
from steer_env.rendering.camera import view_of
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.renderer import TRAIL_SECONDS
from steer_env.rendering.scene import draw_arena, draw_players
from steer_env.rendering.settings import DrawingConfig


class Replay:
    """Draws a recording, moment by moment. In the open, all of the episode is always in view.

    Args:
        recording: the episode.
        drawing: how to draw it; None for the usual.

    Attributes:
        recording: as given.
        drawing: as given.
        view: what the pictures show.
    """

    def __init__(self, recording: Recording, drawing: DrawingConfig | None = None) -> None:
        self.recording = recording
        self.drawing = DrawingConfig() if drawing is None else drawing
        self.view = view_of(recording.config, recording.positions, self.drawing.size)
        self._ground: NDArray[np.uint8] | None = None

    def moment_at(self, seconds: float) -> int:
        """The moment nearest to a time; the last one if the episode is over by then."""
        last = len(self.recording.states) - 1
        return min(max(round(seconds / self.recording.config.dt), 0), last)

    def frame(self, moment: int) -> NDArray[np.uint8]:
        """A moment as an array (height, width, 3); a new one.

        Args:
            moment: from 0 to T.

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame, for texts.
        """
        if self._ground is None:  # it stands still
            width, height = self.drawing.size
            self._ground = np.empty((height, width, 3), np.uint8)
            self._draw_ground(RasterCanvas(self._ground))
        pixels = self._ground.copy()
        self._draw_players(RasterCanvas(pixels), moment)
        return pixels

    def draw(self, canvas: Canvas, moment: int) -> None:
        """Draws a moment over the whole of a canvas, which must have the drawing's size."""
        self._draw_ground(canvas)
        self._draw_players(canvas, moment)

    def _draw_ground(self, canvas: Canvas) -> None:
        recording = self.recording
        obstacles = recording.states[0]["obstacles"]
        draw_arena(canvas, self.view, obstacles, recording.config, self.drawing)

    def _draw_players(self, canvas: Canvas, moment: int) -> None:
        recording = self.recording
        trail_start = max(moment - round(TRAIL_SECONDS / recording.config.dt), 0)
        draw_players(
            canvas,
            self.view,
            recording.states[moment],
            recording.config,
            self.drawing,
            marks=recording.marks(moment),
            forces=recording.forces[moment] if moment > 0 else None,
            trail=recording.positions[trail_start : moment + 1],
            names=recording.names,
        )
