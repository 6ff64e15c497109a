"""Draws one moment of a game: the arena, the players, and their annotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color, DrawingConfig
from steer_env.game.config import GameConfig
from steer_env.rendering.annotations import Annotations, annotated
from steer_env.rendering.camera import EDGE, MARGIN, Pen, View, grid_spacing, ground_of
from steer_env.rendering.canvas import Canvas, Points
from steer_env.rendering.texts import LabelPlaces, fitted, fitted_names
from steer_env.rendering.vehicles import (
    OUTLINES,
    crosshair_place,
    draw_arrow,
    draw_ranges,
    draw_senses,
    draw_vehicles,
    drawn_radius,
)
from steer_env.sides import PURSUER, Side
from steer_env.steering.vectors import truncate

ZONE_OPACITY = 0.4
_TRAIL_POINTS = 200  # at most; some are left out if steps are very short
_DASHES = 24  # along each edge of a torus
_BESIDE_VEHICLES = (-1j, 1j, 1 + 0j, -1 + 0j)  # where names are best: below, above, on a side
LINE = 1.45  # from one line of a column to the next, in sizes of the font


class Moment(NamedTuple):
    """The contents of a picture of a game."""

    record: np.void  # of the state
    annotations: Sequence[Annotations] = ()  # of each player, or none
    forces: Points | None = None  # (players,), in newtons, drawn if finite
    trail: Points | None = None  # (moments, players), oldest first, in meters
    names: tuple[str, str] = ("pursuer", "evader")


def draw_scene(
    canvas: Canvas, view: View, config: GameConfig, drawing: DrawingConfig, moment: Moment
) -> None:
    """Draws a game on the whole canvas."""
    pen = Pen(canvas, view, config, drawing)
    draw_still(pen, moment)
    draw_players(pen, moment)


def draw_still(pen: Pen, moment: Moment) -> None:
    """Draws what does not move: the arena, and the legend unless it is over what moves."""
    draw_arena(pen, moment.record["obstacles"])
    if pen.drawing.shows("score") and pen.region.is_bounded:
        _draw_legend(pen, moment.names)


def draw_arena(pen: Pen, obstacles: NDArray[np.void]) -> None:
    """Draws ground, grid, a scenario's zones, obstacles and walls."""
    corner, opposite = ground_of(pen.view, pen.config)
    if not pen.region.is_bounded:
        pen.canvas.fill(pen.colors.ground)
    else:
        pen.canvas.fill(pen.colors.background)
        pen.canvas.rectangle(pen.colors.ground, corner, opposite)
    _draw_grid(pen, corner, opposite)
    pen.clip_to_arena()
    for zone in pen.config.zones:
        corners = pen.view.to_pixels(np.array(zone))
        pen.canvas.polygon(pen.colors.obstacle, corners, ZONE_OPACITY)
    for center, radius in obstacles.tolist():
        if radius > 0.0:
            pen.disc(pen.colors.obstacle, center, radius)
    pen.canvas.clip()
    _draw_border(pen)


