"""Texts over a picture stay inside it, apart from each other, and legible."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from steer_env.drawing import THEMES
from steer_env.interface.overlay import draw_banner, draw_frame, draw_help, wrapped
from steer_env.rendering.raster import RasterCanvas

pytest.importorskip("pygame")

THEME = THEMES["light"]
SIZES = [(200, 200), (300, 200), (600, 400), (400, 900), (960, 720), (1600, 1000)]


class Recorder(RasterCanvas):
    """A canvas that keeps what was written: text, left, top, right, bottom."""

    def __init__(self, width, height):
        super().__init__(np.zeros((height, width, 3), np.uint8))
        self.texts = []

    def text(self, string, color, place, size, along=0.0, opacity=1.0):
        super().text(string, color, place, size, along, opacity)
        width = self.text_width(string, size)
        left, middle = place.real - along * width, place.imag
        self.texts.append(
            (string, left, middle - 0.4 * size, left + width, middle + 0.4 * size)
        )


def rows_of(count):
    return [(f"Key {number}", f"what key {number} does, in words") for number in range(count)]


def overlap(one, other):
    _, left, top, right, bottom = one
    _, other_left, other_top, other_right, other_bottom = other
    across = min(right, other_right) - max(left, other_left)
    down = min(bottom, other_bottom) - max(top, other_top)
    return across > 1 and down > 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 12, 34])
def test_the_help_fits_every_window(size, count):
    canvas = Recorder(*size)
    draw_help(canvas, THEME, "What keys do", rows_of(count))
    for _, left, top, right, bottom in canvas.texts:
        assert left >= 0
        assert top >= 0
        assert right <= size[0]
        assert bottom <= size[1]
    assert not any(overlap(*pair) for pair in itertools.combinations(canvas.texts, 2))


@pytest.mark.parametrize("size", SIZES[2:])
def test_the_help_is_complete_in_a_large_window(size):
    canvas = Recorder(*size)
    draw_help(canvas, THEME, "What keys do", rows_of(24))
    written = [text for text, *_ in canvas.texts]
    assert written == ["What keys do", *itertools.chain(*rows_of(24))]


def test_the_longest_row_of_the_help_is_not_cut_by_rounding():
    rows = [("Mouse, held", "push toward the pointer, the harder the farther it is")]
    for height in range(500, 1100, 20):
        canvas = Recorder(1600, height)
        draw_help(canvas, THEME, "Keys", rows)
        assert rows[0][1] in [text for text, *_ in canvas.texts]


def test_lines_are_broken_between_words():
    canvas = Recorder(400, 100)
    text = "place in the arena; 1 is its edge (open: as offsets)"
    lines = wrapped(canvas, text, 16, 150)
    assert " ".join(lines) == text
    assert len(lines) > 1
    assert all(canvas.text_width(line, 16) <= 150 for line in lines)
    assert wrapped(canvas, "", 16, 150) == [""]


@pytest.mark.parametrize("width", [40, 100, 200, 400])
def test_a_banner_stays_in_its_room(width):
    canvas = Recorder(500, 100)
    draw_banner(canvas, THEME, "got away for 20.0 s", 250 + 50j, 30.0, width)
    columns = np.flatnonzero((canvas.pixels != 0).any(axis=(0, 2)))
    assert columns.size > 0
    assert columns[-1] - columns[0] <= width + 2
    assert abs(columns[0] + columns[-1] - 499) <= 2


def test_a_frame_lies_inside_its_corners():
    canvas = Recorder(50, 40)
    draw_frame(canvas, (255, 255, 255), 5 + 6j, 45 + 36j, 2.0)
    drawn = canvas.pixels[..., 0] > 0
    expected = np.zeros((40, 50), bool)
    expected[6:36, 5:45] = True
    expected[8:34, 7:43] = False
    assert np.array_equal(drawn, expected)
