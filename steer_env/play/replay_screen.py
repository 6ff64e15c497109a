"""Draws a replay: a panel for each episode, as large as the window allows."""

from __future__ import annotations

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.episodes.history import History
from steer_env.interface.clock import speed_text
from steer_env.interface.grid import Rectangle, cells
from steer_env.interface.lockstep import Lockstep
from steer_env.play.screens import MARGIN, Layout, Screen
from steer_env.rendering.camera import view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.replay import Replay
from steer_env.rendering.texts import fitted
from steer_env.sides import Side

_HEAD = 3.1  # height of the two lines above a scene, in font sizes
_KEYS = "r same start   Space pause   h keys   Esc back"


def head_of(layout: Layout) -> int:
    """Returns the height of the texts above a panel's scene, in pixels."""
    return round(_HEAD * layout.size)


def panels(count: int, layout: Layout) -> tuple[Rectangle, ...]:
    """Returns the places of the panels, texts included, with the largest possible scenes."""
    area = Rectangle(0, 0, layout.width, layout.bottom)
    return cells(area, count, header=head_of(layout))


class ReplayScreen:
    """Draws a replay in a window, all panels at one scale.

    Args:
        lockstep: the episodes.
        side: the person's side, which others play in the other panels.

    Attributes:
        lockstep: as given.
    """

    def __init__(self, lockstep: Lockstep, side: Side) -> None:
        self.lockstep, self._side = lockstep, side
        self._replays = [Replay(game.recording) for game in lockstep.games]
        self._corners = np.concatenate([g.recording().corners[-1] for g in lockstep.games])

    def draw(self, screen: Screen, canvas: RasterCanvas, drawing: DrawingConfig) -> None:
        """Draws the current moment with the theme and the annotations of a drawing."""
        lockstep = self.lockstep
        canvas.fill(drawing.colors.background)
        places = panels(len(self._replays), screen.layout)
        for replay, game, place in zip(self._replays, lockstep.games, places):
            replay.drawing = drawing
            self._draw_panel(canvas, screen, replay, game, place)
        paused = "paused, " if lockstep.clock.is_paused else ""
        speed = f", {speed_text(lockstep.clock.speed)}" if lockstep.clock.speed != 1.0 else ""
        first = lockstep.games[0]
        about = f"against {first.names[self._side.other]}, seed {first.duel.seed}"
        screen.draw_foot(f"{paused}{lockstep.seconds:.1f} s{speed}, {about}", _KEYS)

    def _draw_panel(
        self,
        canvas: RasterCanvas,
        screen: Screen,
        replay: Replay,
        game: History,
        place: Rectangle,
    ) -> None:
        theme, size, moment = screen.theme, screen.layout.size, self.lockstep.moment
        scene = place.below(head_of(screen.layout))
        view = view_of(game.config, self._corners, (scene.width, scene.height), MARGIN)
        picture = replay.frame(min(moment, game.last), view)
        canvas.pixels[scene.top : scene.bottom, scene.left : scene.right] = picture
        middle, room = complex(place.left + place.width / 2, place.top), place.width - size
        name = fitted(canvas, game.names[self._side], 1.15 * size, room)
        canvas.text(name, theme.of(self._side), middle + 0.95j * size, 1.15 * size, 0.5)
        status = game.status(moment)
        words = ending_of(game, self._side) if status.is_over else f"{status.seconds:.1f} s"
        color = theme.ink if status.is_over else theme.faint
        canvas.text(fitted(canvas, words, size, room), color, middle + 2.3j * size, size, 0.5)


def ending_of(game: History, side: Side) -> str:
    """Returns the end of an episode, as the player of a side sees it."""
    status = game.status(game.last)
    if status.is_captured or side is Side.EVADER or game.config.evaders > 1:
        return status.result
    return f"not caught in {status.seconds:.1f} s"
