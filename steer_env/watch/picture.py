"""Draws the whole window, and finds what is at a place in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steer_env.drawing import DrawingConfig, Theme
from steer_env.rendering.camera import View
from steer_env.rendering.canvas import Pixels
from steer_env.rendering.overlay import (
    board_middle,
    draw_banner,
    draw_frame,
    draw_help,
    draw_result,
    text_size,
)
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.renderer import Replay
from steer_env.rendering.texts import fitted, fitted_names
from steer_env.rendering.vehicles import drawn_radius
from steer_env.watch.places import Places, Rectangle, places_in
from steer_env.watch.screening import Screening, speed_text

_BAR = 5  # pixels: height of the time bar


class Picture:
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
        self._size, theme = size, self.drawing.colors
        canvas = RasterCanvas(np.empty((size[1], size[0], 3), np.uint8))
        canvas.fill(theme.background)
        places = self.places
        for number in range(len(self._replays)):
            self._draw_panel(canvas, number, places.panels[number], places.scenes[number])
        self._draw_status(canvas, theme, places.status)
        if self.has_help:
            draw_help(canvas, theme, "Keys", self._help_rows)
        return canvas.pixels

    @property
    def places(self) -> Places:
        """The places of everything in the window."""
        return places_in(self._size, len(self._replays), self._screening.columns)

    def steered_vehicle(self) -> tuple[complex, float]:
        """Returns where the person's vehicle is in the window, and the side of the scene."""
        (scene,) = self.places.scenes
        place = self._view(0).to_pixel(complex(self._steered_body()["position"]))
        return place + complex(*scene.topleft), min(scene.size)

    def _draw_panel(
        self, canvas: RasterCanvas, number: int, panel: Rectangle, scene: Rectangle
    ) -> None:
        screening, theme = self._screening, self.drawing.colors
        game, replay = screening.games[number], self._replays[number]
        moment = min(screening.moment, game.last)
        annotations, corner = self.drawing.annotations, complex(*scene.topleft)
        has_header = len(self._replays) > 1
        if has_header:
            annotations = tuple(name for name in annotations if name != "score")
            self._draw_header(canvas, number, panel, scene.top - panel.top)
        replay.drawing = replace(self.drawing, size=scene.size, annotations=annotations)
        frame = replay.frame(moment)
        canvas.pixels[scene.top : scene.bottom, scene.left : scene.right] = frame
        if screening.steered is not None:
            self._draw_ring(canvas, scene)
        status = game.status_at(moment)
        if screening.is_waiting:
            view, letters = self._view(number), 1.3 * text_size(*self._size)
            middle, room = corner + board_middle(view, screening.config), view.side - 6
            text = "Steer to start: arrow keys, W A S D or mouse"
            draw_banner(canvas, theme, text, middle, letters, room, theme.ink)
        elif status.is_over:
            draw_result(canvas, theme, self._view(number), status, corner)
        if has_header:
            opposite = complex(*panel.bottomright)
            draw_frame(canvas, theme.grid, complex(*panel.topleft), opposite, 1.0)

    def _draw_header(
        self, canvas: RasterCanvas, number: int, panel: Rectangle, height: int
    ) -> None:
        theme, game = self.drawing.colors, self._screening.games[number]
        size = height / 1.5
        column, row = panel.left + 0.6 * size, panel.top + height / 2
        right = panel.right - 0.6 * size
        text = f"seed {self._screening.seed_of(number)}"
        if canvas.text_width(text, size) < 0.3 * panel.width:
            canvas.text(text, theme.faint, complex(right, row), size, 1.0)
            right -= canvas.text_width(text, size) + size
        room = right - column - canvas.text_width(" vs ", size)
        pursuer, evader = fitted_names(canvas, game.names, size, room)
        parts = (pursuer, theme.pursuer), (" vs ", theme.faint), (evader, theme.evader)
        for text, color in parts:
            canvas.text(text, color, complex(column, row), size)
            column += canvas.text_width(text, size)

    def _draw_ring(self, canvas: RasterCanvas, scene: Rectangle) -> None:
        (center, _), view = self.steered_vehicle(), self._view(0)
        radius = drawn_radius(view, self._steered_body()["radius"]) * view.scale + 5
        canvas.clip(complex(*scene.topleft), complex(*scene.bottomright))
        colors, size = self.drawing.colors, text_size(*self._size)
        canvas.ring(colors.ink, center, radius, 2.0, 0.3)
        is_high = center.imag - radius - 1.2 * size < scene.top  # no room above
        beside = center + 1j * (radius + 0.7 * size) * (1 if is_high else -1)
        canvas.text("you", colors.ink, beside, size, 0.5)
        canvas.clip()

    def _draw_status(self, canvas: RasterCanvas, theme: Theme, place: Rectangle) -> None:
        screening = self._screening
        share = screening.moment / max(screening.config.horizon, 1)
        known = screening.last_moment / max(screening.config.horizon, 1)
        for color, part in ((theme.grid, 1.0), (theme.wall, known), (theme.pursuer, share)):
            end = complex(place.left + place.width * min(part, 1.0), place.top + _BAR)
            canvas.rectangle(color, complex(*place.topleft), end)
        canvas.disc(theme.pursuer, end - 0.5j * _BAR, 1.1 * _BAR)
        size = text_size(*self._size)
        row = place.top + _BAR + (place.height - _BAR) / 2
        column, right = place.left + 0.7 * size, place.right - 0.7 * size
        for text in self._standing():
            text = fitted(canvas, text, size, right - column)
            canvas.text(text, theme.ink, complex(column, row), size)
            column += canvas.text_width(text, size) + 1.1 * size
        text = fitted(canvas, "h help", size, right - column)
        canvas.text(text, theme.faint, complex(right, row), size, 1.0)

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

    def _view(self, number: int) -> View:
        return self._replays[number].view_at(self._screening.moment)

    def _steered_body(self) -> np.void:
        record = self._screening.games[0].record_at(self._screening.moment)
        return record["players"]["body"][self._screening.steered_player]
