"""Centered lines of text and buttons that fit their box, in a window of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from steer_env.drawing import Color
from steer_env.interface.buttons import HEIGHT, Button, Pointer
from steer_env.interface.grid import Rectangle
from steer_env.interface.overlay import wrapped
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted

_SPACING = 1.35  # between the middles of lines, in font sizes
_BUTTON_SPACING = HEIGHT + 0.3  # the same of lines with buttons
_BUTTON_GAP = 0.5  # between buttons, in font sizes
_LEAST_SIZE = 10.0  # pixels: the smallest font that can be read

Piece: TypeAlias = tuple[str, Color] | Button
"""A part of a line: a text and its color, or a button."""


@dataclass(frozen=True)
class Line:
    """A line of texts in different colors, and of buttons.

    Attributes:
        pieces: texts and buttons, from left to right.
        size: size of the font, as a multiple of the default one.
        space: space above the line, in heights of a default line.
        is_text: whether the line may be broken between words; only for a single text. A line
            with buttons may be broken between its pieces.
    """

    pieces: tuple[Piece, ...]
    size: float = 1.0
    space: float = 0.0
    is_text: bool = False

    @property
    def has_buttons(self) -> bool:
        """Whether a piece is a button."""
        return any(isinstance(piece, Button) for piece in self.pieces)


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
            total = sum(map(self._height_of, self._lines))
            self.extent = complex(min(widest, width), total)
            if self._size <= _LEAST_SIZE or (widest <= width and total <= height):
                break
            self._size = max(self._size - 1.0, _LEAST_SIZE)

    def draw(self, middle: complex, pointer: Pointer | None = None) -> None:
        """Draws the lines, centered around a place, and adds the buttons to a pointer's."""
        top = middle.imag - self.extent.imag / 2
        for each in self._lines:
            height = self._height_of(each)
            space = each.space * _SPACING * self._size
            row = top + space + (height - space) / 2
            self._draw_line(each, complex(middle.real, row), pointer)
            top += height

    def _draw_line(self, each: Line, middle: complex, pointer: Pointer | None) -> None:
        canvas, size = self._canvas, each.size * self._size
        start, left = middle - min(self._width_of(each), self._width) / 2, self._width
        for piece in each.pieces:
            wide = min(self._width_of_piece(piece, size), left)
            if isinstance(piece, Button):
                gap, high = _BUTTON_GAP * size, HEIGHT * size
                corner = start + complex(gap / 2, -high / 2)
                area = Rectangle(
                    *map(round, (corner.real, corner.imag, max(wide - gap, 0.0), high))
                )
                is_hovered = pointer is not None and pointer.add(area, piece.act)
                piece.draw(canvas, area, size, is_hovered)
            else:
                string, color = piece
                seen = fitted(canvas, string, size, left)
                canvas.text(seen, color, start, size)
                wide = canvas.text_width(seen, size)
            start, left = start + wide, left - wide

    def _width_of(self, each: Line) -> float:
        size = each.size * self._size
        return sum(self._width_of_piece(piece, size) for piece in each.pieces)

    def _width_of_piece(self, piece: Piece, size: float) -> float:
        if isinstance(piece, Button):
            return piece.width(self._canvas, size) + _BUTTON_GAP * size
        return self._canvas.text_width(piece[0], size)

    def _height_of(self, each: Line) -> float:
        """Returns the height of a line and the space above it, in pixels."""
        own = _BUTTON_SPACING if each.has_buttons else _SPACING
        return (each.size * own + each.space * _SPACING) * self._size

    def _broken(self, each: Line) -> list[Line]:
        """Breaks a line that is too wide, if it may be broken."""
        if each.has_buttons:
            return self._broken_buttons(each)
        if not each.is_text:
            return [each]
        ((string, color),) = (piece for piece in each.pieces if isinstance(piece, tuple))
        first, *rest = wrapped(self._canvas, string, each.size * self._size, self._width)
        return [
            Line(((first, color),), each.size, each.space),
            *(Line(((part, color),), each.size) for part in rest),
        ]

    def _broken_buttons(self, each: Line) -> list[Line]:
        rows: list[Line] = []
        for piece in each.pieces:
            longer = replace(rows[-1], pieces=(*rows[-1].pieces, piece)) if rows else None
            if longer is not None and self._width_of(longer) <= self._width:
                rows[-1] = longer
            else:
                rows.append(Line((piece,), each.size, 0.0 if rows else each.space))
        return rows
