"""Panels that share a window."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

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


def cells(
    area: Rectangle, count: int, columns: int = 1, header: int = 0
) -> tuple[Rectangle, ...]:
    """Divides an area into a grid of cells, row by row, for the largest square contents.

    Args:
        area: area to divide.
        count: number of cells.
        columns: number of columns to use if the squares are then nearly as large.
        header: height at the top of each cell that is not part of its square.
    """

    def side(tried: int) -> float:
        return min(area.width / tried, area.height / -(-count // tried) - header)

    # Of equally good numbers of columns, the one with the fuller last row.
    best = max(range(1, count + 1), key=lambda tried: (side(tried), -(-count % tried)))
    if columns <= count and side(columns) >= _GOOD_ENOUGH * side(best):
        best = columns
    return matrix(area, -(-count // best), best)[:count]


def matrix(area: Rectangle, rows: int, columns: int) -> tuple[Rectangle, ...]:
    """Divides an area into rows and columns of cells, row by row."""
    lefts = [area.left + area.width * number // columns for number in range(columns + 1)]
    tops = [area.top + area.height * number // rows for number in range(rows + 1)]
    return tuple(
        Rectangle(left, top, right - left, bottom - top)
        for top, bottom in pairwise(tops)
        for left, right in pairwise(lefts)
    )
