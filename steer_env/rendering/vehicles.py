"""Draws vehicles: pursuers are darts, evaders drops, so shapes differ as colors do."""

from __future__ import annotations

import cmath
import math

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color
from steer_env.rendering.camera import View
from steer_env.rendering.pen import Pen
from steer_env.sides import Side
from steer_env.steering.vectors import truncate

_LEAST_RADIUS = 0.019  # of the picture's side: smaller vehicles are not visible
_LEAST_PIXELS = 4.5  # of small pictures: the smallest radius
_CAUGHT = 1.5  # radii: size of the mark of a captured evader
_ARROW = 0.075  # of the picture's side: an arrow at top speed, or of the largest force
_BARB = 0.011  # of the picture's side
_SHORTEST_ARROW = 0.004  # of the picture's side: shorter arrows are left out


def _drop() -> NDArray[np.complex128]:
    """A disc, and the tangents to it from the nose."""
    center, radius, nose = -0.18, 0.7, 1.05
    touch = math.acos(radius / (nose - center))
    angles = np.linspace(touch, 2 * math.pi - touch, 11)
    return np.append(center + radius * np.exp(1j * angles), nose + 0j)


_TAIL = cmath.rect(1.0, 2.4)
_DART = np.array([1.05 + 0j, _TAIL, -0.32 + 0j, _TAIL.conjugate()])

OUTLINES = {Side.PURSUER: _DART, Side.EVADER: _drop()}
"""The corners of each side's vehicles, in radii of the body, heading along +x."""


def drawn_radius(view: View, radius: float) -> float:
    """A body's radius in meters, or the smallest visible one."""
    return max(float(radius), max(_LEAST_RADIUS * view.side, _LEAST_PIXELS) / view.scale)


def draw_vehicle(pen: Pen, body: np.void, side: Side, is_hollow: bool = False) -> None:
    """Draws a vehicle in its side's color with a rim; if hollow, its outline, a bit smaller."""
    color, rim, size = pen.colors.of(side), pen.colors.ground, 1.0
    if is_hollow:
        color, rim, size = rim, color, 0.85
    radius = size * drawn_radius(pen.view, body["radius"])
    corners = radius * complex(body["heading"]) * OUTLINES[side]
    pen.polygon(color, rim, complex(body["position"]), corners)


def draw_caught(pen: Pen, body: np.void) -> None:
    """Draws a circle, crossed out, in place of a captured evader.

    It is larger than a vehicle, and drawn before vehicles, so that one on it hides neither.
    """
    place, radius = complex(body["position"]), _CAUGHT * drawn_radius(pen.view, body["radius"])
    color = pen.colors.of(Side.EVADER)
    pen.disc(pen.colors.ground, place, radius)
    pen.ring(color, place, radius, width=2.0)
    for arm in (0.7 + 0.7j, 0.7 - 0.7j):
        pen.line(color, place - radius * arm, place + radius * arm, width=2.0)


def draw_velocity(pen: Pen, body: np.void, color: Color, top_speed: float) -> None:
    """Draws a light arrow from the edge of the body."""
    velocity = complex(body["velocity"]) / max(top_speed, 1e-9)
    _draw_arrow(pen, body, color, velocity, opacity=0.65, width=1.3)


def draw_force(pen: Pen, body: np.void, force: complex) -> None:
    """Draws an arrow for the steering force, as a share of the largest one."""
    share = truncate(complex(force) / max(float(body["max_force"]), 1e-9), 1.0)
    _draw_arrow(pen, body, pen.colors.force, share, opacity=1.0, width=2.0)


def _draw_arrow(
    pen: Pen, body: np.void, color: Color, share: complex, opacity: float, width: float
) -> None:
    """Draws an arrow of a share of the longest length, from the edge of the body."""
    view = pen.view
    if not abs(share) * _ARROW > _SHORTEST_ARROW:
        return
    direction = share / abs(share)
    start = complex(body["position"]) + drawn_radius(view, body["radius"]) * direction
    tip = start + share * _ARROW * view.side / view.scale
    longest = 0.6 * abs(tip - start)  # a short arrow has a small head
    barb = cmath.rect(min(_BARB * view.side / view.scale, longest), 2.6)
    left, right = tip + direction * barb, tip + direction * barb.conjugate()
    pen.path(color, (start, tip, left, tip, right), opacity, width)
