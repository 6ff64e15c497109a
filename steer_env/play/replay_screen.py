"""Draws a replay: the person's round and those of others on one board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.interface.clock import speed_text
from steer_env.interface.lockstep import Lockstep
from steer_env.play.marks import draw_marks
from steer_env.play.rounds import Rival
from steer_env.play.screens import MARGIN, Screen
from steer_env.rendering.camera import view_of
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.raster import RasterCanvas
from steer_env.sides import Side


class ReplayScreen:
    """Draws a replay in a window.

    Args:
        lockstep: the episodes, the person's first.
        side: the person's side.
        rivals: who plays in the other episodes.

    Attributes:
        lockstep: as given.
    """

    def __init__(self, lockstep: Lockstep, side: Side, rivals: Sequence[Rival]) -> None:
        self.lockstep, self._side = lockstep, side
        games = lockstep.games
        labels = ["you", *(rival.caption for rival in rivals)]
        self._ghosts = Ghosts([game.recording for game in games], labels=labels, side=side)
        self._corners = np.concatenate([game.recording().corners[-1] for game in games])

    def draw(self, screen: Screen, canvas: RasterCanvas, drawing: DrawingConfig) -> None:
        """Draws the current moment with the theme and the annotations of a drawing."""
        lockstep, layout = self.lockstep, screen.layout
        first, moment = lockstep.games[0], lockstep.moment
        self._ghosts.drawing = drawing
        size = layout.width, layout.bottom - layout.top
        view = view_of(first.config, self._corners, size, MARGIN)
        canvas.pixels[layout.top : layout.bottom] = self._ghosts.frame(moment, view)
        scene = RasterCanvas(canvas.pixels[layout.top : layout.bottom])
        draw_marks(scene, drawing.colors, view, first.recording(), moment, 0.9 * layout.size)
        screen.draw_head(
            f"{lockstep.seconds:.1f} s",
            "paused" if lockstep.clock.is_paused else "replay",
            speed_text(lockstep.clock.speed),
            moment / max(lockstep.last_moment, 1),
            self._side,
        )
        goes_on = "Play" if lockstep.clock.is_paused or lockstep.is_over else "Pause"
        screen.draw_foot(
            f"against {first.names[self._side.other]}, start {first.duel.seed}",
            (
                screen.button(goes_on, "space", "Space"),
                screen.button("Again", "r", "r"),
                screen.button("Next start", "return", "Enter"),
                screen.button("Back", "escape", "Esc"),
            ),
        )
