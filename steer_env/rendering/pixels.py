"""Paints shapes on pixels, with smooth edges, translucent colors and subpixel positions.

pygame rounds antialiased shapes to whole pixels, so that they tremble when they move, and its
shapes are not translucent; supersampling takes several times as long. Here, a shape's share of
each pixel is computed from its distance to the pixel's middle, in compiled loops over the rows
and columns that it touches.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from steer_env.drawing import Color
from steer_env.steering.compilation import compiled, compiled_entrance

Clip = tuple[int, int, int, int]
"""Where to paint: left, top, one past the right, one past the bottom."""

_PIXELS = types.Array(types.uint8, 3, "C")
_SHARES = types.Array(types.uint8, 2, "C")
_MASK = types.Array(types.uint8, 2, "A", readonly=True)
_PLACES = types.Array(types.complex128, 1, "A", readonly=True)
_OPACITIES = types.Array(types.float64, 1, "A", readonly=True)
_tuple: Any = types.UniTuple  # its type stubs lag behind
_CLIP, _COLOR = _tuple(types.intp, 4), _tuple(types.intp, 3)
_INT, _FLOAT, _COMPLEX = types.intp, types.float64, types.complex128

FARTHEST = 1e7
"""Pixels: farther places are not visible, and would overflow the columns."""


@compiled
def blend(
    pixels: np.ndarray, row: int, column: int, color: tuple[int, int, int], share: float
) -> None:
    """Paints a share of a pixel."""
    share = min(max(share, 0.0), 1.0)
    for channel in range(3):
        old = float(pixels[row, column, channel])
        pixels[row, column, channel] = int(old + (color[channel] - old) * share + 0.5)


@compiled
def is_far(place: complex, reach: float) -> bool:
    """Whether a place is not finite, or so far away that columns would overflow."""
    return not abs(place.real) + abs(place.imag) + abs(reach) < FARTHEST


@compiled
def first_and_last(low: float, high: float, least: int, most: int) -> tuple[int, int]:
    """The range of pixels that an interval touches, within limits."""
    first = max(math.floor(max(low, least - 1.0)), least)
    last = min(math.ceil(min(high, most + 1.0)), most)
    return first, last


@compiled_entrance(types.void(_PIXELS, _CLIP, _COLOR, _COMPLEX, _COMPLEX, _FLOAT))
def paint_rectangle(
    pixels: np.ndarray,
    clip: Clip,
    color: Color,
    corner: complex,
    opposite: complex,
    opacity: float,
) -> None:
    """Paints a rectangle; a pixel at its edge is painted by the share that is inside."""
    if is_far(corner, 0.0) or is_far(opposite, 0.0):
        return
    low_x, high_x = min(corner.real, opposite.real), max(corner.real, opposite.real)
    low_y, high_y = min(corner.imag, opposite.imag), max(corner.imag, opposite.imag)
    top, bottom = first_and_last(low_y, high_y, clip[1], clip[3])
    left, right = first_and_last(low_x, high_x, clip[0], clip[2])
    for row in range(top, bottom):
        tall = min(high_y, row + 1.0) - max(low_y, float(row))
        for column in range(left, right):
            wide = min(high_x, column + 1.0) - max(low_x, float(column))
            blend(pixels, row, column, color, wide * tall * opacity)


@compiled_entrance(types.void(_PIXELS, _CLIP, _COLOR, _COMPLEX, _FLOAT, _FLOAT, _INT, _FLOAT))
def paint_ring(
    pixels: np.ndarray,
    clip: Clip,
    color: Color,
    center: complex,
    inner: float,
    outer: float,
    dashes: int,
    opacity: float,
) -> None:
    """Paints the area between two circles; a disc if the inner radius is 0."""
    if is_far(center, outer):
        return
    top, bottom = first_and_last(
        center.imag - outer - 1.0, center.imag + outer + 1.0, clip[1], clip[3]
    )
    for row in range(top, bottom):
        down = row + 0.5 - center.imag
        reach = math.sqrt(max((outer + 1.0) ** 2 - down * down, 0.0))
        hole = math.sqrt(max(max(inner - 1.0, 0.0) ** 2 - down * down, 0.0))
        for side in range(2 if hole > 1.0 else 1):
            low, high = center.real - reach, center.real + reach
            if hole > 1.0 and side == 0:
                high = center.real - hole
            elif hole > 1.0:
                low = center.real + hole
            left, right = first_and_last(low, high, clip[0], clip[2])
            for column in range(left, right):
                across = column + 0.5 - center.real
                distance = math.sqrt(across * across + down * down)
                share = min(outer + 0.5 - distance, 1.0)
                if inner > 0.0:
                    share = min(share, distance - inner + 0.5)
                if share > 0.0 and dashes > 0:
                    turn = math.atan2(down, across) / (2.0 * math.pi) * dashes
                    gap = abs(turn - math.floor(turn) - 0.5) - 0.25
                    share = min(share, gap * 2.0 * math.pi * outer / dashes + 0.5)
                if share > 0.0:
                    blend(pixels, row, column, color, min(share, 1.0) * opacity)


@compiled
def columns_of_line(
    start: complex, end: complex, reach: float, row: int, left: int, right: int
) -> tuple[int, int]:
    """The columns of a row that are within reach of a straight line."""
    low = min(start.real, end.real) - reach
    high = max(start.real, end.real) + reach
    step = end - start
    if abs(step.imag) > 1e-9:
        slope = step.real / step.imag
        middle = start.real + (row + 0.5 - start.imag) * slope
        # Half a pixel's height of slack, and the line's width along the row.
        slack = reach * math.sqrt(1.0 + slope * slope) + abs(slope)
        low, high = max(low, middle - slack), min(high, middle + slack)
    return first_and_last(low, high, left, right)


@compiled
def share_of_line(
    start: complex, step: complex, square: float, half: float, row: int, column: int
) -> float:
    """A round-ended line's share of a pixel."""
    offset = complex(column + 0.5, row + 0.5) - start
    along = 0.0
    if square > 0.0:
        along = (offset.real * step.real + offset.imag * step.imag) / square
        along = min(max(along, 0.0), 1.0)
    gap_x, gap_y = offset.real - along * step.real, offset.imag - along * step.imag
    share = half + 0.5 - math.sqrt(gap_x * gap_x + gap_y * gap_y)
    return min(share, 1.0, 2.0 * half)  # lines thinner than a pixel are paler


