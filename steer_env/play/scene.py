"""Draws episodes with a narrow margin, in which no text stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.camera import View
from steer_env.rendering.painter import Painter
from steer_env.rendering.replay import Episode, Replay
from steer_env.rendering.settings import DrawingConfig

MARGIN = 0.025
"""Around the arena, as a share of the shorter side of what is seen."""


class Scene:
    """Draws an episode in a view that is given, which several may share.

    Args:
        episode: a `Recording`, or a `History` that grows.
    """

    def __init__(self, episode: Episode) -> None:
        self._replay, self._painter = Replay(episode), Painter(episode.config)

    def picture(self, view: View, drawing: DrawingConfig, moment: int) -> NDArray[np.uint8]:
        """A moment as an array (height, width, 3).

        Args:
            view: of the plane, and the size.
            drawing: theme and annotations.
            moment: from 0 on.
        """
        self._replay.drawing = drawing
        return self._painter.picture(view, drawing, self._replay.moment(moment))
