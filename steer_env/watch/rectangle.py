"""Rectangles of pixels."""

from __future__ import annotations

from typing import NamedTuple


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
