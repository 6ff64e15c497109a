"""Turns the records of a running game into pictures, and remembers the trails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig
from steer_env.episodes.recording import running_corners
from steer_env.game.annotations import Annotations, Annotator, Scripts
from steer_env.game.config import GameConfig
from steer_env.rendering.camera import EDGE, View, view_of
from steer_env.rendering.painter import Painter
from steer_env.rendering.scene import Moment

TRAIL_SECONDS = 3.0
"""The length of a trail."""


class Renderer:
    """Draws a game, picture after picture.

    The game does not depend on it: instead of pickling or copying a renderer, make a new one.

    Args:
        config: the game.
        drawing: how to draw it.
        scripts: the pursuers' and the evaders'; each record has the index of the one that
            plays. None in place of a script if the side is steered from outside; without
            scripts, their annotations are not drawn.

    Attributes:
        drawing: can be changed at any time.
        names: of the pursuers and of the evaders; can be changed at any time.
        view: of the last picture, to map pixels to positions.
    """

    def __init__(
        self, config: GameConfig, drawing: DrawingConfig, scripts: Scripts | None = None
    ) -> None:
        self.config, self.drawing, self.scripts = config, drawing, scripts
        self.names = ("pursuer", "evader")
        self._annotator: Annotator | None = None  # made when it is first needed
        self.view = View(0j, 1.0, 1, 1)
        moments = round(TRAIL_SECONDS / config.dt) + 1
        self._trail = np.zeros((moments, config.pursuers + config.evaders), np.complex128)
        self._seen = np.zeros((0,), np.complex128)  # corners of an open view's box
        self._painter = Painter(config)
        self.reset()

    def reset(self) -> None:
        """Deletes the trails. A new episode resets them, too."""
        self._moments, self._steps, self._episode = 0, -1, -1
        self._seen = np.zeros((0,), np.complex128)

    def frame(
        self, record: np.void, forces: NDArray[np.complex128] | None = None
    ) -> NDArray[np.uint8]:
        """Draws one record of the state.

        Args:
            record: of dtype `steer_env.game.state.state_dtype`.
            forces: of the players, (players,), in newtons; None to draw none.

        Returns:
            A new array, (height, width, 3).

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame, for texts.
        """
        self._remember(record)
        margin = None if self.drawing.shows("score") else EDGE
        self.view = view_of(self.config, self._seen, self.drawing.size, margin)
        annotations: Sequence[Annotations] = ()
        if self.scripts is not None and self.drawing.shows_scripts:
            if self._annotator is None:
                self._annotator = Annotator(self.config, self.scripts)
            annotations = self._annotator.annotations(record, True)
        trail = self._trail[len(self._trail) - self._moments :]
        moment = Moment(record, annotations, forces, trail, self.names)
        return self._painter.picture(self.view, self.drawing, moment)

    def _remember(self, record: np.void) -> None:
        steps, episode = int(record["game"]["steps"]), int(record["game"]["key"])
        if episode != self._episode or steps < self._steps:
            self.reset()
        self._episode = episode
        if steps == self._steps:  # the same moment drawn again
            return
        # One place per step, also for steps that were not drawn, so that trails fade evenly.
        passed = min(steps - self._steps if self._moments else 1, len(self._trail))
        places = record["players"]["body"]["position"]
        self._trail[:-passed] = self._trail[passed:]
        self._trail[-passed:] = places
        self._moments = min(self._moments + passed, len(self._trail))
        self._steps = steps
        if self.config.arena.kind == "open":
            self._seen = running_corners(np.append(self._seen, places)[np.newaxis])[0]
