"""Draws on an array of pixels, with the functions of `pixels`."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color, Numbers, Pixels, Points
from steer_env.machine_code.addresses import address_of
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.pixels import (
    CANVAS,
    FARTHEST,
    paint_mask,
    paint_path,
    paint_polygon,
    paint_rectangle,
    paint_ring,
)

if TYPE_CHECKING:
    from steer_env.rendering.picture import Picture

_FINER = 4  # supersampling factor of letters


class RasterCanvas:
    """Draws on a C-contiguous array, (height, width, 3) of uint8.

    A place is a complex number, column + row * 1j, from the top left corner; the middle of the
    first pixel is 0.5 + 0.5j. An opacity is from 0 to 1. Lines have round ends.
    """

    def __init__(self, pixels: Pixels) -> None:
        self.pixels = pixels
        self.height, self.width = pixels.shape[:2]
        self._shares = np.zeros(pixels.shape[:2], np.uint8)
        self._canvas = np.zeros(1, CANVAS)
        self._canvas["pixels"], self._canvas["shares"] = map(address_of, (pixels, self._shares))
        self._canvas["height"], self._canvas["width"] = pixels.shape[:2]
        self._address = address_of(self._canvas)
        self.clip()

    def _in(self, color: Color) -> int:
        """The address of the canvas, with a color to paint in."""
        self._canvas["red"], self._canvas["green"], self._canvas["blue"] = color
        return self._address

    def fill(self, color: Color) -> None:
        """Paints everything."""
        self.pixels[0] = color
        self.pixels[1:] = self.pixels[0]  # much faster than all rows from the color

    def rectangle(
        self, color: Color, corner: complex, opposite: complex, opacity: float = 1.0
    ) -> None:
        """Draws a filled rectangle between two corners."""
        where = corner.real, corner.imag, opposite.real, opposite.imag
        paint_rectangle.call(self._in(color), *where, opacity)

    def disc(self, color: Color, center: complex, radius: float, opacity: float = 1.0) -> None:
        """Draws a filled circle."""
        paint_ring.call(self._in(color), center.real, center.imag, 0.0, radius, 0, opacity)

    def ring(
        self,
        color: Color,
        center: complex,
        radius: float,
        width: float,
        opacity: float = 1.0,
        dashes: int = 0,
    ) -> None:
        """Draws a circle's line, in this number of dashes unless it is 0."""
        inner, outer = radius - 0.5 * width, radius + 0.5 * width
        where = center.real, center.imag
        paint_ring.call(self._in(color), *where, inner, outer, dashes, opacity)

    def path(self, color: Color, points: Points, width: float, opacities: Numbers) -> None:
        """Draws a line through points, (M,), with an opacity for each piece, (M - 1,).

        Where pieces overlap, the more opaque one is visible. Pieces with an end that is not
        finite, or with opacity 0, are left out.
        """
        places = np.ascontiguousarray(points, np.complex128)
        shares = np.ascontiguousarray(opacities, np.float64)
        where = address_of(places), address_of(shares), len(places)
        paint_path.call(self._in(color), *where, width)

    def polygon(self, color: Color, corners: Points, opacity: float = 1.0) -> None:
        """Draws a filled polygon, (corners,)."""
        places = np.ascontiguousarray(corners, np.complex128)
        paint_polygon.call(self._in(color), address_of(places), len(places), opacity)

    def area(self, color: Color, rings: Sequence[Points]) -> None:
        """Fills what polygons, (corners,) each, go around, but for holes: see `area_mask`."""
        mask = area_mask(rings, self.height, self.width)
        paint_mask.call(self._in(color), address_of(mask), self.height, self.width, 0, 0)

    def text(
        self, string: str, color: Color, place: complex, size: float, along: float = 0.0
    ) -> None:
        """Writes one line of text, vertically centered at the place's row.

        The size is that of the font, in pixels; ``along`` is the share of the text to the left
        of the place.
        """
        mask = _mask_of(string, max(round(size), 1))
        height, width = mask.shape
        if abs(place) < FARTHEST:
            left, top = round(place.real - along * width), round(place.imag - height / 2)
            paint_mask.call(self._in(color), address_of(mask), height, width, left, top)

    def clip(self, corner: complex | None = None, opposite: complex | None = None) -> None:
        """Restricts drawing to a rectangle of whole pixels, or without corners to none."""
        left, top, right, bottom = 0, 0, self.width, self.height
        if corner is not None and opposite is not None:
            left, top = max(round(corner.real), 0), max(round(corner.imag), 0)
            right = min(round(opposite.real), self.width)
            bottom = min(round(opposite.imag), self.height)
        for name, side in zip(("left", "top", "right", "bottom"), (left, top, right, bottom)):
            self._canvas[name] = side

    def part(self, corner: complex, picture: Picture) -> None:
        """Draws a picture, as far as there is room below and right of a corner."""
        pixels, left, top = picture.pixels(), round(corner.real), round(corner.imag)
        area = self.pixels[top : top + pixels.shape[0], left : left + pixels.shape[1]]
        area[:] = pixels[: area.shape[0], : area.shape[1]]


