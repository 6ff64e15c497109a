"""Shapes have smooth edges, lie between pixels where they should, and stay inside."""

import math

import numpy as np
import pytest
from chases import record
from hypothesis import given, strategies as st

from steer_env.drawing import DrawingConfig
from steer_env.rendering.mosaic import side_by_side
from steer_env.rendering.picture import PAPER, Picture, View
from steer_env.rendering.raster import RasterCanvas, png_of
from steer_env.rendering.renderer import Replay
from steer_env.rendering.texts import width_of

RED, GRAY = (255, 0, 0), (120, 130, 140)


def make_canvas(width=60, height=40):
    pixels = np.full((height, width, 3), 255, np.uint8)
    return RasterCanvas(pixels), pixels


def ink(pixels):
    """Each pixel's share of red, from 0 to 1, (height, width)."""
    return 1.0 - pixels[..., 1].astype(float) / 255.0


def center_of(share):
    rows, columns = np.indices(share.shape) + 0.5
    return complex((columns * share).sum(), (rows * share).sum()) / share.sum()


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
    canvas.path(RED, np.array([start, end]), width, np.ones(1))
    area = abs(end - start) * width + math.pi * (width / 2) ** 2
    assert ink(pixels).sum() == pytest.approx(area, rel=0.02)
    assert abs(center_of(ink(pixels)) - (start + end) / 2) < 0.05


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


def test_pieces_of_a_path_do_not_darken_where_they_meet():
    canvas, pixels = make_canvas()
    points = np.array([5 + 20j, 30 + 20j, 55 + 20j, 30 + 20j, 30 + 35j])
    canvas.path(RED, points, 4.0, np.full(4, 0.5))
    assert ink(pixels).max() == pytest.approx(0.5, abs=0.01)
    # Again, in what is left of the first one.
    again, fresh = make_canvas()
    again._shares[:] = canvas._shares
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


@pytest.mark.parametrize("along", [0.0, 0.5, 1.0])
def test_texts_stand_where_they_are_put(along):
    canvas, pixels = make_canvas(200, 60)
    canvas.text("Hxn 12", RED, 100 + 30j, 20, along)
    rows, columns = np.nonzero(ink(pixels) > 0.2)
    width = width_of("Hxn 12", 20)
    assert 100 - along * width - 3 < columns.min() < 100 - along * width + 4
    assert 100 + (1 - along) * width - 4 < columns.max() < 100 + (1 - along) * width + 3
    assert abs((rows.min() + rows.max() + 1) / 2 - 30) < 3
    for text in ("\0", "\ud800", "a\nb", "Ünï … 漢"):
        pixels[:] = 255
        canvas.text(text, RED, 10 + 30j, 20)
        assert (pixels != 255).any()
    canvas.text("tiny", RED, 10 + 30j, 0.2)


def draw_every_shape(canvas, place, opacity=1.0):
    """One of each, around a place."""
    corners = place + np.array([0, 9 + 2j, 4 + 8j])
    canvas.rectangle(RED, place, place + 5 + 3j, opacity)
    canvas.disc(RED, place, 6.0, opacity)
    canvas.ring(RED, place, 9.0, 1.5, opacity)
    canvas.ring(RED, place, 9.0, 1.5, opacity, 12)
    canvas.path(RED, corners, 2.0, np.full(2, opacity))
    canvas.polygon(RED, corners, opacity)


def test_a_clip_keeps_everything_inside_until_it_is_undone():
    canvas, pixels = make_canvas()
    canvas.clip(20 + 10j, 40 + 30j)
    canvas.text("wide text", RED, 30 + 20j, 20, 0.5)
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


def test_a_part_is_a_picture_in_the_picture_and_nothing_is_drawn_outside_it():
    drawing = DrawingConfig((200, 160), annotations="all")
    replay = Replay(record()[0], drawing)
    alone = replay.picture(40).pixels()
    picture = Picture(View(0j, 1.0, 400, 300, PAPER), drawing)
    picture.add("part", 130 + 70j, replay.picture(40))
    whole = np.full((300, 400, 3), GRAY, np.uint8)
    picture.paint(RasterCanvas(whole))
    assert np.array_equal(whole[70:230, 130:330], alone)
    whole[70:230, 130:330] = GRAY
    assert (whole == GRAY).all()


@pytest.mark.parametrize("shape", [(30, 40), (1, 1)])
def test_a_png_has_the_same_pixels(shape):
    imageio = pytest.importorskip("imageio.v3")
    pixels = np.arange(np.prod(shape) * 3, dtype=np.uint8).reshape(*shape, 3)
    assert np.array_equal(imageio.imread(png_of(pixels), extension=".png"), pixels)


@pytest.mark.parametrize(
    ("count", "columns", "rows"), [(1, 1, 1), (3, 2, 2), (9, 3, 3), (3, 3, 1), (5, 1, 5)]
)
def test_pictures_of_a_mosaic_stand_row_by_row(count, columns, rows):
    pictures = [Picture(View(0j, 1.0, 5, 3, PAPER), DrawingConfig()) for _ in range(count)]
    for number, picture in enumerate(pictures):
        picture.add("fill", (number + 1,) * 3)
    tiled = side_by_side(pictures, columns).pixels()
    background = pictures[0].colors.background
    assert tiled.shape == (3 * rows, 5 * columns, 3)
    for number in range(rows * columns):
        row, column = divmod(number, columns)
        cell = tiled[3 * row : 3 * row + 3, 5 * column : 5 * column + 5]
        assert (cell == (number + 1 if number < count else background)).all()
