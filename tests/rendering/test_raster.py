"""Shapes have smooth edges, lie between pixels where they should, and stay inside."""

import math

import numpy as np
import pytest

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


def test_a_color_may_be_any_three_numbers_and_change_in_place():
    canvas, pixels = make_canvas()
    color = np.array([255, 0, 0])
    canvas.rectangle(color, 0j, 5 + 5j)
    color[:] = 0, 255, 0
    canvas.rectangle(color, 10 + 10j, 15 + 15j)
    assert pixels[2, 2].tolist() == [255, 0, 0]
    assert pixels[12, 12].tolist() == [0, 255, 0]
