"""The looks of all marks: one table, for Python's pictures and for the program of pages.

Formulas are in both: views, arrows, boxes and sectors (`picture.py`, `picture.js`); grids,
borders, trails and scores (`scene.py`, `scene.js`). On pages names move smoothly.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.texts import EM, LEAST_FONT
from steer_env.sides import Side

MARGIN = 0.07  # above and below an arena, for texts: a share of the picture's shorter side
EDGE = 0.02  # around an arena without texts: a share of that side
TRAIL_SECONDS = 3.0  # the length of a trail
MOST_ANNOTATED = 8  # players of each side, the first ones that are free

SIZES: Mapping[str, tuple[float, float]] = {
    "stroke": (1 / 460, 1.1),  # the width of a thin line
    "body": (0.019, 4.5),  # the least radius of a body
    "cross": (0.013, 4.5),  # half a hair line through a crosshair
    "arrow": (0.075, 0.0),  # an arrow at top speed, or of the largest force
    "least arrow": (0.004, 0.0),  # a shorter one would not be seen
    "barb": (0.011, 0.0),  # of an arrow
    "text": (1 / 30, LEAST_FONT),
    "name": (0.85 / 30, LEAST_FONT),
    # Of pages alone.
    "banner": (0.145, 0.0),
    "banner's width": (0.76, 0.0),
    "legend's width": (0.64, 0.0),
    "count": (0.52, 0.0),
}
"""Each size as a share of a picture's shorter side, and the least one in pixels."""


class Line(NamedTuple):
    """The look of a line, or with its opacity alone of an area."""

    opacity: float = 1.0
    width: float = 1.0  # in strokes, see `SIZES`
    is_dashed: bool = False


LINES: Mapping[str, Line] = {
    "solid": Line(),
    "border": Line(width=2.2),
    "wall of solids": Line(width=4.4),  # on pages, of which they cover half
    "zone": Line(0.4),
    "capture area": Line(0.14),
    "capture": Line(0.55),
    "threat": Line(0.55, is_dashed=True),
    "apollonius": Line(0.85, 1.2),
    "view": Line(0.4),
    "corridor": Line(0.45),
    "feeler": Line(0.5),
    "tip": Line(0.7),  # of a feeler
    "wander": Line(0.5),
    "guide": Line(0.35),  # to a point that is marked
    "cross": Line(width=1.5),
    "rim of cross": Line(width=3.2),
    "trail": Line(0.75, 1.5),
    "track": Line(width=1.7),  # of a whole episode on a plate
    "run": Line(0.9, 1.5),  # of several on one board
    "velocity": Line(0.65, 1.3),
    "force": Line(width=2.0),
    "rim": Line(width=2.4),  # of a body; half of it is covered
    "caught": Line(width=2.0),
    # Of pages alone.
    "whole path": Line(0.25, 1.1),
    "chosen": Line(0.8, 1.2, is_dashed=True),
    "ghost": Line(0.75, 1.6),
    "ghost's path": Line(0.75, 1.5, is_dashed=True),
    "count": Line(0.4),
    # On the timeline.
    "reach": Line(0.6, is_dashed=True),
    "other distance": Line(0.22),
    "distance": Line(0.45, 1.3),
    "past distance": Line(width=2.0),
    "past": Line(0.14),
    "rim of catch": Line(width=5.0),
    "catch": Line(width=2.2),
    "now": Line(width=1.5),
}


def _drop() -> NDArray[np.complex128]:
    """A disc, and the tangents to it from the nose."""
    center, radius, nose = -0.18, 0.7, 1.05
    touch = math.acos(radius / (nose - center))
    angles = np.linspace(touch, 2 * math.pi - touch, 11)
    return np.append(center + radius * np.exp(1j * angles), nose + 0j)


_TAIL = cmath.rect(1.0, 2.4)
OUTLINES: Mapping[Side, NDArray[np.complex128]] = {
    Side.PURSUER: np.array([1.05 + 0j, _TAIL, -0.32 + 0j, _TAIL.conjugate()]),
    Side.EVADER: _drop(),
}
"""The corners of each side's vehicles, in radii of the body, heading along +x."""

