"""Games for tests, and a program on a window that nobody sees."""

from __future__ import annotations

import pygame

from steer_env.drawing import DrawingConfig
from steer_env.game.config import make_game
from steer_env.players.player import Player
from steer_env.players.resolver import resolve_all
from steer_env.rendering.window import Window
from steer_env.watch.app import WatchApp
from steer_env.watch.screening import Screening


def make_screening(chasers=("pursuit",), runners=("evade",), seed=0, **keywords):
    """A screening; "you" for a person."""
    sides = [
        [Player("you")] if names == "you" else resolve_all(names, side)
        for side, names in enumerate((chasers, runners))
    ]
    return Screening(make_game(**{"horizon": 60, **keywords}), sides, seed)


class Program:
    """A running program, frame by frame, with its last picture and its reported lines."""

    def __init__(self, size=(600, 500), rounds=None, annotations="none", **screening):
        self.screening = make_screening(**screening)
        self.lines: list[str] = []
        drawing = DrawingConfig(size=size, annotations=annotations)
        self.window = Window(size, "test")
        self.app = WatchApp(self.window, self.screening, drawing, rounds, self.lines.append)
        self.now, self.pixels = 100.0, None
        self._show = self.window.show
        self.window.show = self.keep
        self.window.events()  # those of its opening
        self.frame()

    def keep(self, pixels):
        self.pixels = pixels.copy()
        self._show(pixels)

    def frame(self, seconds=0.0):
        """Lets time pass, and shows a frame."""
        self.now += seconds
        self.app.frame(self.now)

    def post(self, kind, **fields):
        pygame.event.post(pygame.event.Event(kind, **fields))
        self.frame()

    def press(self, name):
        """Presses a key of a name such as "space" or "+"."""
        self.app.bindings.release()  # the key before
        typed = name if len(name) == 1 else ""
        self.post(pygame.KEYDOWN, key=pygame.key.key_code(name), mod=0, unicode=typed)

    def close(self):
        self.window.close()
        self.screening.close()


def after(program, steps):
    """The program, so many steps later."""
    for _ in range(steps):
        program.press("right")
    return program
