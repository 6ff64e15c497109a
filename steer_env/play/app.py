"""The window of the game: keys, mouse and gamepad in, pictures out."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from steer_env.interface.bindings import Binding, Bindings
from steer_env.interface.clock import FRAMES_PER_SECOND
from steer_env.interface.overlay import draw_help
from steer_env.play.controls import STEERING_HELP, Controls, PadKeys
from steer_env.play.lockstep import Lockstep
from steer_env.play.replay_screen import ReplayScreen
from steer_env.play.rounds import Round
from steer_env.play.screens import (
    MARGIN,
    Layout,
    about,
    draw_count,
    draw_end,
    draw_foot,
    draw_pause,
    draw_person,
    draw_score,
    draw_title,
    layout_of,
)
from steer_env.play.session import Phase, Session
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.camera import View, view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.replay import Replay
from steer_env.rendering.settings import DrawingConfig
from steer_env.rendering.themes import THEMES
from steer_env.rendering.window import Window

_ROUND_KEYS = "Space pause   h keys   Esc title"


class App:
    """The game in a window.

    Args:
        window: to draw in; it is closed at the end.
        session: to be played.
        drawing: how to draw it; its size is the window's, whatever it says.

    Attributes:
        bindings: what the keys do, in each phase.
        controls: what the person steers with.
        is_help_shown: whether the help lies over everything.
        drawing: as given; the theme can be changed by a key.
    """

    def __init__(self, window: Window, session: Session, drawing: DrawingConfig) -> None:
        self._window, self._session = window, session
        shown = tuple(name for name in drawing.annotations if name not in ("score", "names"))
        self.drawing = dataclasses.replace(drawing, annotations=shown)
        self.controls, self.is_help_shown = Controls(), False
        self.bindings, self._pad_keys = self._make_bindings(), PadKeys()
        self._drawn: tuple[Round, Replay] | None = None
        self._replay_screen: ReplayScreen | None = None
        self._shown: tuple[object, ...] = ()  # what the picture in the window depended on
        self._now = time.perf_counter()
        self._told = ""

    def run(self) -> None:
        """Plays until the person leaves, or all rounds are played."""
        pygame = import_pygame()
        pygame.joystick.init()
        ticks = pygame.time.Clock()
        try:
            while self._window.is_open and not self._session.is_done:
                self.frame(time.perf_counter())
                ticks.tick(FRAMES_PER_SECOND)
        finally:
            pygame.joystick.quit()
            self._window.close()

    def frame(self, now: float) -> None:
        """Takes what has happened, does what is due, and draws.

        Args:
            now: seconds of a steady clock.
        """
        self._now = now
        for event in self._window.events():
            self._take(event)
        if not self._window.is_open or self._session.is_done:
            return
        session = self._session
        if session.phase is not Phase.ROUND:
            self.controls.keyboard.forget_taps()
        if not self.is_help_shown:
            self.bindings[session.phase].repeat(now)
            session.advance(now, self._push)
        self._tell_problem()
        if session.is_done:
            return
        standing = self._standing()
        if standing != self._shown:
            self._window.show(self.picture())
            self._shown = standing

    def picture(self) -> Any:
        """What the window shows now, (height, width, 3)."""
        session, theme = self._session, self.drawing.colors
        width, height = self._window.size
        layout = layout_of(width, height)
        pixels = np.empty((height, width, 3), np.uint8)
        canvas = RasterCanvas(pixels)
        played = session.round
        if session.phase is Phase.REPLAY and session.replay is not None:
            self._screen_of(session.replay).draw(canvas, self.drawing, layout)
        elif session.phase is Phase.TITLE or played is None:
            draw_title(canvas, theme, session, layout.size)
        else:
            self._draw_round(canvas, layout, played)
        if self.is_help_shown:
            rows = self.bindings[session.phase].rows
            if session.phase is not Phase.REPLAY:
                rows = [*STEERING_HELP, *rows]
            draw_help(canvas, theme, "Keys (any key or button closes this)", rows)
        return pixels

    def _standing(self) -> tuple[object, ...]:
        """All that the picture depends on: while it is the same, nothing is drawn anew."""
        session, played, replay = self._session, self._session.round, self._session.replay
        return (
            self._window.size,
            self.drawing,
            self.is_help_shown,
            session.phase,
            session.is_paused,
            session.menu.challenge,
            session.menu.problem,
            session.best_times.problem,
            played and (played, played.history.last),
            session.count(self._now) if session.phase is Phase.COUNTDOWN else None,
            replay and (replay.moment, replay.clock.is_paused, replay.clock.speed),
        )

    def _draw_round(self, canvas: RasterCanvas, layout: Layout, played: Round) -> None:
        session, theme = self._session, self.drawing.colors
        top, bottom = layout.top, layout.bottom
        view, replay = _view_of(played, layout), self._replay_of(played)
        replay.drawing = self.drawing
        canvas.pixels[top:bottom] = replay.frame(played.history.last, view)
        place = _place_of_person(played, view, layout)
        is_waiting = session.phase is Phase.COUNTDOWN and not session.is_paused
        if is_waiting:
            draw_count(canvas, theme, layout, session.count(self._now))
        canvas.clip(complex(0, top), complex(layout.width, bottom))
        draw_person(canvas, theme, place, view.side, is_waiting, layout)
        canvas.clip()
        best = session.best_before if session.phase is Phase.END else None
        best = best or session.best_times.of(played.challenge)
        draw_score(canvas, theme, layout, played, best)
        draw_foot(
            canvas,
            theme,
            layout,
            about(played),
            _ROUND_KEYS if session.phase is not Phase.END else "",
        )
        if session.phase is Phase.END:
            draw_end(canvas, theme, layout, session, place)
        elif session.is_paused and not self.is_help_shown:
            draw_pause(canvas, theme, layout)

    def _replay_of(self, played: Round) -> Replay:
        """Draws a round; one for each, since it keeps what stands still in it."""
        if self._drawn is None or self._drawn[0] is not played:
            self._drawn = played, Replay(played.history)
        return self._drawn[1]

    def _screen_of(self, lockstep: Lockstep) -> ReplayScreen:
        """Draws a replay; one for each."""
        if self._replay_screen is None or self._replay_screen.lockstep is not lockstep:
            self._replay_screen = ReplayScreen(lockstep, self._session.menu.side)
        return self._replay_screen

    def _push(self) -> complex:
        """The person's push at this moment."""
        played = self._session.round
        assert played is not None
        layout = layout_of(*self._window.size)
        view = _view_of(played, layout)
        return self.controls.push(_place_of_person(played, view, layout), view.side)

    def _take(self, event: Any) -> None:
        pygame, session = import_pygame(), self._session
        if event.type == pygame.QUIT:
            self._window.close()
            return
        self.controls.take(event)
        keys = self._pad_keys.keys_of(event)
        if event.type == pygame.WINDOWFOCUSLOST:
            self.controls.release()
            session.hold(self._now)
        elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
            self._shown = ()
        elif self.is_help_shown:
            is_pressed = event.type in (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN)
            self.is_help_shown = not (is_pressed or keys)
        elif keys:
            for key in keys:
                if self.bindings[session.phase].do(key):
                    break
        else:
            self.bindings[session.phase].press(event)

    def _make_bindings(self) -> dict[Phase, Bindings]:
        session, menu, replaying = self._session, self._session.menu, self._in_replay
        common = (
            Binding(("t",), "light or dark", self._change_theme),
            Binding(("h", "f1"), "keys", self._show_help),
        )
        begin = Binding(("return",), "begin: a new start", self._begin)
        again = Binding(("r",), "again from the same start", session.again)
        title = (
            Binding(("return", "space"), "begin", self._begin),
            Binding(("up", "right"), "harder", menu.harder),
            Binding(("down", "left"), "easier", menu.easier),
            Binding(("tab",), "change sides", menu.other_side),
            *common,
            Binding(("escape",), "quit", self._back),
        )
        playing = (
            Binding(("space", "p"), "pause, go on", self._pause),
            again,
            *common,
            Binding(("escape",), "to the title", self._back),
        )
        end = (
            Binding(("return", "space"), "next round: a new start", self._begin),
            again,
            Binding(("v",), "replay beside what others do", session.show_replay),
            *common,
            Binding(("escape",), "to the title", self._back),
        )
        replay = (
            Binding(("space",), "pause, go on; at the end, anew", replaying(Lockstep.pause)),
            Binding(("right",), "a step forward", replaying(Lockstep.forward), repeats=True),
            Binding(("left",), "a step back", replaying(Lockstep.backward), repeats=True),
            Binding(("home",), "to the start", replaying(Lockstep.to_start)),
            Binding(("end",), "to the end", replaying(Lockstep.to_end)),
            Binding(("up", "+"), "faster", replaying(Lockstep.faster)),
            Binding(("down", "-"), "slower", replaying(Lockstep.slower)),
            again,
            begin,
            *common,
            Binding(("escape",), "back", self._back),
        )
        return {
            Phase.TITLE: Bindings(title),
            Phase.COUNTDOWN: Bindings(playing),
            Phase.ROUND: Bindings(playing),
            Phase.END: Bindings(end),
            Phase.REPLAY: Bindings(replay),
        }

    def _in_replay(self, act: Callable[[Lockstep], None]) -> Callable[[], None]:
        """Does something with the replay that is on."""

        def act_on_replay() -> None:
            if self._session.replay is not None:
                act(self._session.replay)

        return act_on_replay

    def _begin(self) -> None:
        self._session.begin()

    def _pause(self) -> None:
        self._session.pause(self._now)

    def _back(self) -> None:
        self._session.back(self._now)

    def _show_help(self) -> None:
        self.is_help_shown = True
        self._session.hold(self._now)

    def _change_theme(self) -> None:
        names = list(THEMES)
        following = names[(names.index(self.drawing.theme) + 1) % len(names)]
        self.drawing = dataclasses.replace(self.drawing, theme=following)

    def _tell_problem(self) -> None:
        """Says on the terminal, too, what went wrong with the best times."""
        problem = self._session.best_times.problem
        if problem != self._told:
            print(problem, file=sys.stderr)
            self._told = problem


def _view_of(played: Round, layout: Layout) -> View:
    """What is seen of a round."""
    corners = played.history.corners_until(played.history.last)
    return view_of(played.challenge.config, corners, layout.scene_size, MARGIN)


def _place_of_person(played: Round, view: View, layout: Layout) -> complex:
    """Where the person's vehicle is in the window, in pixels."""
    return view.to_pixel(complex(played.body["position"])) + 1j * layout.top
