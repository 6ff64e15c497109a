"""Draws one moment of a game: the arena or its map, the players, and their annotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import DrawingConfig, Points
from steer_env.game.config import Game
from steer_env.game.state import map_of
from steer_env.maps.map import Map
from steer_env.maps.polygons import area_of, complexes
from steer_env.rendering.annotations import Annotations, annotated
from steer_env.rendering.marks import EDGE, LINES, MARGIN, MARKS, NUMBERS, OUTLINES
from steer_env.rendering.picture import Picture, View, sides_of
from steer_env.rendering.recording import Status
from steer_env.rendering.texts import LabelPlaces, fitted, fitted_names, width_of
from steer_env.sides import PURSUER, Side
from steer_env.steering.vectors import truncate

_TRAIL_POINTS = 200  # at most; some are left out if steps are very short
_LONGEST_MITER = 4.0  # squared: how much farther than its sides a sharp corner is moved
_BESIDE_VEHICLES = (-1j, 1j, 1 + 0j, -1 + 0j)  # where names are best: below, above, on a side
LINE = 1.45  # from one line of a column to the next, in sizes of the font


class Moment(NamedTuple):
    """The contents of a picture of a game."""

    config: Game
    record: np.void  # of the state
    annotations: Sequence[Annotations] = ()  # of each player, or none
    forces: Points | None = None  # (players,), in newtons, drawn if finite
    trail: Points | None = None  # (moments, players), oldest first, in meters
    names: tuple[str, str] = ("pursuer", "evader")


def picture_of(
    view: View, drawing: DrawingConfig, moment: Moment, before: Picture | None = None
) -> Picture:
    """The picture of a moment, with the ground of the one ``before`` if it is the same."""
    ground = None if before is None else before.ground
    record, world = moment.record, map_of(moment.config, moment.record)
    key = (view, drawing, moment.names, record["obstacles"].tobytes(), world)
    if ground is None or ground.key != key:
        ground = Picture(view, drawing, key=key)
        draw_arena(ground, moment.config, record)
        if drawing.shows("score") and view.region.is_bounded:  # in the open it is on top
            _draw_legend(ground, moment.names)
    picture = Picture(view, drawing, ground)
    _draw_players(picture, moment)
    return picture


def draw_arena(picture: Picture, config: Game, record: np.void) -> None:
    """Draws ground, grid, a scenario's zones, obstacles and walls."""
    view, colors = picture.view, picture.colors
    (corner, opposite), is_bounded = view.ground, view.region.is_bounded
    picture.add("fill", colors.background if is_bounded else colors.ground)
    if is_bounded:
        picture.add("rectangle", colors.ground, corner, opposite)
    _draw_grid(picture, corner, opposite)
    picture.clip_to_arena()
    for zone in config.zones:
        corners = view.to_pixels(np.array(zone))
        picture.add("polygon", colors.obstacle, corners, LINES["zone"].opacity)
    for center, radius in record["obstacles"].tolist():
        if radius > 0.0:
            picture.disc(colors.obstacle, "solid", center, radius)
    picture.add("clip")
    if (world := map_of(config, record)) is not None:
        draw_map(picture, world)
    elif is_bounded:
        _draw_border(picture)


