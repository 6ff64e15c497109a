"""Writes the texts of a scene: the legend, the score, and names beside vehicles.

Legend and score are below and above the arena or, in a picture that is wide enough, in a
column on its right; see `steer_env.rendering.camera.view_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steer_env.drawing import Color
from steer_env.game.annotations import Annotations, annotated
from steer_env.rendering.annotations import crosshair_place
from steer_env.rendering.camera import EDGE, MARGIN, View, grid_spacing, ground_of
from steer_env.rendering.label_places import LabelPlaces
from steer_env.rendering.pen import Pen
from steer_env.rendering.texts import fitted, fitted_names, write_with_rim
from steer_env.rendering.vehicles import OUTLINES, drawn_radius
from steer_env.sides import Side

_BESIDE_VEHICLES = (-1j, 1j, 1 + 0j, -1 + 0j)  # where names are best: below, above, on a side
_LINE = 1.45  # from one line of a column to the next, in sizes of the font
_SMALL = 0.85  # size of the font of names, of that of other texts
_EDGE_POINTS = np.exp(2j * np.pi * np.arange(8) / 8)  # around a vehicle


def text_size(view: View) -> float:
    """The default size of texts, in pixels."""
    return max(15.0, view.side / 30)


class _Rows(NamedTuple):
    """Where texts are written, in pixels.

    Attributes:
        start: first column.
        end: last column.
        above: row of the score, or of its first line.
        below: row of the legend, or of its last line.
        is_column: whether the texts are lines, one below the other, beside the arena.
    """

    start: float
    end: float
    above: float
    below: float
    is_column: bool


def _rows_of(pen: Pen) -> _Rows:
    view, strip = pen.view, MARGIN * pen.view.side
    if pen.config.arena.kind == "open":
        return _Rows(strip, view.width - strip, strip / 2, view.height - strip / 2, False)
    corner, opposite = ground_of(view, pen.config)
    if view.width - opposite.real > corner.real + 1.0:
        size, end = text_size(view), view.width - EDGE * view.side
        start = opposite.real + 0.9 * size
        return _Rows(start, end, corner.imag + size / 2, opposite.imag - size / 2, True)
    above, below = corner.imag - strip / 2, opposite.imag + strip / 2
    return _Rows(corner.real, opposite.real, above, below, False)


def draw_legend(pen: Pen, names: tuple[str, str]) -> None:
    """Writes names with the sides' shapes, and the grid's spacing."""
    canvas, colors, size, rows = pen.canvas, pen.colors, text_size(pen.view), _rows_of(pen)
    scale = f"grid {grid_spacing(pen.view, pen.config):g} m"
    radius = 0.36 * size
    if rows.is_column:
        room = rows.end - rows.start - 2.6 * radius
        for line, side in ((2, Side.PURSUER), (1, Side.EVADER)):
            name = fitted(canvas, names[side], size, room, in_middle=True)
            place = complex(rows.start, rows.below - line * _LINE * size)
            _draw_entry(pen, name, side, place, size)
        _write(pen, scale, colors.faint, complex(rows.start, rows.below), size)
        return
    column, room = rows.start, rows.end - rows.start - 2 * 2.6 * radius - 0.9 * size
    for side, name in zip(Side, fitted_names(canvas, names, size, room)):
        _draw_entry(pen, name, side, complex(column, rows.below), size)
        column += 2.6 * radius + canvas.text_width(name, size) + 0.9 * size
    if column + canvas.text_width(scale, size) < rows.end:
        _write(pen, scale, colors.faint, complex(rows.end, rows.below), size, 1.0)


def _draw_entry(pen: Pen, name: str, side: Side, place: complex, size: float) -> None:
    """Draws the shape of a side's vehicles, and a name after it."""
    radius, color = 0.36 * size, pen.colors.of(side)
    pen.canvas.polygon(color, place + radius + radius * np.conj(OUTLINES[side]))
    _write(pen, name, color, place + 2.6 * radius, size)


