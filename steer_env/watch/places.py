"""Places in the window: panels, the inspector, the status line."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from steer_env.rendering.overlay import small_text_size

_INSPECTOR_WIDTH = 20.0  # in sizes of its font
_INSPECTOR_SHARE = 0.48  # of the window, at most
_GOOD_ENOUGH = 0.85  # of the largest possible panels, for the wished number of columns


class Rectangle(NamedTuple):
    """A part of a window, in whole pixels from its upper left corner."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """One past the last column."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """One past the last row."""
        return self.top + self.height

    @property
    def corner(self) -> complex:
        """The upper left corner."""
        return complex(self.left, self.top)

    @property
    def opposite(self) -> complex:
        """The lower right corner."""
        return complex(self.right, self.bottom)

    def contains(self, place: complex) -> bool:
        """Returns whether a place, column + row * 1j, is inside."""
        across = self.left <= place.real < self.right
        return across and self.top <= place.imag < self.bottom

    def below(self, height: int) -> Rectangle:
        """Returns the part below a header of a height."""
        return Rectangle(self.left, self.top + height, self.width, self.height - height)


class Places(NamedTuple):
    """Places in a window.

    Attributes:
        panels: places of the games, in their order.
        inspector: place of the inspector; None without one.
        status: place of the line at the bottom.
    """

    panels: tuple[Rectangle, ...]
    inspector: Rectangle | None
    status: Rectangle


def places_in(
    size: tuple[int, int], panels: int, columns: int, status_height: int, has_inspector: bool
) -> Places:
    """Divides a window.

    Args:
        size: width and height of the window, in pixels.
        panels: number of panels.
        columns: number of columns of panels, if that costs little space.
        status_height: height of the status line, in pixels.
        has_inspector: whether to leave space for the inspector: beside the panels in a wide
            window, below them in a tall one.
    """
    width, height = size
    status = Rectangle(0, height - status_height, width, status_height)
    inspector, right, bottom = None, width, status.top
    if has_inspector and width >= 0.9 * height:
        wide = _INSPECTOR_WIDTH * small_text_size(width, height)
        right = width - round(min(wide, _INSPECTOR_SHARE * width))
        inspector = Rectangle(right, 0, width - right, status.top)
    elif has_inspector:
        bottom = round((1 - _INSPECTOR_SHARE) * status.top)
        inspector = Rectangle(0, bottom, width, status.top - bottom)
    return Places(cells(Rectangle(0, 0, right, bottom), panels, columns), inspector, status)


def cells(area: Rectangle, count: int, columns: int = 1) -> tuple[Rectangle, ...]:
    """Divides an area into a grid of cells, row by row, for the largest square contents.

    Args:
        area: area to divide.
        count: number of cells.
        columns: number of columns to use if the squares are then nearly as large.
    """

    def side(tried: int) -> float:
        return min(area.width / tried, area.height / -(-count // tried))

    # Of equally good numbers of columns, the one with the fuller last row.
    best = max(range(1, count + 1), key=lambda tried: (side(tried), -(-count % tried)))
    if columns <= count and side(columns) >= _GOOD_ENOUGH * side(best):
        best = columns
    rows = -(-count // best)
    lefts = [area.left + area.width * number // best for number in range(best + 1)]
    tops = [area.top + area.height * number // rows for number in range(rows + 1)]
    return tuple(
        Rectangle(left, top, right - left, bottom - top)
        for top, bottom in pairwise(tops)
        for left, right in pairwise(lefts)
    )[:count]
