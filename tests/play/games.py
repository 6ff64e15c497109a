"""The game in a window that nobody sees."""

from __future__ import annotations

import pytest

from play import events
from play.events import key_down, key_up
from steer_env.drawing import DrawingConfig
from steer_env.game.config import game_config
from steer_env.interface.buttons import Button
from steer_env.play.app import PlayApp
from steer_env.play.best_times import BestTimes
from steer_env.play.menu import Menu
from steer_env.play.visit import COUNT_SECONDS, COUNTS, Phase, Visit
from steer_env.rendering.window import Window
from steer_env.sides import PURSUER

pygame = events.pygame

STEP = 1 / 30


class Game:
    """The program in a hidden window, with a clock of the test's own."""

    def __init__(self, path, size=(600, 500), side=PURSUER, opponent="rest", **keywords):
        rounds = keywords.pop("rounds", None)
        menu = Menu(side, game_config(**keywords), opponent=opponent)
        self.lines, self.now = [], 0.0
        self.visit = Visit(menu, BestTimes(path), 5, rounds, self.lines.append)
        self.window = Window(size, "play")
        self.window.events()
        drawing = DrawingConfig(annotations=("velocity", "trail", "capture"))
        self.app = PlayApp(self.window, self.visit, drawing)

    def post(self, *posted, seconds=0.0):
        """Lets something happen in the window, and time pass."""
        for each in posted:
            pygame.event.post(each)
        self.wait(seconds)

    def click(self, label, seconds=0.0):
        """Clicks on the button of that label, as it is in the picture."""
        (place,) = (
            area.corner + complex(area.width, area.height) / 2
            for area, label_there in self.buttons()
            if label_there == label
        )
        fields = {"button": 1, "pos": (int(place.real), int(place.imag))}
        self.post(events.event("MOUSEBUTTONDOWN", **fields))
        self.post(events.event("MOUSEBUTTONUP", **fields))
        self.wait(seconds)

    def buttons(self):
        """The areas and labels of all buttons in the picture."""
        found = []
        draw = Button.draw

        def noted(button, canvas, area, size, is_hovered):
            found.append((area, button.label))
            draw(button, canvas, area, size, is_hovered)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Button, "draw", noted)
            self.app.draw()
        return found

    def press(self, *names, seconds=0.0):
        """Presses and releases keys, one after the other."""
        for name in names:
            self.post(key_down(name), key_up(name))
        self.wait(seconds)

    def wait(self, seconds=0.0):
        """Draws a frame, and others 30 times a second while time passes."""
        self.app.frame(self.now)
        for _ in range(round(seconds / STEP)):
            self.now += STEP
            self.app.frame(self.now)

    @property
    def push(self):
        """The force of the last step on the person's vehicle, as a share of all it has."""
        forces = self.visit.round.history.recording().forces
        return complex(forces[-1, self.visit.menu.side]) / 12.0

    @property
    def steps(self):
        """That were played of the round."""
        return self.visit.round.history.last

    def reach(self, phase):
        """Goes on until a phase."""
        if phase is not Phase.TITLE and self.visit.phase is Phase.TITLE:
            self.press("b" if phase is Phase.TIMES else "return")
        if phase in (Phase.ROUND, Phase.END, Phase.REPLAY):
            self.wait(COUNTS * COUNT_SECONDS + 2 * STEP)
        if phase in (Phase.END, Phase.REPLAY):
            self.wait(self.visit.round.seconds_left + STEP)
        if phase is Phase.REPLAY:
            self.press("v")
        assert self.visit.phase is phase
        return self
