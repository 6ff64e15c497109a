"""The window in which games are watched: keys, the mouse, and time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import (
    ANNOTATION_KEYS,
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    THEMES,
    DrawingConfig,
)
from steer_env.interface.bindings import Binding, Bindings
from steer_env.interface.clock import FRAMES_PER_SECOND
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.window import Window
from steer_env.watch.picture import Look, Picture
from steer_env.watch.session import Session

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
    ("Click a vehicle", "all about it"),
    ("Click the bar", "to that time"),
]
_MESSAGE_SECONDS = 4.0
_SCROLLED = 60.0  # pixels, at a turn of the wheel


class App:
    """Shows a session in a window until somebody closes it, or the rounds are over.

    Args:
        session: the games.
        drawing: size of the window, theme and annotations.
        rounds: after how many it ends by itself; None for never.
        report: is told each game's result, one line.

    Attributes:
        bindings: what keys do; the help is made from them.
        look: what is looked at, and how.
        picture: which draws it.
        is_running: whether the window is to stay open.
    """

    def __init__(
        self,
        session: Session,
        drawing: DrawingConfig,
        rounds: int | None = None,
        report: Callable[[str], object] = print,
    ) -> None:
        self._session, self._rounds, self._report = session, rounds, report
        self.look = Look(drawing)
        self.bindings = self._make_bindings()
        self.picture = Picture(session, self.look, [*self.bindings.rows, *_MOUSE])
        self.is_running = True
        self._is_stale = True  # whether what is shown is no longer so
        self._is_scrubbing = False  # whether the mouse moves the time
        self._message_until: float | None = None
        self._pointer: complex | None = None  # where the mouse is, over the window
        self._size = drawing.size

    def run(self) -> None:
        """Opens the window and shows the games in it.

        Raises:
            steer_env.rendering.window.NoDisplayError: if there is no display.
            gymnasium.error.DependencyNotInstalled: without pygame.
        """
        names = self._session.games[0].duel.names
        title = " v ".join(names) if len(self._session.games) == 1 else "steer_env watch"
        window = Window(self.look.drawing.size, title)
        frames = import_pygame().time.Clock()
        try:
            while self.is_running and window.is_open:
                self.show_frame(window, time.monotonic())
                frames.tick(FRAMES_PER_SECOND)
        finally:
            window.close()

    def show_frame(self, window: Window, now: float) -> None:
        """Does what is due at a time, in seconds of any steady clock, and shows it."""
        for event in window.events():
            self.handle(event)
        self._is_stale |= self.bindings.repeat(now)
        self._go_on(now)
        self._hover()
        if window.size != self._size:
            self._size, self._is_stale = window.size, True
        if self._is_stale and self.is_running:
            window.show(self.picture.draw(self._size))
            self._is_stale = False

    def handle(self, event: Any) -> None:
        """Does what an event of pygame asks for."""
        pygame = import_pygame()
        if event.type == pygame.QUIT:
            self.quit()
        elif event.type == pygame.KEYDOWN:
            self._is_stale |= self.bindings.press(event)
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
        elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
            self._is_stale = True

    def quit(self) -> None:
        """Ends it."""
        self.is_running = False

    def _go_on(self, now: float) -> None:
        """Lets time pass."""
        session = self._session
        before = self._standing
        may_go_on = not self.look.has_help and session.update(now)
        for line in session.results():
            self._report(line)
        if may_go_on and self._rounds is not None and session.round >= self._rounds:
            self.quit()
        elif may_go_on:
            session.next_round()
        self._is_stale |= before != self._standing
        if self._message_until is None and self.look.message:
            self._message_until = now + _MESSAGE_SECONDS
        elif self._message_until is not None and now >= self._message_until:
            self._message_until, self.look.message, self._is_stale = None, "", True

    @property
    def _standing(self) -> tuple[object, ...]:
        """What the picture shows of the session: if it changes, a new one is drawn."""
        session = self._session
        return session.moment, session.is_over, session.round, session.percent_to_goal

    def _say(self, message: str) -> None:
        """Writes something into the status line for a while."""
        self.look.message, self._message_until, self._is_stale = message, None, True

    def _hover(self) -> None:
        """Looks what is under the pointer: it may move, and the vehicles do."""
        pointer = self._pointer
        hovered = None if pointer is None else self.picture.vehicle_at(pointer)
        self._is_stale |= hovered != self.look.hovered
        self.look.hovered = hovered

    def _click(self, place: complex) -> None:
        look, inspector = self.look, self.picture.layout.inspector
        if look.has_help:
            look.has_help = False
        elif self.picture.layout.status.contains(place):
            self._is_scrubbing = True
            self._scrub(place)
        elif inspector is None or not inspector.contains(place):
            target, game = self.picture.vehicle_at(place), self.picture.game_at(place)
            if target is not None and target != look.inspected:
                look.inspector.scroll = 0.0
            look.inspected = target
            look.current = look.current if game is None else game
        self._is_stale = True

    def _scrub(self, place: complex) -> None:
        """Goes to the time that is at a place in the bar."""
        status = self.picture.layout.status
        share = (place.real - status.left) / max(status.width, 1)
        self._session.go_to(round(share * self._session.config.horizon))

    def _scroll(self, pixels: float) -> None:
        if self.look.inspected is not None:
            self.look.inspector.scroll_by(pixels)
            self._is_stale = True

    def _make_bindings(self) -> Bindings:
        session = self._session
        moves = [
            Binding(("space",), "pause, or go on", session.clock.pause),
            Binding(("right",), "a step forward", session.step_forward, repeats=True),
            Binding(("left",), "a step back", session.step_back, repeats=True),
            Binding(("home",), "to the start", session.go_to_start),
            Binding(("end",), "to the end", session.go_to_end),
            Binding(("up", "+"), "faster", session.clock.faster),
            Binding(("down", "-"), "slower", session.clock.slower),
            Binding(("r",), "same start again", session.restart),
            Binding(("n",), "next seed", session.next_round),
            Binding(("p", "shift+n"), "seed before", session.previous_round),
            Binding(("g",), "keep going after the end", self._toggle_keeps_going),
        ]
        looks = [
            Binding(("tab",), "select the next panel", self._select_next),
            Binding(("return",), "one panel alone, or all", self._toggle_alone),
            Binding(("page down",), "inspector: down", self._scroll_down, repeats=True),
            Binding(("page up",), "inspector: up", self._scroll_up, repeats=True),
            Binding(("t",), "light or dark", self._change_theme),
            Binding(("s",), "save a screenshot", self._save_screenshot),
            Binding(("h", "f1", "?"), "this help", self._toggle_help),
            Binding(("escape",), "close, or quit", self._close_or_quit),
            Binding(("q",), "quit", self.quit),
            Binding(("a",), "all annotations, none, usual", self._toggle_all),
        ]
        marks = [
            Binding((ANNOTATION_KEYS[name],), _SHORT[name], self._toggle_of(name))
            for name in ANNOTATIONS
        ]
        return Bindings([*moves, *looks, *marks])

    def _toggle_keeps_going(self) -> None:
        self._session.toggle_keeps_going()
        keeps = self._session.keeps_going
        self._say("the next seed follows by itself" if keeps else "stays at the end")

    def _select_next(self) -> None:
        look = self.look
        look.current = (look.current + 1) % len(self._session.games)
        if look.inspected is not None and look.is_alone:
            look.inspected = look.inspected._replace(game=look.current)

    def _toggle_alone(self) -> None:
        look = self.look
        if len(self._session.games) > 1:
            look.is_alone = not look.is_alone
        if look.inspected is not None and look.is_alone:
            look.inspected = look.inspected._replace(game=look.current)

    def _scroll_down(self) -> None:
        self._scroll(3 * _SCROLLED)

    def _scroll_up(self) -> None:
        self._scroll(-3 * _SCROLLED)

    def _change_theme(self) -> None:
        themes = list(THEMES)
        following = themes[(themes.index(self.look.drawing.theme) + 1) % len(themes)]
        self.look.drawing = replace(self.look.drawing, theme=following)

    def _toggle_of(self, annotation: str) -> Callable[[], None]:
        def toggle() -> None:
            shown = set(self.look.drawing.annotations) ^ {annotation}
            self.look.drawing = replace(self.look.drawing, annotations=tuple(shown))
            self._say(f"{annotation} {'shown' if annotation in shown else 'hidden'}")

        return toggle

    def _toggle_all(self) -> None:
        """All annotations; if all are shown, none; if none, the usual ones."""
        shown = self.look.drawing.annotations
        following, word = tuple(ANNOTATIONS), "all"
        if len(shown) == len(ANNOTATIONS):
            following, word = (), "no"
        elif not shown:
            following, word = DEFAULT_ANNOTATIONS, "the usual"
        self.look.drawing = replace(self.look.drawing, annotations=following)
        self._say(f"{word} annotations")

    def _toggle_help(self) -> None:
        self.look.has_help = not self.look.has_help

    def _close_or_quit(self) -> None:
        look = self.look
        if look.has_help:
            look.has_help = False
        elif look.inspected is not None:
            look.inspected = None
        elif look.is_alone:
            look.is_alone = False
        else:
            self.quit()

    def _save_screenshot(self) -> None:
        pixels = self.picture.draw(self._size)
        try:
            path = write_new_png(Path.cwd(), f"watch-{self._session.seed}", pixels)
        except OSError as error:
            self._say(f"no screenshot: {error.strerror or error}")
        else:
            self._say(f"saved {path.name}")


def write_new_png(folder: Path, stem: str, pixels: NDArray[np.uint8]) -> Path:
    """Saves a picture under the first name that is free: "stem-1.png", "stem-2.png" ...

    Raises:
        OSError: if it cannot be written.
    """
    content, number = RasterCanvas(pixels).png(), 1
    while True:
        path = folder / f"{stem}-{number}.png"
        try:
            with path.open("xb") as file:
                file.write(content)
        except FileExistsError:
            number += 1
        else:
            return path
