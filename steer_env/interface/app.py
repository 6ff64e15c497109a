"""The main loop of a program with a window."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import THEMES, DrawingConfig
from steer_env.interface.clock import FRAMES_PER_SECOND
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.window import Window


def with_next_theme(drawing: DrawingConfig) -> DrawingConfig:
    """Returns the same settings with the next theme."""
    names = list(THEMES)
    following = names[(names.index(drawing.theme) + 1) % len(names)]
    return replace(drawing, theme=following)


class App(ABC):
    """A program in a window, which draws only when something has changed.

    Args:
        window: window to draw in; it is closed at the end.

    Attributes:
        window: as given.
        now: time of the current frame, in seconds of a steady clock.
    """

    def __init__(self, window: Window) -> None:
        self.window, self.now = window, time.perf_counter()
        self._drawn: tuple[object, ...] | None = None  # what the window shows

    def run(self) -> None:
        """Runs until the window is closed."""
        try:
            while self.window.is_open:
                self.frame(time.perf_counter())
                self.window.wait(FRAMES_PER_SECOND)
        finally:
            self.window.close()

    def frame(self, now: float) -> None:
        """Handles events and time, and draws; now is in seconds of any steady clock."""
        pygame, self.now = import_pygame(), now
        for event in self.window.events():
            if event.type == pygame.QUIT:
                self.window.close()
            elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
                self._drawn = None
            else:
                self.handle(event)
            if not self.window.is_open:
                return
        self.advance(now)
        if self.window.is_open:
            shown = (self.window.size, *self.shown())
            if shown != self._drawn:
                self.window.show(self.draw())
                self._drawn = shown

    @abstractmethod
    def handle(self, event: Any) -> None:
        """Handles an event of pygame."""

    @abstractmethod
    def advance(self, now: float) -> None:
        """Lets time pass."""

    @abstractmethod
    def shown(self) -> tuple[object, ...]:
        """Returns what the picture depends on beside the window's size."""

    @abstractmethod
    def draw(self) -> NDArray[np.uint8]:
        """Returns the picture for the window, (height, width, 3)."""
