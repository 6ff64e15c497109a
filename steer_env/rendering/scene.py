"""Draws one record of a game: the arena, the players, and what they think."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig
from steer_env.game.annotations import Marks
from steer_env.game.config import GameConfig
from steer_env.rendering.camera import MARGIN, View
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.annotations import draw_ranges, draw_senses
from steer_env.rendering.pen import Pen
from steer_env.rendering.round_lengths import rounded_up
from steer_env.rendering.texts import fitted_names
from steer_env.rendering.vehicles import (
    EVADER_OUTLINE,
    PURSUER_OUTLINE,
    draw_caught,
    draw_force,
    draw_vehicle,
    draw_velocity,
    drawn_radius,
)

_GRID_CELLS = 12  # at most so many across the view
_TRAIL_POINTS = 200  # at most; steps that are very short are left out
_DASHES = 24  # along each edge of a torus


class Moment(NamedTuple):
    """What a picture of a game shows.

    Attributes:
        record: of the state.
        marks: of each player, or none.
        forces: of each player, (players,), in newtons, or none; those that are not finite are
            not drawn.
        trail: past positions, (moments, players), oldest first, in meters, or none.
        names: of the pursuers and of the evaders.
    """

    record: np.void
    marks: Sequence[Marks] = ()
    forces: NDArray[np.complex128] | None = None
    trail: NDArray[np.complex128] | None = None
    names: tuple[str, str] = ("pursuer", "evader")


def draw_scene(
    canvas: Canvas, view: View, config: GameConfig, drawing: DrawingConfig, moment: Moment
) -> None:
    """Draws a game over the whole of a canvas.

    On a torus, what lies across an edge shows on both sides.

    Args:
        canvas: of the view's size.
        view: of the plane.
        config: the game.
        drawing: theme and annotations; its size is not looked at.
        moment: what is drawn.
    """
    draw_arena(canvas, view, moment.record["obstacles"], config, drawing)
    if drawing.shows("score"):
        draw_key(canvas, view, config, drawing, moment.names)
    draw_players(canvas, view, config, drawing, moment)


def draw_arena(
    canvas: Canvas,
    view: View,
    obstacles: NDArray[np.void],
    config: GameConfig,
    drawing: DrawingConfig,
) -> None:
    """Draws what stands still: ground, grid, obstacles and walls."""
    pen = Pen(canvas, view, config, drawing)
    half = config.arena.half_size
    corner, opposite = view.to_pixel(complex(-half, half)), view.to_pixel(complex(half, -half))
    if config.arena.kind == "open":
        corner, opposite = 0j, complex(view.width, view.height)
    if config.arena.kind == "open":
        canvas.fill(pen.colors.ground)
    else:
        canvas.fill(pen.colors.background)
        canvas.rectangle(pen.colors.ground, corner, opposite)
    _draw_grid(pen, corner, opposite)
    pen.clip_to_arena()
    for obstacle in obstacles:
        if obstacle["radius"] > 0.0:
            pen.disc(
                pen.colors.obstacle, complex(obstacle["center"]), float(obstacle["radius"])
            )
    canvas.clip()
    _draw_border(pen)


def draw_key(
    canvas: Canvas,
    view: View,
    config: GameConfig,
    drawing: DrawingConfig,
    names: tuple[str, str],
) -> None:
    """Writes below who plays, in which form and color, and how wide the grid is."""
    colors, size = drawing.colors, text_size(view)
    start, end, _, below = _corners_of_texts(view)
    column, radius = start, 0.36 * size
    sides = (colors.pursuer, PURSUER_OUTLINE), (colors.evader, EVADER_OUTLINE)
    room = end - start - 2 * 2.6 * radius - 0.9 * size
    for name, (color, outline) in zip(fitted_names(canvas, names, size, room), sides):
        canvas.polygon(color, complex(column + radius, below) + radius * np.conj(outline))
        column += 2.6 * radius
        canvas.text(name, color, complex(column, below), size)
        column += canvas.text_width(name, size) + 0.9 * size
    scale = f"grid {grid_spacing(view, config):g} m"
    if column + canvas.text_width(scale, size) < end:
        canvas.text(scale, colors.faint, complex(end, below), size, 1.0)


def draw_players(
    canvas: Canvas, view: View, config: GameConfig, drawing: DrawingConfig, moment: Moment
) -> None:
    """Draws what moves, and the score, over an arena; see `draw_scene`."""
    record, marks, forces, trail, names = moment
    pen = Pen(canvas, view, config, drawing)
    colors = [pen.colors.pursuer] * config.pursuers + [pen.colors.evader] * config.evaders
    players = record["players"]
    bodies, active = players["body"], players["active"].tolist()
    pen.clip_to_arena()
    if drawing.shows("capture"):
        for number in range(config.pursuers):
            place = complex(bodies[number]["position"])
            pen.disc(colors[number], place, config.capture_radius, 0.14)
            pen.ring(colors[number], place, config.capture_radius, 0.55)
    for number, mark in enumerate(marks):
        if active[number]:
            draw_ranges(pen, bodies[number], mark, colors[number])
    if not pen.is_torus:  # whose images end at the edges, where the others begin
        canvas.clip()
    if trail is not None and len(trail) > 1 and drawing.shows("trail"):
        every = -(-len(trail) // _TRAIL_POINTS)
        trail = trail[(len(trail) - 1) % every :: every]
        for number, color in enumerate(colors):
            pen.trail(color, trail[:, number], 0.75)
    for number, mark in enumerate(marks):
        if active[number]:
            draw_senses(pen, bodies[number], mark, colors[number])
    top_speed = float(bodies["max_speed"].max())
    for number, color in enumerate(colors):
        if not active[number]:
            continue
        if drawing.shows("velocity"):
            draw_velocity(pen, bodies[number], color, top_speed)
        if forces is not None and drawing.shows("force"):
            draw_force(pen, bodies[number], forces[number])
        outline = PURSUER_OUTLINE if number < config.pursuers else EVADER_OUTLINE
        draw_vehicle(pen, bodies[number], color, outline)
    for number in range(config.pursuers, len(colors)):
        if not active[number]:  # on top, or their captors would hide them
            draw_caught(pen, bodies[number])
    canvas.clip()
    if drawing.shows("names"):
        _write_names(pen, bodies, names)
    if drawing.shows("score"):
        _write_score(pen, record)


def text_size(view: View) -> float:
    """Of the usual text, in pixels."""
    return max(15.0, view.side / 30)


def grid_spacing(view: View, config: GameConfig) -> float:
    """Between the lines of the grid, in meters."""
    extent = config.arena.size
    if config.arena.kind == "open":
        extent = view.side / view.scale
    return rounded_up(extent / _GRID_CELLS)


def _draw_grid(pen: Pen, corner: complex, opposite: complex) -> None:
    """The grid through the origin; its lines lie on whole pixels, where they are sharp."""
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
    """The whole numbers whose multiples of the spacing lie between two limits."""
    return range(math.ceil(low / spacing), math.floor(high / spacing) + 1)


def _draw_border(pen: Pen) -> None:
    """Solid walls; dashes for a torus, whose edges stop nobody; nothing in the open."""
    arena, width = pen.config.arena, 2.2 * pen.stroke
    if arena.kind == "open":
        return
    # Just outside the arena, so that vehicles touch the wall and do not sink into it.
    half = arena.half_size + width / 2 / pen.view.scale
    pieces = 1 if arena.kind == "walls" else 2 * _DASHES + 1
    opacities = np.ones(pieces)
    opacities[1::2] = 0.0
    side = complex(-half, half) + np.linspace(0.0, 2 * half, pieces + 1)
    for turn in (1, 1j, -1, -1j):
        pen.canvas.path(pen.colors.wall, pen.view.to_pixels(side * turn), width, opacities)


def _write_names(pen: Pen, bodies: NDArray[np.void], names: tuple[str, str]) -> None:
    """Who is who, below each vehicle; with a number where a side has several."""
    config, view = pen.config, pen.view
    size = 0.85 * text_size(view)
    for number, body in enumerate(bodies):
        is_pursuer = number < config.pursuers
        name, count = (names[0], config.pursuers) if is_pursuer else (names[1], config.evaders)
        place_in_team = number + 1 if is_pursuer else number - config.pursuers + 1
        label = f"{name} {place_in_team}" if count > 1 else name
        color = pen.colors.pursuer if is_pursuer else pen.colors.evader
        pixels = drawn_radius(view, body["radius"]) * view.scale
        place = view.to_pixel(complex(body["position"])) + 1j * (pixels + 0.65 * size)
        half = pen.canvas.text_width(label, size) / 2
        column = min(max(place.real, half), view.width - half)
        row = min(place.imag, view.height - 0.5 * size)
        for shift in (1, 1j, -1, -1j):  # a rim, for what lies below the letters
            rim = complex(column, row) + 1.3 * shift
            pen.canvas.text(label, pen.colors.ground, rim, size, 0.5, 0.6)
        pen.canvas.text(label, color, complex(column, row), size, 0.5)


def _corners_of_texts(view: View) -> tuple[float, float, float, float]:
    """Between which columns texts stand, and the rows above the arena and below it."""
    inset = MARGIN * view.side
    left, top = view.middle.real - view.side / 2, view.middle.imag - view.side / 2
    return left + inset, left + view.side - inset, top + inset / 2, top + view.side - inset / 2


def _write_score(pen: Pen, record: np.void) -> None:
    """Time, captures and, where there is room, the distance: above the arena."""
    canvas, view, config, ink = pen.canvas, pen.view, pen.config, pen.colors.ink
    start, end, above, _ = _corners_of_texts(view)
    size, game = text_size(view), record["game"]
    captured, is_duel = int(game["captured"]), config.evaders == 1
    seconds = f"{game['steps'] * config.dt:.1f} s"
    caught = f"caught {captured} of {config.evaders}"
    if is_duel:
        caught = "caught" if captured else "free"
    canvas.text(seconds, ink, complex(start, above), size)
    start += canvas.text_width(seconds, size) + 0.5 * size
    wide = canvas.text_width(caught, size)
    if start + wide < end:
        canvas.text(caught, ink, complex(end, above), size, 1.0)
    distance = f"distance {game['distance']:.1f} m"
    half, middle = canvas.text_width(distance, size) / 2, view.middle.real
    fits = start < middle - half and middle + half < end - wide - 0.5 * size
    if captured < config.evaders and fits:
        canvas.text(distance, ink, complex(middle, above), size, 0.5)
