"""The program that shows games: keys, the mouse, and time."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.command_line import print_written
from steer_env.drawing import (
    ANNOTATION_KEYS,
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    DrawingConfig,
)
from steer_env.files import write_bytes
from steer_env.interface.app import App, with_next_theme
from steer_env.interface.bindings import Binding, Bindings
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.window import Window
from steer_env.watch.picture import Display, Picture
from steer_env.watch.screening import Screening

_SHORT = {
    "velocity": "velocity arrows",
    "force": "force arrows",
    "aim": "aims (crosshairs)",
    "trail": "trails (lines behind)",
    "capture": "capture radius",
    "threat": "threat range (menace)",
    "wander": "wander circle",
    "feelers": "wall feelers",
    "view": "field of view (eyes)",
    "corridor": "obstacle corridor",
    "apollonius": "Apollonius circle",
    "names": "designations (names)",
    "score": "score and key",
}
_MOUSE = [
    ("Click a vehicle", "inspect it"),
    ("Click the bar", "go to that time"),
]
_MESSAGE_SECONDS = 4.0
_PAGE = 180.0  # pixels, for a press of page up or down
_SCROLLED = 60.0  # pixels, for a notch of the wheel


class WatchApp(App):
    """Shows games in a window until it is closed, or all rounds are over.

    Args:
        window: window to draw in; it is closed at the end.
        screening: the games.
        drawing: theme and annotations.
        rounds: number of rounds after which the window closes; None for never.
        report: called with a line about each game's result.

    Attributes:
        bindings: the keys.
        display: what the window shows beside the games.
        picture: draws the window.
    """

    def __init__(
        self,
        window: Window,
        screening: Screening,
        drawing: DrawingConfig,
        rounds: int | None = None,
        report: Callable[[str], object] = print,
    ) -> None:
        super().__init__(window)
        self._screening, self._rounds, self._report = screening, rounds, report
        self.display = Display(drawing)
        self.bindings = self._make_bindings()
        self.picture = Picture(screening, self.display, [*self.bindings.rows, *_MOUSE])
        self._titled_seed: int | None = None  # of the window's title
        self._is_scrubbing = False  # whether the mouse moves the time
        self._message_until = 0.0
        self._pointer: complex | None = None  # place of the mouse, over the window

    def handle(self, event: Any) -> None:
        """Handles an event of pygame."""
        pygame = import_pygame()
        if event.type == pygame.KEYDOWN:
            self.bindings.press(event)
        elif event.type == pygame.MOUSEMOTION:
            self._pointer = complex(*event.pos)
            if self._is_scrubbing:
                self._scrub(self._pointer)
        elif event.type == pygame.MOUSEBUTTONUP:
            self._is_scrubbing = False
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._click(complex(*event.pos))
        elif event.type == pygame.MOUSEWHEEL:
            self._scroll(-event.y * _SCROLLED)
        elif event.type == pygame.WINDOWLEAVE:
            self._pointer = None

    def advance(self, now: float) -> None:
        """Lets time pass, and reports results."""
        screening, display = self._screening, self.display
        self.bindings.repeat(now)
        may_go_on = not display.has_help and screening.update(now)
        for line in screening.results():
            self._report(line)
        if may_go_on and self._rounds is not None and screening.round >= self._rounds:
            self.window.close()
        elif may_go_on:
            screening.next_round()
        if screening.seed != self._titled_seed:
            self._titled_seed = screening.seed
            self.window.set_title(screening.title)
        if now >= self._message_until:
            display.message = ""
        # Both the pointer and the vehicles can move.
        display.hovered = (
            None if self._pointer is None else self.picture.vehicle_at(self._pointer)
        )

    def shown(self) -> tuple[object, ...]:
        """Returns what the picture depends on beside the window's size."""
        screening, clock = self._screening, self._screening.clock
        return (
            *(copy(self.display), self.display.inspector.scroll, screening.keeps_going),
            *(screening.seed, screening.moment, screening.last_moment, screening.is_over),
            *(screening.percent_to_goal, clock.speed, clock.is_paused),
        )

    def draw(self) -> NDArray[np.uint8]:
        """Returns the picture for the window, (height, width, 3)."""
        return self.picture.draw(self.window.size)

    def _say(self, message: str) -> None:
        """Shows a message in the status line for a while."""
        self.display.message, self._message_until = message, self.now + _MESSAGE_SECONDS

    def _click(self, place: complex) -> None:
        display, inspector = self.display, self.picture.places.inspector
        if display.has_help:
            display.has_help = False
        elif self.picture.places.status.contains(place):
            self._is_scrubbing = True
            self._scrub(place)
        elif inspector is None or not inspector.contains(place):
            target, game = self.picture.vehicle_at(place), self.picture.game_at(place)
            if target is not None and target != display.inspected:
                display.inspector.scroll = 0.0
            display.inspected = target
            display.current = display.current if game is None else game

    def _scrub(self, place: complex) -> None:
        """Goes to the time at a place in the bar."""
        status = self.picture.places.status
        share = (place.real - status.left) / max(status.width, 1)
        self._screening.go_to(round(share * self._screening.config.horizon))

    def _scroll(self, pixels: float) -> None:
        if self.display.inspected is not None:
            self.display.inspector.scroll_by(pixels)

    def _make_bindings(self) -> Bindings:
        screening = self._screening
        moves = [
            Binding(("space",), "pause, or go on", screening.clock.pause),
            Binding(("right",), "a step forward", screening.step_forward, repeats=True),
            Binding(("left",), "a step back", screening.step_back, repeats=True),
            Binding(("home",), "to the start", screening.go_to_start),
            Binding(("end",), "to the end", screening.go_to_end),
            Binding(("up", "+"), "faster", screening.clock.faster),
            Binding(("down", "-"), "slower", screening.clock.slower),
            Binding(("r",), "same start again", screening.restart),
            Binding(("n",), "next seed", screening.next_round),
            Binding(("p", "shift+n"), "previous seed", screening.previous_round),
            Binding(("g",), "go on after the end, or not", self._toggle_keeps_going),
        ]
        looks = [
            Binding(("tab",), "select the next panel", self._select_next),
            Binding(("return",), "selected panel only, or all", self._toggle_alone),
            Binding(
                ("page down",), "inspector: down", partial(self._scroll, _PAGE), repeats=True
            ),
            Binding(("page up",), "inspector: up", partial(self._scroll, -_PAGE), repeats=True),
            Binding(("t",), "light or dark", self._change_theme),
            Binding(("s",), "save a screenshot", self._save_screenshot),
            Binding(("h", "f1", "?"), "this help", self._toggle_help),
            Binding(("escape",), "close, or quit", self._close_or_quit),
            Binding(("q",), "quit", self.window.close),
            Binding(("a",), "all annotations, none, default", self._toggle_all),
        ]
        toggles = [
            Binding((ANNOTATION_KEYS[name],), _SHORT[name], partial(self._toggle, name))
            for name in ANNOTATIONS
        ]
        return Bindings([*moves, *looks, *toggles])

    def _toggle_keeps_going(self) -> None:
        self._screening.keeps_going = not self._screening.keeps_going
        keeps = self._screening.keeps_going
        self._say("goes on with the next seed" if keeps else "stays at the end")

    def _select_next(self) -> None:
        display = self.display
        display.current = (display.current + 1) % len(self._screening.games)
        if display.inspected is not None and display.is_alone:
            display.inspected = display.inspected._replace(game=display.current)

    def _toggle_alone(self) -> None:
        display = self.display
        if len(self._screening.games) > 1:
            display.is_alone = not display.is_alone
        if display.inspected is not None and display.is_alone:
            display.inspected = display.inspected._replace(game=display.current)

    def _change_theme(self) -> None:
        self.display.drawing = with_next_theme(self.display.drawing)

    def _toggle(self, annotation: str) -> None:
        shown = set(self.display.drawing.annotations) ^ {annotation}
        self.display.drawing = replace(self.display.drawing, annotations=tuple(shown))
        self._say(f"{annotation} {'shown' if annotation in shown else 'hidden'}")

    def _toggle_all(self) -> None:
        """Shows all annotations; if all are shown, none; if none is, the default ones."""
        shown = self.display.drawing.annotations
        following, word = tuple(ANNOTATIONS), "all"
        if len(shown) == len(ANNOTATIONS):
            following, word = (), "no"
        elif not shown:
            following, word = DEFAULT_ANNOTATIONS, "default"
        self.display.drawing = replace(self.display.drawing, annotations=following)
        self._say(f"{word} annotations")

    def _toggle_help(self) -> None:
        self.display.has_help = not self.display.has_help

    def _close_or_quit(self) -> None:
        display = self.display
        if display.has_help:
            display.has_help = False
        elif display.inspected is not None:
            display.inspected = None
        elif display.is_alone:
            display.is_alone = False
        else:
            self.window.close()

    def _save_screenshot(self) -> None:
        pixels = self.draw()
        try:
            path = write_new_png(Path.cwd(), f"watch-{self._screening.seed}", pixels)
        except OSError as error:
            self._say(f"no screenshot: {error.strerror or error}")
        else:
            self._say(f"wrote {path.name}")
            print_written(path)


def write_new_png(folder: Path, stem: str, pixels: NDArray[np.uint8]) -> Path:
    """Saves a picture under the first free name: "stem-1.png", "stem-2.png" ...

    Raises:
        OSError: if it cannot be written.
    """
    content, number = RasterCanvas(pixels).png(), 1
    while True:
        path = folder / f"{stem}-{number}.png"
        try:
            write_bytes(path, content, is_new=True)
        except FileExistsError:
            number += 1
        else:
            return path
