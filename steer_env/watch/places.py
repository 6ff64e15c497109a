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
        """Returns True for a place, column + row * 1j, inside."""
        across = self.left <= place.real < self.right
        return across and self.top <= place.imag < self.bottom

    def below(self, height: int) -> Rectangle:
        """Returns the part below a header of a height."""
        return Rectangle(self.left, self.top + height, self.width, self.height - height)


class Places(NamedTuple):
    """The places of the games, in their order, of the inspector, and of the status line."""

    panels: tuple[Rectangle, ...]
    inspector: Rectangle | None
    status: Rectangle


def places_in(
    size: tuple[int, int], panels: int, columns: int, status_height: int, has_inspector: bool
) -> Places:
    """Divides a window of a width and height in pixels.

    The panels are in a number of columns if that costs little space. The inspector is beside
    the panels in a wide window, below them in a tall one.
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
    return Places(_cells(right, bottom, panels, columns), inspector, status)


def _cells(width: int, height: int, count: int, columns: int) -> tuple[Rectangle, ...]:
    """Divides an area into a grid of cells, row by row, for the largest square contents."""

    def side(tried: int) -> float:
        return min(width / tried, height / -(-count // tried))

    # Of equally good numbers of columns, the one with the fuller last row.
    best = max(range(1, count + 1), key=lambda tried: (side(tried), -(-count % tried)))
    if columns <= count and side(columns) >= _GOOD_ENOUGH * side(best):
        best = columns
    rows = -(-count // best)
    lefts = [width * number // best for number in range(best + 1)]
    tops = [height * number // rows for number in range(rows + 1)]
    return tuple(
        Rectangle(left, top, right - left, bottom - top)
        for top, bottom in pairwise(tops)
        for left, right in pairwise(lefts)
    )[:count]
