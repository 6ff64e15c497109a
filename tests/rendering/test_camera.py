"""Maps positions to places in a picture, and back."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.game.config import ArenaConfig, GameConfig
from steer_env.rendering.camera import View, rounded_up, view_of

pytestmark = pytest.mark.weekly

numbers = st.floats(-100, 100)


@pytest.mark.parametrize("kind", ["walls", "torus"])
def test_the_arena_fills_the_picture_with_y_up(kind):
    config = GameConfig(arena=ArenaConfig(kind=kind))
    view = view_of(config, np.array([3 + 4j]), (400, 600))
    assert view == view_of(config, np.zeros(0), (400, 600))
    assert view.to_pixel(0j) == 200 + 300j
    low, high = view.to_pixel(-10 + 10j), view.to_pixel(10 - 10j)
    assert 0 < low.real < 40
    assert 360 < high.real < 400
    assert (high - low).real == pytest.approx((high - low).imag)
    assert 100 < low.imag < high.imag < 500


def test_an_open_view_shows_the_start_and_all_positions():
    config = GameConfig(arena=ArenaConfig(kind="open"))
    for places in ([500, 900 + 40j, -300j], [-1, 1, 1j], [1e6, 1e6 + 2, 1e6 + 1j]):
        view = view_of(config, np.array(places, complex), (600, 600))
        for place in [*places, -10 - 10j, 10 + 10j]:
            pixel = view.to_pixel(place)
            assert all(20 < side < 580 for side in (pixel.real, pixel.imag))
    start = view_of(config, np.zeros(0, complex), (600, 600))
    assert start == view_of(GameConfig(), np.zeros(0), (600, 600))


@given(numbers, numbers, numbers, numbers, st.floats(0.1, 100))
def test_pixels_and_places_are_each_others_inverse(x, y, center_x, center_y, scale):
    view = View(complex(center_x, center_y), scale, 640, 480)
    place = complex(x, y)
    assert abs(view.to_world(view.to_pixel(place)) - place) < 1e-9
    assert view.to_pixels(np.array([place]))[0] == pytest.approx(view.to_pixel(place))


@pytest.mark.parametrize(
    ("length", "up"),
    [
        (0.03, 0.05),
        (0.7, 1),
        (1, 1),
        (1.7, 2),
        (3.1, 5),
        (9.9, 10),
        (10.0, 10),
        (400, 500),
    ],
)
def test_lengths_are_rounded_up(length, up):
    assert rounded_up(length) == pytest.approx(up, rel=1e-12)
