"""Draws vehicles, darts and drops, and around them what their scripts attend to."""

from __future__ import annotations

import cmath
import math

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color
from steer_env.rendering.annotations import Annotations
from steer_env.rendering.camera import Pen, View, ground_of
from steer_env.sides import Side

_ARROW = 0.075  # of the picture's side: an arrow at top speed, or of the largest force


def _drop() -> NDArray[np.complex128]:
    """A disc, and the tangents to it from the nose."""
    center, radius, nose = -0.18, 0.7, 1.05
    touch = math.acos(radius / (nose - center))
    angles = np.linspace(touch, 2 * math.pi - touch, 11)
    return np.append(center + radius * np.exp(1j * angles), nose + 0j)


_TAIL = cmath.rect(1.0, 2.4)
_DART = np.array([1.05 + 0j, _TAIL, -0.32 + 0j, _TAIL.conjugate()])

# The corners of each side's vehicles, in radii of the body, heading along +x.
OUTLINES = {Side.PURSUER: _DART, Side.EVADER: _drop()}


def drawn_radius(view: View, radius: float) -> float:
    """A body's radius in meters, or the smallest visible one."""
    return max(float(radius), max(0.019 * view.side, 4.5) / view.scale)


def draw_vehicle(pen: Pen, body: np.void, side: Side, is_hollow: bool = False) -> None:
    """Draws a vehicle in its side's color with a rim, or hollow and a bit smaller."""
    color, rim, size = pen.colors.of(side), pen.colors.ground, 1.0
    if is_hollow:
        color, rim, size = rim, color, 0.85
    radius = size * drawn_radius(pen.view, body["radius"])
    corners = radius * complex(body["heading"]) * OUTLINES[side]
    pen.polygon(color, rim, complex(body["position"]), corners)


def draw_caught(pen: Pen, body: np.void) -> None:
    """Draws a circle, crossed out, for a captured evader: larger than a vehicle on it."""
    place, radius = complex(body["position"]), 1.5 * drawn_radius(pen.view, body["radius"])
    color = pen.colors.of(Side.EVADER)
    pen.disc(pen.colors.ground, place, radius)
    pen.ring(color, place, radius, width=2.0)
    for arm in (0.7 + 0.7j, 0.7 - 0.7j):
        pen.line(color, place - radius * arm, place + radius * arm, width=2.0)


def draw_vehicles(pen: Pen, players: NDArray[np.void]) -> None:
    """Draws all vehicles, the captured below the others."""
    is_shown = players["active"] | pen.config.reached(players)
    for number in np.argsort(is_shown, kind="stable").tolist():
        if is_shown[number]:
            draw_vehicle(pen, players[number]["body"], pen.sides[number])
        else:
            draw_caught(pen, players[number]["body"])


def draw_arrow(
    pen: Pen, body: np.void, color: Color, share: complex, opacity: float, width: float
) -> None:
    """Draws an arrow of a share of the longest length, from the edge of the body."""
    view = pen.view
    if not abs(share) * _ARROW > 0.004:
        return  # too short to be seen
    direction = share / abs(share)
    start = complex(body["position"]) + drawn_radius(view, body["radius"]) * direction
    tip = start + share * _ARROW * view.side / view.scale
    longest = 0.6 * abs(tip - start)  # a short arrow has a small head
    barb = cmath.rect(min(0.011 * view.side / view.scale, longest), 2.6)
    left, right = tip + direction * barb, tip + direction * barb.conjugate()
    pen.path(color, (start, tip, left, tip, right), opacity, width)


_UP = complex("nan")  # interrupts a path


def draw_ranges(pen: Pen, body: np.void, annotations: Annotations, color: Color) -> None:
    """Draws the circles around a player, under everything that moves."""
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
        _draw_crosshair(pen, annotations.aim, color)


def _draw_field_of_view(
    pen: Pen, body: np.void, radius: float, half_angle: float, color: Color
) -> None:
    place, heading = complex(body["position"]), complex(body["heading"])
    if half_angle >= np.pi:
        pen.ring(color, place, radius, 0.4)
        return
    turns = np.exp(1j * np.linspace(-half_angle, half_angle, 65))
    pen.path(color, [place, *(place + radius * heading * turns), place], 0.4)


def _draw_crosshair(pen: Pen, place: complex, color: Color) -> None:
    reach = _half_cross(pen)
    half = reach * pen.view.scale  # pixels
    for middle in pen.images(crosshair_place(pen, place), 1.35 * reach):
        hairs: list[complex] = []
        for arm in (1, 1j, -1, -1j):
            hairs += (middle + 0.35 * half * arm, middle + 1.35 * half * arm, _UP)
        points, opacities = np.array(hairs), np.ones(len(hairs) - 1)
        for shade, width in ((pen.colors.ground, 3.2), (color, 1.5)):
            pen.canvas.path(shade, points, width * pen.stroke, opacities)
        pen.canvas.ring(color, middle, 0.75 * half, 1.5 * pen.stroke)
        pen.canvas.disc(color, middle, 1.7 * pen.stroke)


def crosshair_place(pen: Pen, place: complex) -> complex:
    """The place of the crosshair of a point, in meters, at the edge if that is outside."""
    if pen.region.wraps:
        return pen.region.wrap(place)
    inset = 1.5 * _half_cross(pen)
    corner, opposite = map(pen.view.to_world, ground_of(pen.view, pen.config))
    across = min(max(place.real, corner.real + inset), opposite.real - inset)
    return complex(across, min(max(place.imag, opposite.imag + inset), corner.imag - inset))


def _half_cross(pen: Pen) -> float:
    """Half the length of a hair line through a crosshair, in meters."""
    return max(0.013 * pen.view.side, 4.5) / pen.view.scale
