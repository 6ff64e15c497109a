"""Texts over a picture: boxes, help, messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steer_env.drawing import Color, Theme
from steer_env.game.config import GameConfig
from steer_env.rendering.camera import View
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.recording import Status
from steer_env.rendering.texts import fitted
from steer_env.sides import EVADER, PURSUER

_LEAST_SIZE = 11.0  # pixels: the smallest font that can be read
_LINE = 1.3  # height of a line, in sizes of its font


def text_size(width: float, height: float) -> float:
    """Returns the font size for a window, in pixels."""
    return min(max(15.0, min(width, height) / 34), 26.0)


def draw_frame(
    canvas: Canvas, color: Color, corner: complex, opposite: complex, width: float
) -> None:
    """Draws the outline of a rectangle, inside it."""
    across = opposite - corner
    canvas.rectangle(color, corner, corner + complex(across.real, width))
    canvas.rectangle(color, corner, corner + complex(width, across.imag))
    canvas.rectangle(color, opposite, opposite - complex(across.real, width))
    canvas.rectangle(color, opposite, opposite - complex(width, across.imag))


def draw_banner(
    canvas: Canvas,
    theme: Theme,
    text: str,
    middle: complex,
    size: float,
    width: float,
    color: Color,
) -> None:
    """Draws a line of text in a box around its middle, smaller or cut to fit into a width."""
    room = width - size
    while size > _LEAST_SIZE and canvas.text_width(text, size) > room:
        size = max(size - 1.0, _LEAST_SIZE)
    text = fitted(canvas, text, size, room)
    half = complex(canvas.text_width(text, size) / 2 + 0.6 * size, 0.85 * size)
    canvas.rectangle(theme.ground, middle - half, middle + half, 0.92)
    draw_frame(canvas, theme.wall, middle - half, middle + half, 1.0)
    canvas.text(text, color, middle, size, 0.5)


def board_middle(view: View, config: GameConfig) -> complex:
    """Returns the middle of the arena, or of the picture in the open, in pixels."""
    return view.to_pixel(0j) if config.region.is_bounded else view.middle


def draw_result(
    canvas: Canvas, theme: Theme, view: View, status: Status, corner: complex = 0j
) -> None:
    """Draws the result of an episode where it is farther from the vehicles: above or below."""
    positions = status.record["players"]["body"]["position"]
    rows = view.to_pixels(positions).imag - view.middle.imag
    below = 0.3 * view.side
    is_below = np.abs(rows - below).min() > np.abs(rows + below).min()
    middle = corner + board_middle(view, status.config)
    middle += 1j * (below if is_below else -below)
    color = theme.of(PURSUER if status.is_captured else EVADER)
    draw_banner(
        canvas, theme, status.result, middle, 1.3 * text_size(*view[2:]), view.width - 6, color
    )


def draw_help(
    canvas: Canvas, theme: Theme, title: str, rows: Sequence[tuple[str, str]]
) -> None:
    """Draws a panel over the canvas: a title, and what each key does, as far as it fits."""
    columns = 1 if canvas.width < canvas.height else 2
    in_column = -(-len(rows) // columns)
    largest = text_size(canvas.width, canvas.height)
    fitting = min(canvas.width / columns / 27, canvas.height / _LINE / (in_column + 3))
    size = max(min(largest, fitting), _LEAST_SIZE)
    width, line = canvas.width / columns, _LINE * size
    canvas.rectangle(theme.ground, 0j, complex(canvas.width, canvas.height), 0.94)
    start = complex(size, 1.2 * line)
    text = fitted(canvas, title, 1.2 * size, canvas.width - 2 * size)
    canvas.text(text, theme.ink, start, 1.2 * size)
    for number, (keys, meaning) in enumerate(rows):
        column, row = divmod(number, in_column)
        place = start + complex(column * width, (row + 1.4) * line)
        across = 0.27 * width  # of the names of keys
        keys = fitted(canvas, keys, size, across - size)
        canvas.text(keys, theme.pursuer, place, size)
        meaning = fitted(canvas, meaning, size, width - across - size)
        canvas.text(meaning, theme.ink, place + across, size)
