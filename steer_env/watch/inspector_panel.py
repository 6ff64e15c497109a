"""The panel of the inspector, and the arrows of a decision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steer_env.drawing import PART_COLORS, Color, DrawingConfig
from steer_env.errors import number_text
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.overlay import draw_frame, small_text_size, wrapped
from steer_env.rendering.texts import fitted
from steer_env.sides import Side
from steer_env.watch.inspector import Bar, Decision, Fact, Heading, Note, Row, Share
from steer_env.watch.places import Rectangle

_SMALL = 0.92  # lengths are in sizes of the font
_LINE = 1.19
_SMALL_LINE = 1.06
_INSET = 0.75
_NAMES = 0.42  # share of the width: where values begin
_BAR_WIDTH = 0.26  # share of the width
_SHORTEST = 2.0  # pixels: shorter arrows are left out


class InspectorPanel:
    """Draws rows that scroll."""

    def __init__(self) -> None:
        self.scroll = 0.0  # the height of the rows above the panel, in pixels
        self.hidden = 0.0  # the height of the rows that did not fit, in pixels

    def scroll_by(self, pixels: float) -> None:
        """Scrolls down, at most to the last row."""
        self.scroll = min(max(self.scroll + pixels, 0.0), self.hidden)

    def draw(
        self,
        canvas: Canvas,
        drawing: DrawingConfig,
        place: Rectangle,
        rows: Sequence[Row],
        side: Side,
    ) -> None:
        """Draws the rows."""
        theme = drawing.colors
        canvas.rectangle(theme.ground, place.corner, place.opposite)
        draw_frame(canvas, theme.grid, place.corner, place.opposite, 2.0)
        pen = _RowPen(canvas, drawing, place, side)
        inset = _INSET * pen.size
        height = sum(map(pen.height, rows)) + 2 * inset
        self.hidden = max(height - place.height, 0.0)
        self.scroll_by(0.0)
        top = place.top + inset - self.scroll
        for row in rows:
            bottom = top + pen.height(row)
            if bottom > place.top and top < place.bottom:
                canvas.clip(place.corner + 2 + 2j, place.opposite - 2 - 2j)
                pen.draw(row, top)
            top = bottom
        if self.hidden > 0.0:
            share = place.height / height
            start = complex(place.right - 6, place.top + self.scroll * share)
            end = start + complex(4, place.height * share)
            canvas.rectangle(theme.faint, start, end, 0.6)
        canvas.clip()


class _RowPen:
    """Draws rows into a panel."""

    def __init__(
        self, canvas: Canvas, drawing: DrawingConfig, place: Rectangle, side: Side
    ) -> None:
        self._canvas, self._drawing, self._side = canvas, drawing, side
        self._theme, self._color = drawing.colors, drawing.colors.of(side)
        self.size = size = small_text_size(canvas.width, canvas.height)
        self._line, self._small_line = _LINE * size, _SMALL_LINE * size
        self._left = place.left + _INSET * size
        self._width = place.width - 2 * _INSET * size

    def height(self, row: Row) -> float:
        """Returns the height of a row, in pixels."""
        if isinstance(row, Heading):
            return 1.75 * self._line
        if isinstance(row, Bar):
            return self._line + len(self._meaning(row)) * self._small_line + 0.2 * self.size
        return self._line if isinstance(row, Share) else len(self._lines(row)) * self._line

    def draw(self, row: Row, top: float) -> None:
        """Draws a row below its first line of pixels."""
        canvas, theme, size = self._canvas, self._theme, self.size
        place = complex(self._left, top + self._line / 2)
        if isinstance(row, Heading):
            text = fitted(canvas, row.text, 1.15 * size, self._width)
            canvas.text(text, self._color, place + 0.5j * self._line, 1.15 * size)
        elif isinstance(row, Share):
            self._draw_share(row, place)
        elif isinstance(row, Bar):
            self._draw_bar(row, place)
        else:
            if isinstance(row, Fact):
                name = fitted(canvas, row.name, size, _NAMES * self._width - 6)
                canvas.text(name, theme.faint, place, size)
                place += _NAMES * self._width
            for number, line in enumerate(self._lines(row)):
                canvas.text(line, theme.ink, place + number * self._line * 1j, size)

    def _draw_share(self, share: Share, place: complex) -> None:
        """Draws a part's name in its color, what it adds to the force, and what was cut."""
        canvas, theme, size = self._canvas, self._theme, self.size
        color = _part_color(self._drawing, share.part, self._side)
        canvas.rectangle(color, place - 0.3j * size, place + (0.6 + 0.3j) * size)
        name = fitted(canvas, share.name, size, _NAMES * self._width - 1.4 * size)
        canvas.text(name, color, place + size, size)
        start = place + _NAMES * self._width
        if share.asked is None:
            canvas.text("left out", theme.faint, start, size)
            return
        text = f"{abs(share.added):.2f} N"
        if share.is_cut:
            text += f" of {abs(share.asked):.2f} N"
        text = fitted(canvas, text, size, (1 - _NAMES) * self._width)
        canvas.text(text, theme.ink, start, size)

    def _draw_bar(self, row: Bar, place: complex) -> None:
        canvas, theme, feature, size = self._canvas, self._theme, row.feature, self.size
        right, middle = self._left + self._width, place.imag
        name_width = (1 - _BAR_WIDTH) * self._width - 4.0 * size
        canvas.text(fitted(canvas, feature.name, size, name_width), theme.ink, place, size)
        start = right - _BAR_WIDTH * self._width
        number = number_text(row.value, ".3f")
        canvas.text(number, theme.ink, complex(start - 8, middle), size, 1.0)

        def bar(color: Color, low: float, high: float, half: int) -> None:
            canvas.rectangle(color, complex(low, middle - half), complex(high, middle + half))

        bar(theme.grid, start, right, 5)
        scale = (right - start) / (feature.high - feature.low)
        zero = start + scale * (max(feature.low, 0.0) - feature.low)
        end = start + scale * (min(max(row.value, feature.low), feature.high) - feature.low)
        bar(self._color, zero, end, 5)
        bar(theme.faint, zero - 0.5, zero + 0.5, 7)
        below = place + 1j * (self._line + self._small_line) / 2
        for index, line in enumerate(self._meaning(row)):
            canvas.text(line, theme.faint, below + index * self._small_line * 1j, _SMALL * size)

    def _lines(self, row: Note | Fact) -> list[str]:
        if isinstance(row, Note):
            return wrapped(self._canvas, row.text, self.size, self._width)
        return wrapped(self._canvas, row.value, self.size, (1 - _NAMES) * self._width)

    def _meaning(self, row: Bar) -> list[str]:
        return wrapped(self._canvas, row.feature.meaning, _SMALL * self.size, self._width)


