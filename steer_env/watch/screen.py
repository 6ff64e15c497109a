"""Draws the whole window: the game, and a status line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig, Pixels
from steer_env.rendering.overlay import draw_banner, draw_help, draw_result, text_size
from steer_env.rendering.picture import PAPER, Picture, View
from steer_env.rendering.renderer import Replay
from steer_env.watch.session import Session

_BAR = 5  # pixels: height of the time bar


class Screen:
    """Draws the window of a game. ``drawing`` and ``has_help`` may change at any time."""

    def __init__(
        self, session: Session, drawing: DrawingConfig, help_rows: list[tuple[str, str]]
    ) -> None:
        self.drawing, self.has_help = drawing, False
        self._session, self._help_rows = session, help_rows
        self._replay = Replay(session.game.recording, drawing, sees_ahead=False)

    def draw(self, size: tuple[int, int]) -> Pixels:
        """Draws the window of a width and height: (height, width, 3) of uint8."""
        picture = Picture(View(0j, 1.0, *size, PAPER), self.drawing)
        picture.add("fill", picture.colors.background)
        below = round(1.7 * text_size(*size))
        picture.add("part", 0j, self._scene((size[0], size[1] - below), text_size(*size)))
        self._draw_status(picture, below)
        if self.has_help:
            draw_help(picture, "Keys", self._help_rows)
        return picture.pixels()

    def _scene(self, size: tuple[int, int], font: float) -> Picture:
        """The picture of the game, with its result or what the person should know."""
        session, replay = self._session, self._replay
        replay.drawing = replace(self.drawing, size=size)
        picture, status = replay.picture(session.game.last), session.game.status
        self._draw_ring(picture, status.record["players"]["body"], font)
        if session.is_waiting:
            text = "Steer to start: arrow keys or W A S D"
            middle, room = sum(picture.view.ground) / 2, picture.view.side - 6
            draw_banner(picture, text, picture.colors.ink, middle, 1.3 * font, room)
        elif status.is_over:
            draw_result(picture, status)
        return picture

    def _draw_ring(self, picture: Picture, bodies: NDArray[np.void], font: float) -> None:
        """Draws a ring around the person's vehicle."""
        view, body = picture.view, bodies[self._session.vehicle]
        center = view.to_pixel(complex(body["position"]))
        radius = view.drawn_radius(body["radius"]) * view.scale + 5
        picture.add("ring", picture.colors.ink, center, radius, 2.0, 0.3)
        is_high = center.imag - radius - 1.2 * font < 0  # no room above
        beside = center + 1j * (radius + 0.7 * font) * (1 if is_high else -1)
        picture.text("you", picture.colors.ink, beside, font, 0.5, has_rim=False)

    def _draw_status(self, picture: Picture, height: int) -> None:
        session, theme = self._session, picture.colors
        width, bottom = picture.view.width, picture.view.height
        share = session.game.last / session.config.horizon
        start = 1j * (bottom - height)
        for color, part in ((theme.grid, 1.0), (theme.pursuer, share)):
            end = start + complex(width * part, _BAR)
            picture.add("rectangle", color, start, end)
        picture.add("disc", theme.pursuer, end - 0.5j * _BAR, 1.1 * _BAR)
        size, row = text_size(width, bottom), bottom - (height - _BAR) / 2
        column, right = 0.7 * size, width - 0.7 * size
        for text in self._standing():
            place, room = complex(column, row), right - column
            column += picture.text(text, theme.ink, place, size, room=room) + 1.1 * size
        place = complex(right, row)
        picture.text("h help", theme.faint, place, size, 1.0, room=right - column)

    def _standing(self) -> list[str]:
        session = self._session
        seconds = f"{session.seconds:.1f} s"
        texts = [" vs ".join(session.game.names), f"seed {session.seed}", seconds]
        if session.is_waiting:
            texts.append("ready")
        elif session.is_over:
            texts.append("next follows" if session.keeps_going else "n: next, r: again")
        elif session.is_paused:
            texts.append("paused")
        return texts
