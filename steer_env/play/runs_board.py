"""The board of a round that is over: the person's run and those of others from its start."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.episodes.history import History
from steer_env.interface.clock import speed_text
from steer_env.interface.lockstep import Lockstep
from steer_env.play.marks import draw_marks
from steer_env.play.rounds import Rival
from steer_env.play.screens import MARGIN, Layout, Screen
from steer_env.rendering.camera import View, view_of
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.raster import RasterCanvas
from steer_env.sides import Side


class RunsBoard:
    """Draws all runs in a window's scene, each in its color.

    Args:
        games: the episodes, the person's first.
        side: the person's side.
        rivals: the players of the other episodes.

    Attributes:
        games: as given.
        side: as given.
        last: the last moment of the longest run.
    """

    def __init__(self, games: Sequence[History], side: Side, rivals: Sequence[Rival]) -> None:
        self.games, self.side = games, side
        labels = ["you", *(rival.caption for rival in rivals)]
        self._ghosts = Ghosts([game.recording for game in games], labels=labels, side=side)
        self._corners = np.concatenate([game.recording().corners[-1] for game in games])
        self.last = max(game.last for game in games)

    def view(self, layout: Layout) -> View:
        """Returns the part of the plane that is shown."""
        size = layout.width, layout.bottom - layout.top
        return view_of(self.games[0].config, self._corners, size, MARGIN)

    def draw(
        self, canvas: RasterCanvas, layout: Layout, drawing: DrawingConfig, moment: int
    ) -> None:
        """Draws a moment with the theme and the annotations of a drawing."""
        self._ghosts.drawing = drawing
        rows = slice(layout.top, layout.bottom)
        canvas.pixels[rows] = self._ghosts.frame(moment, self.view(layout))


def draw_replay(
    screen: Screen,
    canvas: RasterCanvas,
    drawing: DrawingConfig,
    board: RunsBoard,
    lockstep: Lockstep,
) -> None:
    """Draws the current moment of a replay in the whole window."""
    first, clock = lockstep.games[0], lockstep.clock
    layout = screen.layout
    board.draw(canvas, layout, drawing, lockstep.moment)
    scene, mine = RasterCanvas(canvas.pixels[layout.top : layout.bottom]), first.recording()
    colors, size = drawing.colors, 0.9 * layout.size
    draw_marks(scene, colors, board.view(layout), mine, lockstep.moment, size)
    screen.draw_head(
        f"{lockstep.seconds:.1f} s",
        "paused" if clock.is_paused else "replay",
        speed_text(clock.speed),
        lockstep.moment / max(lockstep.last_moment, 1),
        board.side,
    )
    goes_on = "Play" if clock.is_paused or lockstep.is_over else "Pause"
    screen.draw_foot(
        f"against {first.names[board.side.other]}, start {first.duel.seed}",
        (
            screen.button(goes_on, "space", "Space"),
            screen.button("Again", "r", "r"),
            screen.button("Next start", "return", "Enter"),
            screen.button("Back", "escape", "Esc"),
        ),
    )