def _part_color(drawing: DrawingConfig, part: str, side: Side) -> Color:
    return PART_COLORS[drawing.theme].get(part, drawing.colors.of(side))


def draw_decision(
    canvas: Canvas,
    drawing: DrawingConfig,
    decision: Decision,
    side: Side,
    start: complex,
    scale: float,
    size: float,
) -> None:
    """Draws the force of a player as a broad line, and over it the arrows that it is made of.

    Each arrow, of a part of the script or of a policy's action, goes on from the one before.
    The scale is in pixels for a newton; widths of lines follow the size of the panel's font.
    """
    force = start + scale * decision.force.conjugate()
    if abs(force - start) >= _SHORTEST:
        canvas.line(drawing.colors.force, start, force, 0.5 * size, 0.45)
    parts = [(_part_color(drawing, one.part, side), one.added) for one in decision.shares]
    if decision.action is not None:
        action = decision.action * decision.heading * decision.max_force
        parts.append((drawing.colors.of(side), action))
    tail = start
    for color, part in parts:
        tip = tail + scale * part.conjugate()
        _draw_arrow(canvas, color, tail, tip, 0.17 * size)
        tail = tip


def _draw_arrow(
    canvas: Canvas, color: Color, tail: complex, tip: complex, width: float
) -> None:
    """Draws an arrow with a filled head, all in pixels."""
    length = abs(tip - tail)
    if length < _SHORTEST:
        return
    along = (tip - tail) / length
    head = min(4.0 * width, 0.6 * length)
    canvas.line(color, tail, tip - 0.8 * head * along, width)
    corners = np.array([tip, tip - head * along * (1 + 0.5j), tip - head * along * (1 - 0.5j)])
    canvas.polygon(color, corners)
