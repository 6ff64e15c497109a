"""The program of the window: events, keys and time."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

from steer_env.drawing import (
    ANNOTATION_KEYS,
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    THEMES,
    DrawingConfig,
)
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.canvas import Pixels
from steer_env.rendering.window import Window
from steer_env.watch.devices import (
    DIRECTIONS,
    PAD_KEYS,
    STEERING_HELP,
    Binding,
    Bindings,
    Controls,
)
from steer_env.watch.picture import Display, Picture
from steer_env.watch.screening import Screening

FRAMES_PER_SECOND = 60  # the rate of looking for events, and of drawing
_MESSAGE_SECONDS = 4.0


class WatchApp:
    """Shows games in a window until it is closed, and reports their results."""

    def __init__(
        self,
        window: Window,
        screening: Screening,
        drawing: DrawingConfig,
        rounds: int | None = None,
        report: Callable[[str], object] = print,
    ) -> None:
        self.window, self._now = window, time.perf_counter()
        self._screening, self._rounds, self._report = screening, rounds, report
        self.display, self._controls = Display(drawing), Controls()
        self._steers = screening.steered is not None
        self.bindings = self._make_bindings()
        rows = [*self.bindings.rows, ("Click the bar", "go to that time")]
        if self._steers:
            rows = [*STEERING_HELP, *rows]
            screening.push = lambda: self._controls.push(*self.picture.steered_vehicle())
        self.picture = Picture(screening, self.display, rows)
        self._drawn: tuple[object, ...] | None = None  # what the window shows
        self._is_scrubbing = False  # whether the mouse moves the time
        self._message_until = 0.0

    def run(self) -> None:
        """Runs until the window is closed."""
        joystick = import_pygame().joystick
        if self._steers:
            joystick.init()
        try:
            while self.window.is_open:
                self.frame(time.perf_counter())
                self.window.wait(FRAMES_PER_SECOND)
        finally:
            self.window.close()
            if self._steers:
                joystick.quit()

    def frame(self, now: float) -> None:
        """Handles events and draws, at a time in seconds of a steady clock."""
        pygame, self._now = import_pygame(), now
        for event in self.window.events():
            if event.type == pygame.QUIT:
                self.window.close()
            elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
                self._drawn = None
            else:
                self._handle(event)
            if not self.window.is_open:
                return
        self._advance()
        if self.window.is_open:
            shown = (self.window.size, *self._shown())
            if shown != self._drawn:
                self.window.show(self.draw())
                self._drawn = shown

    def draw(self) -> Pixels:
        """Returns the picture for the window, (height, width, 3)."""
        return self.picture.draw(self.window.size)

    def _handle(self, event: Any) -> None:
        pygame = import_pygame()
        if event.type == pygame.MOUSEMOTION and self._is_scrubbing:
            self._scrub(complex(*event.pos))
        elif event.type == pygame.MOUSEBUTTONUP:
            self._is_scrubbing = False
        if self._steers and self._steer(event):
            return
        if event.type == pygame.KEYDOWN:
            self.bindings.press(event)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button in (1, 3):
            self._click(complex(*event.pos))

    def _advance(self) -> None:
        screening, display = self._screening, self.display
        self.bindings.repeat(self._now)
        if display.has_help:
            screening.clock.restart()
        may_go_on = not display.has_help and screening.update(self._now)
        for line in screening.results():
            self._report(line)
        if may_go_on and self._rounds is not None and screening.round >= self._rounds:
            self.window.close()
        elif may_go_on:
            screening.next_round()
        self.window.set_title(screening.title)
        if self._now >= self._message_until:
            display.message = ""

    def _shown(self) -> tuple[object, ...]:
        """Everything that the picture depends on beside the window's size."""
        screening, clock = self._screening, self._screening.clock
        return (
            *(copy(self.display), screening.keeps_going),
            *(screening.seed, screening.moment, screening.last_moment, screening.is_over),
            *(clock.speed, clock.is_paused),
        )

    def _say(self, message: str) -> None:
        """Shows a message in the status line for a while."""
        self.display.message, self._message_until = message, self._now + _MESSAGE_SECONDS

    def _steer(self, event: Any) -> bool:
        """Handles an event while a person plays, and returns whether it steers."""
        pygame, screening = import_pygame(), self._screening
        if event.type == pygame.WINDOWFOCUSLOST:
            self._controls.release()
            screening.clock.is_paused = True
        if event.type == pygame.JOYBUTTONDOWN and event.button < len(PAD_KEYS):
            self.bindings.do(PAD_KEYS[event.button])
        is_click = event.type == pygame.MOUSEBUTTONDOWN
        if is_click and self.picture.places.status.contains(complex(*event.pos)):
            return False
        if not self._controls.take(event) or self.display.has_help:
            return False
        if screening.is_waiting:
            screening.clock.pause()
        return True

    def _click(self, place: complex) -> None:
        if self.display.has_help:
            self.display.has_help = False
        elif self.picture.places.status.contains(place):
            self._is_scrubbing = True
            self._scrub(place)

    def _scrub(self, place: complex) -> None:
        status = self.picture.places.status
        share = (place.real - status.left) / max(status.width, 1)
        self._screening.go_to(round(share * self._screening.config.horizon))

    def _make_bindings(self) -> Bindings:
        screening, clock = self._screening, self._screening.clock
        horizon = screening.config.horizon
        bindings = [
            Binding(("space",), "pause, or go on", clock.pause),
            Binding(("right",), "a step forward", partial(screening.move, 1), repeats=True),
            Binding(("left",), "a step back", partial(screening.move, -1), repeats=True),
            Binding(("home",), "to the start", partial(screening.go_to, 0)),
            Binding(("end",), "to the end", partial(screening.go_to, horizon)),
            Binding(("up", "+"), "faster", clock.faster),
            Binding(("down", "-"), "slower", clock.slower),
            Binding(("r",), "same start again", screening.restart),
            Binding(("n",), "next round", screening.next_round),
            Binding(("p", "shift+n"), "previous round", screening.previous_round),
            Binding(("g",), "go on after the end, or not", self._toggle_keeps_going),
            Binding(("t",), "light or dark", self._change_theme),
            Binding(("h", "f1", "?"), "this help", self._toggle_help),
            Binding(("escape",), "close, or quit", self._close_or_quit),
            Binding(("q", "shift+q"), "quit", self.window.close),
            Binding(("a",), "all annotations, none, default", self._toggle_all),
        ]
        for name, key in ANNOTATION_KEYS.items():
            about = f"{name}: {ANNOTATIONS[name]}"
            bindings.append(Binding((key,), about, partial(self._toggle, name)))
        if self._steers:
            kept = [tuple(key for key in one.keys if key not in DIRECTIONS) for one in bindings]
            bindings = [replace(one, keys=keys) for one, keys in zip(bindings, kept) if keys]
        return Bindings(bindings)

    def _toggle_keeps_going(self) -> None:
        keeps = self._screening.keeps_going = not self._screening.keeps_going
        self._say("goes on with the next round" if keeps else "stays at the end")

    def _change_theme(self) -> None:
        drawing, names = self.display.drawing, [*THEMES]
        following = names[(names.index(drawing.theme) + 1) % len(names)]
        self.display.drawing = replace(drawing, theme=following)

    def _toggle(self, annotation: str) -> None:
        shown = set(self.display.drawing.annotations) ^ {annotation}
        self.display.drawing = replace(self.display.drawing, annotations=tuple(shown))
        self._say(f"{annotation} {'shown' if annotation in shown else 'hidden'}")

    def _toggle_all(self) -> None:
        """Goes from some annotations to all, from all to none, from none to the default."""
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
        if self.display.has_help:
            self.display.has_help = False
        else:
            self.window.close()
