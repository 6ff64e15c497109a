"""A part of a canvas is a canvas of its own, at another place; nothing is drawn outside it."""

from xml.etree import ElementTree

import numpy as np
import pytest

from steer_env.drawing import DrawingConfig
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas
from tests.rendering.chases import record
from tests.rendering.test_svg import draw_game

pytestmark = pytest.mark.weekly

GRAY = (120, 130, 140)


@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
def test_a_game_in_a_part_is_the_same_game(kind):
    (recording,) = record(arena=kind)
    drawing = DrawingConfig(size=(200, 160), annotations="all")
    alone = np.zeros((160, 200, 3), np.uint8)
    draw_game(RasterCanvas(alone), recording, drawing)
    whole = np.full((300, 400, 3), GRAY, np.uint8)
    with RasterCanvas(whole).part(130 + 70j, 200, 160) as part:
        draw_game(part, recording, drawing)
    assert np.array_equal(whole[70:230, 130:330], alone)
    whole[70:230, 130:330] = GRAY
    assert (whole == GRAY).all()


def test_parts_of_vectors_are_pictures_in_the_picture():
    canvas = SvgCanvas(100, 100)
    with canvas.part(10 + 20j, 50, 40) as part:
        part.clip(0j, 5 + 5j)
        part.disc(GRAY, 1 + 1j, 3.0)
        assert part.text_width("evade", 20) == canvas.text_width("evade", 20)
    root = ElementTree.fromstring(canvas.document())
    inner = root.find("{*}svg")
    assert [inner.get(name) for name in ("x", "y", "width", "height")] == [
        "10",
        "20",
        "50",
        "40",
    ]
    (group,) = inner.findall("{*}g")
    assert group.get("clip-path")[5:-1] in [clip.get("id") for clip in root.find("{*}defs")]
    assert group.find("{*}circle").get("cx") == "1"
