"""Draws all that the window shows, and finds what is at a place in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig, Theme
from steer_env.game.arena import ARENAS, nearest_offset
from steer_env.interface.clock import speed_text
from steer_env.interface.overlay import draw_banner, draw_frame, draw_help, text_size
from steer_env.rendering.camera import View
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.replay import Replay
from steer_env.rendering.texts import fitted, fitted_names
from steer_env.rendering.vehicles import drawn_radius
from steer_env.watch.inspector import Inspector
from steer_env.watch.inspector_panel import InspectorPanel
from steer_env.watch.panels import Layout, Rectangle, layout
from steer_env.watch.session import Session

_SCORE_SIDE = 330  # pixels: a smaller panel has no room for the score
_NAMES_SIDE = 180  # pixels: a smaller one has none for the names beside vehicles
_TEXTS = {"score", "names"}
_BAR = 5  # pixels: how high the bar of the time is
_REACH = 12.0  # pixels: how near to a vehicle one has to point


class Target(NamedTuple):
    """A player of a game, by their numbers."""

    game: int
    player: int


@dataclass
class Look:
    """What is looked at, and how.

    Attributes:
        drawing: theme and annotations; its size is not looked at.
        current: the number of the game that keys are about.
        is_alone: whether only this one is shown.
        hovered: the vehicle under the pointer.
        inspected: the vehicle that the inspector shows.
        has_help: whether the help is shown.
        message: in the status line; empty for the usual hints.
        inspector: the panel, which scrolls.
    """

    drawing: DrawingConfig
    current: int = 0
    is_alone: bool = False
    hovered: Target | None = None
    inspected: Target | None = None
    has_help: bool = False
    message: str = ""
    inspector: InspectorPanel = field(default_factory=InspectorPanel)


class Picture:
    """Draws a session.

    Args:
        session: the games.
        look: what is looked at; it may change at any time.
        help_rows: what each key does.
    """

    def __init__(self, session: Session, look: Look, help_rows: list[tuple[str, str]]) -> None:
        self._session, self._look, self._help_rows = session, look, help_rows
        self._inspector = Inspector(session.config)
        self._replays = [Replay(game, look.drawing, sees_ahead=False) for game in session.games]
        self._size = look.drawing.size

    def draw(self, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Draws everything.

        Args:
            size: width and height of the window, in pixels.

        Returns:
            (height, width, 3) of uint8.
        """
        self._size = size
        look, theme = self._look, self._look.drawing.colors
        pixels = np.empty((size[1], size[0], 3), np.uint8)
        canvas = RasterCanvas(pixels)
        canvas.fill(theme.background)
        places = self.layout
        for number, panel in zip(self.shown_games, places.panels):
            self._draw_panel(canvas, number, panel)
        if places.inspector is not None and look.inspected is not None:
            game, player = look.inspected
            rows = self._inspector.rows(self._session.games[game], self._session.moment, player)
            is_pursuer = player < self._session.config.pursuers
            color = theme.pursuer if is_pursuer else theme.evader
            look.inspector.draw(canvas, theme, places.inspector, rows, color)
        self._draw_status(canvas, theme, places.status)
        if look.has_help:
            draw_help(canvas, theme, "Watch: what keys do", self._help_rows)
        return pixels

    @property
    def layout(self) -> Layout:
        """Where everything stands."""
        columns = 1 if self._look.is_alone else self._session.columns
        return layout(
            self._size,
            len(self.shown_games),
            columns,
            round(1.7 * text_size(*self._size)),
            self._look.inspected is not None,
        )

    @property
    def shown_games(self) -> list[int]:
        """The numbers of the games in the panels."""
        return [self._look.current] if self._look.is_alone else [*range(len(self._replays))]

    def game_at(self, place: complex) -> int | None:
        """The number of the game whose panel is at a place in the window, if any."""
        for number, panel in zip(self.shown_games, self.layout.panels):
            if panel.contains(place):
                return number
        return None

    def vehicle_at(self, place: complex) -> Target | None:
        """The vehicle at a place in the window: the nearest one, if it is near enough."""
        game = self.game_at(place)
        if game is None:
            return None
        panel = self.layout.panels[self.shown_games.index(game)]
        view = self._view(game)
        config = self._session.config
        arena, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
        at = view.to_world(place - self._scene(panel).corner)
        found: list[tuple[float, int]] = []
        players = self._session.games[game].record(self._session.moment)["players"]
        for number, body in enumerate(players["body"]):
            offset = nearest_offset(arena, half_size, at, complex(body["position"]))
            distance = abs(offset) * view.scale
            reach = max(drawn_radius(view, body["radius"]) * view.scale * 1.3, _REACH)
            if distance <= reach:
                # Who is caught lies below those that move.
                found.append((distance + reach * (not players["active"][number]), number))
        return Target(game, min(found)[1]) if found else None

    def place_of(self, target: Target) -> complex | None:
        """Where in the window a vehicle is drawn; None if its panel is not shown."""
        if target.game not in self.shown_games:
            return None
        panel = self.layout.panels[self.shown_games.index(target.game)]
        record = self._session.games[target.game].record(self._session.moment)
        position = complex(record["players"]["body"]["position"][target.player])
        return self._view(target.game).to_pixel(position) + self._scene(panel).corner

    def _draw_panel(self, canvas: RasterCanvas, number: int, panel: Rectangle) -> None:
        look, session, scene = self._look, self._session, self._scene(panel)
        game, replay = session.games[number], self._replays[number]
        moment = min(session.moment, game.last)
        annotations = look.drawing.annotations
        if not self._has_score(panel):
            left_out = {"score"} if min(scene.width, scene.height) >= _NAMES_SIDE else _TEXTS
            annotations = tuple(name for name in annotations if name not in left_out)
        size = scene.width, scene.height
        replay.drawing = replace(look.drawing, size=size, annotations=annotations)
        frame = replay.frame(moment)
        canvas.pixels[scene.top : scene.bottom, scene.left : scene.right] = frame
        self._draw_header(canvas, number, panel)
        for target, opacity in ((look.hovered, 0.6), (look.inspected, 1.0)):
            if target is not None and target.game == number:
                self._draw_ring(canvas, target, scene, opacity)
        if game.is_over(moment):
            self._draw_result(canvas, number, scene)
        if len(self.shown_games) > 1:
            is_current = number == look.current
            color = look.drawing.colors.ink if is_current else look.drawing.colors.grid
            draw_frame(canvas, color, panel.corner, panel.opposite, 2.0 if is_current else 1.0)

    def _draw_header(self, canvas: RasterCanvas, number: int, panel: Rectangle) -> None:
        """Who plays, and from which seed, above a panel; what the picture tells is left out."""
        height = self._header_height(panel)
        if height == 0:
            return
        theme, game = self._look.drawing.colors, self._session.games[number]
        size = height / 1.5
        column, row = panel.left + 0.6 * size, panel.top + height / 2
        right = panel.right - 0.6 * size
        canvas.rectangle(
            theme.background, panel.corner, complex(panel.right, panel.top + height)
        )
        if self._session.has_many_starts:
            text = f"seed {self._session.seed_of(number)}"
            if canvas.text_width(text, size) < 0.5 * panel.width:
                canvas.text(text, theme.faint, complex(right, row), size, 1.0)
                right -= canvas.text_width(text, size) + size
        if not self._names_in_header(panel):
            return
        between = canvas.text_width(" v ", size)
        room = right - column - between
        first, second = fitted_names(canvas, game.duel.names, size, room)
        canvas.text(first, theme.pursuer, complex(column, row), size)
        column += canvas.text_width(first, size)
        canvas.text(" v ", theme.faint, complex(column, row), size)
        canvas.text(second, theme.evader, complex(column + between, row), size)

    def _draw_ring(
        self, canvas: RasterCanvas, target: Target, scene: Rectangle, opacity: float
    ) -> None:
        """Around the vehicle that is pointed at, or inspected."""
        center = self.place_of(target)
        if center is None:
            return
        record = self._session.games[target.game].record(self._session.moment)
        view = self._view(target.game)
        body = record["players"]["body"][target.player]
        radius = drawn_radius(view, body["radius"]) * view.scale + 5
        canvas.clip(scene.corner, scene.opposite)
        canvas.ring(self._look.drawing.colors.ink, center, radius, 2.0, opacity)
        canvas.clip()

    def _draw_result(self, canvas: RasterCanvas, number: int, scene: Rectangle) -> None:
        """How the game ended, above the middle; below it if the evader's end is above."""
        theme, game = self._look.drawing.colors, self._session.games[number]
        moment = self._session.moment
        evader = game.record(moment)["players"]["body"]["position"][-1]
        is_above = self._view(number).to_pixel(complex(evader)).imag < scene.height / 2
        row = scene.top + scene.height * (0.75 if is_above else 0.25)
        color = theme.pursuer if game.is_captured(moment) else theme.evader
        size = min(max(min(scene.width, scene.height) / 14, 14.0), 30.0)
        middle = complex(scene.left + scene.width / 2, row)
        text, width = game.result(moment), scene.width - 6
        if canvas.text_width(text, 14.0) > width - 14.0:
            text = f"{game.seconds(moment):.1f} s"  # the color says whose success it is
        draw_banner(canvas, theme, text, middle, size, width, color)

    def _draw_status(self, canvas: RasterCanvas, theme: Theme, place: Rectangle) -> None:
        """The line at the bottom: a bar of the time, how things stand, and hints."""
        session, look = self._session, self._look
        canvas.rectangle(theme.background, place.corner, place.opposite)
        share = session.moment / max(session.config.horizon, 1)
        known = session.last_moment / max(session.config.horizon, 1)
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
        hints = (
            "h help     space pause     click a vehicle",
            "h help     space pause",
            "h help",
        )
        for text in (look.message,) if look.message else hints:
            room = right - column
            if look.message:
                text = fitted(canvas, text, size, room)
            if canvas.text_width(text, size) <= room:
                color = theme.ink if look.message else theme.faint
                canvas.text(text, color, complex(right, row), size, 1.0)
                break

    def _standing(self) -> list[str]:
        """Seed, time, speed, and whether it goes on."""
        session = self._session
        first = session.seed_of(self.shown_games[0])
        last = max(map(session.seed_of, self.shown_games))
        seeds = f"seed {first}" if first == last else f"seeds {first} to {last}"
        texts = [seeds, f"{session.seconds:.1f} s"]
        if not session.has_many_pairs:
            texts.insert(0, " v ".join(session.games[0].duel.names))
        texts.append(speed_text(session.clock.speed))
        if session.percent_to_goal is not None:
            texts.append(f"playing: {session.percent_to_goal} %")
        elif session.clock.is_paused:
            texts.append("paused")
        elif session.is_over:
            texts.append("next follows" if session.keeps_going else "over: n for the next")
        return texts

    def _view(self, number: int) -> View:
        """What the picture of a game shows."""
        return self._replays[number].view_at(self._session.moment)

    def _scene(self, panel: Rectangle) -> Rectangle:
        """The part of a panel that shows the game."""
        height = self._header_height(panel)
        return Rectangle(panel.left, panel.top + height, panel.width, panel.height - height)

    def _header_height(self, panel: Rectangle) -> int:
        if not (self._names_in_header(panel) or self._session.has_many_starts):
            return 0
        return min(round(1.5 * min(max(panel.height / 14, 11.0), 16.0)), panel.height // 3)

    def _names_in_header(self, panel: Rectangle) -> bool:
        """Whether a panel has to say who plays, since nothing else in the window does."""
        return self._session.has_many_pairs and not self._has_score(panel)

    def _has_score(self, panel: Rectangle) -> bool:
        is_large = min(panel.width, panel.height) >= _SCORE_SIDE
        return is_large and self._look.drawing.shows("score")
