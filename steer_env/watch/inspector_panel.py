"""The panel of the inspector."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.drawing import DrawingConfig
from steer_env.errors import number_text
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.overlay import draw_frame, small_text_size, wrapped
from steer_env.rendering.texts import fitted
from steer_env.sides import Side
from steer_env.watch.decisions import Share
from steer_env.watch.force_arrows import part_color
from steer_env.watch.inspector import Bar, Fact, Heading, Note, Part, Row
from steer_env.watch.places import Rectangle

_SMALL = 0.92  # lengths are in sizes of the font
_LINE = 1.19
_SMALL_LINE = 1.06
_INSET = 0.75
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
        size = small_text_size(canvas.width, canvas.height)
        pen = _RowPen(canvas, drawing, place, side, size)
        height = sum(pen.height(row) for row in rows) + 2 * _INSET * size
        self.hidden = max(height - place.height, 0.0)
        self.scroll_by(0.0)
        top = place.top + _INSET * size - self.scroll
        for row in rows:
            bottom = top + pen.height(row)
            if bottom > place.top and top < place.bottom:
                canvas.clip(place.corner + 2 + 2j, place.opposite - 2 - 2j)
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

    def __init__(
        self, canvas: Canvas, drawing: DrawingConfig, place: Rectangle, side: Side, size: float
    ) -> None:
        self._canvas, self._drawing, self._place = canvas, drawing, place
        self._theme, self._side, self._size = drawing.colors, side, size
        self._color = self._theme.of(side)
        self._line, self._small_line = _LINE * size, _SMALL_LINE * size
        self._left = place.left + _INSET * size
        self._width = place.width - 2 * _INSET * size

    def height(self, row: Row) -> float:
        """Returns the height of a row, in pixels."""
        if isinstance(row, Heading):
            return 1.75 * self._line
        if isinstance(row, Bar):
            return self._line + len(self._meaning(row)) * self._small_line + 0.2 * self._size
        if isinstance(row, Note):
            return len(self._lines(row.text)) * self._line
        if isinstance(row, Part):
            return self._line
        return len(self._value_lines(row)) * self._line

    def draw(self, row: Row, top: float) -> None:
        """Draws a row; top is its first line of pixels."""
        canvas, theme, size = self._canvas, self._theme, self._size
        place = complex(self._left, top + self._line / 2)
        if isinstance(row, Heading):
            text = fitted(canvas, row.text, 1.15 * size, self._width)
            canvas.text(text, self._color, place + 0.5j * self._line, 1.15 * size)
        elif isinstance(row, Note):
            for number, line in enumerate(self._lines(row.text)):
                canvas.text(line, theme.ink, place + number * self._line * 1j, size)
        elif isinstance(row, Fact):
            name = fitted(canvas, row.name, size, _NAMES * self._width - 6)
            canvas.text(name, theme.faint, place, size)
            for number, line in enumerate(self._value_lines(row)):
                start = place + _NAMES * self._width + number * self._line * 1j
                canvas.text(line, theme.ink, start, size)
        elif isinstance(row, Part):
            self._draw_part(row.share, place)
        else:
            self._draw_bar(row, place)

    def _draw_part(self, share: Share, place: complex) -> None:
        """Draws a part's name in its color, what it adds to the force, and what was cut."""
        canvas, theme, size = self._canvas, self._theme, self._size
        color = part_color(self._drawing, share.part, self._side)
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
        canvas, theme, feature = self._canvas, self._theme, row.feature
        size = self._size
        right = self._left + self._width
        name_width = (1 - _BAR_WIDTH) * self._width - 4.0 * size
        canvas.text(fitted(canvas, feature.name, size, name_width), theme.ink, place, size)
        start = right - _BAR_WIDTH * self._width
        canvas.text(
            number_text(row.value, ".3f"), theme.ink, complex(start - 8, place.imag), size, 1.0
        )
        top, bottom = place.imag - 5, place.imag + 5
        canvas.rectangle(theme.grid, complex(start, top), complex(right, bottom))
        scale = (right - start) / (feature.high - feature.low)
        zero = start + scale * (max(feature.low, 0.0) - feature.low)
        end = start + scale * (min(max(row.value, feature.low), feature.high) - feature.low)
        canvas.rectangle(self._color, complex(zero, top), complex(end, bottom))
        canvas.rectangle(
            theme.faint, complex(zero - 0.5, top - 2), complex(zero + 0.5, bottom + 2)
        )
        below = place + 1j * (self._line + self._small_line) / 2
        for number, line in enumerate(self._meaning(row)):
            canvas.text(
                line, theme.faint, below + number * self._small_line * 1j, _SMALL * size
            )

    def _lines(self, text: str) -> list[str]:
        return wrapped(self._canvas, text, self._size, self._width)

    def _value_lines(self, row: Fact) -> list[str]:
        return wrapped(self._canvas, row.value, self._size, (1 - _NAMES) * self._width)

    def _meaning(self, row: Bar) -> list[str]:
        return wrapped(self._canvas, row.feature.meaning, _SMALL * self._size, self._width)
