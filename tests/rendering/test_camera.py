"""Maps positions to places in a picture, and back."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.drawing import DrawingConfig
from steer_env.game.config import make_game
from steer_env.rendering.marks import MARGIN
from steer_env.rendering.picture import View, rounded_up, view_of

numbers = st.floats(-100, 100)


@pytest.mark.parametrize("kind", ["walls", "torus"])
def test_the_arena_fills_pictures_of_any_shape_with_y_up(kind):
    config = make_game(arena=kind)
    for width, height in [(600, 600), (960, 680), (1400, 860), (600, 860), (500, 480)]:
        view = view_of(config, np.zeros(0), DrawingConfig((width, height)))
        assert view == view_of(config, np.array([3 + 4j]), DrawingConfig((width, height)))
        corner, opposite = view.ground
        across = opposite - corner
        assert across.real == pytest.approx(across.imag)
        assert 0 <= corner.real < opposite.real <= width
        assert 0 <= corner.imag < opposite.imag <= height
        least = 0.95 if abs(width / height - 1.0) > 0.25 else 1 - 2 * MARGIN
        assert across.real >= least * min(width, height) - 1
        assert view.to_pixel(-10 + 10j) == pytest.approx(corner)
    square = view_of(config, np.zeros(0), DrawingConfig(600))
    assert square.to_pixel(0j) == 300 + 300j  # with texts above and below
    assert square.scale * config.arena_size == pytest.approx(600 * (1 - 2 * MARGIN))


def test_an_open_view_shows_the_start_and_all_positions():
    config = make_game(arena="open")
    for places in ([500, 900 + 40j, -300j], [-1, 1, 1j], [1e6, 1e6 + 2, 1e6 + 1j]):
        view = view_of(config, np.array(places, complex), DrawingConfig(600))
        for place in [*places, -10 - 10j, 10 + 10j]:
            pixel = view.to_pixel(place)
            assert all(20 < side < 580 for side in (pixel.real, pixel.imag))
    start = view_of(config, np.zeros(0, complex), DrawingConfig(600))
    assert start[:4] == view_of(make_game(), np.zeros(0), DrawingConfig(600))[:4]


@given(numbers, numbers, numbers, numbers, st.floats(0.1, 100))
def test_pixels_and_places_are_each_others_inverse(x, y, center_x, center_y, scale):
    view = View(complex(center_x, center_y), scale, 640, 480)
    place = complex(x, y)
    assert abs(view.to_world(view.to_pixel(place)) - place) < 1e-9
    assert view.to_pixels(np.array([place]))[0] == pytest.approx(view.to_pixel(place))


def test_lengths_are_rounded_up():
    lengths = 0.03, 0.7, 1, 1.7, 3.1, 9.9, 10.0, 400
    rounded = 0.05, 1, 1, 2, 5, 10, 10, 500
    assert [*map(rounded_up, lengths)] == pytest.approx(rounded, rel=1e-12)
