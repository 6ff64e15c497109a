"""Draws a decision as arrows, each from the tip of the one before to its own."""

from __future__ import annotations

import cmath
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from steer_env.drawing import PART_COLORS, Color, DrawingConfig
from steer_env.interface.grid import Rectangle
from steer_env.rendering.camera import rounded_up
from steer_env.rendering.canvas import Canvas, Places
from steer_env.rendering.label_places import LabelPlaces
from steer_env.rendering.texts import write_with_rim
from steer_env.rendering.vehicles import OUTLINES
from steer_env.sides import Side
from steer_env.watch.decisions import Decision

_SHORTEST = 2.0  # pixels: shorter arrows are left out
_NAMED = 14.0  # pixels: shorter arrows have no name
_STEP = 4.0  # pixels between the points of an arrow that names keep away from
_LEAST = 0.1  # newtons: the smallest circle
_ALL_AROUND = 72  # points of the circle


class Arrow(NamedTuple):
    """A named force, in newtons, of the arena's frame."""

    name: str
    color: Color
    force: complex


def part_color(drawing: DrawingConfig, part: str, side: Side) -> Color:
    """The color of a part of a script's force."""
    return PART_COLORS[drawing.theme].get(part, drawing.colors.of(side))


def arrows_of(decision: Decision, drawing: DrawingConfig, side: Side) -> list[Arrow]:
    """What a decision is made of: the shares of a script's parts, or a policy's action."""
    if decision.action is not None:
        force = decision.action * decision.heading * decision.max_force
        return [Arrow("action", drawing.colors.of(side), force)]
    return [
        Arrow(share.name, part_color(drawing, share.part, side), share.added)
        for share in decision.shares
    ]


class ForceArrows:
    """Draws the arrows of a decision from a point.

    Args:
        canvas: canvas to draw on.
        drawing: theme.
        decision: what to draw.
        side: of the player.
        size: of the font of names, in pixels.
        has_names: whether to write the names.
    """

    def __init__(
        self,
        canvas: Canvas,
        drawing: DrawingConfig,
        decision: Decision,
        side: Side,
        size: float,
        has_names: bool = True,
    ) -> None:
        self._canvas, self._drawing, self._decision = canvas, drawing, decision
        self._side, self._size, self._has_names = side, size, has_names
        self._arrows = arrows_of(decision, drawing, side)

    def draw(self, start: complex, scale: float, room: Rectangle, obstacles: Places) -> None:
        """Draws the force as a broad line, and the arrows over it, with their names.

        Args:
            start: of the first arrow, in pixels.
            scale: pixels for a newton.
            room: what arrows and names stay in.
            obstacles: points that names keep away from, (points,).
        """
        canvas, colors = self._canvas, self._drawing.colors
        canvas.clip(room.corner, room.opposite)
        force = start + scale * self._decision.force.conjugate()
        if abs(force - start) >= _SHORTEST:
            canvas.line(colors.force, start, force, 0.5 * self._size, 0.45)
        ends = [(arrow, *pair) for arrow, pair in zip(self._arrows, self._pieces(start, scale))]
        for arrow, tail, tip in ends:
            draw_arrow(canvas, arrow.color, tail, tip, 0.17 * self._size)
        lines = [np.linspace(a, b, 2 + int(abs(b - a) / _STEP)) for _, a, b in ends]
        places = LabelPlaces(room.corner, room.opposite, np.concatenate([*lines, obstacles]))
        for arrow, tail, tip in ends if self._has_names else ():
            if abs(tip - tail) >= _NAMED:
                extent = complex(canvas.text_width(arrow.name, self._size), self._size)
                place = places.add((tail + tip) / 2, extent, np.zeros(0, complex))
                if place is not None:
                    ground = colors.ground
                    write_with_rim(canvas, arrow.name, arrow.color, ground, place, self._size)
        canvas.clip()

    def _pieces(self, start: complex, scale: float) -> Iterator[tuple[complex, complex]]:
        for arrow in self._arrows:
            end = start + scale * arrow.force.conjugate()
            yield start, end
            start = end

    def draw_diagram(self, place: Rectangle, panel: Rectangle) -> None:
        """Draws the arrows in a circle of the largest force or, for small ones, of a round one.

        Args:
            place: of the diagram; parts of it may be outside the panel.
            panel: what is drawn in.
        """
        canvas, colors, decision = self._canvas, self._drawing.colors, self._decision
        middle = (place.corner + place.opposite) / 2
        radius = 0.5 * min(place.width, place.height) - 0.8 * self._size
        reach = max([abs(end) for _, end in self._pieces(0j, 1.0)], default=0.0)
        largest = decision.max_force
        shown = rounded_up(max(reach, _LEAST))
        if shown > largest / 2:
            shown = largest
        scale = radius / max(shown, reach)
        ring = scale * shown
        canvas.ring(colors.faint, middle, ring, 1.2)
        for arm in (1, 1j):
            canvas.line(colors.grid, middle - ring * arm, middle + ring * arm, 1.0)
        text = f"{shown:g} N" if shown == largest else f"{shown:g} of {largest:g} N"
        label = middle + ring * cmath.rect(1.0, 0.25 * cmath.pi) + 0.4 * self._size * (1 + 1j)
        canvas.text(text, colors.faint, label, self._size)
        vehicle = middle + 0.55 * self._size * np.conj(decision.heading * OUTLINES[self._side])
        canvas.polygon(self._drawing.colors.of(self._side), vehicle, 0.35)
        circle = middle + ring * np.exp(2j * np.pi * np.arange(_ALL_AROUND) / _ALL_AROUND)
        written = label + np.linspace(0.0, canvas.text_width(text, self._size), 8)
        top, bottom = max(place.top, panel.top + 2), min(place.bottom, panel.bottom - 2)
        room = Rectangle(place.left, top, place.width, max(bottom - top, 0))
        self.draw(middle, scale, room, np.concatenate([circle, written]))


def draw_arrow(canvas: Canvas, color: Color, tail: complex, tip: complex, width: float) -> None:
    """Draws an arrow with a filled head, all in pixels."""
    length = abs(tip - tail)
    if length < _SHORTEST:
        return
    along = (tip - tail) / length
    head = min(4.0 * width, 0.6 * length)
    canvas.line(color, tail, tip - 0.8 * head * along, width)
    corners = np.array([tip, tip - head * along * (1 + 0.5j), tip - head * along * (1 - 0.5j)])
    canvas.polygon(color, corners)
