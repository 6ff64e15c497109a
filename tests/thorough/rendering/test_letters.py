"""Letters are as wide in print as on pixels."""

import numpy as np
import pytest

from steer_env.rendering.letters import width_of
from steer_env.rendering.raster import RasterCanvas

PRINTABLE = "".join(map(chr, range(32, 127)))


@pytest.mark.parametrize("letter", [*PRINTABLE, "·", "°", "…", "é", "Ü"])
def test_every_letter_is_as_wide_as_on_pixels(letter):
    canvas = RasterCanvas(np.zeros((1, 1, 3), np.uint8))
    on_pixels = canvas.text_width(letter * 40, 100) / 40
    # Where fonts differ in a few letters, it is by less than a tenth of an em.
    assert width_of(letter, 100) == pytest.approx(on_pixels, abs=7.0)


def test_whole_texts_are_as_wide_as_on_pixels():
    canvas = RasterCanvas(np.zeros((1, 1, 3), np.uint8))
    for text in ("caught after 12.3 s", "pretrained/pursuit/ppo v evade", "distance 4.7 m"):
        assert width_of(text, 40) == pytest.approx(canvas.text_width(text, 40), rel=0.015)