def write_score(pen: Pen, record: np.void) -> None:
    """Writes time, captures and, if there is room, the distance; its mean in teams."""
    canvas, config, ink, rows = pen.canvas, pen.config, pen.colors.ink, _rows_of(pen)
    size, game = text_size(pen.view), record["game"]
    captured = int(game["captured"])
    seconds = f"{game['steps'] * config.dt:.1f} s"
    caught = f"caught {captured} of {config.evaders}"
    if config.evaders == 1:
        caught = "caught" if captured else "free"
    word = "distance" if config.evaders == 1 else "mean distance"
    distance = f"{word} {game['distance']:.1f} m" if captured < config.evaders else ""
    if rows.is_column:
        for line, text in enumerate((seconds, caught, distance)):
            text = fitted(canvas, text, size, rows.end - rows.start)
            place = complex(rows.start, rows.above + line * _LINE * size)
            _write(pen, text, ink, place, size)
        return
    _write(pen, seconds, ink, complex(rows.start, rows.above), size)
    start = rows.start + canvas.text_width(seconds, size) + 0.5 * size
    wide = canvas.text_width(caught, size)
    if start + wide < rows.end:
        _write(pen, caught, ink, complex(rows.end, rows.above), size, 1.0)
    half, middle = canvas.text_width(distance, size) / 2, (rows.start + rows.end) / 2
    if start < middle - half and middle + half < rows.end - wide - 0.5 * size:
        _write(pen, distance, ink, complex(middle, rows.above), size, 0.5)


def _write(
    pen: Pen, text: str, color: Color, place: complex, size: float, along: float = 0.0
) -> None:
    """Writes a text; in the open, where things are drawn behind it, with a rim."""
    if pen.config.arena.kind == "open":
        write_with_rim(pen.canvas, text, color, pen.colors.ground, place, size, along)
    else:
        pen.canvas.text(text, color, place, size, along)


def write_names(
    pen: Pen, record: np.void, names: tuple[str, str], annotations: Sequence[Annotations] = ()
) -> None:
    """Writes the names of `annotated` vehicles beside them, with numbers if a side has several.

    Names stay in the arena and cover no vehicle, no crosshair and no other name; a name without
    such a place is left out.
    """
    view, size, bodies = pen.view, _SMALL * text_size(pen.view), record["players"]["body"]
    middles = view.to_pixels(bodies["position"])
    radii = [drawn_radius(view, radius) * view.scale for radius in bodies["radius"].tolist()]
    edges = middles[:, np.newaxis] + np.outer(radii, _EDGE_POINTS)
    crosses = [
        view.to_pixel(crosshair_place(pen, own.aim))
        for own in annotations
        if own.aim is not None and pen.drawing.shows("aim")
    ]
    places = LabelPlaces(*_room_for_names(pen), np.append(edges.ravel(), crosses))
    for number in annotated(record, pen.config.pursuers):
        side = pen.sides[number]
        label, color = names[side], pen.colors.of(side)
        if pen.sides.count(side) > 1:
            label = f"{label} {number - pen.sides.index(side) + 1}"
        extent = complex(pen.canvas.text_width(label, size), size)
        others = np.delete(middles, number)
        point, reach = complex(middles[number]), radii[number]
        place = places.add(
            point, extent, others, reach=reach, first=_BESIDE_VEHICLES, or_near_others=True
        )
        if place is not None:
            write_with_rim(pen.canvas, label, color, pen.colors.ground, place, size)


def _room_for_names(pen: Pen) -> tuple[complex, complex]:
    """Corners of the part of the picture for names: the arena, without legend and score."""
    corner, opposite = ground_of(pen.view, pen.config)
    if pen.config.arena.kind == "open" and pen.drawing.shows("score"):
        strip = 1j * MARGIN * pen.view.side
        return corner + strip, opposite - strip
    return corner, opposite
