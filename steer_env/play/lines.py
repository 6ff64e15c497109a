"""Centered lines of text that fit their box, in a window of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steer_env.drawing import Color
from steer_env.interface.overlay import wrapped
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted

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


class Block:
    """Lines of text in a box, in the largest font that fits.

    Args:
        canvas: canvas to draw on.
        lines: lines from top to bottom.
        width: largest width, in pixels.
        height: largest height, in pixels.
        size: largest size of the default font, in pixels.

    Attributes:
        extent: width + height * 1j of the lines, in pixels.
    """

    def __init__(
        self, canvas: Canvas, lines: Sequence[Line], width: float, height: float, size: float
    ) -> None:
        self._canvas, self._width, self._size = canvas, width, size
        while True:
            self._lines = [part for each in lines for part in self._broken(each)]
            widest = max(map(self._width_of, self._lines))
            total = sum(
                (each.size + each.space) * _SPACING * self._size for each in self._lines
            )
            self.extent = complex(min(widest, width), total)
            if self._size <= _LEAST_SIZE or (widest <= width and total <= height):
                break
            self._size = max(self._size - 1.0, _LEAST_SIZE)

    def draw(self, middle: complex) -> None:
        """Draws the lines, centered around a place."""
        top = middle.imag - self.extent.imag / 2
        for each in self._lines:
            top += each.space * _SPACING * self._size
            height = _SPACING * each.size * self._size
            self._draw_line(each, complex(middle.real, top + height / 2))
            top += height

    def _draw_line(self, each: Line, middle: complex) -> None:
        size = each.size * self._size
        start, left = middle - min(self._width_of(each), self._width) / 2, self._width
        for string, color in each.pieces:
            seen = fitted(self._canvas, string, size, left)
            self._canvas.text(seen, color, start, size)
            wide = self._canvas.text_width(seen, size)
            start, left = start + wide, left - wide

    def _width_of(self, each: Line) -> float:
        size = each.size * self._size
        return sum(self._canvas.text_width(string, size) for string, _ in each.pieces)

    def _broken(self, each: Line) -> list[Line]:
        """Breaks a text that is too wide."""
        if not each.is_text:
            return [each]
        ((string, color),) = each.pieces
        first, *rest = wrapped(self._canvas, string, each.size * self._size, self._width)
        return [
            Line(((first, color),), each.size, each.space),
            *(Line(((part, color),), each.size) for part in rest),
        ]