def png_of(pixels: Pixels) -> bytes:
    """Returns pixels as the content of a PNG file, with pygame."""
    pygame = import_pygame()
    content = io.BytesIO()
    picture = pygame.image.frombuffer(pixels, pixels.shape[1::-1], "RGB")
    pygame.image.save(picture, content, "picture.png")
    return content.getvalue()


def area_mask(rings: Sequence[Points], height: int, width: int) -> NDArray[np.uint8]:
    """The share of each pixel, of 255, that polygons go around, but for holes.

    As in vector graphics, a polygon that turns the other way makes a hole in others.
    """
    starts = np.concatenate(rings) * _FINER
    ends = np.concatenate([np.roll(ring, -1) for ring in rings]) * _FINER
    rows = np.arange(height * _FINER) + 0.5  # across which sides go up or down
    sides, crossed = np.nonzero((starts.imag[:, None] > rows) != (ends.imag[:, None] > rows))
    along, start = (ends - starts)[sides], starts[sides]
    columns = start.real + (rows[crossed] - start.imag) * along.real / along.imag
    first, share = np.divmod(np.clip(columns / _FINER, 0.0, width), 1.0)
    places = crossed // _FINER * (width + 2) + first.astype(int)
    turns, size = np.sign(along.imag) / _FINER, height * (width + 2)
    around = np.bincount(places, turns * (1.0 - share), size)
    around += np.bincount(places + 1, turns * share, size)
    times = np.abs(around.reshape(height, -1).cumsum(1)[:, :width])
    return np.ascontiguousarray(np.rint(255.0 * np.minimum(times, 1.0)), np.uint8)


@lru_cache(maxsize=512)
def _mask_of(string: str, size: int) -> NDArray[np.uint8]:
    """Returns the share of each pixel that a line of text covers, (height, width), of 255.

    Letters are shrunk from larger ones: pygame puts them on whole pixels, with uneven gaps.
    """
    string = "".join(letter if letter.isprintable() else "\ufffd" for letter in string)
    advances = [_letter(letter, size)[1] for letter in string]
    height = _letter(" ", size)[0].shape[0] // _FINER
    mask = np.zeros((height, math.ceil(sum(advances) / _FINER) + 1), np.uint8)
    start = 0
    for letter, advance in zip(string, advances):
        column, phase = divmod(start, _FINER)
        shrunk = _shrunk_letter(letter, size, phase)
        wide = min(shrunk.shape[1], mask.shape[1] - column)
        cell = mask[:, column : column + wide]
        np.maximum(cell, shrunk[:, :wide], out=cell)
        start += advance
    return mask


@lru_cache(maxsize=4096)
def _shrunk_letter(letter: str, size: int, phase: int) -> NDArray[np.uint8]:
    large = np.pad(_letter(letter, size)[0], ((0, 0), (phase, _FINER)))
    rows, columns = (side // _FINER for side in large.shape)
    cells = large[: rows * _FINER, : columns * _FINER].reshape(rows, _FINER, columns, _FINER)
    return cells.mean(axis=(1, 3)).astype(np.uint8)


@lru_cache(maxsize=1024)
def _letter(letter: str, size: int) -> tuple[NDArray[np.uint8], int]:
    """The enlarged mask of a letter, with the same baseline for all, and its advance."""
    pygame = import_pygame()
    pygame.font.init()
    # A new font for each letter, since fonts are invalid after pygame.quit().
    font = pygame.font.Font(None, size * _FINER)
    drawn = font.render(letter, True, (255, 255, 255))
    width, height = drawn.get_size()
    rgba = np.frombuffer(pygame.image.tobytes(drawn, "RGBA"), np.uint8)
    height_of_all = font.render(" ", True, (255, 255, 255)).get_height()
    # Letters with accents can be higher than the others; their picture begins higher.
    metrics = font.metrics(letter)[0]
    rise = max(metrics[3] - font.get_ascent(), 0) if metrics else 0
    room = _FINER * math.ceil(size / 8)  # above and below
    cell = np.zeros((height_of_all + 2 * room, width), np.uint8)
    top = max(room - rise, 0)
    cell[top : top + height] = rgba.reshape(height, width, 4)[: len(cell) - top, :, 3]
    return cell, width
