"""Finds places for small labels beside points, away from everything that is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.canvas import Places

_DIRECTIONS = 24  # to try, around a point
_GAPS = (0.55, 0.9, 1.4)  # from a point to its label, in heights of the label
_NEAR = 0.25  # the gap in preferred directions
_ALL_GAPS = np.repeat(_GAPS, _DIRECTIONS)
_ALL_TURNS = np.tile(np.exp(2j * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS), len(_GAPS))
_CLEAR = 0.22  # of its height: the smallest distance of a label from anything else
_ENOUGH = 0.8  # of its height: larger distances are not better


class LabelPlaces:
    """The labels in a picture, and what they must not touch. All lengths are in pixels.

    Args:
        corner: of the rectangle for labels, left and above.
        opposite: its other corner.
        lines: points on everything that is drawn, (points,), close to each other.
    """

    def __init__(self, corner: complex, opposite: complex, lines: Places) -> None:
        self._corner, self._opposite = corner, opposite
        self._lines = lines[np.isfinite(lines)]
        self._labels: list[tuple[complex, complex]] = []  # the middle and half the size

    def add(
        self,
        point: complex,
        size: complex,
        others: Places,
        reach: float = 0.0,
        first: Sequence[complex] = (),
    ) -> complex | None:
        """Finds the middle of a label for a point; other labels will not overlap it.

        Args:
            point: of the label.
            size: of the label: width + height * 1j.
            others: points with which the label could be confused, (others,).
            reach: radius around the point to keep away from.
            first: directions in meters (y points up), of length 1: in the first one with
                room the label is as near as possible, so that labels of moving points seldom
                jump.

        Returns:
            The middle, or None if there is no room.
        """
        half = size / 2
        near = np.array([_NEAR])
        for direction in first:
            place = self._best(
                point, half, np.array([direction.conjugate()]), near, others, reach
            )
            if place is not None:
                break
        else:
            place = self._best(point, half, _ALL_TURNS, _ALL_GAPS, others, reach)
        if place is not None:
            self._labels.append((place, half))
        return place

    def _best(
        self,
        point: complex,
        half: complex,
        turns: Places,
        gaps: NDArray[np.float64],
        others: Places,
        reach: float,
    ) -> complex | None:
        """The best middle of a label, of those in some directions, and with some gaps."""
        height = 2 * half.imag
        gaps = gaps * height + reach
        # The gap is between the point and the label's edge.
        middles = point + turns.real * (gaps + half.real) + 1j * turns.imag * (gaps + half.imag)
        inner, outer = middles - half - self._corner, self._opposite - middles - half
        to_edge = np.minimum.reduce([inner.real, inner.imag, outer.real, outer.imag])
        is_inside = to_edge >= _CLEAR * height
        if not is_inside.any():
            return None
        room = _distances(middles, half, self._lines).min(axis=1, initial=np.inf)
        for middle, other_half in self._labels:
            to_label = _distances(middles, half + other_half, np.array([middle]))[:, 0]
            room = np.minimum(room, to_label)
        to_point = np.maximum(_distances(middles, half, np.array([point]))[:, 0] - reach, 0.0)
        to_others = _distances(middles, half, others).min(axis=1, initial=np.inf)
        fits = is_inside & (room >= _CLEAR * height) & (to_others > 1.1 * to_point)
        merit = np.where(fits, np.minimum(room, _ENOUGH * height) - 0.6 * to_point, -np.inf)
        best = int(np.argmax(merit))
        return complex(middles[best]) if fits[best] else None


def _distances(middles: Places, half: complex, points: Places) -> NDArray[np.float64]:
    """From rectangles, given half their size, to points: (rectangles, points); 0 inside."""
    offsets = np.subtract.outer(middles, points)
    across = np.maximum(np.abs(offsets.real) - half.real, 0.0)
    down = np.maximum(np.abs(offsets.imag) - half.imag, 0.0)
    return np.hypot(across, down)
