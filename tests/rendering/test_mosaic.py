"""Mosaics hold every picture in its place."""

import numpy as np
import pytest

from steer_env.rendering.mosaic import tile

pytestmark = pytest.mark.weekly

BACKGROUND = (7, 8, 9)


def make_frames(count, height=3, width=5):
    return [np.full((height, width, 3), number + 1, np.uint8) for number in range(count)]


@pytest.mark.parametrize(
    ("count", "columns", "rows"),
    [
        (1, 1, 1),
        (3, 2, 2),
        (9, 3, 3),
        (3, 3, 1),
        (5, 1, 5),
    ],
)
def test_pictures_stand_row_by_row(count, columns, rows):
    tiled = tile(make_frames(count), columns, BACKGROUND)
    assert tiled.shape == (3 * rows, 5 * columns, 3)
    for number in range(rows * columns):
        row, column = divmod(number, columns)
        cell = tiled[3 * row : 3 * row + 3, 5 * column : 5 * column + 5]
        expected = number + 1 if number < count else BACKGROUND
        assert (cell == expected).all()
