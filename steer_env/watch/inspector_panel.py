"""The panel of the inspector."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.drawing import Color, Theme
from steer_env.interface.grid import Rectangle
from steer_env.interface.overlay import draw_frame, wrapped
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted
from steer_env.watch.inspector import Bar, Fact, Heading, Note, Row

_SIZE = 16.0  # of the font, in pixels
_SMALL = 14.0
_LINE = 19.0
_SMALL_LINE = 16.0
_INSET = 12.0
_NAMES = 0.42  # share of the width: where values begin
_BAR_WIDTH = 0.26  # share of the width


class InspectorPanel:
    """Draws rows that scroll.

    Attributes:
        scroll: height of the rows above the panel, in pixels.
        hidden: height of the rows that did not fit in the last drawing, in pixels.
    """

    def __init__(self) -> None:
        self.scroll, self.hidden = 0.0, 0.0

    def scroll_by(self, pixels: float) -> None:
        """Scrolls down, at most to the last row."""
        self.scroll = min(max(self.scroll + pixels, 0.0), self.hidden)

    def draw(
        self, canvas: Canvas, theme: Theme, place: Rectangle, rows: Sequence[Row], color: Color
    ) -> None:
        """Draws the rows.

        Args:
            canvas: canvas to draw on.
            theme: colors.
            place: place of the panel.
            rows: rows of the inspector.
            color: color of the vehicle.
        """
        canvas.rectangle(theme.ground, place.corner, place.opposite)
        draw_frame(canvas, theme.grid, place.corner, place.opposite, 2.0)
        pen = _RowPen(canvas, theme, place, color)
        height = sum(pen.height(row) for row in rows) + 2 * _INSET
        self.hidden = max(height - place.height, 0.0)
        self.scroll_by(0.0)
        canvas.clip(place.corner + 2 + 2j, place.opposite - 2 - 2j)
        top = place.top + _INSET - self.scroll
        for row in rows:
            bottom = top + pen.height(row)
            if bottom > place.top and top < place.bottom:
                pen.draw(row, top)
            top = bottom
        if self.hidden > 0.0:
            share = place.height / height
            start = place.top + self.scroll * share
            column = place.right - 6
            end = complex(column + 4, start + place.height * share)
            canvas.rectangle(theme.faint, complex(column, start), end, 0.6)
        canvas.clip()


class _RowPen:
    """Draws rows into a panel."""

    def __init__(self, canvas: Canvas, theme: Theme, place: Rectangle, color: Color) -> None:
        self._canvas, self._theme, self._place, self._color = canvas, theme, place, color
        self._left = place.left + _INSET
        self._width = place.width - 2 * _INSET

    def height(self, row: Row) -> float:
        """Returns the height of a row, in pixels."""
        if isinstance(row, Heading):
            return 1.75 * _LINE
        if isinstance(row, Bar):
            return _LINE + len(self._meaning(row)) * _SMALL_LINE + 3.0
        if isinstance(row, Note):
            return len(self._lines(row.text)) * _LINE
        return len(self._value_lines(row)) * _LINE

    def draw(self, row: Row, top: float) -> None:
        """Draws a row; top is its first line of pixels."""
        canvas, theme = self._canvas, self._theme
        place = complex(self._left, top + _LINE / 2)
        if isinstance(row, Heading):
            text = fitted(canvas, row.text, 1.15 * _SIZE, self._width)
            canvas.text(text, self._color, place + 0.5j * _LINE, 1.15 * _SIZE)
        elif isinstance(row, Note):
            for number, line in enumerate(self._lines(row.text)):
                canvas.text(line, theme.ink, place + number * _LINE * 1j, _SIZE)
        elif isinstance(row, Fact):
            name = fitted(canvas, row.name, _SIZE, _NAMES * self._width - 6)
            canvas.text(name, theme.faint, place, _SIZE)
            for number, line in enumerate(self._value_lines(row)):
                start = place + _NAMES * self._width + number * _LINE * 1j
                canvas.text(line, theme.ink, start, _SIZE)
        else:
            self._draw_bar(row, place)

    def _draw_bar(self, row: Bar, place: complex) -> None:
        canvas, theme, feature = self._canvas, self._theme, row.feature
        right = self._left + self._width
        name_width = (1 - _BAR_WIDTH) * self._width - 4.0 * _SIZE
        canvas.text(fitted(canvas, feature.name, _SIZE, name_width), theme.ink, place, _SIZE)
        start = right - _BAR_WIDTH * self._width
        canvas.text(f"{row.value:.3f}", theme.ink, complex(start - 8, place.imag), _SIZE, 1.0)
        top, bottom = place.imag - 5, place.imag + 5
        canvas.rectangle(theme.grid, complex(start, top), complex(right, bottom))
        scale = (right - start) / (feature.high - feature.low)
        zero = start + scale * (max(feature.low, 0.0) - feature.low)
        end = start + scale * (min(max(row.value, feature.low), feature.high) - feature.low)
        canvas.rectangle(self._color, complex(zero, top), complex(end, bottom))
        canvas.rectangle(
            theme.faint, complex(zero - 0.5, top - 2), complex(zero + 0.5, bottom + 2)
        )
        below = place + 1j * (_LINE + _SMALL_LINE) / 2
        for number, line in enumerate(self._meaning(row)):
            canvas.text(line, theme.faint, below + number * _SMALL_LINE * 1j, _SMALL)

    def _lines(self, text: str) -> list[str]:
        return wrapped(self._canvas, text, _SIZE, self._width)

    def _value_lines(self, row: Fact) -> list[str]:
        return wrapped(self._canvas, row.value, _SIZE, (1 - _NAMES) * self._width)

    def _meaning(self, row: Bar) -> list[str]:
        return wrapped(self._canvas, row.feature.meaning, _SMALL, self._width)
