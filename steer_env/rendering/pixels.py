"""Paints shapes on pixels, with smooth edges, translucent colors and subpixel positions.

pygame's shapes tremble when they move, since it rounds antialiased ones to whole pixels, and
are not translucent. Here, a shape's share of each pixel follows from its distance to the
pixel's middle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steer_env.machine_code.addresses import column, record_at
from steer_env.machine_code.marking import record_dtype
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of

CANVAS = record_dtype(
    [
        ("pixels", np.int64),  # the address of (height, width, 3) bytes
        ("shares", np.int64),  # of (height, width) bytes: zeros, but while a path is painted
        ("height", np.int64),
        ("width", np.int64),
        *[(name, np.int64) for name in ("left", "top", "right", "bottom")],  # where to paint
        *[(name, np.int64) for name in ("red", "green", "blue")],
    ]
)
"""A canvas and the color to paint in. Right and bottom are one past the last pixels."""

FARTHEST = 1e7
"""Pixels: farther places are not visible, and would overflow the columns."""


@compiled
def blend(canvas: np.record, pixels: Any, row: int, across: int, share: float) -> None:
    """Paints a share of a pixel."""
    share, first = min(max(share, 0.0), 1.0), 3 * (row * canvas.width + across)
    for channel, color in enumerate((canvas.red, canvas.green, canvas.blue)):
        old = float(pixels[first + channel])
        pixels[first + channel] = int(old + (color - old) * share + 0.5)


@compiled
def pixels_of(canvas: np.record) -> Any:
    """All bytes of a canvas."""
    return column(canvas.pixels, 0, 3 * canvas.height * canvas.width, np.uint8)


@compiled
def is_far(place: complex, reach: float) -> bool:
    """True for a place that is not finite, or so far away that columns would overflow."""
    return not abs(place.real) + abs(place.imag) + abs(reach) < FARTHEST


@compiled
def first_and_last(low: float, high: float, least: int, most: int) -> tuple[int, int]:
    """The range of pixels that an interval touches, within limits."""
    first = max(math.floor(max(low, least - 1.0)), least)
    last = min(math.ceil(min(high, most + 1.0)), most)
    return first, last


@routine
def paint_rectangle(
    canvas_at: int, x: float, y: float, other_x: float, other_y: float, opacity: float
) -> None:
    """Paints a rectangle, and of pixels at its edge the share that is inside."""
    canvas, corner, opposite = (
        record_at(canvas_at, CANVAS),
        complex(x, y),
        complex(other_x, other_y),
    )
    pixels = pixels_of(canvas)
    if is_far(corner, 0.0) or is_far(opposite, 0.0):
        return
    low_x, high_x = min(corner.real, opposite.real), max(corner.real, opposite.real)
    low_y, high_y = min(corner.imag, opposite.imag), max(corner.imag, opposite.imag)
    top, bottom = first_and_last(low_y, high_y, canvas.top, canvas.bottom)
    left, right = first_and_last(low_x, high_x, canvas.left, canvas.right)
    for row in range(top, bottom):
        tall = min(high_y, row + 1.0) - max(low_y, float(row))
        for across in range(left, right):
            wide = min(high_x, across + 1.0) - max(low_x, float(across))
            blend(canvas, pixels, row, across, wide * tall * opacity)


@routine
def paint_ring(
    canvas_at: int, x: float, y: float, inner: float, outer: float, dashes: int, opacity: float
) -> None:
    """Paints the area between two circles, or a disc if the inner radius is 0."""
    canvas, center = record_at(canvas_at, CANVAS), complex(x, y)
    pixels = pixels_of(canvas)
    if is_far(center, outer):
        return
    top, bottom = first_and_last(
        center.imag - outer - 1.0, center.imag + outer + 1.0, canvas.top, canvas.bottom
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
            left, right = first_and_last(low, high, canvas.left, canvas.right)
            for across in range(left, right):
                aside = across + 0.5 - center.real
                distance = math.sqrt(aside * aside + down * down)
                share = min(outer + 0.5 - distance, 1.0)
                if inner > 0.0:
                    share = min(share, distance - inner + 0.5)
                if share > 0.0 and dashes > 0:
                    turn = angle_of(complex(aside, down)) / (2.0 * math.pi) * dashes
                    gap = abs(turn - math.floor(turn) - 0.5) - 0.25
                    share = min(share, gap * 2.0 * math.pi * outer / dashes + 0.5)
                if share > 0.0:
                    blend(canvas, pixels, row, across, min(share, 1.0) * opacity)


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
    start: complex, step: complex, square: float, half: float, row: int, across: int
) -> float:
    """A round-ended line's share of a pixel."""
    offset = complex(across + 0.5, row + 0.5) - start
    along = 0.0
    if square > 0.0:
        along = (offset.real * step.real + offset.imag * step.imag) / square
        along = min(max(along, 0.0), 1.0)
    gap_x, gap_y = offset.real - along * step.real, offset.imag - along * step.imag
    share = half + 0.5 - math.sqrt(gap_x * gap_x + gap_y * gap_y)
    return min(share, 1.0, 2.0 * half)  # lines thinner than a pixel are paler


