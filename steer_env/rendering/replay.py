"""The moments of an episode as pictures, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig
from steer_env.game.annotations import Marks
from steer_env.game.config import GameConfig
from steer_env.rendering.camera import View, view_of
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.painter import Painter
from steer_env.rendering.renderer import TRAIL_SECONDS
from steer_env.rendering.scene import Moment, draw_scene


class Episode(Protocol):
    """An episode of which every moment is known, as a `Recording` is, or all until now."""

    @property
    def names(self) -> tuple[str, str]:
        """Of the pursuers and of the evaders."""

    @property
    def config(self) -> GameConfig:
        """The game."""

    @property
    def positions(self) -> NDArray[np.complex128]:
        """Of all players at each moment that is known, (moments, players), in meters."""

    def corners_until(self, moment: int) -> NDArray[np.complex128]:
        """Two opposite corners of the box around all positions until a moment, (2,)."""

    def record(self, moment: int) -> np.void:
        """The state at a moment."""

    def forces_at(self, moment: int) -> NDArray[np.complex128]:
        """Of the step that led to a moment, (players,), in newtons."""

    def marks(self, moment: int) -> Sequence[Marks]:
        """What can be drawn beside each player."""


class Replay:
    """Draws an episode, moment by moment.

    Args:
        episode: such as a `steer_env.episodes.recording.Recording`.
        drawing: how to draw it; None for the usual.
        sees_ahead: whether, in the open, pictures of all moments show all the places of the
            episode; if not, each shows those until its moment, as when it was live.

    Attributes:
        episode: as given.
        drawing: may be changed at any time.
    """

    def __init__(
        self, episode: Episode, drawing: DrawingConfig | None = None, sees_ahead: bool = True
    ) -> None:
        self.episode = episode
        self.drawing = DrawingConfig() if drawing is None else drawing
        self._sees_ahead = sees_ahead
        self._painter = Painter(episode.config)

    def view_at(self, number: int) -> View:
        """What the picture of a moment shows."""
        last = len(self.episode.positions) - 1 if self._sees_ahead else number
        corners = self.episode.corners_until(last)
        return view_of(self.episode.config, corners, self.drawing.size)

    def moment_at(self, seconds: float) -> int:
        """The moment nearest to a time; the last one if the episode is over by then."""
        last = len(self.episode.positions) - 1
        return min(max(round(seconds / self.episode.config.dt), 0), last)

    def frame(self, number: int, view: View | None = None) -> NDArray[np.uint8]:
        """A moment as an array (height, width, 3); a new one.

        Args:
            number: of the moment, from 0 on.
            view: of the plane, and the picture's size; None for `view_at`.

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame, for texts.
        """
        view = self.view_at(number) if view is None else view
        return self._painter.picture(view, self.drawing, self.moment(number))

    def draw(self, canvas: Canvas, number: int) -> None:
        """Draws a moment over the whole of a canvas, which must have the drawing's size."""
        moment = self.moment(number)
        draw_scene(canvas, self.view_at(number), self.episode.config, self.drawing, moment)

    def moment(self, number: int) -> Moment:
        """What a picture of a moment shows."""
        episode = self.episode
        first = max(number - round(TRAIL_SECONDS / episode.config.dt), 0)
        return Moment(
            episode.record(number),
            episode.marks(number) if self.drawing.shows_scripts else (),
            episode.forces_at(number),
            episode.positions[first : number + 1],
            episode.names,
        )
