"""Draws a replay: a panel for each recording, as large as the window lets them be."""

from __future__ import annotations

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.episodes.recording import Recording
from steer_env.game.state import EVADER
from steer_env.interface.clock import speed_text
from steer_env.play.lockstep import Lockstep
from steer_env.play.screens import MARGIN, Layout, color_of, draw_foot
from steer_env.rendering.camera import view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.replay import Replay
from steer_env.rendering.texts import fitted

_HEAD = 3.1  # height of a panel's two lines, in sizes of the usual font
_LEAST_SIDE = 16  # pixels
_KEYS = "r same start   Space pause   h keys   Esc back"

Box = tuple[int, int, int, int]  # left, top, width, height


def panels(count: int, layout: Layout) -> list[Box]:
    """Where the panels stand: in the number of columns in which their scenes are largest."""
    width, height, head = layout.width, layout.bottom, head_of(layout)

    def side(columns: int) -> int:
        return min(width // columns, height // _rows(count, columns) - head)

    columns = max(range(1, count + 1), key=side)
    across, down = width // columns, height // _rows(count, columns)
    shown = max(side(columns), _LEAST_SIDE)
    boxes = []
    for number in range(count):
        row, column = divmod(number, columns)
        in_row = min(columns, count - row * columns)
        left = (width - in_row * across) // 2 + column * across
        boxes.append(
            (left, row * down + max(down - head - shown, 0) // 2, across, head + shown)
        )
    return boxes


def head_of(layout: Layout) -> int:
    """The height of the texts above a panel's scene, in pixels."""
    return round(_HEAD * layout.size)


def _rows(count: int, columns: int) -> int:
    return -(-count // columns)


class ReplayScreen:
    """Draws a replay over a whole canvas, all panels at one scale.

    Args:
        lockstep: to be shown.
        side: of the person, whose place others take in the other panels.

    Attributes:
        lockstep: as given.
    """

    def __init__(self, lockstep: Lockstep, side: int) -> None:
        self.lockstep, self._side = lockstep, side
        self._replays = [Replay(recording) for recording in lockstep.recordings]
        ends = [each.corners_until(len(each.states) - 1) for each in lockstep.recordings]
        self._corners = np.concatenate(ends)

    def draw(self, canvas: RasterCanvas, drawing: DrawingConfig, layout: Layout) -> None:
        """Draws the moment that is shown.

        Args:
            canvas: to draw on.
            drawing: theme and annotations.
            layout: of the window.
        """
        theme, lockstep, side = drawing.colors, self.lockstep, self._side
        canvas.fill(theme.background)
        for number, box in enumerate(panels(len(self._replays), layout)):
            self._draw_panel(canvas, drawing, layout, number, box)
        stands = "paused, " if lockstep.clock.is_paused else ""
        speed = f", {speed_text(lockstep.clock.speed)}" if lockstep.clock.speed != 1.0 else ""
        first = lockstep.recordings[0]
        words = f"{stands}{lockstep.seconds:.1f} s{speed}, against {first.names[1 - side]}"
        words += f", seed {first.seed}"
        draw_foot(canvas, theme, layout, words, _KEYS)

    def _draw_panel(
        self,
        canvas: RasterCanvas,
        drawing: DrawingConfig,
        layout: Layout,
        number: int,
        box: Box,
    ) -> None:
        left, top, width, height = box
        theme, size, head = drawing.colors, layout.size, head_of(layout)
        recording = self.lockstep.recordings[number]
        moment, is_over = self.lockstep.moment_of(recording), self.lockstep.is_over(recording)
        view = view_of(recording.config, self._corners, (width, height - head), MARGIN)
        replay = self._replays[number]
        replay.drawing = drawing
        picture = replay.frame(moment, view)
        canvas.pixels[top + head : top + height, left : left + width] = picture
        middle = complex(left + width / 2, top)
        name = fitted(canvas, recording.names[self._side], 1.15 * size, width - size)
        color = color_of(theme, self._side)
        canvas.text(name, color, middle + 0.95j * size, 1.15 * size, 0.5)
        seconds = moment * recording.config.dt
        ends = ending_of(recording, self._side) if is_over else f"{seconds:.1f} s"
        words = fitted(canvas, ends, size, width - size)
        color = theme.ink if is_over else theme.faint
        canvas.text(words, color, middle + 2.3j * size, size, 0.5)


def ending_of(recording: Recording, side: int) -> str:
    """How a recording ended, seen from the side of whose name stands above it."""
    if recording.captured or side == EVADER or recording.config.evaders > 1:
        return recording.result
    return f"not caught in {recording.seconds:.1f} s"
