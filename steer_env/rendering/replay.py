"""Draws the moments of an episode, in any order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig
from steer_env.episodes.recording import Recording
from steer_env.rendering.camera import EDGE, View, view_of
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.painter import Painter
from steer_env.rendering.renderer import TRAIL_SECONDS
from steer_env.rendering.scene import Moment, draw_scene


class Replay:
    """Draws an episode, moment by moment.

    Args:
        episode: a recording; or of an episode that is still running, a function that returns
            the recording so far, such as `History.recording`.
        drawing: how to draw it; None for the default.
        sees_ahead: in the open, whether all pictures show the region of the whole episode; if
            not, each shows the region up to its moment, as in a running game.

    Attributes:
        episode: the argument.
        drawing: can be changed at any time.
    """

    def __init__(
        self,
        episode: Recording | Callable[[], Recording],
        drawing: DrawingConfig | None = None,
        sees_ahead: bool = True,
    ) -> None:
        self.episode = episode
        self.drawing = DrawingConfig() if drawing is None else drawing
        self._sees_ahead = sees_ahead
        self._painter = Painter(self.recording.config)

    def view_at(self, number: int) -> View:
        """The view in the picture of a moment; after the end, of the last one."""
        corners = self.recording.corners
        last = len(corners) - 1 if self._sees_ahead else min(number, len(corners) - 1)
        margin = None if self.drawing.shows("score") else EDGE
        return view_of(self.recording.config, corners[last], self.drawing.size, margin)

    def moment_at(self, seconds: float) -> int:
        """The moment nearest to a time; the last one after the end of the episode."""
        last = len(self.recording.states) - 1
        return round(min(max(seconds / self.recording.config.dt, 0.0), last))

    def frame(self, number: int, view: View | None = None) -> NDArray[np.uint8]:
        """Returns a picture of a moment: a new array, (height, width, 3).

        Args:
            number: of the moment, from 0.
            view: of the plane, and the picture's size; None for that of `view_at`.

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame, for texts.
        """
        view = self.view_at(number) if view is None else view
        return self._painter.picture(view, self.drawing, self.moment(number))

    def draw(self, canvas: Canvas, number: int) -> None:
        """Draws a moment on a canvas, which must have the drawing's size."""
        moment = self.moment(number)
        draw_scene(canvas, self.view_at(number), self.recording.config, self.drawing, moment)

    def moment(self, number: int) -> Moment:
        """The contents of the picture of a moment."""
        recording = self.recording
        first = max(number - round(TRAIL_SECONDS / recording.config.dt), 0)
        return Moment(
            recording.states[number],
            recording.annotations(number, True) if self.drawing.shows_scripts else (),
            recording.forces[number],
            recording.positions[first : number + 1],
            recording.names,
        )

    @property
    def recording(self) -> Recording:
        """The episode as far as it has been played."""
        return self.episode if isinstance(self.episode, Recording) else self.episode()
