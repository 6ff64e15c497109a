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
from steer_env.play.controls import STEERING_HELP, Controls
from steer_env.play.framing import framing_of
from steer_env.play.replay import Replay
from steer_env.play.replay_screen import draw_replay
from steer_env.play.rounds import Round
from steer_env.play.screens import (
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
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.renderer import Renderer
from steer_env.rendering.settings import DrawingConfig
from steer_env.rendering.themes import THEMES
from steer_env.rendering.window import Window

ANNOTATED = ("velocity", "trail", "capture")
"""What is drawn beside vehicles unless told otherwise: what helps, and gives nothing away."""

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
        self.bindings = self._make_bindings()
        self._renderer: Renderer | None = None
        self._rendered: Round | None = None
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
        if not session.is_done:
            self._window.show(self.picture())

    def picture(self) -> Any:
        """What the window shows now, (height, width, 3)."""
        session, theme = self._session, self.drawing.colors
        width, height = self._window.size
        layout = layout_of(width, height)
        pixels = np.empty((height, width, 3), np.uint8)
        canvas = RasterCanvas(pixels)
        played = session.round
        if session.phase is Phase.REPLAY and session.replay is not None:
            draw_replay(canvas, self.drawing, layout, session.replay, session.menu.side)
        elif session.phase is Phase.TITLE or played is None:
            draw_title(canvas, theme, session, layout.size)
        else:
            self._draw_round(canvas, layout, played)
        if self.is_help_shown:
            rows = self.bindings[session.phase].rows
            if session.phase is not Phase.REPLAY:
                rows = [*STEERING_HELP, *rows]
            draw_help(canvas, theme, "Keys (any key closes this)", rows)
        return pixels

    def _draw_round(self, canvas: RasterCanvas, layout: Layout, played: Round) -> None:
        session, theme = self._session, self.drawing.colors
        renderer = self._renderer_of(played, layout)
        top, bottom = layout.top, layout.bottom
        cut = framing_of(layout.scene_size).cut
        scene = renderer.frame(played.record, played.forces)
        canvas.pixels[top:bottom] = scene[cut:-cut, cut:-cut]
        place = self._place_of_person(played, layout)
        is_waiting = session.phase is Phase.COUNTDOWN and not session.is_paused
        if is_waiting:
            draw_count(canvas, theme, layout, session.count(self._now))
        canvas.clip(complex(0, top), complex(layout.width, bottom))
        draw_person(canvas, theme, place, renderer.view.side, is_waiting, layout.size)
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
        if session.is_paused:
            draw_pause(canvas, theme, layout)
        elif session.phase is Phase.END:
            draw_end(canvas, theme, layout, session, place)

    def _renderer_of(self, played: Round, layout: Layout) -> Renderer:
        """The renderer of a round, which remembers its trails."""
        size = framing_of(layout.scene_size).size
        drawing = dataclasses.replace(self.drawing, size=size)
        if self._renderer is None or self._rendered is not played:
            names = played.challenge.names
            self._renderer = Renderer(played.challenge.config, drawing, played.scripts, names)
            self._rendered = played
        self._renderer.drawing = drawing
        return self._renderer

    def _place_of_person(self, played: Round, layout: Layout) -> complex:
        """Where the person's vehicle is in the window, in pixels."""
        assert self._renderer is not None
        place = self._renderer.view.to_pixel(complex(played.body["position"]))
        cut = framing_of(layout.scene_size).cut
        return place - complex(cut, cut) + 1j * layout.top

    def _push(self) -> complex:
        """The person's push at this moment."""
        played = self._session.round
        assert played is not None
        layout = layout_of(*self._window.size)
        renderer = self._renderer_of(played, layout)
        return self.controls.push(self._place_of_person(played, layout), renderer.view.side)

    def _take(self, event: Any) -> None:
        pygame, session = import_pygame(), self._session
        if event.type == pygame.QUIT:
            self._window.close()
            return
        self.controls.take(event)
        if event.type == pygame.WINDOWFOCUSLOST:
            self.controls.release()
            self._hold()
        elif event.type == pygame.KEYDOWN and self.is_help_shown:
            self.is_help_shown = False
        elif event.type == pygame.JOYBUTTONDOWN and not self.is_help_shown:
            self._press_button()
        else:
            self.bindings[session.phase].press(event)

    def _press_button(self) -> None:
        """What a gamepad's button does: it goes on."""
        if self._session.phase in (Phase.TITLE, Phase.END):
            self._begin()
        elif self._session.is_paused:
            self._pause()

    def _make_bindings(self) -> dict[Phase, Bindings]:
        session, menu = self._session, self._session.menu
        common = (
            Binding(("t",), "light or dark", self._change_theme),
            Binding(("h", "f1"), "keys", self._show_help),
        )
        begin = Binding(("return",), "begin: a new start", self._begin)
        again = Binding(("r",), "again from the same start", self._again)
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
            Binding(
                ("space",), "pause, go on; at the end, anew", self._in_replay(Replay.pause)
            ),
            Binding(
                ("right",), "a step forward", self._in_replay(Replay.forward), repeats=True
            ),
            Binding(("left",), "a step back", self._in_replay(Replay.backward), repeats=True),
            Binding(("home",), "to the start", self._in_replay(Replay.to_start)),
            Binding(("end",), "to the end", self._in_replay(Replay.to_end)),
            Binding(("up", "+"), "faster", self._in_replay(Replay.faster)),
            Binding(("down", "-"), "slower", self._in_replay(Replay.slower)),
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

    def _in_replay(self, act: Callable[[Replay], None]) -> Callable[[], None]:
        """Does something with the replay that is on."""

        def act_on_replay() -> None:
            if self._session.replay is not None:
                act(self._session.replay)

        return act_on_replay

    def _begin(self) -> None:
        self._session.begin(self._now)

    def _again(self) -> None:
        self._session.again(self._now)

    def _pause(self) -> None:
        self._session.pause(self._now)

    def _back(self) -> None:
        self._session.back(self._now)

    def _show_help(self) -> None:
        self.is_help_shown = True
        self._hold()

    def _hold(self) -> None:
        """Pauses what would go on without the person; nothing if it stands still."""
        if not self._session.is_paused:
            self._session.pause(self._now)

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
