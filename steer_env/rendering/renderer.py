"""Moments of running and recorded games as pictures, and a view of an engine's games."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig, Pixels, Points, drawing_config
from steer_env.game.config import Game
from steer_env.game.engine import Engine
from steer_env.rendering.annotations import Annotator, Scripts
from steer_env.rendering.marks import TRAIL_SECONDS
from steer_env.rendering.mosaic import side_by_side, square_columns
from steer_env.rendering.picture import Picture, View, view_of
from steer_env.rendering.recording import Recording, running_corners
from steer_env.rendering.scene import Moment, picture_of
from steer_env.rendering.window import NoDisplayError, Window
from steer_env.sides import EVADER, PURSUER

MOST_TILES = 64  # games in a mosaic, the first ones: more would be too small


class Renderer:
    """Draws a running game, picture after picture. Its drawing and names can be changed."""

    def __init__(self, config: Game, drawing: DrawingConfig, scripts: Scripts) -> None:
        self.config, self.drawing, self._scripts = config, drawing, scripts
        self.names = ("pursuer", "evader")
        moments = round(TRAIL_SECONDS / config.dt) + 1
        self._trail: deque[Points] = deque(maxlen=moments)
        self._last: Picture | None = None
        self.reset()

    @cached_property
    def _annotator(self) -> Annotator:
        return Annotator(self.config, self._scripts)

    def reset(self) -> None:
        """Deletes the trails. A new episode resets them, too."""
        self._trail.clear()
        self._steps, self._episode = -1, -1
        self._seen = np.zeros((0,), np.complex128)  # corners of an open view's box

    def picture(self, record: np.void, forces: Points | None = None) -> Picture:
        """Draws a record of `state_dtype`, with forces, (players,), in newtons if given."""
        self._remember(record)
        view = view_of(self.config, self._seen, self.drawing)
        shows_scripts, trail = self.drawing.shows_scripts, np.array(self._trail)
        annotations = self._annotator.annotations(record) if shows_scripts else ()
        moment = Moment(self.config, record, annotations, forces, trail, self.names)
        self._last = picture_of(view, self.drawing, moment, self._last)
        return self._last

    def _remember(self, record: np.void) -> None:
        steps, episode = int(record["game"]["steps"]), int(record["game"]["key"])
        if episode != self._episode or steps < self._steps:
            self.reset()
        places = record["players"]["body"]["position"].copy()
        # One place per step, also for steps that were not drawn, so that trails fade evenly.
        passed = steps - self._steps if self._trail else 1
        self._trail.extend(repeat(places, min(passed, self._trail.maxlen or 0)))
        self._steps, self._episode = steps, episode
        if not self.config.region.is_bounded:
            self._seen = running_corners(np.append(self._seen, places)[np.newaxis])[0]


class Replay:
    """Draws the moments of an episode, in any order.

    For a running episode it takes a function that returns the recording so far. In the open,
    pictures show the region of the whole episode, or without ``sees_ahead`` until their moment.
    """

    def __init__(
        self,
        episode: Recording | Callable[[], Recording],
        drawing: DrawingConfig | None = None,
        sees_ahead: bool = True,
    ) -> None:
        self._episode = episode
        self.drawing = DrawingConfig() if drawing is None else drawing
        self._sees_ahead = sees_ahead
        self._last: Picture | None = None

    @property
    def recording(self) -> Recording:
        """The episode as far as it has been played."""
        return self._episode if isinstance(self._episode, Recording) else self._episode()

    def view_at(self, number: int) -> View:
        """The view in the picture of a moment, or after the end of the last one."""
        corners = self.recording.corners
        last = len(corners) - 1 if self._sees_ahead else min(number, len(corners) - 1)
        return view_of(self.recording.config, corners[last], self.drawing)

    def moment_at(self, seconds: float) -> int:
        """The moment nearest to a time, or after the end the last one."""
        last = len(self.recording.states) - 1
        return round(min(max(seconds / self.recording.config.dt, 0.0), last))

    def picture(self, number: int) -> Picture:
        """Returns the picture of a moment, from 0, in the view of `view_at`."""
        recording = self.recording
        first = max(number - round(TRAIL_SECONDS / recording.config.dt), 0)
        moment = Moment(
            recording.config,
            recording.states[number],
            recording.annotations(number) if self.drawing.shows_scripts else (),
            recording.forces[number],
            recording.positions[first : number + 1],
            recording.names,
        )
        self._last = picture_of(self.view_at(number), self.drawing, moment, self._last)
        return self._last


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
