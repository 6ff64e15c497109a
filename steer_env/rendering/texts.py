"""Texts in pictures: their widths, their places, and what fits of them."""

from __future__ import annotations

import unicodedata
from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Points

EM = 0.6875  # the size of a font in CSS, as a share of its size in pygame
BASELINE = 0.175  # the distance of the baseline below a line's middle, as such a share

# By width, in thousandths of an em, from Adobe's font metrics. Letters on pixels are from
# FreeSans Bold, which has the widths of Helvetica Bold, Arial and Liberation Sans.
_LETTERS: Mapping[int, str] = {
    238: "'",
    278: " ,./I\\ijl·",
    280: "|",
    333: "!()-:;[]`ft",
    389: "*r{}",
    474: '"',
    500: "z",
    556: "#$0123456789J_aceksvxy",
    584: "+<=>^~",
    611: "?FLTZbdghnopqu",
    667: "EPSVXY",
    722: "&ABCDHKNRU",
    778: "GOQw",
    833: "M",
    889: "%m",
    944: "W",
    975: "@",
    1000: "—…→",
}
_WIDTHS = {letter: width for width, letters in _LETTERS.items() for letter in letters}


def width_of(string: str, size: float) -> float:
    """The width of a line of text of a font size in whole pixels, in a browser or in print."""
    return EM * round(size) * sum(map(_width_of_letter, string)) / 1000


@lru_cache(maxsize=1024)
def _width_of_letter(letter: str) -> int:
    if unicodedata.east_asian_width(letter) in "WF":  # as in Chinese, Japanese and Korean
        return 1000
    plain = unicodedata.normalize("NFD", letter)[0]  # without its accents
    return _WIDTHS.get(plain, 600)


LEAST_FONT = 16.0  # pixels (11 in CSS): the smallest font that can be read


def fitted(text: str, size: float, width: float, in_middle: bool = False) -> str:
    """Returns as much of a text as fits, with an ellipsis for the rest, or "".

    Names are cut in the middle since they differ in either end ("seek/full_force").
    """

    def cut(letters: int) -> str:
        behind = letters // 2 if in_middle else 0
        return f"{text[: letters - behind].rstrip()}…{text[len(text) - behind :].lstrip()}"

    if width_of(text, size) <= width:
        return text
    lengths = range(1, len(text) + 1)
    most = bisect(lengths, width, key=lambda letters: width_of(cut(letters), size))
    return cut(most) if most >= 2 else ""  # a single letter says nothing


def fitted_names(names: tuple[str, str], size: float, width: float) -> tuple[str, str]:
    """Returns two names that fit into one line, each in half of it or what the other leaves."""
    first, second = names
    room = max(width / 2, width - width_of(second, size))
    first = fitted(first, size, room, in_middle=True)
    return first, fitted(second, size, width - width_of(first, size), in_middle=True)


_DIRECTIONS = 24  # to try, around a point
_TURNS = np.exp(2j * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS)
_GAPS = (0.55, 0.9, 1.4)  # to try, from a point to its label, in heights of the label
_NEAR = 0.25  # the gap in preferred directions
_CLEAR = 0.22  # of its height: the smallest distance of a label from anything else
_ENOUGH = 0.8  # of its height: larger distances are not better
_COVERS = 1.0  # of its height: the demerit of covering a line
_NONE: Points = np.zeros(0, np.complex128)
_STAYS = 1.5  # of its height: the merit of staying in place


class LabelPlaces:
    """The labels in a rectangle of a picture, and what they must not touch, in pixels.

    The lines are points, (points,), close to each other; gaps to try are in a label's heights.
    """

    def __init__(
        self, corner: complex, opposite: complex, lines: Points, gaps: Sequence[float] = _GAPS
    ) -> None:
        self._corner, self._opposite = corner, opposite
        self._lines = lines[np.isfinite(lines)]
        self._gaps = gaps
        self._labels: list[tuple[complex, complex]] = []  # the middle and half the size

    def add(
        self,
        point: complex,
        size: complex,
        others: Points,
        behind: Points = _NONE,
        *,
        reach: float = 0.0,
        first: Sequence[complex] = (),
        kept: complex | None = None,
        or_near_others: bool = False,
    ) -> complex | None:
        """Finds a label's middle for a point, away from other labels, or None without room.

        The size is width + height * 1j. The label could be confused with ``others``, (others,),
        and had better not cover lines ``behind`` it, (points,). It stays away from a ``reach``
        around the point, in one of the ``first`` directions (y points up, of length 1) if it
        can, or where it was ``kept`` before.
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
        covers = _distances(middles, half, behind).min(axis=1, initial=np.inf) <= 0.0
        merit -= _COVERS * height * covers
        merit[: len(first)] = 2 * height - np.arange(len(first))  # more than any other has
        if kept is not None:
            merit[-1] += _STAYS * height
        best = int(np.argmax(np.where(fits, merit, -np.inf)))
        if not fits[best]:
            return None
        self._labels.append((complex(middles[best]), half))
        return complex(middles[best])


def _distances(middles: Points, half: complex, points: Points) -> NDArray[np.float32]:
    """The distances of points to rectangles of half a size: (rectangles, points), 0 inside."""
    ours, theirs = middles.astype(np.complex64), points.astype(np.complex64)
    across = np.abs(np.subtract.outer(ours.real, theirs.real)) - half.real
    down = np.abs(np.subtract.outer(ours.imag, theirs.imag)) - half.imag
    return np.hypot(np.maximum(across, 0.0), np.maximum(down, 0.0))
