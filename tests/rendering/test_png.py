"""A PNG holds the pixels that were given."""

import numpy as np
import pytest

from steer_env.rendering.png import as_png

imageio = pytest.importorskip("imageio.v3")
pytest.importorskip("pygame")


@pytest.mark.parametrize("is_contiguous", [True, False])
def test_pixels_are_read_back(is_contiguous):
    pixels = np.arange(30 * 40 * 3, dtype=np.uint8).reshape(30, 40, 3)
    given = pixels if is_contiguous else np.repeat(pixels, 2, axis=1)[:, ::2]
    assert np.array_equal(imageio.imread(as_png(given), extension=".png"), pixels)
