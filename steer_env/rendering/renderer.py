"""Moments of running and recorded games as pictures."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cached_property
from itertools import repeat

import numpy as np

from steer_env.drawing import DrawingConfig, Points
from steer_env.game.config import Game
from steer_env.rendering.annotations import Annotator, Scripts
from steer_env.rendering.marks import TRAIL_SECONDS
from steer_env.rendering.picture import Picture, View, view_of
from steer_env.rendering.recording import Recording, running_corners
from steer_env.rendering.scene import Moment, picture_of


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
