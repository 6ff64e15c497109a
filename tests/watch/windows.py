"""Games for tests, and a program on a window that nobody sees."""

from __future__ import annotations

import pygame

from steer_env.drawing import DrawingConfig
from steer_env.game.config import make_game
from steer_env.players.player import Player
from steer_env.players.resolver import resolve
from steer_env.rendering.window import Window
from steer_env.sides import PURSUER
from steer_env.watch.app import SteeringApp
from steer_env.watch.session import Session


def make_session(opponent="evade", side=PURSUER, seed=0, keeps_going=False, **keywords):
    """A session in which a person plays a side."""
    players = side.ordered(Player("you"), resolve(opponent, side.other))
    return Session(make_game(**{"horizon": 60, **keywords}), players, seed, keeps_going)


class Program:
    """A running program, frame by frame, with its last picture and its reported lines."""

    def __init__(self, size=(600, 500), rounds=None, annotations="none", **session):
        self.session = make_session(**session, keeps_going=rounds is not None)
        self.lines: list[str] = []
        drawing = DrawingConfig(size=size, annotations=annotations)
        self.window = Window(size, "test")
        self.app = SteeringApp(self.window, self.session, drawing, rounds, self.lines.append)
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

    def frames(self, count, seconds=1 / 30):
        """Shows a few frames, one after the other."""
        for _ in range(count):
            self.frame(seconds)

    def post(self, kind, **fields):
        pygame.event.post(pygame.event.Event(kind, **fields))
        self.frame()

    def press(self, name, kind=pygame.KEYDOWN):
        """Presses a key of a name such as "space" or "+"."""
        typed = name if len(name) == 1 else ""
        self.post(kind, key=pygame.key.key_code(name), mod=0, unicode=typed)

    def close(self):
        self.window.close()
        self.session.close()
