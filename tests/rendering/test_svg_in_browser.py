"""A browser shows vector graphics as the pixels are."""

import numpy as np
import pytest
from rendering.browser import NEEDS_BROWSER
from test_svg import (
    draw_game,
    recordings,  # noqa: F401
)

from steer_env.drawing import DrawingConfig
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]

RED, WHITE = (213, 94, 0), (253, 253, 251)


def draw_shapes(canvas):
    """One of each, with and without opacity, some cut off."""
    canvas.fill(WHITE)
    corners = np.array([20 + 20j, 70 + 30j, 45 + 75j])
    canvas.rectangle(RED, 5 + 5j, 95.5 + 12.25j, 0.5)
    canvas.polygon(RED, corners + 5)
    canvas.path((0, 0, 0), corners + 40j, 4.0, np.array([1.0, 1.0]))
    canvas.path((0, 0, 90), corners + 80 + 10j, 6.0, np.array([0.2, 0.8]))
    canvas.path((0, 90, 0), 10 + 180j + 9.0 * np.arange(9), 3.0, np.arange(8) % 2.0)
    canvas.disc(RED, 160 + 40j, 20.5, 0.3)
    canvas.ring((0, 114, 178), 160 + 40j, 30.0, 3.0, dashes=9)
    canvas.clip(100 + 140j, 180 + 180j)
    canvas.disc(RED, 100 + 140j, 30.0)
    canvas.line(RED, 90 + 190j, 190 + 150j, 5.0, 0.6)
    canvas.clip()
    canvas.text("caught after 4.2 s", (0, 0, 0), 100 + 190j, 20, 0.5)


def on_both(draw, size=(200, 200)):
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    vector = SvgCanvas(*size)
    draw(RasterCanvas(pixels))
    draw(vector)
    return pixels, vector


def seen(browser, canvas, folder):
    """The document's pixels in a page of a browser."""
    imageio = pytest.importorskip("imageio.v3")
    page = folder / "picture.html"
    style = "<style>body{margin:0;overflow:hidden}svg{display:block}</style>"
    page.write_text(
        f'<!doctype html>{style}<main id="main">{canvas.document()}</main>', "utf-8"
    )
    browser.open(page, size=(canvas.width, canvas.height))
    return imageio.imread(browser.picture(), extension=".png")[..., :3]


def test_a_browser_shows_shapes_as_pixels_do(browser, tmp_path):
    pixels, vector = on_both(draw_shapes)
    shown = seen(browser, vector, tmp_path).astype(float)
    difference = np.abs(shown - pixels)[:178]  # below is the text
    assert difference.mean() < 0.8
    assert difference.max() < 100  # nothing is at another place
    assert abs(center_of_ink(shown[178:]) - center_of_ink(pixels[178:])) < 1.0
    assert darkness(shown[178:]).sum() == pytest.approx(darkness(pixels[178:]).sum(), rel=0.15)


def darkness(pixels):
    return 255.0 - pixels.mean(axis=-1)


def center_of_ink(pixels):
    dark = darkness(pixels)
    rows, columns = np.indices(dark.shape)
    return complex((columns * dark).sum(), (rows * dark).sum()) / dark.sum()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
def test_a_browser_shows_games_as_pixels_do(browser, tmp_path, recordings, kind, theme):
    drawing = DrawingConfig(size=400, theme=theme, annotations="all")
    pixels, vector = on_both(lambda c: draw_game(c, recordings[kind], drawing), (400, 400))
    difference = np.abs(seen(browser, vector, tmp_path) - pixels.astype(float))
    assert difference.mean() < 2.0
    assert (difference.max(axis=-1) > 100).mean() < 0.01
