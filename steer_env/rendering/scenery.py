"""Draws a map: covers all that is solid, and strokes its walls."""

from __future__ import annotations

from typing import Any

import numpy as np

from steer_env.drawing import Points
from steer_env.maps.map import Map
from steer_env.maps.polygons import area_of, complexes
from steer_env.rendering.marks import LINES
from steer_env.rendering.picture import Picture

_LONGEST_MITER = (
    4.0  # the squared share by which a sharp corner is moved farther than its sides
)


def rings_of(world: Map) -> list[Points]:
    """The corners of the outline and of all solids, with what is solid on the left of sides."""
    outline, *solids = world.polygons
    whole = [(outline, -1.0), *((one, 1.0) for one in solids)]
    return [one if turn * area_of(one) > 0.0 else one[::-1] for one, turn in whole]


def draw_map(picture: Picture, world: Map) -> None:
    """Covers the solid part of the ground, and draws walls in it: vehicles only touch them."""
    view, colors, width = picture.view, picture.colors, LINES["border"].width * picture.stroke
    rings, inset = rings_of(world), width / 2 / view.scale
    low, high = (view.to_world(corner) for corner in view.ground)
    beyond = complex(1, -1) * 2 / view.scale
    low, high = low - beyond, high + beyond
    frame = np.array([low, complex(low.real, high.imag), high, complex(high.real, low.imag)])
    shown = [view.to_pixels(ring) for ring in (frame, *rings)]
    picture.add("area", colors.background, shown)
    lines = [_moved_left(ring, inset) for ring in rings]
    for line in (*(np.append(one, one[0]) for one in lines), *map(complexes, world.walls)):
        picture.add("path", colors.wall, view.to_pixels(line), width, np.ones(len(line) - 1))


def _moved_left(ring: Points, distance: float) -> Points:
    """A polygon with its sides moved to their left, in meters."""
    along = np.roll(ring, -1) - ring
    along /= np.abs(along)
    turn = along + np.roll(along, 1)
    share = np.maximum(0.5 * np.abs(turn) ** 2, 2.0 / _LONGEST_MITER)
    return np.asarray(ring + 1j * distance * turn / share)


def map_on_page(world: Map) -> dict[str, Any]:
    """A map as data for the pages that show games."""
    rings = [np.stack([ring.real, ring.imag], 1).tolist() for ring in rings_of(world)]
    return {"rings": rings, "walls": world.walls}
