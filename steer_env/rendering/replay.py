"""Draws the moments of an episode, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig
from steer_env.game.annotations import Annotations
from steer_env.game.config import GameConfig
from steer_env.rendering.camera import View, view_of
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.painter import Painter
from steer_env.rendering.renderer import TRAIL_SECONDS
from steer_env.rendering.scene import Moment, draw_scene


class Episode(Protocol):
    """A finished episode, such as a `Recording`, or one that is still running."""

    @property
    def names(self) -> tuple[str, str]:
        """Of the pursuers and of the evaders."""

    @property
    def config(self) -> GameConfig:
        """The game."""

    @property
    def positions(self) -> NDArray[np.complex128]:
        """Of all players at each moment so far, (moments, players), in meters."""

    def corners_until(self, moment: int) -> NDArray[np.complex128]:
        """Two opposite corners of the box around all positions up to a moment, (2,)."""

    def record(self, moment: int) -> np.void:
        """The state at a moment."""

    def forces_at(self, moment: int) -> NDArray[np.complex128]:
        """The forces of the step before a moment, (players,), in newtons."""

    def annotations(self, moment: int) -> Sequence[Annotations]:
        """The annotations of each player."""


class Replay:
    """Draws an episode, moment by moment.

    Args:
        episode: such as a `steer_env.episodes.recording.Recording`.
        drawing: how to draw it; None for the default.
        sees_ahead: in the open, whether all pictures show the region of the whole episode; if
            not, each shows the region up to its moment, as in a running game.

    Attributes:
        episode: the argument.
        drawing: can be changed at any time.
    """

    def __init__(
        self, episode: Episode, drawing: DrawingConfig | None = None, sees_ahead: bool = True
    ) -> None:
        self.episode = episode
        self.drawing = DrawingConfig() if drawing is None else drawing
        self._sees_ahead = sees_ahead
        self._painter = Painter(episode.config)

    def view_at(self, number: int) -> View:
        """The view in the picture of a moment."""
        last = len(self.episode.positions) - 1 if self._sees_ahead else number
        corners = self.episode.corners_until(last)
        return view_of(self.episode.config, corners, self.drawing.size)

    def moment_at(self, seconds: float) -> int:
        """The moment nearest to a time; the last one after the end of the episode."""
        last = len(self.episode.positions) - 1
        return min(max(round(seconds / self.episode.config.dt), 0), last)

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
        draw_scene(canvas, self.view_at(number), self.episode.config, self.drawing, moment)

    def moment(self, number: int) -> Moment:
        """The contents of the picture of a moment."""
        episode = self.episode
        first = max(number - round(TRAIL_SECONDS / episode.config.dt), 0)
        return Moment(
            episode.record(number),
            episode.annotations(number) if self.drawing.shows_scripts else (),
            episode.forces_at(number),
            episode.positions[first : number + 1],
            episode.names,
        )
