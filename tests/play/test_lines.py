"""Texts fit their box at any size."""

import numpy as np
import pytest

from steer_env.play.lines import Block, Line, line, text
from steer_env.rendering.raster import RasterCanvas

pytest.importorskip("pygame")

INK, PAPER = (255, 0, 0), (0, 0, 0)
LINES = [
    line("Heading", INK, 2.0),
    text("A text that is so long that it has to be broken " * 3, INK),
    Line((("two ", INK), ("colors", (0, 255, 0))), 1.2, 1.0),
]


def drawn(width, height, size, lines=LINES):
    pixels = np.zeros((400, 600, 3), np.uint8)
    canvas = RasterCanvas(pixels)
    Block(canvas, lines, width, height, size).draw(300 + 200j)
    return canvas, np.argwhere(pixels.any(axis=-1))


@pytest.mark.parametrize("width", [150, 300, 560])
@pytest.mark.parametrize("height", [150, 380])
@pytest.mark.parametrize("size", [12, 24])
def test_lines_stay_in_their_box(width, height, size):
    canvas, inked = drawn(width, height, size)
    assert len(inked) > 100
    (top, left), (bottom, right) = inked.min(axis=0), inked.max(axis=0)
    assert left >= 300 - width / 2 - 1
    assert right <= 300 + width / 2 + 1
    if width > 200 and height > 200:
        assert top >= 200 - height / 2 - 2
        assert bottom <= 200 + height / 2 + 2
    measured = Block(canvas, LINES, width, height, size).extent
    assert measured.real <= width
    assert right - left <= measured.real + 2


def test_lines_are_centered():
    _, inked = drawn(560, 380, 20, [line("centered", INK)])
    (top, left), (bottom, right) = inked.min(axis=0), inked.max(axis=0)
    assert (left + right) / 2 == pytest.approx(300, abs=2)
    assert (top + bottom) / 2 == pytest.approx(200, abs=5)


def test_letters_are_as_large_as_they_can_be():
    canvas = RasterCanvas(np.zeros((9, 9, 3), np.uint8))
    narrow = Block(canvas, LINES[:1], 80, 99, 30).extent
    wide = Block(canvas, LINES[:1], 990, 99, 30).extent
    assert narrow.real <= 80
    assert narrow.imag < wide.imag