@routine
def paint_path(
    canvas_at: int, points_at: int, opacities_at: int, count: int, width: float
) -> None:
    """Paints a line through points, with an opacity for each piece of it.

    Each pixel has its largest share of any piece: else joints would be darker.
    """
    canvas = record_at(canvas_at, CANVAS)
    pixels, size = pixels_of(canvas), canvas.height * canvas.width
    shares = column(canvas.shares, 0, size, np.uint8)
    points = column(points_at, 0, count, np.complex128)
    opacities = column(opacities_at, 0, count - 1, np.float64)
    half = 0.5 * width
    reach = half + 1.0
    for is_painting in (False, True):
        for piece in range(count - 1):
            start, end = points[piece], points[piece + 1]
            if is_far(start, 0.0) or is_far(end, 0.0) or not opacities[piece] > 0.0:
                continue
            step = end - start
            square = step.real**2 + step.imag**2
            low, high = min(start.imag, end.imag), max(start.imag, end.imag)
            top, bottom = first_and_last(low - reach, high + reach, canvas.top, canvas.bottom)
            for row in range(top, bottom):
                left, right = columns_of_line(start, end, reach, row, canvas.left, canvas.right)
                for across in range(left, right):
                    place = row * canvas.width + across
                    if is_painting:
                        if shares[place] > 0:
                            share = shares[place] / 255.0
                            shares[place] = 0
                            blend(canvas, pixels, row, across, share)
                    else:
                        share = share_of_line(start, step, square, half, row, across)
                        level = int(255.0 * min(max(share * opacities[piece], 0.0), 1.0) + 0.5)
                        shares[place] = max(int(shares[place]), level)


@routine
def paint_polygon(canvas_at: int, corners_at: int, count: int, opacity: float) -> None:
    """Paints a polygon, from the distance to its nearest edge and whether a pixel is inside."""
    canvas, corners = record_at(canvas_at, CANVAS), column(corners_at, 0, count, np.complex128)
    pixels = pixels_of(canvas)
    if count == 0:
        return
    low_x = high_x = corners[0].real
    low_y = high_y = corners[0].imag
    for number in range(count):
        corner = corners[number]
        if is_far(corner, 0.0):
            return
        low_x, high_x = min(low_x, corner.real), max(high_x, corner.real)
        low_y, high_y = min(low_y, corner.imag), max(high_y, corner.imag)
    top, bottom = first_and_last(low_y - 1.0, high_y + 1.0, canvas.top, canvas.bottom)
    left, right = first_and_last(low_x - 1.0, high_x + 1.0, canvas.left, canvas.right)
    for row in range(top, bottom):
        for across in range(left, right):
            x, y = across + 0.5, row + 0.5
            nearest, is_inside = math.inf, False
            for number in range(count):
                start, end = corners[number - 1 if number > 0 else count - 1], corners[number]
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
                blend(canvas, pixels, row, across, min(share, 1.0) * opacity)


@routine
def paint_mask(
    canvas_at: int, mask_at: int, height: int, width: int, left: int, top: int
) -> None:
    """Paints a mask, (height, width) from 0 to 255, with its corner at a column and row."""
    canvas, mask = record_at(canvas_at, CANVAS), column(mask_at, 0, height * width, np.uint8)
    pixels = pixels_of(canvas)
    for row in range(max(top, canvas.top), min(top + height, canvas.bottom)):
        for across in range(max(left, canvas.left), min(left + width, canvas.right)):
            share = mask[(row - top) * width + across - left] / 255.0
            if share > 0.0:
                blend(canvas, pixels, row, across, share)
