"""Draws the whole window: games side by side, and a status line."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig, Pixels
from steer_env.rendering.mosaic import side_by_side
from steer_env.rendering.overlay import (
    draw_banner,
    draw_help,
    draw_result,
    text_size,
    write_pair,
)
from steer_env.rendering.picture import PAPER, Picture, View
from steer_env.rendering.renderer import Replay
from steer_env.watch.screening import Screening

_HEADER = 35  # pixels: with titles of 16 pixels, as in CSS
_LARGEST = (1200, 820)  # pixels: of a window that is sized to its games
_WIDEST = 560  # pixels: of a panel in it
_BAR = 5  # pixels: height of the time bar


class Screen:
    """Draws the window of games. ``drawing`` and ``has_help`` may change at any time."""

    def __init__(
        self, screening: Screening, drawing: DrawingConfig, help_rows: list[tuple[str, str]]
    ) -> None:
        self.drawing, self.has_help = drawing, False
        self._screening, self._help_rows = screening, help_rows
        self._replays = [
            Replay(game.recording, drawing, sees_ahead=False) for game in screening.games
        ]
        self._size = drawing.size

    def draw(self, size: tuple[int, int]) -> Pixels:
        """Draws the window of a width and height: (height, width, 3) of uint8."""
        self._size, count = size, len(self._replays)
        layout = layout_of(size, count, self._screening.columns)
        panels = [self._panel(number, layout) for number in range(count)]
        picture = Picture(View(0j, 1.0, *size, PAPER), self.drawing)
        picture.add("fill", picture.colors.background)
        picture.add("part", 0j, side_by_side(panels, self._screening.columns))
        self._draw_status(picture, layout.status)
        if self.has_help:
            draw_help(picture, "Keys", self._help_rows)
        return picture.pixels()

    def _panel(self, number: int, layout: Layout) -> Picture:
        """The picture of a game, with a header if there are several."""
        wide, high = layout.panel
        scene = self._scene(number, (wide, high - layout.header))
        if len(self._replays) == 1:
            return scene
        picture = Picture(View(0j, 1.0, wide, high, PAPER), self.drawing)
        picture.add("fill", picture.colors.background)
        picture.add("part", 1j * layout.header, scene)
        size, row = layout.header / 1.5, layout.header / 2
        names = self._screening.games[number].names
        write_pair(picture, names, complex(0.6 * size, row), size, wide - 1.2 * size)
        return picture

    def _scene(self, number: int, size: tuple[int, int]) -> Picture:
        """The picture of a game, with its result or what a person should know."""
        screening, annotations = self._screening, self.drawing.annotations
        game, replay = screening.games[number], self._replays[number]
        if len(self._replays) > 1:  # which have headers
            annotations = tuple(name for name in annotations if name != "score")
        replay.drawing = replace(self.drawing, size=size, annotations=annotations)
        moment = min(screening.moment, game.last)
        picture, status = replay.picture(moment), game.status_at(moment)
        if screening.steered is not None:
            self._draw_ring(picture, status.record["players"]["body"])
        if screening.is_waiting:
            text = "Steer to start: arrow keys or W A S D"
            middle, room = sum(picture.view.ground) / 2, picture.view.side - 6
            letters = 1.3 * text_size(*self._size)
            draw_banner(picture, text, picture.colors.ink, middle, letters, room)
        elif status.is_over:
            draw_result(picture, status)
        return picture

    def _draw_ring(self, picture: Picture, bodies: NDArray[np.void]) -> None:
        view, body = picture.view, bodies[self._screening.steered_player]
        center, size = view.to_pixel(complex(body["position"])), text_size(*self._size)
        radius = view.drawn_radius(body["radius"]) * view.scale + 5
        picture.add("ring", picture.colors.ink, center, radius, 2.0, 0.3)
        is_high = center.imag - radius - 1.2 * size < 0  # no room above
        beside = center + 1j * (radius + 0.7 * size) * (1 if is_high else -1)
        picture.text("you", picture.colors.ink, beside, size, 0.5, has_rim=False)

    def _draw_status(self, picture: Picture, height: int) -> None:
        screening, theme, (width, bottom) = self._screening, picture.colors, self._size
        share = screening.moment / max(screening.config.horizon, 1)
        known = screening.last_moment / max(screening.config.horizon, 1)
        start = 1j * (bottom - height)
        for color, part in ((theme.grid, 1.0), (theme.wall, known), (theme.pursuer, share)):
            end = start + complex(width * min(part, 1.0), _BAR)
            picture.add("rectangle", color, start, end)
        picture.add("disc", theme.pursuer, end - 0.5j * _BAR, 1.1 * _BAR)
        size, row = text_size(*self._size), bottom - (height - _BAR) / 2
        column, right = 0.7 * size, width - 0.7 * size
        for text in self._standing():
            place, room = complex(column, row), right - column
            column += picture.text(text, theme.ink, place, size, room=room) + 1.1 * size
        place = complex(right, row)
        picture.text("h help", theme.faint, place, size, 1.0, room=right - column)

    def _standing(self) -> list[str]:
        screening = self._screening
        seconds, speed = screening.moment * screening.config.dt, screening.clock.speed
        texts = [f"seed {screening.seed}", f"{seconds:.1f} s", f"{speed:g}x"]
        if len(screening.games) == 1:  # panels of several have their own
            texts.insert(0, " vs ".join(screening.games[0].names))
        if screening.is_waiting:
            texts.append("ready")
        elif screening.clock.is_paused:
            texts.append("paused")
        elif screening.is_over:
            texts.append("next follows" if screening.keeps_going else "n: next, r: again")
        return texts


class Layout(NamedTuple):
    """The sizes of the parts of a window, in pixels."""

    panel: tuple[int, int]  # width and height of each game's part
    header: int  # height of its title, which several games have
    status: int  # height of the status line


def layout_of(size: tuple[int, int], count: int, columns: int) -> Layout:
    """Divides a window of a width and height among games, row by row, and a status line."""
    status = round(1.7 * text_size(*size))
    wide, high = size[0] // columns, (size[1] - status) // -(-count // columns)
    return Layout((wide, high), min(_HEADER, high // 7, wide // 8) * (count > 1), status)


def window_size(count: int, columns: int) -> tuple[int, int]:
    """The width and height of a window for several games, with little space around them."""
    (wide, high), *_ = layout_of(_LARGEST, count, columns)
    side = min(wide, high - _HEADER, _WIDEST)
    width, height = side * columns, (side + _HEADER) * -(-count // columns)
    return width, height + round(1.7 * text_size(width, height))
