"""The view of the plane, and the pen that draws in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steer_env.drawing import Color, DrawingConfig
from steer_env.game.config import GameConfig
from steer_env.rendering.canvas import Canvas, Points
from steer_env.sides import Side

MARGIN = 0.07  # above and below an arena, for texts: a share of the picture's shorter side
EDGE = 0.02  # around an arena without texts: a share of that side


class View(NamedTuple):
    """The part of the plane that a picture shows."""

    center: complex  # the position in the picture's middle, in meters
    scale: float  # pixels per meter
    width: int  # of the picture, in pixels
    height: int

    @property
    def side(self) -> int:
        """The shorter side of the picture, in pixels."""
        return min(self.width, self.height)

    @property
    def middle(self) -> complex:
        """The picture's middle, in pixels."""
        return complex(self.width / 2, self.height / 2)

    def to_pixel(self, position: complex) -> complex:
        """Column and row, from the top left corner, of a position in meters (y points up)."""
        return (complex(position) - self.center).conjugate() * self.scale + self.middle

    def to_pixels(self, positions: Points) -> Points:
        """`to_pixel` for an array of any shape."""
        return np.conj(positions - self.center) * self.scale + self.middle

    def to_world(self, pixel: complex) -> complex:
        """The position in meters at a column and row: the inverse of `to_pixel`."""
        return ((complex(pixel) - self.middle) / self.scale).conjugate() + self.center


def view_of(
    config: GameConfig, positions: Points, size: tuple[int, int], margin: float | None = None
) -> View:
    """The view of the whole arena and, in the open, of some positions.

    The margin is a share of the picture's shorter side, at least 3 pixels. None leaves room for
    texts: above and below the arena or, where it is then larger, on its right.
    """
    half, (low, high) = config.region.half_size, config.region.corners
    width, height = size
    side = min(size)
    if not config.region.is_bounded:
        if positions.size:
            low = complex(min(positions.real.min(), -half), min(positions.imag.min(), -half))
            high = complex(max(positions.real.max(), half), max(positions.imag.max(), half))
        extent, edge = high - low, 2 * side * (MARGIN if margin is None else margin)
        scale = min((width - edge) / extent.real, (height - edge) / extent.imag)
        return View((low + high) / 2, scale, *size)
    if margin is not None:
        edge = max(margin * side, min(3, MARGIN * side))
        return View(0j, (side - 2 * edge) / (2 * half), *size)
    edge, column = 2 * EDGE * side, max(0.32 * side, 150)  # of texts
    stacked = min(width - edge, height - 2 * MARGIN * side)
    beside = min(height - edge, width - edge - column)
    if beside <= stacked:
        return View(0j, stacked / (2 * half), *size)
    scale = beside / (2 * half)
    shift = (width - edge - beside) / 2  # of the arena to the left, in pixels
    return View(complex(shift / scale, 0.0), scale, *size)


def ground_of(view: View, config: GameConfig) -> tuple[complex, complex]:
    """The top left and bottom right corners of the arena in the picture."""
    if not config.region.is_bounded:  # it fills the picture
        return 0j, complex(view.width, view.height)
    low, high = map(view.to_pixel, config.region.corners)
    return complex(low.real, high.imag), complex(high.real, low.imag)


def grid_spacing(view: View, config: GameConfig) -> float:
    """The distance in meters between the grid's lines, of which at most 12 cross the view."""
    extent = config.arena_size if config.region.is_bounded else view.side / view.scale
    return rounded_up(extent / 12)


def rounded_up(least: float) -> float:
    """The shortest round length (1, 2 or 5 times a power of 10) not below a positive one."""
    power = 10.0 ** math.floor(math.log10(least))
    lengths = (power * factor for factor in (1, 2, 5, 10))
    return next(length for length in lengths if length >= least * (1 - 1e-9))


class Pen:
    """Draws on a canvas in meters, on a torus at every visible image, with lines in strokes."""

    def __init__(
        self, canvas: Canvas, view: View, config: GameConfig, drawing: DrawingConfig
    ) -> None:
        self.canvas, self.view, self.config, self.drawing = canvas, view, config, drawing
        self.colors = drawing.colors
        self.sides = [Side.PURSUER] * config.pursuers + [Side.EVADER] * config.evaders
        self.stroke = max(1.1, view.side / 460)
        self.region, size = config.region, config.arena_size
        steps = (0.0, size, -size) if self.region.wraps else (0.0,)
        self._shifts = [complex(x, y) for x, y in itertools.product(steps, steps)]

    def clip_to_arena(self) -> None:
        """Restricts drawing to an arena with edges."""
        if self.region.is_bounded:
            self.canvas.clip(*ground_of(self.view, self.config))

    def images(self, position: complex, reach: float) -> list[complex]:
        """The visible images of a position, in pixels, for something of an extent in meters."""
        if not self.region.wraps:
            return [self.view.to_pixel(position)]
        limit = self.region.half_size + reach
        images = [position + shift for shift in self._shifts]
        seen = [each for each in images if max(abs(each.real), abs(each.imag)) < limit]
        return [self.view.to_pixel(image) for image in seen]

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
        self, color: Color, start: complex, end: complex, opacity: float = 1, width: float = 1
    ) -> None:
        """Draws a straight line."""
        step = (end - start).conjugate() * self.view.scale
        for image in self.images(start, abs(end - start)):
            self.canvas.line(color, image, image + step, width * self.stroke, opacity)

    def path(
        self, color: Color, points: Sequence[complex], opacity: float = 1.0, width: float = 1.0
    ) -> None:
        """Draws a line through points. It may overlap itself, and nan interrupts it."""
        corners = np.array(points, np.complex128)
        steps = np.conj(corners - corners[0]) * self.view.scale
        opacities = np.full(len(corners) - 1, opacity)
        reach = float(np.nanmax(np.abs(steps))) / self.view.scale if self.region.wraps else 0.0
        for image in self.images(points[0], reach):
            self.canvas.path(color, image + steps, width * self.stroke, opacities)

    def polygon(self, color: Color, rim: Color, center: complex, corners: Points) -> None:
        """Draws a filled polygon with a rim and corners at offsets from the center."""
        offsets = np.conj(corners) * self.view.scale
        closed = np.append(offsets, offsets[0])
        for image in self.images(center, float(np.abs(corners).max())):
            self.canvas.path(rim, image + closed, 2.4 * self.stroke, np.ones(len(corners)))
            self.canvas.polygon(color, image + offsets)

    def text(
        self, text: str, color: Color, place: complex, size: float, along: float = 0.5
    ) -> None:
        """Writes a text at a place in pixels, with a rim that makes it legible over lines."""
        for shift in (1, 1j, -1, -1j):
            self.canvas.text(text, self.colors.ground, place + 1.3 * shift, size, along)
        self.canvas.text(text, color, place, size, along)

    def trail(
        self,
        color: Color,
        places: Points,
        opacity: float,
        oldest: float = 0.0,
        width: float = 1.5,
    ) -> None:
        """Draws a line through positions, (M,), oldest first, that fades into the past."""
        steps = np.diff(places)
        ages = np.arange(1, len(places)) / max(len(steps), 1)
        shares = oldest + (opacity - oldest) * ages
        shares[steps == 0] = 0.0  # a player at rest leaves no trail
        size = self.config.arena_size
        turns = np.round(steps.real / size) + 1j * np.round(steps.imag / size)
        if self.region.wraps and turns.any():
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
