"""Draws a replay: a panel for each recording, as large as the window lets them be."""

from __future__ import annotations

import numpy as np

from steer_env.episodes.recording import Recording
from steer_env.game.state import EVADER
from steer_env.interface.clock import speed_text
from steer_env.interface.overlay import fitted
from steer_env.play.framing import framing_of
from steer_env.play.replay import Replay
from steer_env.play.screens import Layout, color_of, draw_foot
from steer_env.rendering.camera import view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.scene import Moment, draw_scene
from steer_env.rendering.settings import DrawingConfig

_HEAD = 3.1  # height of a panel's two lines, in sizes of the usual font
_LEAST_SIDE = 16  # pixels

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


def draw_replay(
    canvas: RasterCanvas, drawing: DrawingConfig, layout: Layout, replay: Replay, side: int
) -> None:
    """Draws the moment of a replay over a whole canvas.

    Args:
        canvas: to draw on.
        drawing: theme and annotations.
        layout: of the window.
        replay: to be shown.
        side: of the person, whose place others take in the other panels.
    """
    theme = drawing.colors
    canvas.fill(theme.background)
    for recording, box in zip(replay.recordings, panels(len(replay.recordings), layout)):
        _draw_panel(canvas, drawing, layout, replay, recording, box, side)
    stands = "paused, " if replay.clock.is_paused else ""
    speed = f", {speed_text(replay.clock.speed)}" if replay.clock.speed != 1.0 else ""
    first = replay.recordings[0]
    words = f"{stands}{replay.seconds:.1f} s{speed}, against {first.names[1 - side]}"
    words += f", seed {first.seed}"
    draw_foot(canvas, theme, layout, words, "r same start   Space pause   h keys   Esc back")


def _draw_panel(
    canvas: RasterCanvas,
    drawing: DrawingConfig,
    layout: Layout,
    replay: Replay,
    recording: Recording,
    box: Box,
    side: int,
) -> None:
    left, top, width, height = box
    theme, size, head = drawing.colors, layout.size, head_of(layout)
    moment, config = replay.moment_of(recording), recording.config
    framing = framing_of((width, height - head))
    pixels = np.empty((*framing.size[::-1], 3), np.uint8)
    record, positions = recording.states[moment], recording.positions[: moment + 1]
    shown = Moment(
        record, recording.marks(moment), recording.forces[moment], positions, recording.names
    )
    view = view_of(config, positions, framing.size)
    draw_scene(RasterCanvas(pixels), view, config, drawing, shown)
    target = canvas.pixels[top + head : top + height, left : left + width]
    seen = pixels[framing.cut :, framing.cut :]
    target[...] = seen[: target.shape[0], : target.shape[1]]
    middle = complex(left + width / 2, top)
    name = fitted(canvas, recording.names[side], 1.15 * size, width - size)
    canvas.text(name, color_of(theme, side), middle + 0.95j * size, 1.15 * size, 0.5)
    seconds = moment * config.dt
    ends = ending_of(recording, side) if replay.is_over(recording) else f"{seconds:.1f} s"
    color = theme.ink if replay.is_over(recording) else theme.faint
    words = fitted(canvas, ends, size, width - size)
    canvas.text(words, color, middle + 2.3j * size, size, 0.5)


def ending_of(recording: Recording, side: int) -> str:
    """How a recording ended, seen from the side of whose name stands above it."""
    if recording.captured or side == EVADER or recording.config.evaders > 1:
        return recording.result
    return f"not caught in {recording.seconds:.1f} s"
