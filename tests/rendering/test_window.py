"""A window shows pictures and returns events; without a screen, it raises an error."""

import sys

import numpy as np
import pytest

from steer_env.rendering.window import NoDisplayError, Window

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
def test_on_a_display_that_is_not_there_it_says_so(monkeypatch):
    for name in ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":7777")
    with pytest.raises(NoDisplayError, match=r"there is no display.*record"):
        Window((100, 100), "nobody sees it")
