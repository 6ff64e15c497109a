"""Finds places for small labels beside points, away from everything that is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.canvas import Places

_DIRECTIONS = 24  # to try, around a point
_TURNS = np.exp(2j * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS)
_GAPS = (0.55, 0.9, 1.4)  # to try, from a point to its label, in heights of the label
_NEAR = 0.25  # the gap in preferred directions
_CLEAR = 0.22  # of its height: the smallest distance of a label from anything else
_ENOUGH = 0.8  # of its height: larger distances are not better
_STAYS = 1.5  # of its height: the merit of staying in place


class LabelPlaces:
    """The labels in a picture, and what they must not touch. All lengths are in pixels.

    Args:
        corner: of the rectangle for labels, left and above.
        opposite: its other corner.
        lines: points on everything that is drawn, (points,), close to each other.
        gaps: to try, from a point to its label, in heights of the label.
    """

    def __init__(
        self, corner: complex, opposite: complex, lines: Places, gaps: Sequence[float] = _GAPS
    ) -> None:
        self._corner, self._opposite = corner, opposite
        self._lines = lines[np.isfinite(lines)]
        self._gaps = gaps
        self._labels: list[tuple[complex, complex]] = []  # the middle and half the size

    def add(
        self,
        point: complex,
        size: complex,
        others: Places,
        *,
        reach: float = 0.0,
        first: Sequence[complex] = (),
        kept: complex | None = None,
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
            kept: the middle that the label had in the picture before, and has again unless
                it does not fit or another is much better; labels that jump cannot be read.

        Returns:
            The middle, or None if there is no room.
        """
        half = size / 2
        for direction in first:
            turns = np.array([direction.conjugate()])
            middles = _middles(point, half, turns, np.array([_NEAR]), reach)
            place = self._best(point, half, middles, others, reach)
            if place is not None:
                break
        else:
            turns, gaps = np.tile(_TURNS, len(self._gaps)), np.repeat(self._gaps, _DIRECTIONS)
            middles = _middles(point, half, turns, gaps, reach)
            place = self._best(point, half, middles, others, reach, kept)
        if place is not None:
            self._labels.append((place, half))
        return place

    def _best(
        self,
        point: complex,
        half: complex,
        middles: Places,
        others: Places,
        reach: float,
        kept: complex | None = None,
    ) -> complex | None:
        """The best of some middles of a label; None if it fits nowhere."""
        height = 2 * half.imag
        if kept is not None:
            middles = np.append(middles, kept)
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
        if kept is not None:
            merit[-1] += _STAYS * height
        best = int(np.argmax(merit))
        return complex(middles[best]) if fits[best] else None


def _middles(
    point: complex, half: complex, turns: Places, gaps: NDArray[np.float64], reach: float
) -> Places:
    """Middles of a label with some gaps, in its heights, around a point and its reach."""
    gaps = gaps * 2 * half.imag + reach
    return point + turns.real * (gaps + half.real) + 1j * turns.imag * (gaps + half.imag)


def _distances(middles: Places, half: complex, points: Places) -> NDArray[np.float64]:
    """From rectangles, given half their size, to points: (rectangles, points); 0 inside."""
    offsets = np.subtract.outer(middles, points)
    across = np.maximum(np.abs(offsets.real) - half.real, 0.0)
    down = np.maximum(np.abs(offsets.imag) - half.imag, 0.0)
    return np.hypot(across, down)
