"""Paints moments of a game as pixels; everything that does not move is painted once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig
from steer_env.game.config import GameConfig
from steer_env.rendering.camera import View
from steer_env.rendering.pen import Pen
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.scene import Moment, draw_players, draw_still


class Painter:
    """Turns moments of a game into pictures.

    Args:
        config: the game.
    """

    def __init__(self, config: GameConfig) -> None:
        self._config = config
        self._ground = np.empty((0, 0, 3), np.uint8)  # the picture without anything that moves
        self._ground_key: object = None

    def picture(self, view: View, drawing: DrawingConfig, moment: Moment) -> NDArray[np.uint8]:
        """Returns a picture of a moment: a new array, (height, width, 3).

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame, for texts.
        """
        canvas = self.ground(view, drawing, moment)
        draw_players(Pen(canvas, view, self._config, drawing), moment)
        return canvas.pixels

    def ground(self, view: View, drawing: DrawingConfig, moment: Moment) -> RasterCanvas:
        """Returns a canvas with everything that does not move; see `picture`."""
        key = (view, drawing, moment.record["obstacles"].tobytes(), moment.names)
        if key != self._ground_key:
            self._ground = np.empty((view.height, view.width, 3), np.uint8)
            draw_still(Pen(RasterCanvas(self._ground), view, self._config, drawing), moment)
            self._ground_key = key
        return RasterCanvas(self._ground.copy())
