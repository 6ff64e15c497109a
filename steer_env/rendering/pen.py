"""Draws in meters, and on a torus at every visible image."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from steer_env.drawing import Color, DrawingConfig
from steer_env.game.config import GameConfig
from steer_env.rendering.camera import View, ground_of
from steer_env.rendering.canvas import Canvas, Places
from steer_env.sides import Side


class Pen:
    """Draws on a canvas. Places and lengths are in meters, widths of lines in strokes.

    Args:
        canvas: to draw on.
        view: of the plane.
        config: the game.
        drawing: how to draw it.

    Attributes:
        stroke: the default width of a line, in pixels.
        colors: of the theme.
        sides: the side of each player, pursuers first.
    """

    def __init__(
        self, canvas: Canvas, view: View, config: GameConfig, drawing: DrawingConfig
    ) -> None:
        self.canvas, self.view, self.config, self.drawing = canvas, view, config, drawing
        self.colors = drawing.colors
        self.sides = [Side.PURSUER] * config.pursuers + [Side.EVADER] * config.evaders
        self.stroke = max(1.1, view.side / 460)
        self.is_torus = config.arena.kind == "torus"
        size = config.arena.size
        steps = (0.0, size, -size) if self.is_torus else (0.0,)
        self._shifts = [complex(x, y) for x, y in itertools.product(steps, steps)]

    def clip_to_arena(self) -> None:
        """Restricts drawing to the arena, if it has edges."""
        if self.config.arena.kind != "open":
            self.canvas.clip(*ground_of(self.view, self.config))

    def images(self, position: complex, reach: float) -> list[complex]:
        """The places in the picture, in pixels, where something of that extent is visible."""
        if not self.is_torus:
            return [self.view.to_pixel(position)]
        limit = self.config.arena.half_size + reach
        images = (position + shift for shift in self._shifts)
        return [
            self.view.to_pixel(image)
            for image in images
            if max(abs(image.real), abs(image.imag)) < limit
        ]

    def disc(self, color: Color, center: complex, radius: float, opacity: float = 1.0) -> None:
        """Draws a filled circle."""
        for image in self.images(center, radius):
            self.canvas.disc(color, image, radius * self.view.scale, opacity)

    def dot(self, color: Color, center: complex, opacity: float = 1.0) -> None:
        """Draws a disc whose size does not depend on the scale."""
        for image in self.images(center, 0.0):
            self.canvas.disc(color, image, 1.7 * self.stroke, opacity)

    def ring(
        self,
        color: Color,
        center: complex,
        radius: float,
        opacity: float = 1.0,
        width: float = 1.0,
        is_dashed: bool = False,
    ) -> None:
        """Draws a circle's line."""
        pixels = radius * self.view.scale
        dashes = max(6, round(pixels / (2.2 * self.stroke))) if is_dashed else 0
        for image in self.images(center, radius):
            self.canvas.ring(color, image, pixels, width * self.stroke, opacity, dashes)

    def line(
        self,
        color: Color,
        start: complex,
        end: complex,
        opacity: float = 1.0,
        width: float = 1.0,
    ) -> None:
        """Draws a straight line."""
        step = (end - start).conjugate() * self.view.scale
        for image in self.images(start, abs(end - start)):
            self.canvas.line(color, image, image + step, width * self.stroke, opacity)

    def path(
        self, color: Color, points: Sequence[complex], opacity: float = 1.0, width: float = 1.0
    ) -> None:
        """Draws a line through points, which may overlap itself; nan interrupts it."""
        corners = np.array(points, np.complex128)
        steps = np.conj(corners - corners[0]) * self.view.scale
        opacities = np.full(len(corners) - 1, opacity)
        reach = float(np.nanmax(np.abs(steps))) / self.view.scale if self.is_torus else 0.0
        for image in self.images(points[0], reach):
            self.canvas.path(color, image + steps, width * self.stroke, opacities)

    def polygon(self, color: Color, rim: Color, center: complex, corners: Places) -> None:
        """Draws a filled polygon with a rim; corners are offsets from the center."""
        offsets = np.conj(corners) * self.view.scale
        closed = np.append(offsets, offsets[0])
        for image in self.images(center, float(np.abs(corners).max())):
            self.canvas.path(rim, image + closed, 2.4 * self.stroke, np.ones(len(corners)))
            self.canvas.polygon(color, image + offsets)

    def trail(
        self,
        color: Color,
        places: Places,
        opacity: float,
        oldest: float = 0.0,
        width: float = 1.5,
    ) -> None:
        """Draws a line that fades into the past; on a torus, it crosses the edges.

        Args:
            color: of the line.
            places: positions, (M,), oldest first.
            opacity: of the newest piece.
            oldest: opacity of the oldest piece.
            width: of the line, in strokes.
        """
        steps = np.diff(places)
        ages = np.arange(1, len(places)) / max(len(steps), 1)
        shares = oldest + (opacity - oldest) * ages
        shares[steps == 0] = 0.0  # a player at rest leaves no trail
        size = self.config.arena.size
        turns = np.round(steps.real / size) + 1j * np.round(steps.imag / size)
        if self.is_torus and turns.any():
            at, turns = np.flatnonzero(turns), size * turns
            # Across an edge there are two pieces: out on one side, in on the other.
            beyond, before = places[at + 1] - turns[at], places[at] + turns[at]
            places = np.insert(
                places,
                np.repeat(at + 1, 3),
                np.column_stack((beyond, at * np.nan, before)).ravel(),
            )
            shares = np.insert(shares, np.repeat(at, 3), np.repeat(shares[at], 3))
        self.canvas.path(color, self.view.to_pixels(places), width * self.stroke, shares)
