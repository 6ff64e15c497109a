"""Shapes have smooth edges, lie between pixels where they should, and stay inside."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steer_env.rendering.raster import RasterCanvas

RED, WHITE = (255, 0, 0), (255, 255, 255)


def make_canvas(width=60, height=40):
    pixels = np.full((height, width, 3), 255, np.uint8)
    return RasterCanvas(pixels), pixels


def ink(pixels):
    """Each pixel's share of red, from 0 to 1, (height, width)."""
    return 1.0 - pixels[..., 1].astype(float) / 255.0


def center_of(share):
    rows, columns = np.indices(share.shape) + 0.5
    return complex((columns * share).sum(), (rows * share).sum()) / share.sum()


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


@pytest.mark.parametrize("center", [30 + 20j, 30.25 + 20.5j, 29.6 + 19.9j])
def test_discs_lie_between_pixels_and_have_their_area(center):
    canvas, pixels = make_canvas()
    canvas.disc(RED, center, 8.3)
    share = ink(pixels)
    assert abs(center_of(share) - center) < 0.02
    assert share.sum() == pytest.approx(math.pi * 8.3**2, rel=0.01)


def test_rings_have_their_width_and_dashes_leave_gaps():
    canvas, pixels = make_canvas()
    canvas.ring(RED, 30 + 20j, 12.0, 2.5)
    whole = ink(pixels)
    assert whole.sum() == pytest.approx(2 * math.pi * 12.0 * 2.5, rel=0.01)
    assert whole[20, 30] == 0.0
    canvas, pixels = make_canvas()
    canvas.ring(RED, 30 + 20j, 12.0, 2.5, dashes=8)
    assert ink(pixels).sum() == pytest.approx(whole.sum() / 2, rel=0.08)
    assert (ink(pixels) <= whole + 1e-9).all()


@pytest.mark.parametrize("end", [50 + 20j, 10 + 35j, 30 + 3.5j, 12.3 + 8.9j])
def test_lines_have_their_length_and_width(end):
    canvas, pixels = make_canvas()
    start, width = 30.5 + 20.25j, 3.0
    canvas.line(RED, start, end, width)
    area = abs(end - start) * width + math.pi * (width / 2) ** 2
    assert ink(pixels).sum() == pytest.approx(area, rel=0.02)
    assert abs(center_of(ink(pixels)) - (start + end) / 2) < 0.05


def test_thin_lines_are_pale():
    canvas, pixels = make_canvas()
    canvas.line(RED, 10 + 20.5j, 50 + 20.5j, 0.5)
    assert ink(pixels).max() == pytest.approx(0.5, abs=0.01)


def test_polygons_have_their_area():
    corners = np.array([10 + 5j, 50.5 + 8j, 45 + 34.2j, 20 + 30j])
    x, y = corners.real, corners.imag
    area = abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    canvas, pixels = make_canvas()
    canvas.polygon(RED, corners)
    assert ink(pixels).sum() == pytest.approx(area, rel=0.01)
    # A dart is not convex: its notch stays empty.
    canvas, pixels = make_canvas()
    canvas.polygon(RED, 30 + 20j + 15 * np.array([1, -0.7 + 0.7j, -0.3, -0.7 - 0.7j]))
    assert ink(pixels)[20, 21] == 0.0
    assert ink(pixels)[20, 35] == 1.0


def test_rectangles_cover_their_share_of_pixels_at_the_edge():
    canvas, pixels = make_canvas()
    canvas.rectangle(RED, 10.25 + 5j, 20 + 8.5j)
    share = ink(pixels)
    assert share.sum() == pytest.approx(9.75 * 3.5, rel=0.01)
    assert share[6, 10] == pytest.approx(0.75, abs=0.01)
    assert share[8, 15] == pytest.approx(0.5, abs=0.01)


