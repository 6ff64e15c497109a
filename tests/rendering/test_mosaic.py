"""Mosaics hold every picture in its place."""

import numpy as np
import pytest

from steer_env.rendering.mosaic import square_columns, tile

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


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (9, 3)])
def test_there_are_about_as_many_columns_as_rows(count, columns):
    assert square_columns(count) == columns


def test_it_is_a_new_array():
    frames = make_frames(1)
    tiled = tile(frames, 1, BACKGROUND)
    tiled[:] = 0
    assert (frames[0] == 1).all()


@pytest.mark.parametrize(
    ("frames", "columns", "error", "message"),
    [
        ([], 1, ValueError, "at least one"),
        ([*make_frames(1), *make_frames(1, 4)], 2, ValueError, "one size"),
        ([np.zeros((4, 4), np.uint8)], 1, ValueError, "height, width, 3"),
        (make_frames(2), 0, ValueError, "columns"),
        (make_frames(2), 1.5, TypeError, "columns"),
    ],
)
def test_wrong_arguments_are_named(frames, columns, error, message):
    with pytest.raises(error, match=message):
        tile(frames, columns, BACKGROUND)
