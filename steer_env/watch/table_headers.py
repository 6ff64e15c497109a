"""Headers of the rows and columns of a table of games."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.drawing import Color, Theme
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted
from steer_env.watch.places import Header
from steer_env.watch.screening import Screening


def header_size(size: tuple[int, int]) -> float:
    """The size of the headers' font in a window, in pixels."""
    return min(max(14.0, min(size) / 45), 20.0)


def lines_of_header(
    screening: Screening, theme: Theme, axis: int, number: int
) -> list[tuple[str, Color]]:
    """The lines of a row's or a column's header, and their colors.

    Args:
        screening: the games, which are a table.
        theme: colors.
        axis: of the two numbers of `Screening.table`.
        number: of the row or column, along the axis.
    """
    assert screening.table is not None
    first = number * screening.table[1] if axis == 0 else number
    pursuer, evader = screening.games[first].names
    if not screening.has_many_starts:
        return [((pursuer, evader)[axis], (theme.pursuer, theme.evader)[axis])]
    if axis == 1:
        return [(f"seed {screening.seed_of(number)}", theme.faint)]
    return [(pursuer, theme.pursuer), (f"v {evader}", theme.evader)]


def draw_table_header(
    canvas: Canvas, header: Header, lines: Sequence[tuple[str, Color]], size: float
) -> None:
    """Draws the header of a row, line below line, or of a column, in one line.

    Args:
        canvas: the window.
        header: its place.
        lines: texts and their colors.
        size: of the font, in pixels.
    """
    place, gap = header.place, 0.4 * size
    if header.is_row:
        row = place.top + place.height / 2 - (len(lines) - 1) * 0.65 * size
        for text, color in lines:
            text = fitted(canvas, text, size, place.width - 0.8 * size, from_front=True)
            canvas.text(text, color, complex(place.left + 0.5 * size, row), size)
            row += 1.3 * size
        return
    room = (place.width - size - gap * (len(lines) - 1)) / len(lines)
    texts = [fitted(canvas, text, size, room, from_front=True) for text, _ in lines]
    wide = sum(canvas.text_width(text, size) for text in texts) + gap * (len(texts) - 1)
    column = place.left + (place.width - wide) / 2
    for text, (_, color) in zip(texts, lines):
        canvas.text(text, color, complex(column, place.top + place.height / 2), size)
        column += canvas.text_width(text, size) + gap
