"""What an environment's `render` gives: arrays, a mosaic of them, or a window."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from steer_env.game.engine import Engine
from steer_env.game.state import EVADER, PURSUER
from steer_env.rendering.mosaic import tile
from steer_env.rendering.renderer import Renderer
from steer_env.rendering.settings import DrawingConfig
from steer_env.rendering.window import Window

MOST_TILES = 64
"""A mosaic shows no more games than these, the first ones: more could not be told apart."""

_MOSAIC_SIDE = 1200  # pixels: a mosaic whose games have no size of their own is as large


class Viewer:
    """Draws the games of an engine.

    It holds nothing that the games depend on: drop it instead of pickling or copying it, and
    make a new one.

    Args:
        engine: whose games to draw.
        drawing: how; None for the usual, smaller where many games make a mosaic.
        render_mode: "rgb_array", "mosaic" or "human".
        names: from a game's index to what its pursuers and its evaders are called.

    Attributes:
        window_closed: True once somebody has closed the window; it is not opened again.
    """

    def __init__(
        self,
        engine: Engine,
        drawing: DrawingConfig | None,
        render_mode: str,
        names: Callable[[int], tuple[str, str]],
    ) -> None:
        config = engine.config
        shown = engine.num_games
        if render_mode != "rgb_array":
            shown = min(shown, MOST_TILES)
        if drawing is None:
            drawing = _usual_drawing(1 if render_mode == "rgb_array" else shown)
        self._engine, self._render_mode = engine, render_mode
        mixtures = engine.mixtures
        scripts = mixtures.scripts_of(PURSUER), mixtures.scripts_of(EVADER)
        self._renderers = [Renderer(config, drawing, scripts) for _ in range(shown)]
        self._names = names
        self._dt = config.dt
        self.window_closed = False
        self._window: Window | None = None

    def reset(self, mask: NDArray[np.bool_] | None = None) -> None:
        """Forgets the trails of all games, or of those where a mask (N,) is True."""
        for index, renderer in enumerate(self._renderers):
            if mask is None or mask[index]:
                renderer.reset()

    def frames(self) -> tuple[NDArray[np.uint8], ...]:
        """A picture (height, width, 3) of each game."""
        return tuple(map(self._frame, range(len(self._renderers))))

    def _frame(self, game: int) -> NDArray[np.uint8]:
        renderer = self._renderers[game]
        renderer.names = self._names(game)  # an opponent may be drawn for each episode
        return renderer.frame(self._engine.state[game], self._engine.forces(game))

    def mosaic(self) -> NDArray[np.uint8]:
        """The pictures of the games, or of the first ones, side by side in one."""
        return tile(self.frames())

    def show(self) -> None:
        """Shows the games in a window, and waits until the step has lasted ``dt`` seconds.

        A single game fills the window, whatever size people give it.

        Raises:
            NoDisplayError: if there is no display.
        """
        if self.window_closed:
            return
        if self._window is None or not self._window.is_open:  # closed by somebody else
            pixels = self.mosaic()
            height, width = pixels.shape[:2]
            self._window = Window((width, height), "steer_env")
        if self._window.is_told_to_close():
            self.close()
            self.window_closed = True
            return
        if len(self._renderers) == 1:
            renderer = self._renderers[0]
            renderer.drawing = dataclasses.replace(renderer.drawing, size=self._window.size)
        self._window.show(self.mosaic())
        self._window.wait(1.0 / self._dt)

    def close(self) -> None:
        """Closes the window, if there is one. Closing twice is fine."""
        if self._window is not None:
            self._window.close()
            self._window = None


def _usual_drawing(games: int) -> DrawingConfig:
    columns = math.ceil(math.sqrt(games))
    return DrawingConfig(size=(min(600, _MOSAIC_SIDE // columns),) * 2)
