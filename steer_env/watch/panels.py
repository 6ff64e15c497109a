"""Where in a window everything stands: the panels, the inspector, the status line."""

from __future__ import annotations

from typing import NamedTuple

_GOOD_ENOUGH = 0.85  # of the largest panels: then their rows and columns are the players'
_INSPECTOR_WIDTH = 320  # pixels
_INSPECTOR_SHARE = 0.48  # of the window, at most


class Rectangle(NamedTuple):
    """A part of a window, in whole pixels from its left upper corner."""

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
        """Left, above."""
        return complex(self.left, self.top)

    @property
    def opposite(self) -> complex:
        """Right, below."""
        return complex(self.right, self.bottom)

    def contains(self, place: complex) -> bool:
        """Whether a place, column + row * 1j, lies in it."""
        across = self.left <= place.real < self.right
        return across and self.top <= place.imag < self.bottom


class Layout(NamedTuple):
    """Where everything stands.

    Attributes:
        panels: in the order of the games.
        inspector: None without one.
        status: the line at the bottom.
    """

    panels: tuple[Rectangle, ...]
    inspector: Rectangle | None
    status: Rectangle


def layout(
    size: tuple[int, int], panels: int, columns: int, status_height: int, has_inspector: bool
) -> Layout:
    """Divides a window.

    Args:
        size: its width and height, in pixels.
        panels: how many.
        columns: in which they stand if that costs them little room.
        status_height: in pixels.
        has_inspector: whether there is room to leave for it, beside the panels in a wide
            window, below them in a tall one.
    """
    width, height = size
    status = Rectangle(0, height - status_height, width, status_height)
    inspector, right, bottom = None, width, status.top
    if has_inspector and width >= 0.9 * height:
        right = width - min(_INSPECTOR_WIDTH, round(_INSPECTOR_SHARE * width))
        inspector = Rectangle(right, 0, width - right, status.top)
    elif has_inspector:
        bottom = round((1 - _INSPECTOR_SHARE) * status.top)
        inspector = Rectangle(0, bottom, width, status.top - bottom)
    area = Rectangle(0, 0, right, bottom)
    return Layout(cells(area, panels, columns), inspector, status)


def cells(area: Rectangle, count: int, columns: int = 1) -> tuple[Rectangle, ...]:
    """Cells of a grid that fills an area, row by row; what they show is square.

    Args:
        area: to divide.
        count: how many cells.
        columns: that are taken if the squares in the cells are nearly as large as they can be.
    """
    sides = {tried: _side(area, count, tried) for tried in range(1, count + 1)}
    best = max(sides, key=lambda tried: (sides[tried], -(-count % tried)))
    if columns in sides and sides[columns] >= _GOOD_ENOUGH * sides[best]:
        best = columns
    rows = -(-count // best)
    lefts = [area.left + area.width * number // best for number in range(best + 1)]
    tops = [area.top + area.height * number // rows for number in range(rows + 1)]
    return tuple(
        Rectangle(
            lefts[column],
            tops[row],
            lefts[column + 1] - lefts[column],
            tops[row + 1] - tops[row],
        )
        for row, column in (divmod(number, best) for number in range(count))
    )


def _side(area: Rectangle, count: int, columns: int) -> float:
    """The side of the largest square in a cell."""
    return min(area.width / columns, area.height / -(-count // columns))
