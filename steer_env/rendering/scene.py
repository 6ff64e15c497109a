"""Draws one moment of a game: the arena, the players, and their annotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig
from steer_env.game.annotations import Annotations
from steer_env.game.config import GameConfig
from steer_env.rendering.annotations import draw_ranges, draw_senses
from steer_env.rendering.camera import MARGIN, View, grid_spacing, ground_of
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.pen import Pen
from steer_env.rendering.texts import fitted_names
from steer_env.rendering.vehicles import (
    OUTLINES,
    draw_caught,
    draw_force,
    draw_vehicle,
    draw_velocity,
    drawn_radius,
)
from steer_env.sides import PURSUER, Side

_TRAIL_POINTS = 200  # at most; some are left out if steps are very short
_DASHES = 24  # along each edge of a torus


class Moment(NamedTuple):
    """What a picture of a game shows.

    Attributes:
        record: of the state.
        annotations: of each player, or none.
        forces: of each player, (players,), in newtons, or none; infinite and nan forces are
            not drawn.
        trail: past positions, (moments, players), oldest first, in meters, or none.
        names: of the pursuers and of the evaders.
    """

    record: np.void
    annotations: Sequence[Annotations] = ()
    forces: NDArray[np.complex128] | None = None
    trail: NDArray[np.complex128] | None = None
    names: tuple[str, str] = ("pursuer", "evader")


def draw_scene(
    canvas: Canvas, view: View, config: GameConfig, drawing: DrawingConfig, moment: Moment
) -> None:
    """Draws a game on the whole canvas.

    On a torus, everything that crosses an edge is visible on both sides.

    Args:
        canvas: of the view's size.
        view: of the plane.
        config: the game.
        drawing: theme and annotations; its size is ignored.
        moment: what to draw.
    """
    pen = Pen(canvas, view, config, drawing)
    draw_arena(pen, moment.record["obstacles"])
    if drawing.shows("score"):
        draw_legend(pen, moment.names)
    draw_players(pen, moment)


def draw_arena(pen: Pen, obstacles: NDArray[np.void]) -> None:
    """Draws everything that does not move: ground, grid, obstacles and walls."""
    corner, opposite = ground_of(pen.view, pen.config)
    if pen.config.arena.kind == "open":
        pen.canvas.fill(pen.colors.ground)
    else:
        pen.canvas.fill(pen.colors.background)
        pen.canvas.rectangle(pen.colors.ground, corner, opposite)
    _draw_grid(pen, corner, opposite)
    pen.clip_to_arena()
    for center, radius in obstacles.tolist():
        if radius > 0.0:
            pen.disc(pen.colors.obstacle, center, radius)
    pen.canvas.clip()
    _draw_border(pen)


def draw_legend(pen: Pen, names: tuple[str, str]) -> None:
    """Writes names with the sides' shapes, and the grid's spacing, below the arena."""
    canvas, colors, size = pen.canvas, pen.colors, text_size(pen.view)
    start, end, _, below = _corners_of_texts(pen.view)
    column, radius = start, 0.36 * size
    room = end - start - 2 * 2.6 * radius - 0.9 * size
    for side, name in zip(Side, fitted_names(canvas, names, size, room)):
        corners = complex(column + radius, below) + radius * np.conj(OUTLINES[side])
        canvas.polygon(colors.of(side), corners)
        column += 2.6 * radius
        canvas.text(name, colors.of(side), complex(column, below), size)
        column += canvas.text_width(name, size) + 0.9 * size
    scale = f"grid {grid_spacing(pen.view, pen.config):g} m"
    if column + canvas.text_width(scale, size) < end:
        canvas.text(scale, colors.faint, complex(end, below), size, 1.0)


def draw_players(pen: Pen, moment: Moment) -> None:
    """Draws everything that moves, and the score, on an arena; see `draw_scene`."""
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
    if not pen.is_torus:  # on a torus, images end at the edges, where the next ones begin
        canvas.clip()
    if trail is not None and len(trail) > 1 and drawing.shows("trail"):
        every = -(-len(trail) // _TRAIL_POINTS)
        trail = trail[(len(trail) - 1) % every :: every]
        for number, color in enumerate(colors):
            pen.trail(color, trail[:, number], 0.75)
    for number, own in enumerate(annotations):
        if active[number]:
            draw_senses(pen, bodies[number], own, colors[number])
    top_speed = float(bodies["max_speed"].max())
    for number, side in enumerate(pen.sides):
        if not active[number]:
            continue
        if drawing.shows("velocity"):
            draw_velocity(pen, bodies[number], colors[number], top_speed)
        if forces is not None and drawing.shows("force"):
            draw_force(pen, bodies[number], forces[number])
        draw_vehicle(pen, bodies[number], side)
    for number in range(pen.config.pursuers, len(bodies)):
        if not active[number]:  # on top of the pursuers that caught them
            draw_caught(pen, bodies[number])
    canvas.clip()
    if drawing.shows("names"):
        _write_names(pen, bodies, names)
    if drawing.shows("score"):
        _write_score(pen, record)


def draw_capture_radii(pen: Pen, positions: NDArray[np.complex128]) -> None:
    """Draws the capture radius around each pursuer."""
    color, radius = pen.colors.of(PURSUER), pen.config.capture_radius
    for place in positions[: pen.config.pursuers].tolist():
        pen.disc(color, place, radius, 0.14)
        pen.ring(color, place, radius, 0.55)


def text_size(view: View) -> float:
    """The default size of texts, in pixels."""
    return max(15.0, view.side / 30)


def _draw_grid(pen: Pen, corner: complex, opposite: complex) -> None:
    """Draws the grid through the origin. Lines are on whole pixels, so that they are sharp."""
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
    """Draws solid walls; dashes on a torus, where vehicles cross them; nothing in the open."""
    arena, width = pen.config.arena, 2.2 * pen.stroke
    if arena.kind == "open":
        return
    # Just outside the arena, so that vehicles touch the wall but do not overlap it.
    half = arena.half_size + width / 2 / pen.view.scale
    pieces = 1 if arena.kind == "walls" else 2 * _DASHES + 1
    opacities = np.ones(pieces)
    opacities[1::2] = 0.0
    side = complex(-half, half) + np.linspace(0.0, 2 * half, pieces + 1)
    for turn in (1, 1j, -1, -1j):
        pen.canvas.path(pen.colors.wall, pen.view.to_pixels(side * turn), width, opacities)


def _write_names(pen: Pen, bodies: NDArray[np.void], names: tuple[str, str]) -> None:
    """Writes each vehicle's name below it, with a number if its side has several."""
    view, size = pen.view, 0.85 * text_size(pen.view)
    for number, (body, side) in enumerate(zip(bodies, pen.sides)):
        label = names[side]
        if pen.config.count(side.name) > 1:
            before = pen.config.pursuers if side == Side.EVADER else 0
            label += f" {number - before + 1}"
        pixels = drawn_radius(view, body["radius"]) * view.scale
        place = view.to_pixel(complex(body["position"])) + 1j * (pixels + 0.65 * size)
        half = pen.canvas.text_width(label, size) / 2
        column = min(max(place.real, half), view.width - half)
        row = min(place.imag, view.height - 0.5 * size)
        for shift in (1, 1j, -1, -1j):  # a rim, for contrast
            rim = complex(column, row) + 1.3 * shift
            pen.canvas.text(label, pen.colors.ground, rim, size, 0.5, 0.6)
        pen.canvas.text(label, pen.colors.of(side), complex(column, row), size, 0.5)


def _corners_of_texts(view: View) -> tuple[float, float, float, float]:
    """The first and last column of texts, and their rows above and below the arena."""
    inset = MARGIN * view.side
    left, top = view.middle.real - view.side / 2, view.middle.imag - view.side / 2
    return left + inset, left + view.side - inset, top + inset / 2, top + view.side - inset / 2


def _write_score(pen: Pen, record: np.void) -> None:
    """Writes time, captures and, if there is room, the distance above the arena."""
    canvas, view, config, ink = pen.canvas, pen.view, pen.config, pen.colors.ink
    start, end, above, _ = _corners_of_texts(view)
    size, game = text_size(view), record["game"]
    captured = int(game["captured"])
    seconds = f"{game['steps'] * config.dt:.1f} s"
    caught = f"caught {captured} of {config.evaders}"
    if config.evaders == 1:
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