def draw_players(pen: Pen, moment: Moment) -> None:
    """Draws everything that moves, and the score, on what `draw_still` drew."""
    record, annotations, forces, trail, names = moment
    canvas, drawing = pen.canvas, pen.drawing
    colors = [*map(pen.colors.of, pen.sides)]
    bodies, active = record["players"]["body"], record["players"]["active"].tolist()
    pen.clip_to_arena()
    if drawing.shows("capture"):
        draw_capture_radii(pen, bodies["position"])
    for number, own in enumerate(annotations):
        if active[number]:
            draw_ranges(pen, bodies[number], own, colors[number])
    if trail is not None and len(trail) > 1 and drawing.shows("trail"):
        every = -(-len(trail) // _TRAIL_POINTS)
        trail = trail[(len(trail) - 1) % every :: every]
        for number, color in enumerate(colors):
            pen.trail(color, trail[:, number], 0.75)
    for number, own in enumerate(annotations):
        if active[number]:
            draw_senses(pen, bodies[number], own, colors[number])
    top_speed = float(bodies["max_speed"].max())
    for number in np.flatnonzero(active).tolist():
        body = bodies[number]
        if drawing.shows("velocity"):
            share = complex(body["velocity"]) / max(top_speed, 1e-9)
            draw_arrow(pen, body, colors[number], share, 0.65, width=1.3)
        if forces is not None and drawing.shows("force"):
            share = complex(forces[number]) / max(float(body["max_force"]), 1e-9)
            draw_arrow(pen, body, pen.colors.force, truncate(share, 1.0), 1.0, width=2.0)
    if not pen.region.wraps:  # bodies that are drawn larger than they are overlap the walls
        canvas.clip()
    draw_vehicles(pen, record["players"])
    canvas.clip()
    if drawing.shows("names"):
        _write_names(pen, record, names, annotations)
    if drawing.shows("score"):
        _write_score(pen, record)
        if not pen.region.is_bounded:
            _draw_legend(pen, names)


def draw_capture_radii(pen: Pen, positions: Points) -> None:
    """Draws around each pursuer the radius within which it catches."""
    color, radius = pen.colors.of(PURSUER), pen.config.capture_circle
    for place in positions[: pen.config.pursuers].tolist() if radius else ():
        pen.disc(color, place, radius, 0.14)
        pen.ring(color, place, radius, 0.55)


def _draw_grid(pen: Pen, corner: complex, opposite: complex) -> None:
    """Draws the grid through the origin, with lines on whole pixels so that they are sharp."""
    spacing = grid_spacing(pen.view, pen.config)
    low, high = pen.view.to_world(corner), pen.view.to_world(opposite)
    for number in _multiples(spacing, low.real, high.real):
        column = math.floor(pen.view.to_pixel(number * spacing).real)
        start, end = complex(column, corner.imag), complex(column + 1, opposite.imag)
        pen.canvas.rectangle(pen.colors.grid, start, end)
    for number in _multiples(spacing, high.imag, low.imag):
        row = math.floor(pen.view.to_pixel(number * spacing * 1j).imag)
        start, end = complex(corner.real, row), complex(opposite.real, row + 1)
        pen.canvas.rectangle(pen.colors.grid, start, end)


def _multiples(spacing: float, low: float, high: float) -> range:
    """The integers whose multiples of the spacing are between two limits."""
    return range(math.ceil(low / spacing), math.floor(high / spacing) + 1)


def _draw_border(pen: Pen) -> None:
    """Draws solid walls, or dashes on a torus that vehicles cross."""
    region, width = pen.region, 2.2 * pen.stroke
    if not region.is_bounded:
        return
    # Just outside the arena, so that vehicles touch the wall but do not overlap it.
    half = region.half_size + width / 2 / pen.view.scale
    pieces = 1 if region.has_walls else 2 * _DASHES + 1
    opacities = np.ones(pieces)
    opacities[1::2] = 0.0
    side = complex(-half, half) + np.linspace(0.0, 2 * half, pieces + 1)
    for turn in (1, 1j, -1, -1j):
        pen.canvas.path(pen.colors.wall, pen.view.to_pixels(side * turn), width, opacities)


def _text_size(view: View) -> float:
    return max(15.0, view.side / 30)


class Rows(NamedTuple):
    """The place of texts, in pixels."""

    start: float  # first column
    end: float  # last column
    above: float  # row of the score, or of its first line
    below: float  # row of the legend, or of its last line
    is_column: bool  # whether the texts are lines, one below the other, beside the arena


def rows_of(pen: Pen) -> Rows:
    """The place of texts in a view that has room for them."""
    view, strip = pen.view, MARGIN * pen.view.side
    if not pen.region.is_bounded:
        return Rows(strip, view.width - strip, strip / 2, view.height - strip / 2, False)
    corner, opposite = ground_of(view, pen.config)
    if view.width - opposite.real > corner.real + 1.0:
        size, end = _text_size(view), view.width - EDGE * view.side
        start = opposite.real + 0.9 * size
        return Rows(start, end, corner.imag + size / 2, opposite.imag - size / 2, True)
    above, below = corner.imag - strip / 2, opposite.imag + strip / 2
    return Rows(corner.real, opposite.real, above, below, False)


def _draw_legend(pen: Pen, names: tuple[str, str]) -> None:
    canvas, colors, size, rows = pen.canvas, pen.colors, _text_size(pen.view), rows_of(pen)
    scale = f"grid {grid_spacing(pen.view, pen.config):g} m"
    radius = 0.36 * size
    if rows.is_column:
        room = rows.end - rows.start - 2.6 * radius
        for line, side in ((2, Side.PURSUER), (1, Side.EVADER)):
            name = fitted(canvas, names[side], size, room, in_middle=True)
            place = complex(rows.start, rows.below - line * LINE * size)
            _draw_entry(pen, name, side, place, size)
        write(pen, scale, colors.faint, complex(rows.start, rows.below), size)
        return
    column, room = rows.start, rows.end - rows.start - 2 * 2.6 * radius - 0.9 * size
    for side, name in zip(Side, fitted_names(canvas, names, size, room)):
        _draw_entry(pen, name, side, complex(column, rows.below), size)
        column += 2.6 * radius + canvas.text_width(name, size) + 0.9 * size
    if column + canvas.text_width(scale, size) < rows.end:
        write(pen, scale, colors.faint, complex(rows.end, rows.below), size, 1.0)


def _draw_entry(pen: Pen, name: str, side: Side, place: complex, size: float) -> None:
    radius, color = 0.36 * size, pen.colors.of(side)
    pen.canvas.polygon(color, place + radius + radius * np.conj(OUTLINES[side]))
    write(pen, name, color, place + 2.6 * radius, size)


def _write_score(pen: Pen, record: np.void) -> None:
    """Writes time, captures and, as far as there is room, the (mean) distance."""
    canvas, config, ink, rows = pen.canvas, pen.config, pen.colors.ink, rows_of(pen)
    size, game = _text_size(pen.view), record["game"]
    captured = int(game["captured"])
    seconds = f"{game['steps'] * config.dt:.1f} s"
    caught = f"caught {captured} of {config.evaders}"
    if config.evaders == 1:
        is_safe = config.reached(record["players"]).any()
        caught = "caught" if captured else "in the target" if is_safe else "still free"
    word = "distance" if config.evaders == 1 else "mean distance"
    distance = f"{word} {game['distance']:.1f} m" if captured < config.evaders else ""
    if rows.is_column:
        for line, text in enumerate((seconds, caught, distance)):
            text = fitted(canvas, text, size, rows.end - rows.start)
            place = complex(rows.start, rows.above + line * LINE * size)
            write(pen, text, ink, place, size)
        return
    write(pen, seconds, ink, complex(rows.start, rows.above), size)
    start = rows.start + canvas.text_width(seconds, size) + 0.5 * size
    wide = canvas.text_width(caught, size)
    if start + wide < rows.end:
        write(pen, caught, ink, complex(rows.end, rows.above), size, 1.0)
    half, middle = canvas.text_width(distance, size) / 2, (rows.start + rows.end) / 2
    if start < middle - half and middle + half < rows.end - wide - 0.5 * size:
        write(pen, distance, ink, complex(middle, rows.above), size, 0.5)


def write(
    pen: Pen, text: str, color: Color, place: complex, size: float, along: float = 0.0
) -> None:
    """Writes a text, in the open with a rim because things are drawn behind it."""
    if not pen.region.is_bounded:
        pen.text(text, color, place, size, along)
    else:
        pen.canvas.text(text, color, place, size, along)


def _write_names(
    pen: Pen, record: np.void, names: tuple[str, str], annotations: Sequence[Annotations]
) -> None:
    """Writes names beside `annotated` vehicles as far as there is room in the arena."""
    view, size, bodies = pen.view, 0.85 * _text_size(pen.view), record["players"]["body"]
    middles = view.to_pixels(bodies["position"])
    radii = [drawn_radius(view, radius) * view.scale for radius in bodies["radius"].tolist()]
    edges = middles[:, np.newaxis] + np.outer(radii, np.exp(2j * np.pi * np.arange(8) / 8))
    crosses = [
        view.to_pixel(crosshair_place(pen, own.aim))
        for own in annotations
        if own.aim is not None and pen.drawing.shows("aim")
    ]
    corner, opposite = ground_of(view, pen.config)
    if not pen.region.is_bounded and pen.drawing.shows("score"):  # which is in it
        strip = 1j * MARGIN * view.side
        corner, opposite = corner + strip, opposite - strip
    places = LabelPlaces(corner, opposite, np.append(edges.ravel(), crosses))
    for number in annotated(record, pen.config.pursuers):
        side = pen.sides[number]
        label = names[side]
        if pen.sides.count(side) > 1:
            label = f"{label} {number - pen.sides.index(side) + 1}"
        extent = complex(pen.canvas.text_width(label, size), size)
        others = np.delete(middles, number)
        point, reach = complex(middles[number]), radii[number]
        place = places.add(
            point, extent, others, reach=reach, first=_BESIDE_VEHICLES, or_near_others=True
        )
        if place is not None:
            pen.text(label, pen.colors.of(side), place, size)
