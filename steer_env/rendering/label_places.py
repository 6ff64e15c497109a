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
        or_near_others: bool = False,
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
            or_near_others: whether it is better beside another point than nowhere.

        Returns:
            The middle, or None if there is no room.
        """
        half, height = size / 2, size.imag
        turns = np.array([*np.conj(first), *np.tile(_TURNS, len(self._gaps))])
        gaps = np.array([_NEAR] * len(first) + np.repeat(self._gaps, _DIRECTIONS).tolist())
        gaps = gaps * height + reach
        across, down = turns.real * (gaps + half.real), turns.imag * (gaps + half.imag)
        middles = point + across + 1j * down
        if kept is not None:
            middles = np.append(middles, kept)
        inner, outer = middles - half - self._corner, self._opposite - middles - half
        to_edge = np.minimum.reduce([inner.real, inner.imag, outer.real, outer.imag])
        # Only what is near can be nearer than `_ENOUGH`, or than the label's own point.
        span = np.abs(middles - point).max()
        lines = self._lines[np.abs(self._lines - point) < span + abs(half) + height]
        others = others[np.abs(others - point) < 2.1 * span + abs(half)]
        room = _distances(middles, half, lines).min(axis=1, initial=np.inf)
        for middle, other_half in self._labels:
            to_label = _distances(middles, half + other_half, np.array([middle]))[:, 0]
            room = np.minimum(room, to_label)
        to_point = np.maximum(_distances(middles, half, np.array([point]))[:, 0] - reach, 0.0)
        to_others = _distances(middles, half, others).min(axis=1, initial=np.inf)
        has_room = (to_edge >= _CLEAR * height) & (room >= _CLEAR * height)
        fits = has_room & (to_others > 1.1 * to_point)
        if or_near_others and not fits.any():
            fits = has_room
        merit = np.minimum(room, _ENOUGH * height) - 0.6 * to_point
        merit[: len(first)] = 2 * height - np.arange(len(first))  # more than any other has
        if kept is not None:
            merit[-1] += _STAYS * height
        best = int(np.argmax(np.where(fits, merit, -np.inf)))
        if not fits[best]:
            return None
        self._labels.append((complex(middles[best]), half))
        return complex(middles[best])


def _distances(middles: Places, half: complex, points: Places) -> NDArray[np.float32]:
    """From rectangles, given half their size, to points: (rectangles, points); 0 inside."""
    ours, theirs = middles.astype(np.complex64), points.astype(np.complex64)
    across = np.abs(np.subtract.outer(ours.real, theirs.real)) - half.real
    down = np.abs(np.subtract.outer(ours.imag, theirs.imag)) - half.imag
    return np.hypot(np.maximum(across, 0.0), np.maximum(down, 0.0))
