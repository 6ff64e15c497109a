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
from steer_env.rendering.camera import View, grid_spacing, ground_of
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.pen import Pen
from steer_env.rendering.scene_texts import draw_legend, write_names, write_score
from steer_env.rendering.vehicles import draw_caught, draw_force, draw_vehicle, draw_velocity
from steer_env.sides import PURSUER

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
    """
    pen = Pen(canvas, view, config, drawing)
    draw_still(pen, moment)
    draw_players(pen, moment)


def draw_still(pen: Pen, moment: Moment) -> None:
    """Draws everything that does not move: the arena, and the legend beside it.

    In the open, the legend is drawn over what moves.
    """
    draw_arena(pen, moment.record["obstacles"])
    if pen.drawing.shows("score") and pen.config.arena.kind != "open":
        draw_legend(pen, moment.names)


def draw_arena(pen: Pen, obstacles: NDArray[np.void]) -> None:
    """Draws ground, grid, obstacles and walls."""
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
        if drawing.shows("velocity"):
            draw_velocity(pen, bodies[number], colors[number], top_speed)
        if forces is not None and drawing.shows("force"):
            draw_force(pen, bodies[number], forces[number])
    if not pen.is_torus:  # bodies that are drawn larger than they are overlap the walls
        canvas.clip()
    for number in np.argsort(active, kind="stable").tolist():  # vehicles above the captured
        if active[number]:
            draw_vehicle(pen, bodies[number], pen.sides[number])
        else:
            draw_caught(pen, bodies[number])
    canvas.clip()
    if drawing.shows("names"):
        write_names(pen, record, names, annotations)
    if drawing.shows("score"):
        write_score(pen, record)
        if pen.config.arena.kind == "open":
            draw_legend(pen, names)


def draw_capture_radii(pen: Pen, positions: NDArray[np.complex128]) -> None:
    """Draws the capture radius around each pursuer."""
    color, radius = pen.colors.of(PURSUER), pen.config.capture_radius
    for place in positions[: pen.config.pursuers].tolist():
        pen.disc(color, place, radius, 0.14)
        pen.ring(color, place, radius, 0.55)


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
