"""The pictures of the window for the documentation."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pygame")

from by_hand import window_pictures

from steer_env.rendering.raster import RasterCanvas

SHOWN = 830  # pixels: the width in which the README shows it


@pytest.fixture(autouse=True)
def _unseen(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def test_the_picture_is_the_same_each_time_with_texts_that_are_large_enough(monkeypatch):
    sizes = []
    text = RasterCanvas.text

    def spy(self, string, color, place, size, *arguments):
        if string:
            sizes.append((round(size), string))
        text(self, string, color, place, size, *arguments)

    monkeypatch.setattr(RasterCanvas, "text", spy)
    first, again = (window_pictures.picture("light") for _ in range(2))
    assert np.array_equal(first, again)
    assert first.shape == (800, 1200, 3)
    smallest, string = min(sizes)
    assert smallest * SHOWN / 1200 >= 11.0, string


def test_a_budget_cuts_in_the_picture(monkeypatch):
    written = []
    text = RasterCanvas.text

    def spy(self, string, *arguments):
        written.append(string)
        text(self, string, *arguments)

    monkeypatch.setattr(RasterCanvas, "text", spy)
    window_pictures.picture("dark")
    assert {"obstacles", "walls", "evade", "wander", "cut from 7.46 N"} <= set(written)
