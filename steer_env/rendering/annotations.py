"""Draws the annotations of scripts: where they aim, how far they look, what they detect."""

from __future__ import annotations

import numpy as np

from steer_env.drawing import Color
from steer_env.game.annotations import Annotations
from steer_env.rendering.camera import ground_of
from steer_env.rendering.pen import Pen
from steer_env.steering.vectors import wrap

_CROSS = 0.013  # of the picture's side: half a crosshair
_LEAST_CROSS = 4.5  # pixels
_ARC_POINTS = 65  # of the edge of a field of view
_UP = complex("nan")  # interrupts a path


def draw_ranges(pen: Pen, body: np.void, annotations: Annotations, color: Color) -> None:
    """Draws the circles around a player; they lie under everything that moves."""
    place = complex(body["position"])
    if annotations.threat_range is not None and pen.drawing.shows("threat"):
        pen.ring(color, place, annotations.threat_range, 0.55, is_dashed=True)
    if annotations.apollonius is not None and pen.drawing.shows("apollonius"):
        center, radius = annotations.apollonius
        pen.ring(pen.colors.apollonius, center, radius, 0.85, width=1.2)
    if annotations.field_of_view is not None and pen.drawing.shows("view"):
        _draw_field_of_view(pen, body, *annotations.field_of_view, color)


def draw_senses(pen: Pen, body: np.void, annotations: Annotations, color: Color) -> None:
    """Draws what a player steers by: feelers, wander circle, corridor, and its aim."""
    place, heading = complex(body["position"]), complex(body["heading"])
    if annotations.corridor is not None and pen.drawing.shows("corridor"):
        length, half = annotations.corridor
        left, end = 1j * heading * half, place + heading * length
        pen.path(color, (place + left, end + left, end - left, place - left), 0.45)
    if pen.drawing.shows("feelers"):
        for tip in annotations.feelers:
            pen.line(color, place, tip, 0.5)
            pen.dot(color, tip, 0.7)
    if annotations.wander is not None and pen.drawing.shows("wander"):
        center, radius, target = annotations.wander
        pen.ring(color, center, radius, 0.5)
        pen.line(color, place, target, 0.35)
        pen.dot(color, target)
    if annotations.aim is not None and pen.drawing.shows("aim"):
        if annotations.lead is not None:
            pen.line(color, annotations.lead, annotations.aim, 0.35)
        draw_crosshair(pen, annotations.aim, color)


def _draw_field_of_view(
    pen: Pen, body: np.void, radius: float, half_angle: float, color: Color
) -> None:
    place, heading = complex(body["position"]), complex(body["heading"])
    if half_angle >= np.pi:
        pen.ring(color, place, radius, 0.4)
        return
    turns = np.exp(1j * np.linspace(-half_angle, half_angle, _ARC_POINTS))
    pen.path(color, [place, *(place + radius * heading * turns), place], 0.4)


def draw_crosshair(pen: Pen, place: complex, color: Color) -> None:
    """Draws a ring and four hairs around a point, where `crosshair_place` says."""
    half, place = _half_cross(pen), crosshair_place(pen, place)
    for image in pen.images(place, 1.35 * half):
        draw_cross(pen, image, half * pen.view.scale, color)


def draw_cross(pen: Pen, middle: complex, half: float, color: Color) -> None:
    """Draws a crosshair; its middle and half its size are in pixels."""
    hairs: list[complex] = []
    for arm in (1, 1j, -1, -1j):
        hairs += (middle + 0.35 * half * arm, middle + 1.35 * half * arm, _UP)
    points, opacities = np.array(hairs), np.ones(len(hairs) - 1)
    for shade, width in ((pen.colors.ground, 3.2), (color, 1.5)):
        pen.canvas.path(shade, points, width * pen.stroke, opacities)
    pen.canvas.ring(color, middle, 0.75 * half, 1.5 * pen.stroke)
    pen.canvas.disc(color, middle, 1.7 * pen.stroke)


def crosshair_place(pen: Pen, place: complex) -> complex:
    """Where the crosshair of a point is drawn, in meters.

    A point outside the arena (in the open, outside the picture) has it at the edge; on a
    torus, at its image inside.
    """
    if pen.is_torus:
        return wrap(place, pen.config.arena.half_size)
    inset = 1.5 * _half_cross(pen) * (1 + 1j)
    corner, opposite = map(pen.view.to_world, ground_of(pen.view, pen.config))
    low, high = (
        complex(corner.real, opposite.imag) + inset,
        complex(opposite.real, corner.imag) - inset,
    )
    across = min(max(place.real, low.real), high.real)
    return complex(across, min(max(place.imag, low.imag), high.imag))


def _half_cross(pen: Pen) -> float:
    """Half the length of a hair line through a crosshair, in meters."""
    return max(_CROSS * pen.view.side, _LEAST_CROSS) / pen.view.scale