def _draw_players(picture: Picture, moment: Moment) -> None:
    config, record, _, forces, trail, names = moment
    view, shows, sides = picture.view, picture.drawing.shows, sides_of(config)
    colors = [*map(picture.colors.of, sides)]
    bodies, active = record["players"]["body"], record["players"]["active"].tolist()
    picture.clip_to_arena()
    if shows("capture"):
        draw_capture_radii(picture, config, bodies["position"])
    _draw_marks(picture, moment, "ranges")
    if trail is not None and len(trail) > 1 and shows("trail"):
        every = -(-len(trail) // _TRAIL_POINTS)
        trail = trail[(len(trail) - 1) % every :: every]
        for number, color in enumerate(colors):
            picture.trail(color, "trail", trail[:, number])
    _draw_marks(picture, moment, "senses")
    top_speed = float(bodies["max_speed"].max())
    for number in np.flatnonzero(active).tolist():
        body = bodies[number]
        if shows("velocity"):
            share = complex(body["velocity"]) / max(top_speed, 1e-9)
            picture.arrow(colors[number], "velocity", body, share)
        if forces is not None and shows("force"):
            share = complex(forces[number]) / max(float(body["max_force"]), 1e-9)
            picture.arrow(picture.colors.force, "force", body, truncate(share, 1.0))
    if not view.region.wraps:  # bodies that are drawn larger than they are overlap the walls
        picture.add("clip")
    draw_vehicles(picture, config, record["players"])
    picture.add("clip")
    if shows("names"):
        _write_names(picture, moment)
    if shows("score"):
        _write_score(picture, config, record)
        if not view.region.is_bounded:
            _draw_legend(picture, names)


def _draw_marks(picture: Picture, moment: Moment, group: str) -> None:
    if not moment.annotations:
        return
    shown = [row for row in MARKS[group] if picture.drawing.shows(row[0])]
    players, sides = moment.record["players"], sides_of(moment.config)
    for player, own, side in zip(players, moment.annotations, sides):
        vehicle = complex(player["body"]["position"]), complex(player["body"]["heading"])
        for name, kind, places, line in shown:
            if name in own:
                is_own = name != "apollonius"
                color = picture.colors.of(side) if is_own else picture.colors.apollonius
                parts = *vehicle, *own[name]
                getattr(picture, kind)(color, line, *(parts[place] for place in places))


def draw_vehicles(picture: Picture, config: Game, players: NDArray[np.void]) -> None:
    """Draws all vehicles, the captured below the others."""
    is_shown, sides = players["active"] | config.reached(players), sides_of(config)
    for number in np.argsort(is_shown, kind="stable").tolist():
        side = sides[number]
        name = side.name if is_shown[number] else "caught"
        picture.vehicle(players[number]["body"], name, picture.colors.of(side))


def draw_capture_radii(picture: Picture, config: Game, positions: Points) -> None:
    """Draws around each pursuer the radius within which it catches."""
    color, radius = picture.colors.of(PURSUER), config.capture_circle
    for place in positions[: config.pursuers].tolist() if radius else ():
        picture.disc(color, "capture area", place, radius)
        picture.ring(color, "capture", place, radius)


def _draw_grid(picture: Picture, corner: complex, opposite: complex) -> None:
    """Draws the grid through the origin, with lines on whole pixels so that they are sharp."""
    view, color = picture.view, picture.colors.grid
    spacing = view.grid_spacing
    low, high = view.to_world(corner) / spacing, view.to_world(opposite) / spacing
    for number in range(math.ceil(low.real), math.floor(high.real) + 1):
        column = math.floor(view.to_pixel(number * spacing).real)
        start, end = complex(column, corner.imag), complex(column + 1, opposite.imag)
        picture.add("rectangle", color, start, end)
    for number in range(math.ceil(high.imag), math.floor(low.imag) + 1):
        row = math.floor(view.to_pixel(number * spacing * 1j).imag)
        start, end = complex(corner.real, row), complex(opposite.real, row + 1)
        picture.add("rectangle", color, start, end)


def _draw_border(picture: Picture) -> None:
    """Draws solid walls, or dashes on a torus that vehicles cross."""
    view, width = picture.view, LINES["border"].width * picture.stroke
    # Just outside the arena, so that vehicles touch the wall but do not overlap it.
    outline = view.region.outline(width / 2 / view.scale)
    pieces = 2 * int(NUMBERS["border dashes"]) + 1 if view.region.wraps else 1
    opacities = np.ones(pieces)
    opacities[1::2] = 0.0
    for start, end in pairwise(outline):
        places = view.to_pixels(np.linspace(start, end, pieces + 1))
        picture.add("path", picture.colors.wall, places, width, opacities)


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


class Rows(NamedTuple):
    """The place of texts, in pixels."""

    start: float  # first column
    end: float  # last column
    above: float  # row of the score, or of its first line
    below: float  # row of the legend, or of its last line
    is_column: bool  # whether the texts are lines, one below the other, beside the arena


def rows_of(picture: Picture) -> Rows:
    """The place of texts in a view that has room for them."""
    view, strip = picture.view, MARGIN * picture.view.side
    if not view.region.is_bounded:
        return Rows(strip, view.width - strip, strip / 2, view.height - strip / 2, False)
    corner, opposite = view.ground
    if view.width - opposite.real > corner.real + 1.0:
        size, end = view.size("text"), view.width - EDGE * view.side
        start = opposite.real + 0.9 * size
        return Rows(start, end, corner.imag + size / 2, opposite.imag - size / 2, True)
    above, below = corner.imag - strip / 2, opposite.imag + strip / 2
    return Rows(corner.real, opposite.real, above, below, False)


def _draw_legend(picture: Picture, names: tuple[str, str]) -> None:
    faint, size, rows = picture.colors.faint, picture.view.size("text"), rows_of(picture)
    scale = f"grid {picture.view.grid_spacing:g} m"
    radius = 0.36 * size
    if rows.is_column:
        room = rows.end - rows.start - 2.6 * radius
        for line, side in ((2, Side.PURSUER), (1, Side.EVADER)):
            name = fitted(names[side], size, room, in_middle=True)
            place = complex(rows.start, rows.below - line * LINE * size)
            _write_entry(picture, name, side, place, size)
        picture.text(scale, faint, complex(rows.start, rows.below), size)
        return
    column, room = rows.start, rows.end - rows.start - 2 * 2.6 * radius - 0.9 * size
    for side, name in zip(Side, fitted_names(names, size, room)):
        place = complex(column, rows.below)
        column += _write_entry(picture, name, side, place, size) + 0.9 * size
    if column + width_of(scale, size) < rows.end:
        picture.text(scale, faint, complex(rows.end, rows.below), size, 1.0)


def _write_entry(picture: Picture, name: str, side: Side, place: complex, size: float) -> float:
    """Writes a side's name behind its symbol, and returns the width of both."""
    radius, color = 0.36 * size, picture.colors.of(side)
    picture.add("polygon", color, place + radius + radius * np.conj(OUTLINES[side]))
    return 2.6 * radius + picture.text(name, color, place + 2.6 * radius, size)


def _write_score(picture: Picture, config: Game, record: np.void) -> None:
    """Writes time, captures and, as far as there is room, the (mean) distance."""
    ink, rows, size = picture.colors.ink, rows_of(picture), picture.view.size("text")
    game, captured = record["game"], int(record["game"]["captured"])
    seconds = f"{game['steps'] * config.dt:.1f} s"
    caught = f"caught {captured} of {config.evaders}"
    if config.evaders == 1:
        is_safe = config.reached(record["players"]).any()
        caught = "caught" if captured else "in the target" if is_safe else "still free"
    declared = Status(record, config).declared
    room = rows.end - rows.start - width_of(seconds, size) - size
    caught = fitted(declared, size, room) or caught
    word = "distance" if config.evaders == 1 else "mean distance"
    distance = f"{word} {game['distance']:.1f} m" if captured < config.evaders else ""
    if rows.is_column:
        for line, text in enumerate((seconds, caught, distance)):
            place = complex(rows.start, rows.above + line * LINE * size)
            picture.text(text, ink, place, size, room=rows.end - rows.start)
        return
    start = rows.start + 0.5 * size
    start += picture.text(seconds, ink, complex(rows.start, rows.above), size)
    wide = width_of(caught, size)
    if start + wide < rows.end:
        picture.text(caught, ink, complex(rows.end, rows.above), size, 1.0)
    half, middle = width_of(distance, size) / 2, (rows.start + rows.end) / 2
    if start < middle - half and middle + half < rows.end - wide - 0.5 * size:
        picture.text(distance, ink, complex(middle, rows.above), size, 0.5)


def _write_names(picture: Picture, moment: Moment) -> None:
    """Writes names beside `annotated` vehicles as far as there is room in the arena."""
    view, size, sides = picture.view, picture.view.size("name"), sides_of(moment.config)
    bodies, shows = moment.record["players"]["body"], picture.drawing.shows
    middles = view.to_pixels(bodies["position"])
    radii = [view.drawn_radius(radius) * view.scale for radius in bodies["radius"].tolist()]
    edges = middles[:, np.newaxis] + np.outer(radii, np.exp(2j * np.pi * np.arange(8) / 8))
    crosses = [
        view.to_pixel(picture.crosshair_place(own["aim"][0]))
        for own in moment.annotations
        if "aim" in own and shows("aim")
    ]
    corner, opposite = view.ground
    if not view.region.is_bounded and shows("score"):  # which is in it
        strip = 1j * MARGIN * view.side
        corner, opposite = corner + strip, opposite - strip
    places = LabelPlaces(corner, opposite, np.append(edges.ravel(), crosses))
    for number in annotated(moment.record, moment.config.pursuers):
        side = sides[number]
        label = moment.names[side]
        if sides.count(side) > 1:
            label = f"{label} {number - sides.index(side) + 1}"
        extent = complex(width_of(label, size), size)
        others = np.delete(middles, number)
        point, reach = complex(middles[number]), radii[number]
        place = places.add(
            point, extent, others, reach=reach, first=_BESIDE_VEHICLES, or_near_others=True
        )
        if place is not None:
            picture.text(label, picture.colors.of(side), place, size, 0.5, has_rim=True)
