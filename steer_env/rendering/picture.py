"""The view of the plane, and the picture: primitives that pixels and vector graphics show."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from steer_env.drawing import Color, DrawingConfig, Pixels, Points
from steer_env.game.config import Game
from steer_env.game.region import Region
from steer_env.rendering.marks import EDGE, GLYPHS, LINES, MARGIN, NUMBERS, SIZES
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas
from steer_env.rendering.texts import fitted, width_of
from steer_env.sides import Side

_REACHES = {  # of the glyphs, in their units
    name: max(max(float(np.nanmax(np.abs(row[3]))), row[4]) for row in rows)
    for name, rows in GLYPHS.items()
}


PLANE, PAPER = Region.named("open", math.inf), Region.named("walls", 0.0)
"""The endless plane, and a ground for texts alone."""


class View(NamedTuple):
    """The part of the plane that a picture shows."""

    center: complex  # the position in the picture's middle, in meters
    scale: float  # pixels per meter
    width: int  # of the picture, in pixels
    height: int
    region: Region = PLANE

    @property
    def side(self) -> int:
        """The shorter side of the picture, in pixels."""
        return min(self.width, self.height)

    @property
    def middle(self) -> complex:
        """The picture's middle, in pixels."""
        return complex(self.width / 2, self.height / 2)

    @property
    def ground(self) -> tuple[complex, complex]:
        """The top left and bottom right corners of the arena in the picture."""
        if not self.region.is_bounded:  # it fills the picture
            return 0j, complex(self.width, self.height)
        corner, _, opposite, *_ = self.region.outline()
        return self.to_pixel(corner), self.to_pixel(opposite)

    @property
    def grid_spacing(self) -> float:
        """The distance in meters between the grid's lines, of which few cross the view."""
        region = self.region
        extent = 2 * region.half_size if region.is_bounded else self.side / self.scale
        return rounded_up(extent / NUMBERS["grid lines"])

    def size(self, name: str) -> float:
        """One of `SIZES`, in pixels."""
        share, least = SIZES[name]
        return max(share * self.side, least)

    def drawn_radius(self, radius: float) -> float:
        """A body's radius in meters, or the smallest visible one."""
        return max(float(radius), self.size("body") / self.scale)

    def to_pixel(self, position: complex) -> complex:
        """Column and row, from the top left corner, of a position in meters (y points up)."""
        return (complex(position) - self.center).conjugate() * self.scale + self.middle

    def to_pixels(self, positions: Points) -> Points:
        """`to_pixel` for an array of any shape."""
        return np.conj(positions - self.center) * self.scale + self.middle

    def to_world(self, pixel: complex) -> complex:
        """The position in meters at a column and row: the inverse of `to_pixel`."""
        return ((complex(pixel) - self.middle) / self.scale).conjugate() + self.center

    def images(self, position: complex, reach: float) -> list[complex]:
        """The visible images of a position, in pixels, for something of an extent in meters."""
        if not self.region.wraps:
            return [self.to_pixel(position)]
        limit, size = self.region.half_size + reach, self.region.period
        steps = (0.0, size, -size)
        columns = [x for step in steps if abs(x := position.real + step) < limit]
        rows = [y for step in steps if abs(y := position.imag + step) < limit]
        return [self.to_pixel(complex(x, y)) for x in columns for y in rows]

    def images_of(self, points: Points) -> list[Points]:
        """The visible images of points that belong together, in pixels."""
        pixels = self.to_pixels(points)
        if not self.region.wraps:
            return [pixels]
        first, reach = complex(points[0]), float(np.fmax.reduce(np.abs(points - points[0])))
        return [pixels + (image - pixels[0]) for image in self.images(first, reach)]


def sides_of(config: Game) -> list[Side]:
    """The side of each player, pursuers first."""
    return [Side.PURSUER] * config.pursuers + [Side.EVADER] * config.evaders


def view_of(config: Game, positions: Points, drawing: DrawingConfig) -> View:
    """The view of the whole arena and, in the open, of some positions.

    The score has room above and below the arena or, where it is then larger, on its right.
    """
    size, has_texts = drawing.size, drawing.shows("score")
    half, region = config.region.half_size, config.region
    low, high = region.corners
    (width, height), side = size, min(size)
    if not region.is_bounded:
        if positions.size:
            low = complex(min(positions.real.min(), -half), min(positions.imag.min(), -half))
            high = complex(max(positions.real.max(), half), max(positions.imag.max(), half))
        extent, edge = high - low, 2 * side * (MARGIN if has_texts else EDGE)
        scale = min((width - edge) / extent.real, (height - edge) / extent.imag)
        return View((low + high) / 2, scale, *size, region)
    if not has_texts:
        edge = max(EDGE * side, min(NUMBERS["least edge"], MARGIN * side))
        return View(0j, (side - 2 * edge) / (2 * half), *size, region)
    edge, column = 2 * EDGE * side, max(0.32 * side, 150)  # of texts
    stacked = min(width - edge, height - 2 * MARGIN * side)
    beside = min(height - edge, width - edge - column)
    shift = (width - edge - beside) / 2 if beside > stacked else 0.0  # to the left, in pixels
    scale = max(stacked, beside) / (2 * half)
    return View(complex(shift / scale, 0.0), scale, *size, region)


