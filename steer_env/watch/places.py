"""Places in the window: the games and the status line."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from steer_env.rendering.backend import import_pygame
from steer_env.rendering.overlay import text_size

Rectangle: TypeAlias = Any  # a pygame.Rect: in pixels from the window's upper left corner

_HEADER = 35  # pixels: with titles of 16 pixels, as in CSS
_LARGEST = (1200, 820)  # pixels: of a window that is sized to its games
_WIDEST = 560  # pixels: of a panel in it
_TALLEST = 1.15  # of a panel of several, in its widths
_GOOD_ENOUGH = 0.85  # of the largest possible panels, for the wished number of columns


class Places(NamedTuple):
    """The places of the games, in their order, and of the status line."""

    panels: tuple[Rectangle, ...]
    scenes: tuple[Rectangle, ...]  # the panels below their headers, which several games have
    status: Rectangle


def window_size(count: int, columns: int) -> tuple[int, int]:
    """The width and height of a window for several games, with little space around them."""
    panels, *_ = places_in(_LARGEST, count, columns)
    columns = sum(panel.top == panels[0].top for panel in panels)
    side = min(panels[0].width, panels[0].height - _HEADER, _WIDEST)
    width, height = side * columns, (side + _HEADER) * -(-count // columns)
    return width, height + round(1.7 * text_size(width, height))


def places_in(size: tuple[int, int], count: int, columns: int) -> Places:
    """Divides a window of a width and height in pixels."""
    width, height = size
    rectangle = import_pygame().Rect
    status_height = round(1.7 * text_size(width, height))
    status = rectangle(0, height - status_height, width, status_height)
    panels = _cells(width, status.top, count, columns)
    high = panels[0].height
    header = min(_HEADER, high // 7, panels[0].width // 8) * (count > 1)
    scenes = (rectangle(x, y + header, wide, high - header) for x, y, wide, high in panels)
    return Places(panels, tuple(scenes), status)


def _cells(width: int, height: int, count: int, columns: int) -> tuple[Rectangle, ...]:
    """Divides an area into cells, row by row: in `columns` if that costs little space."""

    def side(tried: int) -> float:
        return min(width / tried, height / -(-count // tried))

    # Of those that cost little space the wished one, or else that with the fullest last row.
    largest = max(map(side, range(1, count + 1)))
    good = [tried for tried in range(1, count + 1) if side(tried) >= _GOOD_ENOUGH * largest]
    best = min(good, key=lambda tried: (tried != columns, -count % tried, -side(tried)))
    rows = -(-count // best)
    lefts = [width * number // best for number in range(best + 1)]
    # As high as boards need, so that a header is near its board.
    high = height if count == 1 else min(height, round(_TALLEST * rows * width / best))
    tops = [(height - high) // 2 + high * number // rows for number in range(rows + 1)]
    return tuple(
        import_pygame().Rect(left, top, right - left, bottom - top)
        for top, bottom in pairwise(tops)
        for left, right in pairwise(lefts)
    )[:count]
