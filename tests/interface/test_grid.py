"""Panels fill their window, whatever its size and their number."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.interface.grid import Rectangle, cells
from steer_env.rendering.mosaic import MOST_PANELS

SIZES = [(200, 200), (600, 400), (400, 900), (961, 723), (1600, 1000)]


def covered(rectangles, width, height):
    """How many of the rectangles cover each pixel."""
    times = np.zeros((height, width), int)
    for place in rectangles:
        times[place.top : place.bottom, place.left : place.right] += 1
    return times


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", range(1, MOST_PANELS + 1))
def test_panels_do_not_overlap_and_leave_no_row_empty(size, count):
    for columns in (1, 3, count):
        found = cells(Rectangle(0, 0, *size), count, columns)
        times = covered(found, *size)
        assert len(found) == count
        assert times.max() == 1
        assert times[:, 0].all()  # every row begins at the left edge
        assert times[: found[0].bottom].all()  # and the first one is full
        sides = np.array([[place.width, place.height] for place in found])
        assert (np.ptp(sides, axis=0) <= 1).all()


def test_panels_are_as_large_as_they_can_be_unless_rows_and_columns_mean_something():
    def columns_of(count, size, columns=1):
        tops = [place.top for place in cells(Rectangle(0, 0, *size), count, columns)]
        return tops.count(0)

    assert columns_of(2, (1200, 600)) == 2
    assert columns_of(2, (600, 1200)) == 1
    assert columns_of(6, (900, 620), 3) == 3
    assert columns_of(6, (900, 600), 6) == 3  # six in a row would be small
    assert columns_of(5, (1000, 700)) == 3


def test_a_rectangle_contains_its_left_and_upper_edges_only():
    place = Rectangle(10, 20, 30, 40)
    assert place.contains(10 + 20j)
    assert place.contains(39.9 + 59.9j)
    assert not place.contains(40 + 30j)
    assert not place.contains(20 + 60j)
    assert (place.corner, place.opposite) == (10 + 20j, 40 + 60j)
