"""The program of the window: time, events, key bindings, and the keys that steer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from steer_env.drawing import ANNOTATION_KEYS, ANNOTATIONS, DrawingConfig
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.window import Window
from steer_env.watch.screen import Screen
from steer_env.watch.screening import Screening

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
    repeats: bool = False  # while its key is held


class Bindings(list[Binding]):
    """All bindings of a program, in the order of its help."""

    def __init__(self, bindings: Iterable[Binding]) -> None:
        super().__init__(bindings)
        self._by_key = {key: binding for binding in self for key in binding.keys}
        self._held: int | None = None  # the key that was pressed last, until it is released

    def press(self, event: Any) -> None:
        """Acts on a KEYDOWN event of pygame, one of several while a key is held."""
        binding = next(filter(None, map(self._by_key.get, _names(event))), None)
        if binding is not None and (binding.repeats or event.key != self._held):
            binding.act()
        self._held = event.key

    def release(self) -> None:
        """Handles a KEYUP event."""
        self._held = None

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The help: the keys of each binding, and what they do."""
        return [(", ".join(binding.keys).title(), binding.help) for binding in self]


def _names(event: Any) -> list[str]:
    """The names that a binding can use for the event's key, the most specific first."""
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
        self.window, self._controls = window, Controls()
        self._screening, self._rounds, self._report = screening, rounds, report
        self._steers = screening.steered is not None
        self.bindings = self._make_bindings()
        rows = self.bindings.rows
        if self._steers:
            rows = [STEERING_HELP, *rows]
            screening.push = self._controls.push
        self.screen = Screen(screening, drawing, rows)
        self._drawn: tuple[object, ...] | None = None  # what the window shows

    def run(self) -> None:
        """Runs until the window is closed."""
        import_pygame().key.set_repeat(350, 50)  # milliseconds
        try:
            while self.window.is_open:
                self.frame(time.perf_counter())
                self.window.wait(60)  # frames a second
        finally:
            self.window.close()

    def frame(self, now: float) -> None:
        """Handles events and draws, at a time in seconds of a steady clock."""
        pygame = import_pygame()
        for event in self.window.events():
            if event.type == pygame.QUIT:
                self.window.close()
            elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
                self._drawn = None
            else:
                self._handle(event)
            if not self.window.is_open:
                return
        self._advance(now)
        screening, clock = self._screening, self._screening.clock
        shown = (
            *(self.window.size, self.screen.drawing, self.screen.has_help),
            *(screening.seed, screening.moment, screening.last_moment, screening.is_over),
            *(clock.speed, clock.is_paused),
        )
        if self.window.is_open and shown != self._drawn:
            self.window.show(self.screen.draw(self.window.size))
            self._drawn = shown

    def _handle(self, event: Any) -> None:
        pygame = import_pygame()
        if event.type == pygame.KEYUP:
            self.bindings.release()
        if self._steers and self._steer(event):
            return
        if event.type == pygame.KEYDOWN:
            self.bindings.press(event)
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self.screen.has_help = False

    def _advance(self, now: float) -> None:
        screening, has_help = self._screening, self.screen.has_help
        if has_help:
            screening.clock.restart()
        may_go_on = not has_help and screening.update(now)
        for line in screening.results():
            self._report(line)
        if may_go_on and self._rounds is not None and screening.round >= self._rounds:
            self.window.close()
        elif may_go_on:
            screening.next_round()
        self.window.set_title(screening.title)

    def _steer(self, event: Any) -> bool:
        """Handles an event while a person plays, and returns whether it steers."""
        pygame, screening = import_pygame(), self._screening
        if event.type == pygame.WINDOWFOCUSLOST:
            self._controls.release()
            screening.clock.is_paused = True
        if not self._controls.take(event) or self.screen.has_help:
            return False
        if screening.is_waiting:
            screening.clock.pause()
        return True

    def _make_bindings(self) -> Bindings:
        screening, clock = self._screening, self._screening.clock
        horizon = screening.config.horizon
        bindings = [
            Binding(("space",), "pause, or go on", clock.pause),
            Binding(("right",), "a step forward", partial(screening.move, 1), repeats=True),
            Binding(("left",), "a step back", partial(screening.move, -1), repeats=True),
            Binding(("home",), "to the start", partial(screening.go_to, 0)),
            Binding(("end",), "to the end", partial(screening.go_to, horizon)),
            Binding(("up", "+"), "faster", partial(clock.change_speed, 2.0)),
            Binding(("down", "-"), "slower", partial(clock.change_speed, 0.5)),
            Binding(("r",), "same start again", screening.restart),
            Binding(("n",), "next round", screening.next_round),
            Binding(("h", "f1", "?"), "this help", self._toggle_help),
            Binding(("escape",), "close, or quit", self._close_or_quit),
            Binding(("q",), "quit", self.window.close),
        ]
        for name, key in ANNOTATION_KEYS.items():
            about = f"{name}: {ANNOTATIONS[name]}"
            bindings.append(Binding((key,), about, partial(self._toggle, name)))
        if self._steers:
            kept = [tuple(key for key in one.keys if key not in DIRECTIONS) for one in bindings]
            bindings = [one._replace(keys=keys) for one, keys in zip(bindings, kept) if keys]
        return Bindings(bindings)

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
