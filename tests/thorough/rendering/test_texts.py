"""Texts are cut where their room ends."""

import numpy as np
import pytest

from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas
from steer_env.rendering.texts import fitted, fitted_names

NAME = "pretrained/pursuit/ppo"


@pytest.fixture(params=["pixels", "vector"])
def canvas(request):
    if request.param == "pixels":
        return RasterCanvas(np.zeros((10, 10, 3), np.uint8))
    return SvgCanvas(10, 10)


@pytest.mark.parametrize("in_middle", [False, True])
def test_as_much_is_kept_as_there_is_room_for(canvas, in_middle):
    whole = canvas.text_width(NAME, 20)
    assert fitted(canvas, NAME, 20, whole, in_middle) == NAME
    lengths = []
    for width in np.arange(0, whole, 3.0):
        cut = fitted(canvas, NAME, 20, width, in_middle)
        assert canvas.text_width(cut, 20) <= width or not cut
        start, _, end = cut.partition("…")
        assert NAME.startswith(start)
        assert NAME.endswith(end)
        assert cut in ("", f"{start}…{end}")
        assert 0 <= len(start) - len(end) <= 1 if in_middle else not end
        lengths.append(len(start + end))
    assert lengths == sorted(lengths)
    assert lengths[0] == 0
    assert 1 not in lengths  # a single letter says nothing
    assert lengths[-1] >= len(NAME) - 3


def test_two_names_share_a_line(canvas):
    def width(*names):
        return sum(canvas.text_width(name, 20) for name in names)

    for names in ((NAME, NAME), (NAME, "evade"), ("seek", NAME)):
        assert fitted_names(canvas, names, 20, width(*names) + 0.1) == names
        short = fitted_names(canvas, names, 20, 150)
        assert width(*short) <= 150
        for name, cut in zip(names, short):
            start, _, end = cut.partition("…")
            assert (
                cut == name
                if name != NAME
                else name == start + name[len(start) : -len(end)] + end
            )
            assert len(cut) >= 4
