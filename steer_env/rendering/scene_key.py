"""Draws the key: what each annotation in the picture looks like, where there is room for it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from steer_env.drawing import Color
from steer_env.rendering.annotations import draw_cross
from steer_env.rendering.canvas import Canvas, Places
from steer_env.rendering.pen import Pen

_SYMBOL = 2.0  # width of a symbol and its gap, in sizes of the font
_ENTRY = 10.5  # width of an entry, in sizes of the font
_LINE = 1.3

TEXTS: Mapping[str, str] = {
    "velocity": "velocity",
    "force": "steering force",
    "aim": "aim",
    "trail": "last 3 s",
    "capture": "capture radius",
    "threat": "threat range",
    "wander": "wander circle",
    "feelers": "wall feelers",
    "view": "field of view",
    "corridor": "obstacle corridor",
    "apollonius": "Apollonius circle",
}
"""The annotations in the key, and their names."""


def draw_key(pen: Pen, corner: complex, opposite: complex, size: float) -> None:
    """Writes the names of the shown annotations beside symbols.

    Args:
        pen: its drawing says what is shown.
        corner: of the room for it, left and above, in pixels.
        opposite: the other corner; what does not fit is left out.
        size: of the font, in pixels.
    """
    room = opposite - corner
    columns, rows = int(room.real / (_ENTRY * size)), int(room.imag / (_LINE * size))
    shown = [name for name in TEXTS if pen.drawing.shows(name)][
        : max(columns, 0) * max(rows, 0)
    ]
    for number, name in enumerate(shown):
        column, row = divmod(number, rows)
        place = corner + complex(column * _ENTRY, (row + 0.5) * _LINE) * size
        _draw_symbol(pen, name, place + 0.7 * size, 0.55 * size)
        pen.canvas.text(TEXTS[name], pen.colors.faint, place + _SYMBOL * size, size)


def _draw_symbol(pen: Pen, name: str, middle: complex, half: float) -> None:
    """Draws an annotation small: from half to the left of a place to half to the right."""
    canvas, colors, stroke = pen.canvas, pen.colors, pen.stroke
    ends = np.array([middle - half, middle + half])
    if name in ("velocity", "force"):
        color, width = (colors.force, 2.0) if name == "force" else (colors.faint, 1.3)
        tip, barb = ends[1], 0.45 * half
        head = [tip, tip - barb * (1 + 0.7j), tip, tip - barb * (1 - 0.7j)]
        _draw_line(canvas, color, np.array([ends[0], *head]), width * stroke)
    elif name == "aim":
        draw_cross(pen, middle, 0.75 * half, colors.faint)
    elif name == "trail":
        points = middle + half * np.linspace(-1.0, 1.0, 9)
        canvas.path(colors.faint, points, 1.5 * stroke, np.linspace(0.0, 0.75, 8))
    elif name == "corridor":
        box = middle + half * np.array([-1 - 0.5j, 1 - 0.5j, 1 + 0.5j, -1 + 0.5j, -1 - 0.5j])
        _draw_line(canvas, colors.faint, box, stroke)
    elif name == "feelers":
        _draw_line(canvas, colors.faint, ends, stroke)
        canvas.disc(colors.faint, ends[1], 1.7 * stroke)
    elif name == "view":
        turns = np.exp(1j * np.linspace(-0.7, 0.7, 9))
        fan = ends[0] + 2 * half * np.array([0, *turns, 0])
        _draw_line(canvas, colors.faint, fan, stroke)
    else:
        own = {"capture": colors.pursuer, "apollonius": colors.apollonius}
        color, radius = own.get(name, colors.faint), 0.75 * half
        if name == "capture":
            canvas.disc(color, middle, radius, 0.14)
        canvas.ring(color, middle, radius, stroke, 0.8, 8 if name == "threat" else 0)
        if name == "wander":
            canvas.disc(color, middle + radius, 1.7 * stroke)


def _draw_line(canvas: Canvas, color: Color, points: Places, width: float) -> None:
    canvas.path(color, points, width, np.ones(len(points) - 1))
