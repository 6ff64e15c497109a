"""The program of the window: time, events, key bindings, and the keys that steer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from steer_env.drawing import ANNOTATION_KEYS, ANNOTATIONS, DrawingConfig
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.window import Window
from steer_env.watch.screen import Screen
from steer_env.watch.session import Session

DIRECTIONS: Mapping[str, complex] = {  # y points up
    **{"up": 1j, "left": -1, "down": -1j, "right": 1},
    **{"w": 1j, "a": -1, "s": -1j, "d": 1},
}

STEERING_HELP = ("Arrows or W A S D", "accelerate that way")


class Binding(NamedTuple):
    """An action, and the keys that trigger it."""

    keys: tuple[str, ...]  # names in pygame ("space", "r") or characters ("?")
    help: str
    act: Callable[[], object]


def names_of(event: Any) -> list[str]:
    """The names that a binding can use for the key of a KEYDOWN event of pygame."""
    pygame = import_pygame()
    if event.mod & (pygame.KMOD_CTRL | pygame.KMOD_LALT | pygame.KMOD_META):
        return []
    return [event.unicode, pygame.key.name(event.key)]


class Controls:
    """The keys that steer: arrows and W A S D."""

    def __init__(self) -> None:
        self._held: dict[int, complex] = {}  # directions of keys
        self.release = self._held.clear  # of all, as when the window loses the focus

    def take(self, event: Any) -> bool:
        """Handles an event of pygame and returns whether it steers."""
        pygame, direction = import_pygame(), None
        if event.type == pygame.KEYUP:
            self._held.pop(event.key, None)
        elif event.type == pygame.KEYDOWN:
            direction = DIRECTIONS.get(pygame.key.name(event.key))
        if direction is not None:
            self._held[event.key] = direction
        return direction is not None

    def push(self) -> complex:
        """The acceleration in the arena, of length 1, or 0."""
        wanted = complex(sum(set(self._held.values())))
        return wanted / abs(wanted) if wanted else 0j


class SteeringApp:
    """Lets a person play in a window until it is closed, and reports the results."""

    def __init__(
        self,
        window: Window,
        session: Session,
        drawing: DrawingConfig,
        rounds: int | None = None,
        report: Callable[[str], object] = print,
    ) -> None:
        self.window, self._controls = window, Controls()
        self._session, self._rounds, self._report = session, rounds, report
        session.push = self._controls.push
        self.bindings = self._make_bindings()
        rows = [(", ".join(one.keys).title(), one.help) for one in self.bindings]
        self.screen = Screen(session, drawing, [STEERING_HELP, *rows])
        self._drawn: tuple[object, ...] | None = None  # what the window shows

    def run(self) -> None:
        """Runs until the window is closed."""
        try:
            while self.window.is_open:
                self.frame(time.perf_counter())
                self.window.wait(60)  # frames a second
        finally:
            self.window.close()

    def frame(self, now: float) -> None:
        """Handles events and draws, at a time in seconds of a steady clock."""
        for event in self.window.events():
            self._handle(event)
            if not self.window.is_open:
                return
        self._advance(now)
        session = self._session
        shown = (
            *(self.window.size, self.screen.drawing, self.screen.has_help),
            *(session.seed, session.game.last, session.is_paused),
        )
        if self.window.is_open and shown != self._drawn:
            self.window.show(self.screen.draw(self.window.size))
            self._drawn = shown

    def _handle(self, event: Any) -> None:
        pygame, session = import_pygame(), self._session
        if event.type == pygame.QUIT:
            self.window.close()
        elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
            self._drawn = None
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._controls.release()
            session.is_paused = True
        elif self._controls.take(event):
            if session.is_waiting and not self.screen.has_help:
                session.pause()
        elif event.type == pygame.KEYDOWN:
            names = names_of(event)
            for one in self.bindings:
                if not {*names}.isdisjoint(one.keys):
                    return one.act()
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self.screen.has_help = False

    def _advance(self, now: float) -> None:
        session, is_done = self._session, False
        if self.screen.has_help:
            session.wait()
        else:
            is_done = session.update(now)
        if (line := session.take_result()) is not None:
            self._report(line)
        if is_done and self._rounds is not None and session.round >= self._rounds:
            self.window.close()
        elif is_done:
            session.next_round()
        self.window.set_title(session.title)

    def _make_bindings(self) -> list[Binding]:
        session = self._session
        bindings = [
            Binding(("space",), "pause, or go on", session.pause),
            Binding(("r",), "same start again", session.restart),
            Binding(("n",), "next round", session.next_round),
            Binding(("h", "f1", "?"), "this help", self._toggle_help),
            Binding(("escape",), "close, or quit", self._close_or_quit),
            Binding(("q",), "quit", self.window.close),
        ]
        for name, key in ANNOTATION_KEYS.items():
            if key not in DIRECTIONS:
                about = f"{name}: {ANNOTATIONS[name]}"
                bindings.append(Binding((key,), about, partial(self._toggle, name)))
        return bindings

    def _toggle(self, annotation: str) -> None:
        shown = {*self.screen.drawing.annotations} ^ {annotation}
        self.screen.drawing = replace(self.screen.drawing, annotations=tuple(shown))

    def _toggle_help(self) -> None:
        self.screen.has_help = not self.screen.has_help

    def _close_or_quit(self) -> None:
        if self.screen.has_help:
            self.screen.has_help = False
        else:
            self.window.close()
