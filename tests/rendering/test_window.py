"""A window shows pictures and returns events; without a screen, it raises an error."""

import os
import subprocess
import sys

import numpy as np
import pytest

from steer_env.rendering.window import Window

pygame = pytest.importorskip("pygame")


@pytest.fixture
def window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = Window((320, 240), "a chase")
    yield window
    window.close()


def test_it_shows_pictures_pixel_by_pixel(window):
    pixels = np.random.default_rng(0).integers(0, 255, (240, 320, 3), np.uint8)
    window.show(pixels)
    shown = pygame.surfarray.array3d(pygame.display.get_surface())
    assert np.array_equal(shown.transpose(1, 0, 2), pixels)
    assert pygame.display.get_caption()[0] == "a chase"
    window.show(pixels[:100, :50].copy())  # a smaller one is no mistake


def test_it_returns_events(window):
    window.events()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_SPACE))
    assert pygame.K_SPACE in [getattr(event, "key", None) for event in window.events()]
    assert not window.is_asked_to_close()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert window.is_asked_to_close()


def test_a_new_window_takes_the_place_of_the_old_one(window):
    other = Window((400, 300), "another chase")
    assert other.is_open
    assert not window.is_open
    window.close()  # closes nothing that is another's
    assert other.is_open
    assert other.size == (400, 300)
    other.close()
    assert not pygame.display.get_init()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there always is a display")
@pytest.mark.parametrize("display", [{}, {"DISPLAY": ":7777"}])
def test_without_a_display_it_says_so(display):
    code = """
from steer_env.rendering.window import NoDisplayError, Window
try:
    Window((100, 100), "nobody sees it")
except NoDisplayError as error:
    print(error)
"""
    hidden = ("DISPLAY", "WAYLAND", "SDL", "XDG_RUNTIME")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=env | display,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "there is no display" in run.stdout
    assert "record" in run.stdout
