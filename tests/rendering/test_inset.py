"""An inset draws like a canvas of its own, at another place, and never outside."""

import numpy as np
import pytest
from chases import record
from test_svg import draw_game

from steer_env.drawing import DrawingConfig
from steer_env.rendering.inset import Inset
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas

GRAY = (120, 130, 140)


@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
def test_a_game_in_an_inset_is_the_same_game(kind):
    (recording,) = record(arena=kind)
    drawing = DrawingConfig(size=(200, 160), annotations="all")
    alone = np.zeros((160, 200, 3), np.uint8)
    draw_game(RasterCanvas(alone), recording, drawing)
    whole = np.full((300, 400, 3), GRAY, np.uint8)
    inset = Inset(RasterCanvas(whole), 130 + 70j, 200, 160)
    draw_game(inset, recording, drawing)
    part = whole[70:230, 130:330]
    # Places are added up in another order, so that a shade may be rounded otherwise.
    assert np.abs(part.astype(int) - alone).max() <= 2
    part[:] = GRAY
    assert (whole == GRAY).all()


def test_clips_end_at_its_edges_and_closing_ends_them():
    pixels = np.zeros((60, 60, 3), np.uint8)
    canvas = RasterCanvas(pixels)
    inset = Inset(canvas, 20 + 20j, 20, 20)
    inset.clip(-100 - 100j, 10 + 100j)
    inset.disc(GRAY, 10 + 10j, 100.0)
    rows, columns = np.nonzero(pixels[..., 0])
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (20, 39, 20, 29)
    inset.clip()
    inset.fill(GRAY)
    assert np.count_nonzero(pixels[..., 0]) == 400
    inset.close()
    canvas.disc(GRAY, 30 + 30j, 100.0)
    assert (pixels == GRAY).all()


def test_texts_are_as_wide_as_on_the_canvas():
    canvas = SvgCanvas(100, 100)
    inset = Inset(canvas, 10 + 10j, 50, 50)
    assert inset.text_width("evade", 20) == canvas.text_width("evade", 20)
    assert (inset.width, inset.height) == (50, 50)
