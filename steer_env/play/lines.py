"""Centered lines of text that fit their box, in a window of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steer_env.interface.overlay import wrapped
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted
from steer_env.rendering.themes import Color

_SPACING = 1.35  # between the middles of lines, in font sizes
_LEAST_SIZE = 10.0  # pixels: the smallest font that can be read


@dataclass(frozen=True)
class Line:
    """A line of pieces in different colors.

    Attributes:
        pieces: texts and their colors, from left to right.
        size: size of the font, as a multiple of the default one.
        space: space above the line, in heights of a default line.
        is_text: whether the line may be broken between words; only for a single piece.
    """

    pieces: tuple[tuple[str, Color], ...]
    size: float = 1.0
    space: float = 0.0
    is_text: bool = False


def line(string: str, color: Color, size: float = 1.0, space: float = 0.0) -> Line:
    """Returns a line in one color."""
    return Line(((string, color),), size, space)


def text(string: str, color: Color, size: float = 1.0, space: float = 0.0) -> Line:
    """Returns a text in one color, to be broken between words where it is too wide."""
    return Line(((string, color),), size, space, is_text=True)


def draw_lines(
    canvas: Canvas,
    lines: Sequence[Line],
    middle: complex,
    width: float,
    height: float,
    size: float,
) -> None:
    """Draws lines around a place, smaller if they do not fit.

    Args:
        canvas: canvas to draw on.
        lines: lines from top to bottom.
        middle: middle of the lines, in pixels.
        width: width of the box, in pixels.
        height: height of the box, in pixels.
        size: size of the default font, in pixels.
    """
    shown, size = _fitting(canvas, lines, width, height, size)
    row = middle.imag - _height(shown, size) / 2
    for each in shown:
        row += each.space * _SPACING * size + 0.5 * _SPACING * each.size * size
        _draw_line(canvas, each, complex(middle.real, row), width, each.size * size)
        row += 0.5 * _SPACING * each.size * size


def extent(
    canvas: Canvas, lines: Sequence[Line], width: float, height: float, size: float
) -> complex:
    """Returns the size of the lines that `draw_lines` draws: width + height * 1j, in pixels."""
    shown, size = _fitting(canvas, lines, width, height, size)
    widest = max(_width(canvas, each, size) for each in shown)
    return complex(min(widest, width), _height(shown, size))


def _fitting(
    canvas: Canvas, lines: Sequence[Line], width: float, height: float, size: float
) -> tuple[list[Line], float]:
    """Returns the lines, broken where they are too wide, and the largest font that fits."""
    while True:
        shown = [part for each in lines for part in _broken(canvas, each, width, size)]
        is_wide = any(_width(canvas, each, size) > width for each in shown)
        if size <= _LEAST_SIZE or not (is_wide or _height(shown, size) > height):
            return shown, size
        size = max(size - 1.0, _LEAST_SIZE)


def _broken(canvas: Canvas, each: Line, width: float, size: float) -> list[Line]:
    if not each.is_text:
        return [each]
    ((string, color),) = each.pieces
    parts = wrapped(canvas, string, each.size * size, width)
    return [
        Line(((part, color),), each.size, 0.0 if number else each.space)
        for number, part in enumerate(parts)
    ]


def _width(canvas: Canvas, each: Line, size: float) -> float:
    return sum(canvas.text_width(string, each.size * size) for string, _ in each.pieces)


def _height(lines: Sequence[Line], size: float) -> float:
    return sum((each.size + each.space) * _SPACING * size for each in lines)


def _draw_line(canvas: Canvas, each: Line, middle: complex, width: float, size: float) -> None:
    whole = sum(canvas.text_width(string, size) for string, _ in each.pieces)
    start, left = middle - min(whole, width) / 2, width
    for string, color in each.pieces:
        seen = fitted(canvas, string, size, left)
        canvas.text(seen, color, start, size)
        wide = canvas.text_width(seen, size)
        start, left = start + wide, left - wide
