"""Renders the games of an engine for environments: as arrays, a mosaic, or a window."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig, Pixels, drawing_config
from steer_env.game.engine import Engine
from steer_env.rendering.mosaic import side_by_side, square_columns
from steer_env.rendering.picture import Picture
from steer_env.rendering.renderer import Renderer
from steer_env.rendering.window import NoDisplayError, Window
from steer_env.sides import EVADER, PURSUER

MOST_TILES = 64  # games in a mosaic, the first ones: more would be too small


class Viewer:
    """Draws the games of an engine.

    Without a size in the drawing, a mosaic's games are smaller the more there are. A window
    that the user closed is not opened again.
    """

    def __init__(
        self,
        engine: Engine,
        drawing: DrawingConfig | Mapping[str, Any] | None,
        render_mode: str,
        names: Callable[[int], tuple[str, str]],
    ) -> None:
        shown, side = engine.num_games, 600  # pixels
        if render_mode != "rgb_array":
            shown = min(shown, MOST_TILES)
            whole = 840 if render_mode == "human" else 1200  # the former fits most screens
            side = min(side, whole // square_columns(shown))
        self._columns = square_columns(shown)
        self._engine, self._names, self._render_mode = engine, names, render_mode
        self._make_renderers(shown, drawing_config(drawing, (side, side)))
        self.window_closed = False
        self._window: Window | None = None

    def _make_renderers(self, shown: int, settings: DrawingConfig) -> None:
        self._mixtures = mixtures = self._engine.mixtures
        scripts = mixtures.scripts_of(PURSUER), mixtures.scripts_of(EVADER)
        config = self._engine.config
        self._renderers = [Renderer(config, settings, scripts) for _ in range(shown)]

    def reset(self, mask: NDArray[np.bool_] | None = None) -> None:
        """Deletes the trails of all games, or of those where a mask (N,) is True."""
        for index, renderer in enumerate(self._renderers):
            if mask is None or mask[index]:
                renderer.reset()

    def _pictures(self) -> list[Picture]:
        if self._mixtures is not self._engine.mixtures:  # the opponents have changed
            self._make_renderers(len(self._renderers), self._renderers[0].drawing)
        pictures = []
        for game, renderer in enumerate(self._renderers):
            renderer.names = self._names(game)  # each episode can have another opponent
            forces = self._engine.forces(game) if renderer.drawing.shows("force") else None
            pictures.append(renderer.picture(self._engine.record(game), forces))
        return pictures

    def render(self) -> tuple[Pixels, ...] | Pixels | None:
        """Draws the games as the render mode says.

        Returns a picture of each game, (height, width, 3), one of all side by side ("mosaic"),
        or None ("human"): a window shows them, until the step has taken ``dt`` seconds.

        Raises:
            NoDisplayError: without a display, once a game has been stepped: checkers of
                environments, which also run on servers, only draw what `reset` gives.
        """
        if self._render_mode == "rgb_array":
            return tuple(picture.pixels() for picture in self._pictures())
        if self._render_mode == "mosaic":
            return self._mosaic()
        self._show()
        return None

    def _mosaic(self) -> Pixels:
        return side_by_side(self._pictures(), self._columns).pixels()

    def _show(self) -> None:
        if self.window_closed:
            return
        if self._window is None or not self._window.is_open:  # another window has replaced it
            height, width = self._mosaic().shape[:2]
            try:
                self._window = Window((width, height), "steer_env")
            except NoDisplayError:
                if self._engine.state.steps.any():
                    raise
                return
        if self._window.is_asked_to_close():
            self.close()
            self.window_closed = True
            return
        width, height = self._window.size
        rows = -(-len(self._renderers) // self._columns)
        size = max(width // self._columns, 1), max(height // rows, 1)
        for renderer in self._renderers:
            renderer.drawing = dataclasses.replace(renderer.drawing, size=size)
        self._window.show(self._mosaic())
        self._window.wait(1.0 / self._engine.config.dt)

    def close(self) -> None:
        """Closes the window, as often as it is called."""
        if self._window is not None:
            self._window.close()
            self._window = None
