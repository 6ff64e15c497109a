"""A window on the screen, and its events."""

from __future__ import annotations

import os
import sys
from typing import Any, ClassVar

from steer_env.drawing import Pixels
from steer_env.rendering.backend import import_pygame

_LEAST_SIDE = 200  # pixels: a smaller window is hard to grab


class NoDisplayError(OSError):
    """Raised if there is no display to open a window on."""


class Window:
    """A resizable window, or an error of `check_display`. A new one replaces it."""

    _shown: ClassVar[Window | None] = None  # the current window

    def __init__(self, size: tuple[int, int], title: str) -> None:
        check_display()
        wanted = os.environ.get("SDL_VIDEODRIVER")
        self._pygame = import_pygame()
        try:
            self._pygame.display.init()
            if not wanted and self._pygame.display.get_driver() in ("offscreen", "dummy"):
                raise NoDisplayError("SDL found no visible display")
            self._pygame.display.set_mode(size, self._pygame.RESIZABLE)
        except (self._pygame.error, NoDisplayError) as error:
            self._pygame.display.quit()
            raise NoDisplayError(f"{_NO_DISPLAY} ({error})") from error
        self._title = ""
        self._clock = self._pygame.time.Clock()
        Window._shown = self
        self.set_title(title)

    @property
    def size(self) -> tuple[int, int]:
        """The width and height that the user has chosen, in pixels."""
        if not self.is_open:
            return (_LEAST_SIDE, _LEAST_SIDE)
        width, height = self._pygame.display.get_surface().get_size()
        return max(width, _LEAST_SIDE), max(height, _LEAST_SIDE)

    @property
    def is_open(self) -> bool:
        """True until it is closed, or replaced by another."""
        return Window._shown is self and self._pygame.display.get_surface() is not None

    def set_title(self, title: str) -> None:
        """Shows another title."""
        if self.is_open and title != self._title:
            self._pygame.display.set_caption(title)
            self._title = title

    def events(self) -> list[Any]:
        """Returns pygame's events since the last call."""
        return list(self._pygame.event.get()) if self.is_open else []

    def is_asked_to_close(self) -> bool:
        """True if the user has closed it since the last call. Other events are dropped."""
        return any(event.type == self._pygame.QUIT for event in self.events())

    def wait(self, rate: float) -> None:
        """Waits, to return at most `rate` times per second."""
        self._clock.tick(rate)

    def show(self, pixels: Pixels) -> None:
        """Shows a picture, (height, width, 3), in the window's top left corner."""
        if not self.is_open:
            return
        height, width = pixels.shape[:2]
        picture = self._pygame.image.frombuffer(pixels, (width, height), "RGB")
        self._pygame.display.get_surface().blit(picture, (0, 0))
        self._pygame.display.flip()

    def close(self) -> None:
        """Closes it, as often as it is called."""
        if self.is_open:
            self._pygame.display.quit()
            Window._shown = None


def check_display() -> None:
    """Raises a NoDisplayError without a display, a DependencyNotInstalled without pygame."""
    wanted, displays = os.environ.get("SDL_VIDEODRIVER"), ("DISPLAY", "WAYLAND_DISPLAY")
    if not wanted and sys.platform == "linux" and not any(map(os.environ.get, displays)):
        raise NoDisplayError(_NO_DISPLAY)
    import_pygame()


_NO_DISPLAY = (
    "there is no display to open a window on; on a machine without a screen, write a file "
    'instead (steer-env record), or use render_mode="rgb_array"'
)
