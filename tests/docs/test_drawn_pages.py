"""All pictures of the documentation are those that the commands or code below them draw."""

from __future__ import annotations

import re

import numpy as np
import pytest
from draw_pages import FOLDER, draw, drawings
from PIL import Image

pytestmark = pytest.mark.weekly

_DIGEST = re.compile(r"\b[mp][0-9a-f]{10}\b")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def assert_same(found, expected):
    """Compares two pictures: boards to the byte, figures up to rounding."""
    if found.suffix == ".png":
        pictures = [
            np.asarray(Image.open(path).convert("RGB"), float) for path in (found, expected)
        ]
        assert pictures[0].shape == pictures[1].shape
        assert np.abs(pictures[0] - pictures[1]).mean() < 1.0
        return
    texts = [path.read_text(encoding="utf-8") for path in (found, expected)]
    if 'id="figure_1"' not in texts[1]:
        assert texts[0] == texts[1]
        return
    texts = [_DIGEST.sub("name", text) for text in texts]  # of what is rounded
    assert _NUMBER.sub("", texts[0]) == _NUMBER.sub("", texts[1])
    numbers = [[float(number) for number in _NUMBER.findall(text)] for text in texts]
    np.testing.assert_allclose(*numbers, atol=0.05)


@pytest.mark.parametrize("name", drawings())
def test_a_picture_is_what_its_page_draws(name, tmp_path):
    for path in draw(name, drawings()[name], tmp_path):
        assert_same(path, FOLDER / path.name)