def test_pieces_of_a_path_do_not_darken_where_they_meet():
    canvas, pixels = make_canvas()
    points = np.array([5 + 20j, 30 + 20j, 55 + 20j, 30 + 20j, 30 + 35j])
    canvas.path(RED, points, 4.0, np.full(4, 0.5))
    assert ink(pixels).max() == pytest.approx(0.5, abs=0.01)
    # Again, in what is left of the first one.
    again, fresh = make_canvas()
    again._scratch = canvas._scratch
    again.path(RED, points, 4.0, np.full(4, 0.5))
    assert np.array_equal(fresh, pixels)


def test_paths_fade_and_leave_out_what_is_not_finite():
    canvas, pixels = make_canvas()
    points = np.array([5 + 20j, 25 + 20j, complex("nan"), 35 + 20j, 55 + 20j])
    canvas.path(RED, points, 2.0, np.array([0.25, 1.0, 1.0, 0.75]))
    share = ink(pixels)
    assert share[20, 15] == pytest.approx(0.25, abs=0.01)
    assert share[20, 45] == pytest.approx(0.75, abs=0.01)
    assert share[:, 28:32].max() == 0.0


def test_nothing_and_too_much_are_no_harm():
    canvas, pixels = make_canvas()
    canvas.polygon(RED, np.zeros(0, complex))
    canvas.path(RED, np.zeros(1, complex), 2.0, np.zeros(0))
    assert (pixels == 255).all()
    canvas.path(RED, np.array([10 + 20j, 50 + 20j]), 2.0, np.array([7.0]))
    assert ink(pixels).max() == 1.0
    with pytest.raises(ValueError, match="3 points has 2 pieces, got 1"):
        canvas.path(RED, np.zeros(3, complex), 2.0, np.ones(1))


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


def test_larger_texts_are_wider_and_empty_ones_are_nothing():
    pytest.importorskip("pygame")
    canvas, pixels = make_canvas(200, 60)
    assert canvas.text_width("pursuit", 30) > 1.8 * canvas.text_width("pursuit", 15)
    canvas.text("", RED, 100 + 30j, 20)
    assert (pixels == 255).all()


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


def test_opacity_mixes_with_what_is_there():
    canvas, pixels = make_canvas()
    canvas.fill((0, 0, 100))
    canvas.disc((200, 100, 0), 30 + 20j, 10.0, 0.25)
    assert pixels[20, 30].tolist() == [50, 25, 75]
    assert pixels[1, 1].tolist() == [0, 0, 100]


coordinates = (
    st.floats(-1e12, 1e12) | st.floats(-80, 80) | st.just(math.nan) | st.just(math.inf)
)


@given(coordinates, coordinates, st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_whatever_is_drawn_wherever_nothing_breaks(x, y, opacity):
    canvas, pixels = make_canvas()
    draw_every_shape(canvas, complex(x, y), opacity)
    # Red on white: all stays between the two.
    assert (pixels[..., 0] == 255).all()
    assert np.array_equal(pixels[..., 1], pixels[..., 2])
    if not max(abs(x), abs(y)) < 200:
        assert (pixels == 255).all()


@given(st.floats(1e3, 1e6), st.floats(-20, 20))
@settings(max_examples=50, deadline=None)
def test_a_huge_ring_looks_like_a_line(radius, shift):
    canvas, pixels = make_canvas()
    canvas.ring(RED, complex(30 + shift + radius, 20), radius, 2.0)
    share = ink(pixels)
    assert share.sum(axis=1) == pytest.approx(2.0, rel=0.1)
    assert center_of(share).real == pytest.approx(30 + shift, abs=0.5)


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((4, 4, 3), np.float32),
        np.zeros((0, 4, 3), np.uint8),
        np.zeros((8, 8, 3), np.uint8)[:, ::2],
    ],
)
def test_other_arrays_are_refused(pixels):
    with pytest.raises(ValueError, match="C-contiguous array"):
        RasterCanvas(pixels)


@pytest.mark.parametrize("shape", [(30, 40), (1, 1)])
def test_a_png_has_the_same_pixels(shape):
    pytest.importorskip("pygame")
    imageio = pytest.importorskip("imageio.v3")
    pixels = np.arange(np.prod(shape) * 3, dtype=np.uint8).reshape(*shape, 3)
    assert np.array_equal(imageio.imread(RasterCanvas(pixels).png(), extension=".png"), pixels)
