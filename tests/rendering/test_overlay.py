"""Texts over a picture stay inside it, apart from each other, and legible."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from steer_env.drawing import THEMES
from steer_env.rendering.overlay import draw_banner, draw_help
from steer_env.rendering.raster import RasterCanvas

pytest.importorskip("pygame")

THEME = THEMES["light"]


class Recorder(RasterCanvas):
    """A canvas that keeps what was written: text, left, top, right, bottom."""

    def __init__(self, width, height):
        super().__init__(np.zeros((height, width, 3), np.uint8))
        self.texts = []

    def text(self, string, color, place, size, along=0.0):
        super().text(string, color, place, size, along)
        left, middle = place.real - along * self.text_width(string, size), place.imag
        right = left + self.text_width(string, size)
        self.texts.append((string, left, middle - 0.4 * size, right, middle + 0.4 * size))


def overlap(one, other):
    _, left, top, right, bottom = one
    _, other_left, other_top, other_right, other_bottom = other
    across = min(right, other_right) - max(left, other_left)
    return across > 1 and min(bottom, other_bottom) - max(top, other_top) > 1


@pytest.mark.parametrize("size", [(300, 200), (400, 900), (960, 720), (1600, 1000)])
def test_the_help_fits_every_window(size):
    rows = [(f"Key {number}", f"what key {number} does") for number in range(34)]
    canvas = Recorder(*size)
    draw_help(canvas, THEME, "What keys do", rows)
    for _, left, top, right, _ in canvas.texts:
        assert left >= 0
        assert top >= 0
        assert right <= size[0]
    assert not any(overlap(*pair) for pair in itertools.combinations(canvas.texts, 2))
    if min(size) >= 400:
        written = [text for text, *_ in canvas.texts]
        assert written == ["What keys do", *itertools.chain(*rows)]
        assert max(bottom for *_, bottom in canvas.texts) <= size[1]


@pytest.mark.parametrize("width", [40, 200, 400])
def test_a_banner_stays_in_its_room(width):
    canvas = Recorder(500, 100)
    draw_banner(canvas, THEME, "got away (20 s)", 250 + 50j, 30.0, width, THEME.ink)
    columns = np.flatnonzero((canvas.pixels != 0).any(axis=(0, 2)))
    assert columns.size > 0
    assert columns[-1] - columns[0] <= width + 2
    assert abs(columns[0] + columns[-1] - 499) <= 2
