"""Draws a vector graphic: sharp at any size and on paper, with searchable text."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color, Numbers, Points
from steer_env.rendering.marks import NUMBERS
from steer_env.rendering.pixels import FARTHEST, is_far
from steer_env.rendering.texts import BASELINE, EM, width_of

if TYPE_CHECKING:
    from steer_env.rendering.picture import Picture

_FONTS = "Helvetica,Arial,'Liberation Sans',sans-serif"
_LEVELS = 32  # of opacity along a path
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class SvgCanvas:
    """Becomes an SVG document, by the methods that `RasterCanvas` has, too.

    Ids follow from their content, so that one page can contain several documents.
    """

    def __init__(self, width: int, height: int, title: str = "") -> None:
        self.width, self.height, self._title = width, height, title
        self._definitions: dict[str, Element] = {}
        self._clip = ""  # the reference to the current clip; "" without one
        self._content = Element("svg", {"width": str(width), "height": str(height)})

    def document(self) -> str:
        """Returns the whole document as text."""
        attributes = {
            "xmlns": "http://www.w3.org/2000/svg",
            **self._content.attrib,
            "viewBox": f"0 0 {self.width} {self.height}",
            "role": "img",
            "font-family": _FONTS,
            "font-weight": f"{NUMBERS['weight']:g}",
            "stroke-linecap": "round",
            "stroke-linejoin": "round",
            "xml:space": "preserve",
        }
        root = Element("svg", attributes)
        if self._title:
            SubElement(root, "title").text = _valid_text(self._title)
        if self._definitions:
            SubElement(root, "defs").extend(self._definitions.values())
        root.extend(self._content)
        return tostring(root, "unicode").replace(" />", "/>") + "\n"  # texts escape theirs

    def fill(self, color: Color) -> None:
        del self._content[:]  # it would be hidden
        self._content.append(Element("rect", self._content.attrib, fill=_hex(color)))

    def rectangle(
        self, color: Color, corner: complex, opposite: complex, opacity: float = 1.0
    ) -> None:
        if not (is_far(corner, 0.0) or is_far(opposite, 0.0)):
            x, y = min(corner.real, opposite.real), min(corner.imag, opposite.imag)
            wide, high = abs((opposite - corner).real), abs((opposite - corner).imag)
            self._add("rect", _filled(color, opacity), x=x, y=y, width=wide, height=high)

    def disc(self, color: Color, center: complex, radius: float, opacity: float = 1.0) -> None:
        if not is_far(center, radius):
            x, y = center.real, center.imag
            self._add("circle", _filled(color, opacity), cx=x, cy=y, r=radius)

    def ring(
        self,
        color: Color,
        center: complex,
        radius: float,
        width: float,
        opacity: float = 1.0,
        dashes: int = 0,
    ) -> None:
        if is_far(center, radius):
            return
        style = _stroked(color, width, opacity)
        if dashes > 0:
            period = round(200 * math.pi * radius / dashes)  # in hundredths of a pixel
            dash = period // 2
            style["stroke-dasharray"] = f"{_hundredths(dash)} {_hundredths(period - dash)}"
            style["stroke-dashoffset"] = _hundredths(dash // 2)  # begins within a dash
            style["stroke-linecap"] = "butt"
        self._add("circle", style, cx=center.real, cy=center.imag, r=radius)

    def path(self, color: Color, points: Points, width: float, opacities: Numbers) -> None:
        """An opacity is rounded to 1/32 where there are several."""
        is_near = np.abs(points.real) + np.abs(points.imag) < FARTHEST
        seen = is_near[:-1] & is_near[1:] & (opacities > 0.0)
        found = np.unique(opacities[seen])
        if len(found) == 1:
            style = _stroked(color, width, float(found[0]))
            self._add("path", style, d=_runs(points, seen))
        elif len(found) > 1:
            levels = np.ceil(np.where(seen, opacities, 0.0) * _LEVELS)
            self._shaded_path(color, points, width, levels)

    def _shaded_path(self, color: Color, points: Points, width: float, levels: Numbers) -> None:
        """A path of several opacities: a mask in which whiter pieces cover darker ones."""
        whole = self._content.attrib
        mask = Element("mask", {"maskUnits": "userSpaceOnUse", "x": "0", "y": "0", **whole})
        lines = SubElement(mask, "g", {"fill": "none", "stroke-width": _number(width)})
        for level in np.unique(levels[levels > 0.0]).tolist():
            shade = _hex((round(255 * level / _LEVELS),) * 3)
            SubElement(lines, "path", d=_runs(points, levels == level), stroke=shade)
        name = f"m{zlib.crc32(tostring(mask)):08x}"
        self._add("rect", {**whole, "fill": _hex(color), "mask": self._define(name, mask)})

    def polygon(self, color: Color, corners: Points, opacity: float = 1.0) -> None:
        if not any(is_far(corner, 0.0) for corner in corners.tolist()):
            self._add("path", _filled(color, opacity), d=f"{_path_data(corners)}z")

    def area(self, color: Color, rings: Sequence[Points]) -> None:
        data = "".join(f"{_path_data(ring)}z" for ring in rings)
        self._add("path", _filled(color, 1.0), d=data)

    def text(
        self, string: str, color: Color, place: complex, size: float, along: float = 0.0
    ) -> None:
        if is_far(place, 0.0) or not string:
            return
        width, size = width_of(string, size), round(size)
        style = {"lengthAdjust": "spacingAndGlyphs", "font-size": _number(EM * size)}
        x, y = place.real - along * width, place.imag + BASELINE * size
        style["fill"] = _hex(color)
        self._add("text", style, x=x, y=y, textLength=width).text = _valid_text(string)

    def clip(self, corner: complex | None = None, opposite: complex | None = None) -> None:
        self._clip = ""
        if corner is None or opposite is None:
            return
        left, top = max(round(corner.real), 0), max(round(corner.imag), 0)
        wide = max(min(round(opposite.real), self.width) - left, 0)
        high = max(min(round(opposite.imag), self.height) - top, 0)
        clip = Element("clipPath")
        place = {"x": str(left), "y": str(top), "width": str(wide), "height": str(high)}
        SubElement(clip, "rect", place)
        self._clip = self._define(f"c{left}-{top}-{wide}-{high}", clip)

    def part(self, corner: complex, picture: Picture) -> None:
        part = SvgCanvas(picture.view.width, picture.view.height)
        picture.paint(part)
        self._definitions |= part._definitions
        inner = self._add("svg", part._content.attrib, x=corner.real, y=corner.imag)
        inner.extend(part._content)

    def _define(self, name: str, element: Element) -> str:
        """Adds a definition to the document, and returns a reference to it."""
        element.set("id", name)
        self._definitions[name] = element
        return f"url(#{name})"

    def _add(self, name: str, style: dict[str, str], **attributes: float | str) -> Element:
        """Adds an element, to the last group if that has the current clip."""
        target = self._content
        if self._clip:
            if not len(target) or target[-1].get("clip-path") != self._clip:
                SubElement(target, "g", {"clip-path": self._clip})
            target = target[-1]
        texts = {k: v if isinstance(v, str) else _number(v) for k, v in attributes.items()}
        return SubElement(target, name, {**texts, **style})


def _number(value: float) -> str:
    return _hundredths(round(100 * value))


def _hundredths(count: int) -> str:
    """A number with at most two decimals, as short as possible."""
    text = f"{abs(count) / 100:.2f}".rstrip("0").rstrip(".")
    text = text.removeprefix("0") or "0"
    return "-" * (count < 0) + text


def _path_data(points: Points) -> str:
    """A line through points: the first, then relative steps because they are shorter."""
    # Steps between rounded points: rounding errors do not add up.
    columns = [np.rint(100 * part).astype(np.int64) for part in (points.real, points.imag)]
    first = _listed(int(column[0]) for column in columns)
    steps = _listed(chain(*zip(*(np.diff(column).tolist() for column in columns))))
    return f"M{first}" + f"l{steps}" * bool(steps)


def _listed(counts: Iterable[int]) -> str:
    """Numbers in a row, with a space only where two would be one."""
    found = ""
    for number in map(_hundredths, counts):
        begins_anew = number[0] == "-" or (number[0] == "." and "." in found[-3:])
        found += number if begins_anew or not found else f" {number}"
    return found


def _runs(points: Points, drawn: NDArray[np.bool_]) -> str:
    """Lines through the drawn pieces, (M - 1,): one for each run of them."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], drawn, [False]))))
    return "".join(_path_data(points[start : end + 1]) for start, end in edges.reshape(-1, 2))


def _hex(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _filled(color: Color, opacity: float) -> dict[str, str]:
    transparency = {} if opacity >= 1.0 else {"opacity": _number(max(opacity, 0.0))}
    return {"fill": _hex(color), **transparency}


def _stroked(color: Color, width: float, opacity: float) -> dict[str, str]:
    line = {"stroke": _hex(color), "stroke-width": _number(width)}
    return {**_filled(color, opacity), "fill": "none", **line}


def _valid_text(string: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", string)