@compiled_entrance(types.void(_PIXELS, _CLIP, _COLOR, _COMPLEX, _COMPLEX, _FLOAT, _FLOAT))
def paint_line(
    pixels: np.ndarray,
    clip: Clip,
    color: Color,
    start: complex,
    end: complex,
    width: float,
    opacity: float,
) -> None:
    """Paints a straight line with round ends."""
    if is_far(start, 0.0) or is_far(end, 0.0):
        return
    half, step = 0.5 * width, end - start
    reach, square = half + 1.0, step.real**2 + step.imag**2
    low, high = min(start.imag, end.imag), max(start.imag, end.imag)
    top, bottom = first_and_last(low - reach, high + reach, clip[1], clip[3])
    for row in range(top, bottom):
        left, right = columns_of_line(start, end, reach, row, clip[0], clip[2])
        for column in range(left, right):
            share = share_of_line(start, step, square, half, row, column)
            if share > 0.0:
                blend(pixels, row, column, color, share * opacity)


@compiled_entrance(types.void(_PIXELS, _SHARES, _CLIP, _COLOR, _PLACES, _FLOAT, _OPACITIES))
def paint_path(
    pixels: np.ndarray,
    scratch: np.ndarray,
    clip: Clip,
    color: Color,
    points: np.ndarray,
    width: float,
    opacities: np.ndarray,
) -> None:
    """Paints a line through points. The scratch, (height, width), is zeros before and after.

    In between, it holds each pixel's largest share of any piece: if the pieces were painted on
    top of each other, their joints would be darker.
    """
    half = 0.5 * width
    reach = half + 1.0
    for is_painting in (False, True):
        for piece in range(len(points) - 1):
            start, end = points[piece], points[piece + 1]
            if is_far(start, 0.0) or is_far(end, 0.0) or not opacities[piece] > 0.0:
                continue
            step = end - start
            square = step.real**2 + step.imag**2
            low, high = min(start.imag, end.imag), max(start.imag, end.imag)
            top, bottom = first_and_last(low - reach, high + reach, clip[1], clip[3])
            for row in range(top, bottom):
                left, right = columns_of_line(start, end, reach, row, clip[0], clip[2])
                for column in range(left, right):
                    if is_painting:
                        if scratch[row, column] > 0:
                            share = scratch[row, column] / 255.0
                            scratch[row, column] = 0
                            blend(pixels, row, column, color, share)
                    else:
                        share = share_of_line(start, step, square, half, row, column)
                        level = int(255.0 * min(max(share * opacities[piece], 0.0), 1.0) + 0.5)
                        scratch[row, column] = max(int(scratch[row, column]), level)


