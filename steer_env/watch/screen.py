"""Draws the whole window, and divides it into places of games and a status line."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig, Pixels
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.overlay import (
    draw_banner,
    draw_frame,
    draw_help,
    draw_result,
    text_size,
    write_pair,
)
from steer_env.rendering.picture import PAPER, Picture, View
from steer_env.rendering.renderer import Replay
from steer_env.rendering.texts import width_of
from steer_env.watch.screening import Screening, speed_text

Rectangle: TypeAlias = Any  # a pygame.Rect: in pixels from the window's upper left corner

_HEADER = 35  # pixels: with titles of 16 pixels, as in CSS
_LARGEST = (1200, 820)  # pixels: of a window that is sized to its games
_WIDEST = 560  # pixels: of a panel in it
_TALLEST = 1.15  # of a panel of several, in its widths
_GOOD_ENOUGH = 0.85  # of the largest possible panels, for the wished number of columns
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
        self._size = size
        picture, places = Picture(View(0j, 1.0, *size, PAPER), self.drawing), self.places
        picture.add("fill", picture.colors.background)
        for number, (panel, scene) in enumerate(zip(places.panels, places.scenes)):
            picture.add("part", complex(*scene.topleft), self._scene(number, scene.size))
            if len(self._replays) > 1:
                self._draw_header(picture, number, panel, scene.top - panel.top)
                ends = complex(*panel.topleft), complex(*panel.bottomright)
                draw_frame(picture, picture.colors.grid, *ends)
        self._draw_status(picture, places.status)
        if self.has_help:
            draw_help(picture, "Keys", self._help_rows)
        return picture.pixels()

    @property
    def places(self) -> Places:
        """The places of everything in the window."""
        return places_in(self._size, len(self._replays), self._screening.columns)

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

    def _draw_header(
        self, picture: Picture, number: int, panel: Rectangle, height: int
    ) -> None:
        theme, game = picture.colors, self._screening.games[number]
        size = height / 1.5
        column, row = panel.left + 0.6 * size, panel.top + height / 2
        right = panel.right - 0.6 * size
        text = f"seed {self._screening.seed_of(number)}"
        if width_of(text, size) < 0.3 * panel.width:
            picture.text(text, theme.faint, complex(right, row), size, 1.0)
            right -= width_of(text, size) + size
        write_pair(picture, game.names, complex(column, row), size, right - column)

    def _draw_ring(self, picture: Picture, bodies: NDArray[np.void]) -> None:
        """Draws a ring around the person's vehicle."""
        view, body = picture.view, bodies[self._screening.steered_player]
        center, size = view.to_pixel(complex(body["position"])), text_size(*self._size)
        radius = view.drawn_radius(body["radius"]) * view.scale + 5
        picture.add("ring", picture.colors.ink, center, radius, 2.0, 0.3)
        is_high = center.imag - radius - 1.2 * size < 0  # no room above
        beside = center + 1j * (radius + 0.7 * size) * (1 if is_high else -1)
        picture.text("you", picture.colors.ink, beside, size, 0.5, has_rim=False)

    def _draw_status(self, picture: Picture, place: Rectangle) -> None:
        screening, theme = self._screening, picture.colors
        share = screening.moment / max(screening.config.horizon, 1)
        known = screening.last_moment / max(screening.config.horizon, 1)
        for color, part in ((theme.grid, 1.0), (theme.wall, known), (theme.pursuer, share)):
            end = complex(place.left + place.width * min(part, 1.0), place.top + _BAR)
            picture.add("rectangle", color, complex(*place.topleft), end)
        picture.add("disc", theme.pursuer, end - 0.5j * _BAR, 1.1 * _BAR)
        size = text_size(*self._size)
        row = place.top + _BAR + (place.height - _BAR) / 2
        column, right = place.left + 0.7 * size, place.right - 0.7 * size
        for text in self._standing():
            place = complex(column, row)
            width = picture.text(text, theme.ink, place, size, room=right - column)
            column += width + 1.1 * size
        place = complex(right, row)
        picture.text("h help", theme.faint, place, size, 1.0, room=right - column)

    def _standing(self) -> list[str]:
        screening = self._screening
        first, last = screening.seed, screening.seed_of(len(screening.games) - 1)
        seeds = f"seed {first}" if first == last else f"seeds {first} to {last}"
        seconds = screening.moment * screening.config.dt
        texts = [seeds, f"{seconds:.1f} s", speed_text(screening.clock.speed)]
        if len(screening.games) == 1:  # panels of several have their own
            texts.insert(0, " vs ".join(screening.games[0].names))
        if screening.is_waiting:
            texts.append("ready")
        elif screening.clock.is_paused:
            texts.append("paused")
        elif screening.is_over:
            texts.append("next follows" if screening.keeps_going else "n: next, r: again")
        return texts


class Places(NamedTuple):
    """The places of the games, in their order, and of the status line."""

    panels: tuple[Rectangle, ...]
    scenes: tuple[Rectangle, ...]  # the panels below their headers, which several games have
    status: Rectangle


def window_size(count: int, columns: int) -> tuple[int, int]:
    """The width and height of a window for several games, with little space around them."""
    panels, *_ = places_in(_LARGEST, count, columns)
    columns = sum(panel.top == panels[0].top for panel in panels)
    side = min(panels[0].width, panels[0].height - _HEADER, _WIDEST)
    width, height = side * columns, (side + _HEADER) * -(-count // columns)
    return width, height + round(1.7 * text_size(width, height))


def places_in(size: tuple[int, int], count: int, columns: int) -> Places:
    """Divides a window of a width and height in pixels."""
    width, height = size
    rectangle = import_pygame().Rect
    status_height = round(1.7 * text_size(width, height))
    status = rectangle(0, height - status_height, width, status_height)
    panels = _cells(width, status.top, count, columns)
    high = panels[0].height
    header = min(_HEADER, high // 7, panels[0].width // 8) * (count > 1)
    scenes = (rectangle(x, y + header, wide, high - header) for x, y, wide, high in panels)
    return Places(panels, tuple(scenes), status)


def _cells(width: int, height: int, count: int, columns: int) -> tuple[Rectangle, ...]:
    """Divides an area into cells, row by row: in `columns` if that costs little space."""

    def side(tried: int) -> float:
        return min(width / tried, height / -(-count // tried))

    # Of those that cost little space the wished one, or else that with the fullest last row.
    largest = max(map(side, range(1, count + 1)))
    good = [tried for tried in range(1, count + 1) if side(tried) >= _GOOD_ENOUGH * largest]
    best = min(good, key=lambda tried: (tried != columns, -count % tried, -side(tried)))
    rows = -(-count // best)
    lefts = [width * number // best for number in range(best + 1)]
    # As high as boards need, so that a header is near its board.
    high = height if count == 1 else min(height, round(_TALLEST * rows * width / best))
    tops = [(height - high) // 2 + high * number // rows for number in range(rows + 1)]
    return tuple(
        import_pygame().Rect(left, top, right - left, bottom - top)
        for top, bottom in pairwise(tops)
        for left, right in pairwise(lefts)
    )[:count]