def rounded_up(least: float) -> float:
    """The shortest round length (1, 2 or 5 times a power of 10) not below a positive one."""
    power = 10.0 ** math.floor(math.log10(least))
    lengths = (power * factor for factor in (1, 2, 5, 10))
    return next(length for length in lengths if length >= least * (1 - 1e-9))


class Picture:
    """The primitives of a picture, the lowest first: made once, and shown on any canvas.

    Most methods add primitives in meters, on a torus at every visible image, with a line of
    `LINES`; `add` takes a method of canvases and its arguments, in pixels. The colors may be
    changed meanwhile. Below them is a ``ground`` that many pictures can share: it is painted
    only once. The key says what a ground shows.
    """

    def __init__(
        self,
        view: View,
        drawing: DrawingConfig,
        ground: Picture | None = None,
        key: object = None,
    ) -> None:
        self.view, self.drawing, self.colors = view, drawing, drawing.colors
        self.ground, self.key = ground, key
        self.stroke = view.size("stroke")
        self.primitives: list[tuple[str, tuple[Any, ...]]] = []

    def pixels(self) -> Pixels:
        """Paints the picture on new pixels, (height, width, 3)."""
        if self.ground is None:
            pixels = np.zeros((self.view.height, self.view.width, 3), np.uint8)
        else:
            pixels = self.ground._painted.copy()
        self._add_to(RasterCanvas(pixels))
        return pixels

    @cached_property
    def _painted(self) -> Pixels:
        return self.pixels()

    def svg(self, title: str = "") -> str:
        """Returns the picture as the content of an SVG file."""
        canvas = SvgCanvas(self.view.width, self.view.height, title)
        self.paint(canvas)
        return canvas.document()

    def paint(self, canvas: RasterCanvas | SvgCanvas) -> None:
        """Shows the picture on a canvas."""
        if self.ground is not None:
            self.ground.paint(canvas)
        self._add_to(canvas)

    def _add_to(self, canvas: RasterCanvas | SvgCanvas) -> None:
        for kind, arguments in self.primitives:
            getattr(canvas, kind)(*arguments)

    def add(self, kind: str, *arguments: Any) -> None:
        """Adds a primitive in pixels, such as "disc", color, center and radius."""
        self.primitives.append((kind, arguments))

    def clip_to_arena(self) -> None:
        """Restricts what follows to an arena with edges, until `add("clip")`."""
        if self.view.region.is_bounded:
            self.add("clip", *self.view.ground)

    def disc(self, color: Color, line: str, center: complex, radius: float) -> None:
        """Adds a filled circle."""
        pixels, opacity = radius * self.view.scale, LINES[line].opacity
        for image in self.view.images(center, radius):
            self.add("disc", color, image, pixels, opacity)

    def dot(self, color: Color, line: str, center: complex) -> None:
        """Adds a disc whose size does not depend on the scale."""
        for image in self.view.images(center, 0.0):
            radius = NUMBERS["dot"] * self.stroke
            self.add("disc", color, image, radius, LINES[line].opacity)

    def ring(self, color: Color, line: str, center: complex, radius: float) -> None:
        """Adds a circle's line."""
        (opacity, width, is_dashed), pixels = LINES[line], radius * self.view.scale
        dashes = max(6, round(pixels / (NUMBERS["dash"] * self.stroke))) if is_dashed else 0
        for image in self.view.images(center, radius):
            self.add("ring", color, image, pixels, width * self.stroke, opacity, dashes)

    def line(self, color: Color, line: str, *ends: complex) -> None:
        """Adds a straight line."""
        self.path(color, line, ends)

    def path(self, color: Color, line: str, points: Sequence[complex] | Points) -> None:
        """Adds a line through points. It may overlap itself, and nan interrupts it."""
        opacity, width, _ = LINES[line]
        opacities = np.full(len(points) - 1, opacity)
        for image in self.view.images_of(np.asarray(points)):
            self.add("path", color, image, width * self.stroke, opacities)

    def glyph(
        self, name: str, color: Color, place: complex, turn: complex, rim: Color | None = None
    ) -> None:
        """Adds one of `GLYPHS`, heading along ``turn`` and as large: a unit is its length.

        The rim is instead of the color of the ground.
        """
        unit, scale = abs(turn), self.view.scale
        for image in self.view.images(place, _REACHES[name] * unit):
            for kind, shade, line, corners, radius in GLYPHS[name]:
                shown = color if not shade else rim or self.colors.ground
                opacity, width, _ = LINES[line]
                places, width = image + np.conj(turn * corners) * scale, width * self.stroke
                if kind == "path":
                    self.add("path", shown, places, width, np.full(len(places) - 1, opacity))
                elif kind == "area":
                    self.add("polygon", shown, places, opacity)
                elif kind == "ring":
                    self.add("ring", shown, image, radius * unit * scale, width, opacity)
                else:
                    is_dot = kind == "dot"
                    pixels = NUMBERS["dot"] * self.stroke if is_dot else radius * unit * scale
                    self.add("disc", shown, image, pixels, opacity)

    def box(
        self,
        color: Color,
        line: str,
        place: complex,
        ahead: complex,
        length: float,
        half: float,
    ) -> None:
        """Adds a rectangle ahead of a vehicle, open at its near end."""
        left, end = 1j * ahead * half, place + ahead * length
        self.path(color, line, (place + left, end + left, end - left, place - left))

    def sector(
        self,
        color: Color,
        line: str,
        place: complex,
        ahead: complex,
        radius: float,
        half: float,
    ) -> None:
        """Adds the outline of a sector of a circle, of half an angle on either side."""
        if half >= np.pi:
            return self.ring(color, line, place, radius)
        turns = np.exp(1j * np.linspace(-half, half, 65))
        self.path(color, line, [place, *(place + radius * ahead * turns), place])

    def cross(self, color: Color, line: str, place: complex) -> None:
        """Adds a crosshair of a point."""
        half = self.view.size(line) / self.view.scale
        self.glyph(line, color, self.crosshair_place(place), half)

    def crosshair_place(self, place: complex) -> complex:
        """The place of the crosshair of a point, in meters, at the edge if that is outside."""
        view = self.view
        if view.region.wraps:
            return view.region.wrap(place)
        inset = NUMBERS["cross inset"] * view.size("cross") / view.scale
        corner, opposite = map(view.to_world, view.ground)
        across = min(max(place.real, corner.real + inset), opposite.real - inset)
        return complex(across, min(max(place.imag, opposite.imag + inset), corner.imag - inset))

    def arrow(self, color: Color, line: str, body: np.void, share: complex) -> None:
        """Adds an arrow of a share of the longest one, from the edge of a body."""
        view = self.view
        longest = view.size("arrow") / view.scale
        if not abs(share) * view.size("arrow") > view.size("least arrow"):
            return
        direction = share / abs(share)
        start = complex(body["position"]) + view.drawn_radius(body["radius"]) * direction
        tip = start + share * longest
        longest = NUMBERS["longest barb"] * abs(tip - start)
        barb = cmath.rect(min(view.size("barb") / view.scale, longest), NUMBERS["barb angle"])
        left, right = tip + direction * barb, tip + direction * barb.conjugate()
        self.path(color, line, (start, tip, left, tip, right))

    def vehicle(self, body: np.void, name: str, color: Color) -> None:
        """Adds a glyph of a vehicle, "caught" or the name of its side."""
        heading = 1.0 if name == "caught" else complex(body["heading"])
        turn = self.view.drawn_radius(body["radius"]) * heading
        self.glyph(name, color, complex(body["position"]), turn)

    def trail(self, color: Color, line: str, places: Points, oldest: float = 0.0) -> None:
        """Adds a line through positions, (M,), oldest first, that fades into the past."""
        opacity, width, _ = LINES[line]
        steps = np.diff(places)
        ages = np.arange(1, len(places)) / max(len(steps), 1)
        shares = oldest + (opacity - oldest) * ages
        shares[steps == 0] = 0.0  # a player at rest leaves no trail
        if self.view.region.wraps:
            size = self.view.region.period
            turns = np.round(steps.real / size) + 1j * np.round(steps.imag / size)
            # Across an edge there are two pieces: out on one side, in on the other.
            for at in np.flatnonzero(turns)[::-1].tolist():
                turn = size * turns[at]
                piece = places[at + 1] - turn, np.nan, places[at] + turn
                places = np.insert(places, at + 1, piece)
                shares = np.insert(shares, at, [shares[at]] * 3)
        self.add("path", color, self.view.to_pixels(places), width * self.stroke, shares)

    def text(
        self,
        text: str,
        color: Color,
        place: complex,
        size: float,
        along: float = 0.0,
        has_rim: bool | None = None,
        room: float = math.inf,
    ) -> float:
        """Writes what fits of a text at a place, and returns its width, all in pixels.

        The share ``along`` of it is on the place's left. A rim makes it legible over lines: by
        default in the open, where some are behind it.
        """
        text = fitted(text, size, room)
        if not self.view.region.is_bounded if has_rim is None else has_rim:
            for shift in (1, 1j, -1, -1j):
                rim = place + NUMBERS["text rim"] * shift
                self.add("text", text, self.colors.ground, rim, size, along)
        self.add("text", text, color, place, size, along)
        return width_of(text, size)
