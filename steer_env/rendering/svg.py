"""Draws a vector graphic: sharp at any size and on paper, with searchable text."""

from __future__ import annotations

import itertools
import math
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color
from steer_env.errors import check_integer
from steer_env.rendering.canvas import Places
from steer_env.rendering.letters import BASELINE, EM, width_of

_FONTS = "Helvetica,Arial,'Liberation Sans',sans-serif"
_FARTHEST = 1e7  # pixels: farther places are not visible
_LEVELS = 32  # of opacity along a path
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class SvgCanvas:
    """A `Canvas` that becomes an SVG document.

    Ids in the document are derived from their content, so that one page can contain several
    documents.

    Args:
        width: of the picture, in pixels.
        height: of the picture, in pixels.
        title: a description of the picture in words, for people who cannot see it.

    Raises:
        TypeError, ValueError: if the width or height is not a positive integer.
    """

    def __init__(self, width: int, height: int, title: str = "") -> None:
        self.width = check_integer("width", width, 1)
        self.height = check_integer("height", height, 1)
        self._title = title
        self._definitions: dict[str, str] = {}
        self._clip = ""  # the id of the current clip; "" without one
        self._elements: list[tuple[str, str]] = []  # each with its clip

    def document(self) -> str:
        """Returns the whole document as text."""
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
            f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'font-family="{_FONTS}" font-weight="700" stroke-linecap="round" '
            'stroke-linejoin="round" xml:space="preserve">'
        ]
        if self._title:
            lines.append(f"<title>{_as_text(self._title)}</title>")
        if self._definitions:
            lines += ["<defs>", *self._definitions.values(), "</defs>"]
        return "\n".join([*lines, *self._clipped_elements(), "</svg>\n"])

    def _clipped_elements(self) -> Iterator[str]:
        for clip, group in itertools.groupby(self._elements, lambda found: found[0]):
            if clip:
                yield f'<g clip-path="url(#{clip})">'
            yield from (element for _, element in group)
            if clip:
                yield "</g>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the document to a file, which is replaced if it exists.

        Raises:
            OSError: if it cannot be written.
        """
        Path(path).write_text(self.document(), "utf-8", newline="\n")

    def fill(self, color: Color) -> None:
        """See `Canvas.fill`."""
        self._elements.clear()  # they would be hidden
        size = f'width="{self.width}" height="{self.height}"'
        self._elements.append(("", f'<rect {size} fill="{_as_color(color)}"/>'))

    def rectangle(
        self, color: Color, corner: complex, opposite: complex, opacity: float = 1.0
    ) -> None:
        """See `Canvas.rectangle`."""
        if _is_near(corner) and _is_near(opposite):
            low = complex(min(corner.real, opposite.real), min(corner.imag, opposite.imag))
            size = complex(abs((opposite - corner).real), abs((opposite - corner).imag))
            place = f'x="{_number(low.real)}" y="{_number(low.imag)}"'
            extent = f'width="{_number(size.real)}" height="{_number(size.imag)}"'
            self._add(f"<rect {place} {extent}{_filled(color, opacity)}/>")

    def disc(self, color: Color, center: complex, radius: float, opacity: float = 1.0) -> None:
        """See `Canvas.disc`."""
        if _is_near(center, radius):
            self._add(f"<circle {_circle(center, radius)}{_filled(color, opacity)}/>")

    def ring(
        self,
        color: Color,
        center: complex,
        radius: float,
        width: float,
        opacity: float = 1.0,
        dashes: int = 0,
    ) -> None:
        """See `Canvas.ring`."""
        if not _is_near(center, radius):
            return
        pattern = ""
        if dashes > 0:
            period = round(200 * math.pi * radius / dashes)  # in hundredths of a pixel
            dash = period // 2
            # The circle begins in the middle of a dash.
            offset = f'stroke-dashoffset="{_hundredths(dash // 2)}" stroke-linecap="butt"'
            array = f"{_hundredths(dash)} {_hundredths(period - dash)}"
            pattern = f' stroke-dasharray="{array}" {offset}'
        self._add(
            f"<circle {_circle(center, radius)}{_stroked(color, width, opacity)}{pattern}/>"
        )

    def line(
        self, color: Color, start: complex, end: complex, width: float, opacity: float = 1.0
    ) -> None:
        """See `Canvas.line`."""
        if _is_near(start) and _is_near(end):
            data = _path_data(np.array([start, end]))
            self._add(f'<path d="{data}"{_stroked(color, width, opacity)}/>')

    def path(
        self, color: Color, points: Places, width: float, opacities: NDArray[np.float64]
    ) -> None:
        """See `Canvas.path`; an opacity is rounded to 1/32 where there are several."""
        is_near = np.abs(points.real) + np.abs(points.imag) < _FARTHEST
        seen = is_near[:-1] & is_near[1:] & (opacities > 0.0)
        found = np.unique(opacities[seen])
        if len(found) == 1:
            data = _runs(points, seen)
            self._add(f'<path d="{data}"{_stroked(color, width, float(found[0]))}/>')
        elif len(found) > 1:
            levels = np.ceil(np.where(seen, opacities, 0.0) * _LEVELS)
            self._shaded_path(color, points, width, levels)

    def _shaded_path(
        self, color: Color, points: Places, width: float, levels: NDArray[np.float64]
    ) -> None:
        """A path of several opacities: a mask on the color.

        In the mask, whiter pieces cover darker ones. So where pieces overlap, the more opaque
        one is visible, and there are no dark joints.
        """
        shades = []
        for level in np.unique(levels[levels > 0.0]).tolist():
            shade = _as_color((round(255 * level / _LEVELS),) * 3)
            shades.append(f'<path d="{_runs(points, levels == level)}" stroke="{shade}"/>')
        style = f'fill="none" stroke-width="{_number(width)}"'
        whole = f'width="{self.width}" height="{self.height}"'
        units = f'maskUnits="userSpaceOnUse" x="0" y="0" {whole}'
        content = "\n".join((f"<g {style}>", *shades, "</g>"))
        name = f"m{zlib.crc32((whole + content).encode()):08x}"
        self._definitions[name] = f'<mask id="{name}" {units}>\n{content}\n</mask>'
        self._add(f'<rect {whole} fill="{_as_color(color)}" mask="url(#{name})"/>')

    def polygon(self, color: Color, corners: Places, opacity: float = 1.0) -> None:
        """See `Canvas.polygon`."""
        if all(map(_is_near, corners.tolist())):
            self._add(f'<path d="{_path_data(corners)}z"{_filled(color, opacity)}/>')

    def text(
        self,
        string: str,
        color: Color,
        place: complex,
        size: float,
        along: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """See `Canvas.text`; it has the planned width in any font."""
        if not _is_near(place) or not string:
            return
        width, size = self.text_width(string, size), round(size)
        start = complex(place.real - along * width, place.imag + BASELINE * size)
        where = f'x="{_number(start.real)}" y="{_number(start.imag)}"'
        extent = f'textLength="{_number(width)}" lengthAdjust="spacingAndGlyphs"'
        style = f'font-size="{_number(EM * size)}"{_filled(color, opacity)}'
        self._add(f"<text {where} {extent} {style}>{_as_text(string)}</text>")

    def text_width(self, string: str, size: float) -> float:
        """See `Canvas.text_width`; the font size is rounded, as in `text`."""
        return width_of(string, round(size))

    def clip(self, corner: complex | None = None, opposite: complex | None = None) -> None:
        """See `Canvas.clip`; corners are rounded to whole pixels."""
        self._clip = ""
        if corner is None or opposite is None:
            return
        left, top = max(round(corner.real), 0), max(round(corner.imag), 0)
        wide = max(min(round(opposite.real), self.width) - left, 0)
        high = max(min(round(opposite.imag), self.height) - top, 0)
        self._clip = f"c{left}-{top}-{wide}-{high}"
        area = f'<rect x="{left}" y="{top}" width="{wide}" height="{high}"/>'
        self._definitions[self._clip] = f'<clipPath id="{self._clip}">{area}</clipPath>'

    @contextmanager
    def part(self, corner: complex, width: int, height: int) -> Iterator[SvgCanvas]:
        """See `Canvas.part`."""
        part = SvgCanvas(width, height)
        yield part
        self._definitions |= part._definitions
        place = f'x="{_number(corner.real)}" y="{_number(corner.imag)}"'
        self._add(f'<svg {place} width="{width}" height="{height}">')
        self._elements += [(self._clip, element) for element in part._clipped_elements()]
        self._add("</svg>")

    def _add(self, element: str) -> None:
        self._elements.append((self._clip, element))


def _is_near(place: complex, reach: float = 0.0) -> bool:
    """Whether it is finite, and not too far away for numbers with two decimals."""
    return abs(place.real) + abs(place.imag) + abs(reach) < _FARTHEST


def _number(value: float) -> str:
    """A number with at most two decimals, as short as possible."""
    return _hundredths(round(100 * value))


def _hundredths(count: int) -> str:
    text = f"{abs(count) / 100:.2f}".rstrip("0").rstrip(".")
    text = text.removeprefix("0") or "0"
    return "-" * (count < 0) + text


def _pair(place: complex) -> str:
    return f"{_number(place.real)} {_number(place.imag)}"


def _circle(center: complex, radius: float) -> str:
    return f'cx="{_number(center.real)}" cy="{_number(center.imag)}" r="{_number(radius)}"'


def _path_data(points: Places) -> str:
    """A line through points: the first, then relative steps, which are shorter."""
    # Steps between rounded points: rounding errors do not add up.
    columns = [np.rint(100 * part).astype(np.int64) for part in (points.real, points.imag)]
    first = " ".join(_hundredths(int(column[0])) for column in columns)
    steps = " ".join(
        f"{_hundredths(x)} {_hundredths(y)}"
        for x, y in zip(*(np.diff(c).tolist() for c in columns))
    )
    return f"M{first}" + f"l{steps}" * bool(steps)


def _runs(points: Places, drawn: NDArray[np.bool_]) -> str:
    """Lines through the drawn pieces, (M - 1,): one for each run of them."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], drawn, [False]))))
    return "".join(_path_data(points[start : end + 1]) for start, end in edges.reshape(-1, 2))


def _as_color(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _see_through(opacity: float) -> str:
    return "" if opacity >= 1.0 else f' opacity="{_number(max(opacity, 0.0))}"'


def _filled(color: Color, opacity: float) -> str:
    return f' fill="{_as_color(color)}"{_see_through(opacity)}'


def _stroked(color: Color, width: float, opacity: float) -> str:
    line = f'stroke="{_as_color(color)}" stroke-width="{_number(width)}"'
    return f' fill="none" {line}{_see_through(opacity)}'


def _as_text(string: str) -> str:
    """Text without markup, and without characters that XML forbids."""
    return escape(_NOT_IN_XML.sub("\ufffd", string))
