"""Texts over a picture: boxes, help, messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steer_env.drawing import Color
from steer_env.rendering.picture import Picture
from steer_env.rendering.recording import Status
from steer_env.rendering.texts import fitted, fitted_names, width_of

_LEAST_SIZE = 11.0  # pixels: the smallest font that can be read
_LINE = 1.3  # height of a line, in sizes of its font


def text_size(width: float, height: float) -> float:
    """Returns the font size for a window, in pixels."""
    return min(max(15.0, min(width, height) / 34), 26.0)


def draw_banner(
    picture: Picture, text: str, color: Color, middle: complex, size: float, width: float
) -> None:
    """Draws a line of text in a box around its middle, smaller or cut to fit into a width."""
    room = width - size
    while size > _LEAST_SIZE and width_of(text, size) > room:
        size = max(size - 1.0, _LEAST_SIZE)
    text = fitted(text, size, room)
    half = complex(width_of(text, size) / 2 + 0.6 * size, 0.85 * size)
    picture.add("rectangle", picture.colors.ground, middle - half, middle + half, 0.92)
    picture.text(text, color, middle, size, 0.5, has_rim=False)


def write_pair(
    picture: Picture, names: tuple[str, str], place: complex, size: float, room: float
) -> None:
    """Writes a game's players in the colors of their sides, as far as they fit."""
    colors, gap = picture.colors, 0.25 * size
    pursuer, evader = fitted_names(names, size, room - width_of("vs", size) - 2 * gap)
    parts = (pursuer, colors.pursuer), ("vs", colors.faint), (evader, colors.evader)
    for text, color in parts:
        place += picture.text(text, color, place, size) + gap


def draw_result(picture: Picture, status: Status) -> None:
    """Draws the result of an episode where it is farther from the vehicles: above or below."""
    view, positions = picture.view, status.record["players"]["body"]["position"]
    rows = view.to_pixels(positions).imag - view.middle.imag
    below = 0.3 * view.side
    is_below = np.abs(rows - below).min() > np.abs(rows + below).min()
    middle = sum(view.ground) / 2 + 1j * (below if is_below else -below)
    color = picture.colors.of(status.winner)
    size = 1.3 * text_size(view.width, view.height)
    draw_banner(picture, status.result, color, middle, size, view.width - 6)


def draw_help(picture: Picture, title: str, rows: Sequence[tuple[str, str]]) -> None:
    """Draws a panel over the picture: a title, and what each key does, as far as it fits."""
    colors, (wide, high) = picture.colors, (picture.view.width, picture.view.height)
    columns = 1 if wide < high else 2
    in_column = -(-len(rows) // columns)
    fitting = min(wide / columns / 27, high / _LINE / (in_column + 3))
    size = max(min(text_size(wide, high), fitting), _LEAST_SIZE)
    width, line = wide / columns, _LINE * size
    picture.add("rectangle", colors.ground, 0j, complex(wide, high), 0.94)
    start = complex(size, 1.2 * line)
    picture.text(title, colors.ink, start, 1.2 * size, room=wide - 2 * size)
    for number, (keys, meaning) in enumerate(rows):
        column, row = divmod(number, in_column)
        place = start + complex(column * width, (row + 1.4) * line)
        across = 0.27 * width  # of the names of keys
        picture.text(keys, colors.pursuer, place, size, room=across - size)
        room = width - across - size
        picture.text(meaning, colors.ink, place + across, size, room=room)
