"""The program in which a person plays: keys, mouse and gamepad in, pictures out."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig
from steer_env.interface.app import App, with_next_theme
from steer_env.interface.bindings import Binding, Bindings
from steer_env.interface.buttons import Pointer
from steer_env.interface.lockstep import Lockstep
from steer_env.interface.overlay import draw_help
from steer_env.play.controls import STEERING_HELP, Controls, PadKeys
from steer_env.play.marks import FLASH_SECONDS, draw_marks, misses_of
from steer_env.play.rounds import Round, rivals
from steer_env.play.runs_board import RunsBoard, draw_replay
from steer_env.play.screens import MARGIN, Layout, Screen, about
from steer_env.play.sounds import Sounds
from steer_env.play.title_screen import draw_times, draw_title
from steer_env.play.visit import Phase, Visit
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.camera import View, ground_of, view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.replay import Replay
from steer_env.rendering.window import Window

_ROUND_KEYS = "Space pause   h keys   Esc menu"
_SEED_HELP = ("0 to 9, Backspace", "write the number of a start")


class PlayApp(App):
    """Shows a visit in a window.

    Args:
        window: window to draw in; it is closed at the end.
        visit: the person's visit.
        drawing: theme and annotations; its size is ignored.
        sounds: tones; None for none until a key switches them on.

    Attributes:
        bindings: the keys in each phase.
        controls: the devices that steer.
        sounds: the tones.
        is_help_shown: whether the help covers the window.
        drawing: as given; a key changes the theme.
    """

    def __init__(
        self,
        window: Window,
        visit: Visit,
        drawing: DrawingConfig,
        sounds: Sounds | None = None,
    ) -> None:
        super().__init__(window)
        self._visit, self.sounds = visit, Sounds() if sounds is None else sounds
        self._heard: tuple[object, ...] = ()
        shown = tuple(name for name in drawing.annotations if name not in ("score", "names"))
        self.drawing = dataclasses.replace(drawing, annotations=shown)
        self.controls, self.is_help_shown = Controls(), False
        self.bindings, self._pad_keys = self._make_bindings(), PadKeys()
        self._pointer, self._title = Pointer(), ""
        self._live: Replay | None = None
        self._board: RunsBoard | None = None
        self._reported = ""

    def run(self) -> None:
        """Plays until the person leaves, or all rounds are played."""
        joystick = import_pygame().joystick
        joystick.init()
        try:
            super().run()
        finally:
            joystick.quit()
            self.sounds.close()

    def advance(self, now: float) -> None:
        """Lets time pass, and prints problems with the best times."""
        visit = self._visit
        if visit.phase is not Phase.ROUND:
            self.controls.keyboard.forget_taps()
        if not self.is_help_shown and not visit.is_done:
            self.bindings[visit.phase].repeat(now)
            visit.advance(now, self._push)
        if visit.menu.title != self._title:
            self._title = visit.menu.title
            self.window.set_title(f"{self._title} - Pursuit & Evasion")
        self._sound()
        problem = visit.best_times.problem
        if problem != self._reported:
            print(problem, file=sys.stderr)
            self._reported = problem
        if visit.is_done:
            self.window.close()

    def _sound(self) -> None:
        """Plays a tone for what has just happened."""
        visit, played = self._visit, self._visit.round
        phase = visit.phase
        count = visit.count(self.now) if phase is Phase.COUNTDOWN else None
        misses = len(misses_of(played.history.recording())) if played else 0
        heard, self._heard = self._heard, (phase, count, misses)
        if not heard or heard == self._heard or played is None:
            return
        if phase is Phase.COUNTDOWN and not visit.is_paused:
            self.sounds.play("count")
        elif phase is Phase.ROUND:
            self.sounds.play("begin" if heard[0] is Phase.COUNTDOWN else "close")
        elif phase is Phase.END and heard[0] is Phase.ROUND:
            self.sounds.play("won" if played.is_won else "lost")

    def draw(self) -> NDArray[np.uint8]:
        """Returns the picture for the window, (height, width, 3)."""
        visit, theme = self._visit, self.drawing.colors
        width, height = self.window.size
        pixels = np.empty((height, width, 3), np.uint8)
        canvas = RasterCanvas(pixels)
        self._pointer.clear()
        screen = Screen(canvas, theme, self._pointer, self.bindings[visit.phase].do)
        if visit.phase is Phase.REPLAY:
            draw_replay(screen, canvas, self.drawing, self._runs_board, self._replay)
        elif visit.phase is Phase.TIMES:
            draw_times(screen, visit)
        elif visit.phase is Phase.TITLE or visit.round is None:
            draw_title(screen, visit, self.sounds.state)
        else:
            self._draw_round(screen, canvas, visit.round)
        if self.is_help_shown:
            self._pointer.clear()
            rows = self.bindings[visit.phase].rows
            if visit.phase in (Phase.TITLE, Phase.COUNTDOWN, Phase.ROUND, Phase.END):
                rows = [*STEERING_HELP, *rows]
            if visit.phase is Phase.TITLE:
                rows = [*rows, _SEED_HELP]
            draw_help(canvas, theme, "Keys (any key or button closes this)", rows)
        return pixels

    def shown(self) -> tuple[object, ...]:
        """Returns what the picture depends on beside the window's size."""
        visit, played, replay = self._visit, self._visit.round, self._visit.replay
        return (
            self.drawing,
            self.is_help_shown,
            visit.phase,
            visit.is_paused,
            visit.menu.challenge,
            visit.menu.problem,
            visit.next_seed,
            visit.times,
            self._pointer.hovered,
            self.sounds.state,
            self._flash,
            visit.best_times.problem,
            played and (played, played.history.last),
            visit.count(self.now) if visit.phase is Phase.COUNTDOWN else None,
            replay and (replay.moment, replay.clock.is_paused, replay.clock.speed),
        )

    def _draw_round(self, screen: Screen, canvas: RasterCanvas, played: Round) -> None:
        visit = self._visit
        is_end = visit.phase is Phase.END
        if is_end and self._flash is None and visit.others:
            board = self._runs_board
            board.draw(canvas, screen.layout, self.drawing, board.last)
            view = board.view(screen.layout)
        else:
            view = self._draw_live(screen, canvas, played)
        best = visit.best_before if is_end else None
        screen.draw_score(played, best or visit.best_times.of(played.challenge))
        screen.draw_foot(about(played), "" if is_end else _ROUND_KEYS)
        if is_end:
            place = _place_of_person(played, view, screen.layout)
            _, corner = ground_of(view, played.challenge.config)
            screen.draw_end(visit, place, view.width - corner.real)
        elif visit.is_paused and not self.is_help_shown:
            screen.draw_pause()

    def _draw_live(self, screen: Screen, canvas: RasterCanvas, played: Round) -> View:
        """Draws the round as it stands; returns the part of the plane that is shown."""
        visit, layout, recording = self._visit, screen.layout, played.history.recording()
        if self._live is None or self._live.episode != played.history.recording:
            self._live = Replay(played.history.recording)  # it keeps the arena
        view, rows = _view_of(played, layout), slice(layout.top, layout.bottom)
        self._live.drawing = self.drawing
        canvas.pixels[rows] = self._live.frame(played.history.last, view)
        moment = played.history.last + (self._flash or 0.0) / played.challenge.config.dt
        scene, colors = RasterCanvas(canvas.pixels[rows]), self.drawing.colors
        draw_marks(scene, colors, view, recording, moment, 0.9 * layout.size)
        is_waiting = visit.phase is Phase.COUNTDOWN and not visit.is_paused
        if is_waiting:
            screen.draw_count(visit.count(self.now))
        canvas.clip(complex(0, layout.top), complex(layout.width, layout.bottom))
        screen.draw_person(_place_of_person(played, view, layout), view.side, is_waiting)
        canvas.clip()
        return view

    @property
    def _flash(self) -> float | None:
        """How long ago a capture has ended the round, in seconds; None once it is not seen."""
        visit = self._visit
        if visit.phase is not Phase.END or visit.round is None or visit.ended is None:
            return None
        ago = max(self.now - visit.ended, 0.0)
        return ago if visit.round.duel.status.is_captured and ago < FLASH_SECONDS else None

    @property
    def _runs_board(self) -> RunsBoard:
        """The board of the last round and of the others from its start."""
        visit = self._visit
        assert visit.round is not None
        games = [visit.round.history, *visit.others]
        if self._board is None or self._board.games != games:
            challenge = visit.round.challenge
            self._board = RunsBoard(games, challenge.side, rivals(challenge))
        return self._board

    @property
    def _replay(self) -> Lockstep:
        """The replay that is shown."""
        assert self._visit.replay is not None
        return self._visit.replay

    def _push(self) -> complex:
        """Returns the person's push at this moment."""
        played = self._visit.round
        assert played is not None
        layout = Layout(*self.window.size)
        view = _view_of(played, layout)
        return self.controls.push(_place_of_person(played, view, layout), view.side)

    def handle(self, event: Any) -> None:
        """Handles an event of pygame."""
        pygame, visit = import_pygame(), self._visit
        if self._pointer.take(event):
            return
        self.controls.take(event)
        keys = self._pad_keys.keys_of(event)
        if event.type == pygame.WINDOWFOCUSLOST:
            self.controls.release()
            visit.hold(self.now)
        elif self.is_help_shown:
            is_pressed = event.type in (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN)
            self.is_help_shown = not (is_pressed or keys)
        elif keys:
            for key in keys:
                if self.bindings[visit.phase].do(key):
                    break
        elif visit.phase is not Phase.TITLE or not self._writes_seed(event):
            self.bindings[visit.phase].press(event)

    def _writes_seed(self, event: Any) -> bool:
        """Writes a digit of the next start's seed, or takes one away; returns whether."""
        pygame = import_pygame()
        digit = getattr(event, "unicode", "") if event.type == pygame.KEYDOWN else ""
        if digit in tuple("0123456789"):
            self._visit.write_seed(digit)
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_BACKSPACE:
            self._visit.write_seed("")
        else:
            return False
        return True

    def _make_bindings(self) -> dict[Phase, Bindings]:
        visit, menu = self._visit, self._visit.menu
        common = (
            Binding(("t",), "light or dark", self._change_theme),
            Binding(("m",), "sound on, off", self.sounds.toggle),
            Binding(("h", "f1"), "keys", self._show_help),
        )
        begin = Binding(("return",), "begin: a new start", visit.begin)
        again = Binding(("r",), "again from the same start", visit.again)
        other_side = Binding(
            ("tab",), "change sides", lambda: visit.choose_side(menu.side.other)
        )
        title = (
            Binding(("return", "space"), "begin", visit.begin),
            Binding(("up", "right"), "harder", menu.harder),
            Binding(("down", "left"), "easier", menu.easier),
            other_side,
            Binding(("b",), "best times", visit.show_times),
            *common,
            Binding(("escape",), "quit", self._back),
        )
        times = (other_side, *common, Binding(("escape",), "back", self._back))
        playing = (
            Binding(("space", "p"), "pause, go on", lambda: visit.pause(self.now)),
            again,
            *common,
            Binding(("escape",), "to the menu", self._back),
        )
        end = (
            Binding(("return", "space"), "next round: a new start", visit.begin),
            again,
            Binding(("v",), "replay beside the others", visit.show_replay),
            *common,
            Binding(("escape",), "to the menu", self._back),
        )
        replay = (
            Binding(("space",), "pause, go on, or start again", lambda: self._replay.pause()),
            Binding(
                ("right",), "a step forward", lambda: self._replay.step_forward(), repeats=True
            ),
            Binding(("left",), "a step back", lambda: self._replay.step_back(), repeats=True),
            Binding(("home",), "to the start", lambda: self._replay.go_to_start()),
            Binding(("end",), "to the end", lambda: self._replay.go_to_end()),
            Binding(("up", "+"), "faster", lambda: self._replay.clock.faster()),
            Binding(("down", "-"), "slower", lambda: self._replay.clock.slower()),
            again,
            begin,
            *common,
            Binding(("escape",), "back", self._back),
        )
        return {
            Phase.TITLE: Bindings(title),
            Phase.TIMES: Bindings(times),
            Phase.COUNTDOWN: Bindings(playing),
            Phase.ROUND: Bindings(playing),
            Phase.END: Bindings(end),
            Phase.REPLAY: Bindings(replay),
        }

    def _back(self) -> None:
        self._visit.back(self.now)

    def _show_help(self) -> None:
        self.is_help_shown = True
        self._visit.hold(self.now)

    def _change_theme(self) -> None:
        self.drawing = with_next_theme(self.drawing)


def _view_of(played: Round, layout: Layout) -> View:
    """Returns the part of the plane that is shown of a round."""
    corners = played.history.recording().corners[-1]
    size = layout.width, layout.bottom - layout.top
    return view_of(played.challenge.config, corners, size, MARGIN)


def _place_of_person(played: Round, view: View, layout: Layout) -> complex:
    """Returns the place of the person's vehicle in the window, in pixels."""
    return view.to_pixel(complex(played.body["position"])) + 1j * layout.top
