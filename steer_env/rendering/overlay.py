"""Texts over a picture: boxes, help, messages."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.drawing import Color, Theme
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted

_LEAST_SIZE = 11.0  # pixels: the smallest font that can be read
_LINE = 1.3  # height of a line, in sizes of its font
_HELP_WIDTH = 27.0  # width of a column of the help, in sizes of its font
_HELP_KEYS = 0.35  # share of a column for the names of keys


def text_size(width: float, height: float) -> float:
    """Returns the font size for a window, in pixels."""
    return min(max(15.0, min(width, height) / 34), 26.0)


def draw_box(
    canvas: Canvas, theme: Theme, corner: complex, opposite: complex, opacity: float = 0.92
) -> None:
    """Draws a panel for texts between two corners, with a thin frame."""
    canvas.rectangle(theme.ground, corner, opposite, opacity)
    draw_frame(canvas, theme.wall, corner, opposite, 1.0)


def draw_frame(
    canvas: Canvas, color: Color, corner: complex, opposite: complex, width: float
) -> None:
    """Draws the outline of a rectangle, inside it."""
    across = opposite - corner
    canvas.rectangle(color, corner, corner + complex(across.real, width))
    canvas.rectangle(color, corner, corner + complex(width, across.imag))
    canvas.rectangle(color, opposite, opposite - complex(across.real, width))
    canvas.rectangle(color, opposite, opposite - complex(width, across.imag))


def wrapped(canvas: Canvas, string: str, size: float, width: float) -> list[str]:
    """Breaks a text between words into lines that are at most so many pixels wide."""
    lines = [""]
    for word in string.split():
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and canvas.text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return [fitted(canvas, line, size, width) for line in lines]


def draw_banner(
    canvas: Canvas,
    theme: Theme,
    text: str,
    middle: complex,
    size: float,
    width: float,
    color: Color | None = None,
) -> None:
    """Draws a line of text in a box.

    Args:
        canvas: canvas to draw on.
        theme: colors.
        text: the line.
        middle: middle of the box.
        size: size of the font, in pixels; reduced for a text that is too wide.
        width: largest width of the box, in pixels.
        color: color of the letters; None for the theme's ink.
    """
    room = width - size
    while size > _LEAST_SIZE and canvas.text_width(text, size) > room:
        size = max(size - 1.0, _LEAST_SIZE)
    text = fitted(canvas, text, size, room)
    half = complex(canvas.text_width(text, size) / 2 + 0.6 * size, 0.85 * size)
    draw_box(canvas, theme, middle - half, middle + half)
    canvas.text(text, theme.ink if color is None else color, middle, size, 0.5)


def draw_help(
    canvas: Canvas, theme: Theme, title: str, rows: Sequence[tuple[str, str]]
) -> None:
    """Draws a panel over the canvas: a title, and what each key does.

    In a small window the letters are smaller; what still does not fit is cut.

    Args:
        canvas: canvas to draw on.
        theme: colors.
        title: title above the rows.
        rows: keys, and what they do.
    """
    columns = 1 if canvas.width < canvas.height else 2
    in_column = -(-len(rows) // columns)
    largest = text_size(canvas.width, canvas.height)
    fitting = min(canvas.width / columns / _HELP_WIDTH, canvas.height / _LINE / (in_column + 3))
    size = max(min(largest, fitting), _LEAST_SIZE)
    width, line = canvas.width / columns, _LINE * size
    canvas.rectangle(theme.ground, 0j, complex(canvas.width, canvas.height), 0.94)
    start = complex(size, 1.2 * line)
    text = fitted(canvas, title, 1.2 * size, canvas.width - 2 * size)
    canvas.text(text, theme.ink, start, 1.2 * size)
    for number, (keys, meaning) in enumerate(rows):
        column, row = divmod(number, in_column)
        place = start + complex(column * width, (row + 1.4) * line)
        across = _HELP_KEYS * width
        keys = fitted(canvas, keys, size, across - size)
        canvas.text(keys, theme.pursuer, place, size)
        meaning = fitted(canvas, meaning, size, width - across - size)
        canvas.text(meaning, theme.ink, place + across, size)
