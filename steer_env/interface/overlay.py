"""Texts over a picture: boxes, help, messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from steer_env.drawing import Color, Theme
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted

_LEAST_SIZE = 11.0  # pixels: the smallest font that can be read
_LINE = 1.3  # height of a line, in sizes of its font


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


class _Plan(NamedTuple):
    """Sizes of the help, in pixels, and its columns."""

    size: float
    columns: int
    rows_a_column: int
    key_width: float
    column_width: float


def draw_help(
    canvas: Canvas, theme: Theme, title: str, rows: Sequence[tuple[str, str]]
) -> None:
    """Draws a panel in the middle of the canvas: a title, and what each key does.

    In a small window it has smaller letters or more columns; what still does not fit is cut.

    Args:
        canvas: canvas to draw on.
        theme: colors.
        title: title above the rows.
        rows: keys, and what they do.
    """
    plan = _plan(canvas, title, rows)
    gap = 1.2 * plan.size
    line = _LINE * plan.size
    width = plan.columns * (plan.column_width + gap) + gap
    height = (plan.rows_a_column + 2.6) * line
    half = complex(min(width, canvas.width), min(height, canvas.height)) / 2
    middle = complex(canvas.width, canvas.height) / 2
    canvas.rectangle(theme.background, 0j, 2 * middle, 0.55)
    draw_box(canvas, theme, middle - half, middle + half, 0.96)
    start = middle - half + complex(gap, line)
    room = 2 * half.real - 2 * gap
    canvas.text(fitted(canvas, title, 1.2 * plan.size, room), theme.ink, start, 1.2 * plan.size)
    for number, (keys, meaning) in enumerate(rows):
        column, row = divmod(number, plan.rows_a_column)
        if column >= plan.columns:
            break
        place = start + complex(column * (plan.column_width + gap), (row + 1.4) * line)
        keys = fitted(canvas, keys, plan.size, plan.key_width)
        canvas.text(keys, theme.pursuer, place, plan.size)
        across = plan.key_width + 0.8 * plan.size
        left = plan.column_width - across + 1e-6  # tolerates rounding
        meaning = fitted(canvas, meaning, plan.size, left)
        canvas.text(meaning, theme.ink, place + across, plan.size)


def _plan(canvas: Canvas, title: str, rows: Sequence[tuple[str, str]]) -> _Plan:
    """Returns the largest letters that fit, in as few columns as possible."""
    largest = round(text_size(canvas.width, canvas.height))
    for size in range(largest, int(_LEAST_SIZE) - 1, -1):
        keys = max((canvas.text_width(keys, size) for keys, _ in rows), default=0.0)
        meanings = max((canvas.text_width(meaning, size) for _, meaning in rows), default=0.0)
        heading = canvas.text_width(title, 1.2 * size)
        gap, line = 1.2 * size, _LINE * size
        for columns in (1, 2, 3):
            wide = max(keys + 0.8 * size + meanings, heading / columns)
            rows_a_column = max(-(-len(rows) // columns), 1)
            is_wide = columns * (wide + gap) + gap > canvas.width
            if not is_wide and (rows_a_column + 2.6) * line <= canvas.height:
                return _Plan(size, columns, rows_a_column, keys, wide)
    # Not even the smallest letters fit: as many rows as possible, cut short.
    fitting = max(int(canvas.height / (_LINE * _LEAST_SIZE) - 2.6), 1)
    columns = min(max(-(-len(rows) // fitting), 1), 2)
    gap = 1.2 * _LEAST_SIZE
    column_width = max((canvas.width - gap) / columns - gap, _LEAST_SIZE)
    return _Plan(_LEAST_SIZE, columns, fitting, 0.4 * column_width, column_width)
