"""Draws a decision as arrows, each from the tip of the one before to its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steer_env.drawing import PART_COLORS, Color, DrawingConfig
from steer_env.rendering.canvas import Canvas
from steer_env.sides import Side
from steer_env.watch.decisions import Decision
from steer_env.watch.places import Rectangle

_SHORTEST = 2.0  # pixels: shorter arrows are left out


def part_color(drawing: DrawingConfig, part: str, side: Side) -> Color:
    """The color of a part of a script's force."""
    return PART_COLORS[drawing.theme].get(part, drawing.colors.of(side))


def arrows_of(
    decision: Decision, drawing: DrawingConfig, side: Side
) -> Iterator[tuple[Color, complex]]:
    """The colors and forces of a script's parts, or of a policy's action, in newtons."""
    if decision.action is not None:
        force = decision.action * decision.heading * decision.max_force
        yield drawing.colors.of(side), force
    for share in decision.shares:
        yield part_color(drawing, share.part, side), share.added


def draw_decision(
    canvas: Canvas,
    drawing: DrawingConfig,
    decision: Decision,
    side: Side,
    start: complex,
    scale: float,
    room: Rectangle,
    size: float,
) -> None:
    """Draws the force as a broad line, and the arrows that it is made of over it.

    Args:
        canvas: canvas to draw on.
        drawing: theme.
        decision: what to draw.
        side: of the player.
        start: of the first arrow, in pixels.
        scale: pixels for a newton.
        room: what arrows stay in.
        size: of the panel's font, in pixels, for the widths of lines.
    """
    canvas.clip(room.corner, room.opposite)
    force = start + scale * decision.force.conjugate()
    if abs(force - start) >= _SHORTEST:
        canvas.line(drawing.colors.force, start, force, 0.5 * size, 0.45)
    tail = start
    for color, part in arrows_of(decision, drawing, side):
        tip = tail + scale * part.conjugate()
        _draw_arrow(canvas, color, tail, tip, 0.17 * size)
        tail = tip
    canvas.clip()


def _draw_arrow(
    canvas: Canvas, color: Color, tail: complex, tip: complex, width: float
) -> None:
    """Draws an arrow with a filled head, all in pixels."""
    length = abs(tip - tail)
    if length < _SHORTEST:
        return
    along = (tip - tail) / length
    head = min(4.0 * width, 0.6 * length)
    canvas.line(color, tail, tip - 0.8 * head * along, width)
    corners = np.array([tip, tip - head * along * (1 + 0.5j), tip - head * along * (1 - 0.5j)])
    canvas.polygon(color, corners)
