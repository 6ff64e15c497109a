"""Texts, clips and odd numbers on an array of pixels."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_raster import ink, make_canvas

from steer_env.rendering.raster import RasterCanvas

pytestmark = pytest.mark.weekly

RED, WHITE = (255, 0, 0), (255, 255, 255)


def draw_every_shape(canvas, place, opacity=1.0):
    """One of each, around a place."""
    corners = place + np.array([0, 9 + 2j, 4 + 8j])
    canvas.rectangle(RED, place, place + 5 + 3j, opacity)
    canvas.disc(RED, place, 6.0, opacity)
    canvas.ring(RED, place, 9.0, 1.5, opacity)
    canvas.ring(RED, place, 9.0, 1.5, opacity, 12)
    canvas.line(RED, place, place + 12 + 7j, 2.0, opacity)
    canvas.path(RED, corners, 2.0, np.full(2, opacity))
    canvas.polygon(RED, corners, opacity)


def test_texts_of_any_characters_and_sizes_can_be_written():
    pytest.importorskip("pygame")
    canvas, pixels = make_canvas(300, 60)
    for text in ("\0", "\ud800", "a\nb", "Ünï … 漢"):
        pixels[:] = 255
        canvas.text(text, RED, 10 + 30j, 20)
        assert (pixels != 255).any()
    canvas.text("tiny", RED, 10 + 30j, 0.2)


@pytest.mark.parametrize("along", [0.0, 0.5, 1.0])
def test_texts_stand_where_they_are_put(along):
    pytest.importorskip("pygame")
    canvas, pixels = make_canvas(200, 60)
    canvas.text("Hxn 12", RED, 100 + 30j, 20, along)
    rows, columns = np.nonzero(ink(pixels) > 0.2)
    width = canvas.text_width("Hxn 12", 20)
    assert 100 - along * width - 3 < columns.min() < 100 - along * width + 4
    assert 100 + (1 - along) * width - 4 < columns.max() < 100 + (1 - along) * width + 3
    assert abs((rows.min() + rows.max() + 1) / 2 - 30) < 3


def test_a_clip_keeps_everything_inside_until_it_is_undone():
    pytest.importorskip("pygame")
    canvas, pixels = make_canvas()
    canvas.clip(20 + 10j, 40 + 30j)
    canvas.text("wide text", RED, 30 + 20j, 20, 0.5)
    assert (pixels[10:30, 20:40] != 255).any()
    assert (pixels[:, :20] == 255).all()
    draw_every_shape(canvas, 30 + 20j)
    draw_every_shape(canvas, 20 + 10j)
    outside = np.ones(pixels.shape[:2], bool)
    outside[10:30, 20:40] = False
    assert (pixels[outside] == 255).all()
    assert (pixels[~outside] != 255).any()
    canvas.clip()
    canvas.disc(RED, 5 + 5j, 3.0)
    assert ink(pixels)[5, 5] == 1.0


coordinates = (
    st.floats(-1e12, 1e12) | st.floats(-80, 80) | st.just(math.nan) | st.just(math.inf)
)


@given(coordinates, coordinates, st.floats(0, 1))
def test_whatever_is_drawn_wherever_nothing_breaks(x, y, opacity):
    canvas, pixels = make_canvas()
    draw_every_shape(canvas, complex(x, y), opacity)
    # Red on white: all stays between the two.
    assert (pixels[..., 0] == 255).all()
    assert np.array_equal(pixels[..., 1], pixels[..., 2])
    if not max(abs(x), abs(y)) < 200:
        assert (pixels == 255).all()


@pytest.mark.parametrize("shape", [(30, 40), (1, 1)])
def test_a_png_has_the_same_pixels(shape):
    pytest.importorskip("pygame")
    imageio = pytest.importorskip("imageio.v3")
    pixels = np.arange(np.prod(shape) * 3, dtype=np.uint8).reshape(*shape, 3)
    assert np.array_equal(imageio.imread(RasterCanvas(pixels).png(), extension=".png"), pixels)
