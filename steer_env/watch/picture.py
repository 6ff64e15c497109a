"""Draws the whole window, and finds what is at a place in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from steer_env.drawing import DrawingConfig, Theme
from steer_env.game.arena import ARENAS, nearest_offset
from steer_env.rendering.camera import View, ground_of
from steer_env.rendering.canvas import Pixels
from steer_env.rendering.overlay import (
    draw_frame,
    draw_help,
    draw_result,
    small_text_size,
    text_size,
)
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.renderer import Replay
from steer_env.rendering.texts import fitted, fitted_names
from steer_env.rendering.vehicles import drawn_radius
from steer_env.sides import Side
from steer_env.watch.inspector import Inspector
from steer_env.watch.inspector_panel import InspectorPanel, draw_decision
from steer_env.watch.places import Places, Rectangle, places_in
from steer_env.watch.screening import Screening, speed_text

_HINT = "h help"
_BAR = 5  # pixels: height of the time bar
_ARROWS = 0.18  # of a scene's shorter side: length of the largest force of the inspected
_REACH = 12.0  # pixels: distance within which a click hits a vehicle


class ShownPlayer(NamedTuple):
    """A vehicle: the number of its game, and its own in the game."""

    game: int
    player: int


@dataclass
class Display:
    """Everything that the window shows beside the games."""

    drawing: DrawingConfig  # theme and annotations; its size is ignored
    hovered: ShownPlayer | None = None  # the vehicle under the pointer
    inspected: ShownPlayer | None = None  # the vehicle in the inspector
    has_help: bool = False
    message: str = ""  # in the status line; "" for hints
    inspector: InspectorPanel = field(default_factory=InspectorPanel)


class Picture:
    """Draws the window of games, with a display that may change at any time."""

    def __init__(
        self, screening: Screening, display: Display, help_rows: list[tuple[str, str]]
    ) -> None:
        self._screening, self._display, self._help_rows = screening, display, help_rows
        self._inspector = Inspector(screening.config)
        self._replays = [
            Replay(game.recording, display.drawing, sees_ahead=False)
            for game in screening.games
        ]
        self._size = display.drawing.size

    def draw(self, size: tuple[int, int]) -> Pixels:
        """Draws the window of a width and height: (height, width, 3) of uint8."""
        self._size = size
        display, theme = self._display, self._display.drawing.colors
        canvas = RasterCanvas(np.empty((size[1], size[0], 3), np.uint8))
        canvas.fill(theme.background)
        places = self.places
        for number in range(len(self._replays)):
            self._draw_panel(canvas, number, places.panels[number], places.scenes[number])
        if places.inspector is not None and display.inspected is not None:
            number, player = display.inspected
            game = self._screening.games[number]
            rows = self._inspector.rows(game, self._screening.moment, player)
            side = self._inspector.side_of(player)
            display.inspector.draw(canvas, display.drawing, places.inspector, rows, side)
        self._draw_status(canvas, theme, places.status)
        if display.has_help:
            draw_help(canvas, theme, "Keys", self._help_rows)
        return canvas.pixels

    @property
    def places(self) -> Places:
        """The places of everything in the window."""
        count, columns = len(self._replays), self._screening.columns
        return places_in(self._size, count, columns, self._display.inspected is not None)

    def game_at(self, place: complex) -> int | None:
        """Returns the number of the game at a place in the window, or None."""
        panels = enumerate(self.places.panels)
        return next((number for number, panel in panels if panel.contains(place)), None)

    def vehicle_at(self, place: complex) -> ShownPlayer | None:
        """Returns the vehicle that a click at a place in the window hits, or None."""
        game = self.game_at(place)
        if game is None:
            return None
        view, config = self._view(game), self._screening.config
        arena, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
        at = view.to_world(place - self.places.scenes[game].corner)
        found: list[tuple[float, int]] = []
        players = self._screening.games[game].record_at(self._screening.moment)["players"]
        for number, body in enumerate(players["body"]):
            offset = nearest_offset(arena, half_size, at, complex(body["position"]))
            distance = abs(offset) * view.scale
            reach = max(drawn_radius(view, body["radius"]) * view.scale * 1.3, _REACH)
            if distance <= reach:
                # Captured vehicles lie below those that move.
                found.append((distance + reach * (not players["active"][number]), number))
        return ShownPlayer(game, min(found)[1]) if found else None

    def steered_vehicle(self) -> tuple[complex, float]:
        """Returns where the person's vehicle is in the window, and the side of the scene."""
        (scene,) = self.places.scenes
        target = ShownPlayer(0, self._screening.steered_player)
        return self.place_of(target), min(scene.width, scene.height)

    def place_of(self, target: ShownPlayer) -> complex:
        """Returns where in the window a vehicle is drawn."""
        position = complex(self._body(target)["position"])
        scene = self.places.scenes[target.game]
        return self._view(target.game).to_pixel(position) + scene.corner

    def _draw_panel(
        self, canvas: RasterCanvas, number: int, panel: Rectangle, scene: Rectangle
    ) -> None:
        display, screening, theme = self._display, self._screening, self._display.drawing.colors
        game, replay = screening.games[number], self._replays[number]
        moment = min(screening.moment, game.last)
        annotations, size = display.drawing.annotations, (scene.width, scene.height)
        has_header = len(self._replays) > 1
        if has_header:
            annotations = tuple(name for name in annotations if name != "score")
            self._draw_header(canvas, number, panel._replace(height=scene.top - panel.top))
        replay.drawing = replace(display.drawing, size=size, annotations=annotations)
        frame = replay.frame(moment)
        canvas.pixels[scene.top : scene.bottom, scene.left : scene.right] = frame
        steered = (
            None if screening.steered is None else ShownPlayer(0, screening.steered_player)
        )
        rings = (steered, 0.3), (display.hovered, 0.6), (display.inspected, 1.0)
        for target, opacity in rings:
            if target is not None and target.game == number:
                self._draw_ring(canvas, target, scene, opacity)
        if display.inspected is not None and display.inspected.game == number:
            self._draw_decision(canvas, display.inspected, scene)
        status = game.status_at(moment)
        if status.is_over:
            draw_result(canvas, theme, self._view(number), status, scene.corner)
        if has_header:
            draw_frame(canvas, theme.grid, panel.corner, panel.opposite, 1.0)

    def _draw_header(self, canvas: RasterCanvas, number: int, place: Rectangle) -> None:
        """Draws the names and the seed above a scene, as far as games differ in them."""
        theme, game = self._display.drawing.colors, self._screening.games[number]
        size = place.height / 1.5
        column, row = place.left + 0.6 * size, place.top + place.height / 2
        right = place.right - 0.6 * size
        canvas.rectangle(theme.background, place.corner, place.opposite)
        if self._screening.has_many_starts:
            text = f"seed {self._screening.seed_of(number)}"
            if canvas.text_width(text, size) < 0.5 * place.width:
                canvas.text(text, theme.faint, complex(right, row), size, 1.0)
                right -= canvas.text_width(text, size) + size
        varied = self._screening.varied
        pursuer, evader = (name * (side in varied) for side, name in zip(Side, game.names))
        between = " v " * (len(varied) > 1)
        room = right - column - canvas.text_width(between, size)
        first, second = fitted_names(canvas, (pursuer, evader), size, room)
        colored = (first, theme.pursuer), (between, theme.faint), (second, theme.evader)
        for text, color in colored:
            canvas.text(text, color, complex(column, row), size)
            column += canvas.text_width(text, size)

    def _draw_ring(
        self, canvas: RasterCanvas, target: ShownPlayer, scene: Rectangle, opacity: float
    ) -> None:
        center, view = self.place_of(target), self._view(target.game)
        radius = drawn_radius(view, self._body(target)["radius"]) * view.scale + 5
        canvas.clip(scene.corner, scene.opposite)
        canvas.ring(self._display.drawing.colors.ink, center, radius, 2.0, opacity)
        canvas.clip()

    def _draw_decision(
        self, canvas: RasterCanvas, target: ShownPlayer, scene: Rectangle
    ) -> None:
        """Draws the arrows that the steering force of the inspected vehicle is made of."""
        screening, drawing = self._screening, self._display.drawing
        view = self._view(target.game)
        game, player = screening.games[target.game], target.player
        decision = self._inspector.decision(game, screening.moment, player)
        if decision is None:
            return
        scale = _ARROWS * view.side / decision.max_force
        side = self._inspector.side_of(player)
        size, start = small_text_size(*self._size), self.place_of(target)
        canvas.clip(*(scene.corner + corner for corner in ground_of(view, screening.config)))
        draw_decision(canvas, drawing, decision, side, start, scale, size)
        canvas.clip()

    def _draw_status(self, canvas: RasterCanvas, theme: Theme, place: Rectangle) -> None:
        """Draws the line at the bottom: the time bar, the status, and hints or a message."""
        screening, display = self._screening, self._display
        canvas.rectangle(theme.background, place.corner, place.opposite)
        share = screening.moment / max(screening.config.horizon, 1)
        known = screening.last_moment / max(screening.config.horizon, 1)
        for color, part in ((theme.grid, 1.0), (theme.wall, known), (theme.pursuer, share)):
            end = complex(place.left + place.width * min(part, 1.0), place.top + _BAR)
            canvas.rectangle(color, place.corner, end)
        canvas.disc(theme.pursuer, end - 0.5j * _BAR, 1.1 * _BAR)
        size = text_size(*self._size)
        row = place.top + _BAR + (place.height - _BAR) / 2
        column, right = place.left + 0.7 * size, place.right - 0.7 * size
        for text in self._standing():
            text = fitted(canvas, text, size, right - column)
            canvas.text(text, theme.ink, complex(column, row), size)
            column += canvas.text_width(text, size) + 1.1 * size
        color = theme.ink if display.message else theme.faint
        text = fitted(canvas, display.message or _HINT, size, right - column)
        canvas.text(text, color, complex(right, row), size, 1.0)

    def _standing(self) -> list[str]:
        """The names, seeds, time, speed and state in words."""
        screening = self._screening
        first, last = screening.seed, screening.seed_of(len(screening.games) - 1)
        seeds = f"seed {first}" if first == last else f"seeds {first} to {last}"
        seconds = screening.moment * screening.config.dt
        texts = [seeds, f"{seconds:.1f} s", speed_text(screening.clock.speed)]
        names = screening.games[0].names
        if not screening.varied:
            texts.insert(0, " v ".join(names))
        elif len(screening.varied) == 1:  # the panels have the other side's
            texts.insert(0, f"against {names[screening.varied[0].other]}")
        if screening.is_waiting:
            texts.append("steer, or press space, to begin")
        elif screening.clock.is_paused:
            texts.append("paused")
        elif screening.is_over:
            texts.append("next follows" if screening.keeps_going else "over: n for the next")
        return texts

    def _view(self, number: int) -> View:
        return self._replays[number].view_at(self._screening.moment)

    def _body(self, target: ShownPlayer) -> np.void:
        record = self._screening.games[target.game].record_at(self._screening.moment)
        return record["players"]["body"][target.player]