_ARMS, _MIDDLE, _UP = np.array([1, -1j, -1, 1j]), np.array([0j]), complex("nan")
_HAIRS = np.multiply.outer(_ARMS, [0.35, 1.35, _UP]).ravel()  # nan interrupts a path
_STROKE = np.array([-1.05 - 1.05j, 1.05 + 1.05j])
_Row: TypeAlias = tuple[str, str, str, NDArray[np.complex128], float]
GLYPHS: Mapping[str, list[_Row]] = {
    **{
        side.name: [
            ("path", "ground", "rim", np.append(outline, outline[0]), 0.0),
            ("area", "", "solid", outline, 0.0),
        ]
        for side, outline in OUTLINES.items()
    },
    "caught": [  # larger than a vehicle, so that one on it hides neither
        ("disc", "ground", "solid", _MIDDLE, 1.5),
        ("ring", "", "caught", _MIDDLE, 1.5),
        ("path", "", "caught", _STROKE, 0.0),
        ("path", "", "caught", _STROKE.conj(), 0.0),
    ],
    "cross": [  # in halves of a hair line through it
        ("path", "ground", "rim of cross", _HAIRS, 0.0),
        ("path", "", "cross", _HAIRS, 0.0),
        ("ring", "", "cross", _MIDDLE, 0.75),
        ("dot", "", "solid", _MIDDLE, 0.0),
    ],
}
"""Vehicles and marks, in radii of the body, heading along +x.

Each row is what is drawn, in which color of the theme if it is not the glyph's own, with which
line, at which places, and its radius.
"""

NUMBERS: Mapping[str, float] = {
    "dot": 1.7,  # the radius of a dot, in strokes
    "dash": 2.2,  # the period of dashes along a circle, in strokes, divided by 2 pi
    "border dashes": 24.0,  # along each edge of a torus
    "grid lines": 12.0,  # at most, across the view
    "barb angle": 2.6,  # radians from the arrow's direction
    "longest barb": 0.6,  # of the arrow, which is short then
    "cross inset": 1.5,  # the least distance of a crosshair from an edge, in half its size
    "text rim": 1.3,  # pixels
    "least edge": 3.0,  # pixels around an arena without texts
    "em": EM,
    "weight": 700.0,  # of letters
    # Of pages alone.
    "trail bands": 12.0,  # of falling opacity
    "chosen gap": 5.0,  # strokes from a chosen vehicle to the ring around it
    "ghost": 0.8,  # the radius of its ring, in radii of the body
    "ended ghost": 0.45,  # of its opacity, once its episode is over
    "banner line": 0.83,  # from a banner's line to the next, in sizes of the font
}
PARTS: Mapping[str, str] = {
    "aim": "pp",  # where it steers for or away from; its opponent, as it sees it
    "threat": "n",  # an opponent that is farther away is ignored
    "wander": "PnP",  # the circle: center, radius, target
    "feelers": "PPP",  # their tips, see `force.keep_off_walls`
    "view": "nn",  # for teammates: radius, half its angle
    "corridor": "nn",  # to look for obstacles: length, half its width
    "apollonius": "pn",  # what it and its quarry reach at once: center, radius
}
"""The parts of each annotation: n is a number in meters or radians, p a point.

Pages have points as offsets from the vehicle: p along the axes of the arena, P forward and to
the left, so that they turn with it.
"""

MARKS: Mapping[str, list[tuple[str, str, list[int], str]]] = {
    "ranges": [
        ("threat", "ring", [0, 2], "threat"),
        ("apollonius", "ring", [2, 3], "apollonius"),
        ("view", "sector", [0, 1, 2, 3], "view"),
    ],
    "senses": [
        ("corridor", "box", [0, 1, 2, 3], "corridor"),
        *(
            ("feelers", *mark)
            for tip in (2, 3, 4)
            for mark in (("line", [0, tip], "feeler"), ("dot", [tip], "tip"))
        ),
        ("wander", "ring", [2, 3], "wander"),
        ("wander", "line", [0, 4], "guide"),
        ("wander", "dot", [4], "solid"),
        ("aim", "line", [3, 2], "guide"),
        ("aim", "cross", [2], "cross"),
    ],
}
"""The marks of annotations under everything that moves, and above trails.

Each is the annotation, what is drawn, from which places, and the line. The places are numbers
in a list: the vehicle's position (0) and heading (1), then the annotation's parts.
"""

LOOKS: Mapping[str, Any] = {
    "margin": MARGIN,
    "edge": EDGE,
    "trailSeconds": TRAIL_SECONDS,
    "mostNames": MOST_ANNOTATED,
    "sizes": SIZES,
    "lines": LINES,
    "numbers": NUMBERS,
    "glyphs": {
        name: [
            (*row, [None if one != one else (one.real, one.imag) for one in places], radius)
            for *row, places, radius in rows
        ]
        for name, rows in GLYPHS.items()
    },
    "parts": PARTS,
    "marks": MARKS,
    "timeline": {  # pixels
        "inset": 7.0,  # half of the bar's handle, as in the style sheet
        "above": 16.0,
        "below": 22.0,
        "text": LEAST_FONT,
        "label": 15.0,  # from the axis to the middle of its texts
        "tick": 60.0,  # the least distance of two
        "arm": 4.0,  # of the cross of a capture
    },
}
"""The whole table, as pages have it."""