@compiled_entrance(types.void(_PIXELS, _CLIP, _COLOR, _PLACES, _FLOAT))
def paint_polygon(
    pixels: np.ndarray, clip: Clip, color: Color, corners: np.ndarray, opacity: float
) -> None:
    """Paints a polygon, from the distance to its nearest edge and whether a pixel is inside."""
    if len(corners) == 0:
        return
    low_x = high_x = corners[0].real
    low_y = high_y = corners[0].imag
    for corner in corners:
        if is_far(corner, 0.0):
            return
        low_x, high_x = min(low_x, corner.real), max(high_x, corner.real)
        low_y, high_y = min(low_y, corner.imag), max(high_y, corner.imag)
    top, bottom = first_and_last(low_y - 1.0, high_y + 1.0, clip[1], clip[3])
    left, right = first_and_last(low_x - 1.0, high_x + 1.0, clip[0], clip[2])
    for row in range(top, bottom):
        for column in range(left, right):
            x, y = column + 0.5, row + 0.5
            nearest, is_inside = math.inf, False
            for number in range(len(corners)):
                start, end = corners[number - 1], corners[number]
                step = end - start
                square = max(step.real**2 + step.imag**2, 1e-12)
                along = ((x - start.real) * step.real + (y - start.imag) * step.imag) / square
                along = min(max(along, 0.0), 1.0)
                gap_x = x - start.real - along * step.real
                gap_y = y - start.imag - along * step.imag
                nearest = min(nearest, gap_x * gap_x + gap_y * gap_y)
                if (start.imag > y) != (end.imag > y):  # then the step is not level
                    crossing = start.real + (y - start.imag) * step.real / step.imag
                    is_inside = is_inside != (x < crossing)
            distance = math.sqrt(nearest)
            share = 0.5 + (distance if is_inside else -distance)
            if share > 0.0:
                blend(pixels, row, column, color, min(share, 1.0) * opacity)


@compiled_entrance(types.void(_PIXELS, _CLIP, _COLOR, _MASK, _INT, _INT, _FLOAT))
def paint_mask(
    pixels: np.ndarray,
    clip: Clip,
    color: Color,
    mask: np.ndarray,
    left: int,
    top: int,
    opacity: float,
) -> None:
    """Paints a mask, (height, width) from 0 to 255, with its corner at a column and row."""
    for row in range(max(top, clip[1]), min(top + mask.shape[0], clip[3])):
        for column in range(max(left, clip[0]), min(left + mask.shape[1], clip[2])):
            share = mask[row - top, column - left] / 255.0
            if share > 0.0:
                blend(pixels, row, column, color, share * opacity)
