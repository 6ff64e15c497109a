"""Draws one game record on a pygame surface of any size.

Everything is drawn several times as large as it is shown and then averaged: that makes
all edges smooth at once, whereas pygame's own anti-aliased shapes round to whole pixels
and tremble when they move.
"""

from __future__ import annotations

import cmath
import math
import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import GameConfig
from steer_env.rendering.backend import import_pygame
from steer_env.steering.vectors import clamp_to_square

Color = tuple[int, int, int]
Pixel = tuple[float, float]

BACKGROUND: Color = (250, 250, 247)
GRID: Color = (236, 236, 231)
WALL: Color = (84, 84, 90)
OBSTACLE: Color = (184, 184, 188)
INK: Color = (64, 64, 70)
FAINT_INK: Color = (150, 150, 154)
PURSUER: Color = (213, 94, 0)  # vermilion and blue: of Okabe and Ito's palette, which
EVADER: Color = (0, 114, 178)  # people with any color vision can tell apart

_MARGIN = 0.07  # of the frame's side, around the arena; the score stands in it
_SMALLEST_VIEW = 16.0  # side of the smallest view of an open arena, in meters
_GRID_CELLS = 12  # at most so many across the view
_LEAST_RADIUS = 0.018  # of the frame's side: smaller vehicles could not be seen
_ARROW = 0.06  # of the frame's side: the velocity arrow at the game's top speed
_DASHES = 24  # along each edge of a torus
_TAIL = cmath.rect(1.0, 2.35)
_VEHICLE = (1 + 0j, _TAIL, -0.35 + 0j, _TAIL.conjugate())  # in radii, heading along +x
_BARBS = (cmath.rect(1.0, 2.6), cmath.rect(1.0, -2.6))  # of the velocity arrow
_X11_NAME = "SDL_VIDEO_X11_WMCLASS"


def load_pygame() -> Any:
    """The module pygame, imported without a trace in os.environ.

    Raises:
        gymnasium.error.DependencyNotInstalled: if it is not installed.
    """
    named = _X11_NAME in os.environ
    pygame = import_pygame()
    if not named:  # under X11, importing pygame sets it
        os.environ.pop(_X11_NAME, None)
    return pygame


class View(NamedTuple):
    """Which part of the plane is drawn, and how large.

    Attributes:
        center: what lies in the frame's middle, in meters.
        scale: pixels a meter.
        width: of the frame, in pixels.
        height: of the frame, in pixels.
    """

    center: complex
    scale: float
    width: int
    height: int

    @property
    def side(self) -> int:
        """The shorter side of the frame, in pixels."""
        return min(self.width, self.height)


def view_of(record: np.void, config: GameConfig, size: tuple[int, int]) -> View:
    """The camera: the whole arena, or in the open a square around all players.

    Args:
        record: one record of the state.
        config: the game.
        size: width and height of the frame, in pixels.
    """
    side = min(size) * (1 - 2 * _MARGIN)
    if config.arena.kind != "open":
        return View(0j, side / config.arena.size, *size)
    places = record["players"]["body"]["position"]
    low = complex(places.real.min(), places.imag.min())
    high = complex(places.real.max(), places.imag.max())
    extent = max((high - low).real, (high - low).imag, _SMALLEST_VIEW)
    return View((low + high) / 2, side / extent, *size)


def world_to_pixel(view: View, position: complex) -> Pixel:
    """Column and row, from the top left corner, of a position in meters (y points up)."""
    offset = (complex(position) - view.center) * view.scale
    return view.width / 2 + offset.real, view.height / 2 - offset.imag


def draw_scene(
    surface: Any,
    record: np.void,
    config: GameConfig,
    *,
    trail: Sequence[NDArray[np.complex128]] = (),
    aims: Sequence[complex | None] = (),
) -> None:
    """Draws a game over the whole of a surface.

    Shown are the arena with a grid, obstacles, the players with their trails and
    velocities, the capture radius of every pursuer, caught evaders (crossed out) and the
    score. On a torus, what lies across an edge shows on both sides.

    Args:
        surface: a pygame Surface of any size; the square scene stands in its middle.
        record: one record of the state.
        config: the game.
        trail: past positions, oldest first, one array (players,) a moment, in meters.
        aims: a point for each player, or None, to be marked with a cross, in meters.

    Raises:
        gymnasium.error.DependencyNotInstalled: without pygame.
    """
    pygame = load_pygame()
    width, height = surface.get_size()
    finer = max(2, min(4, 1800 // max(width, height, 1)))  # the smaller, the more it pays
    large = pygame.Surface((width * finer, height * finer), 0, 32)
    view = view_of(record, config, large.get_size())
    large.fill(BACKGROUND)
    canvas = _Canvas(pygame, large, finer, view, config)
    pursuers = record["players"][: config.pursuers]
    evaders = record["players"][config.pursuers :]

    for pursuer in pursuers:  # under the grid, so that it looks translucent
        canvas.disc(_mix(PURSUER, 0.13), pursuer["body"]["position"], config.capture_radius)
    spacing = _draw_grid(canvas)
    for obstacle in record["obstacles"]:
        if obstacle["radius"] > 0.0:
            canvas.disc(OBSTACLE, obstacle["center"], obstacle["radius"])
    _draw_trails(canvas, trail)
    for pursuer in pursuers:
        place = pursuer["body"]["position"]
        canvas.disc(_mix(PURSUER, 0.55), place, config.capture_radius, canvas.stroke)
    for number, aim in enumerate(aims):
        if aim is not None:
            _draw_cross(canvas, aim, PURSUER if number < config.pursuers else EVADER)
    top_speed = float(record["players"]["body"]["max_speed"].max())
    for player, color in [(p, PURSUER) for p in pursuers] + [(e, EVADER) for e in evaders]:
        if player["active"]:
            _draw_vehicle(canvas, player["body"], color, top_speed)
    for evader in evaders[~evaders["active"]]:  # on top, or their captors would hide them
        _draw_caught(canvas, evader["body"])
    _draw_border(canvas)  # last, for it ends the clipping to the torus

    surface.blit(pygame.transform.smoothscale(large, (width, height)), (0, 0))
    _draw_texts(surface, record, config, spacing)


@lru_cache(maxsize=1024)
def _mix(color: Color, share: float) -> Color:
    """A color of that opacity on the background."""
    red, green, blue = (round(b + (c - b) * share) for b, c in zip(BACKGROUND, color))
    return red, green, blue


class _Canvas:
    """Draws on a surface in meters, on a torus at every image that can be seen."""

    def __init__(self, pygame: Any, surface: Any, finer: int, view: View, config: GameConfig):
        self.pygame, self.surface, self.view, self.config = pygame, surface, view, config
        self.finer = finer  # so many of its pixels make one of the frame, each way
        self.stroke = max(2, round(view.side / 450))  # the usual width of a line
        self.torus = config.arena.kind == "torus"
        if self.torus:  # the images end at the edges, where the others begin
            left, top = world_to_pixel(view, config.arena.half_size * (-1 + 1j))
            side = math.ceil(config.arena.size * view.scale)
            surface.set_clip(math.floor(left), math.floor(top), side + 1, side + 1)

    def images(self, position: complex, reach: float) -> Iterable[complex]:
        """Where to draw something of that extent in meters; often once, or not at all."""
        size, limit = self.config.arena.size, self.config.arena.half_size + reach
        shifts = (0j, size, -size) if self.torus else (0j,)
        for shift_x in shifts:
            for shift_y in shifts:
                image = complex(position) + shift_x + shift_y * 1j
                if not self.torus or max(abs(image.real), abs(image.imag)) < limit:
                    yield image

    def disc(self, color: Color, center: complex, radius: float, width: int = 0) -> None:
        """A disc, or with a width in pixels a ring; nothing if it is out of sight."""
        pixels = max(float(radius) * self.view.scale, 2.0)
        sides = self.view.width + self.view.height  # more than the diagonal
        for image in self.images(center, float(radius)):
            gap = abs(image - self.view.center) * self.view.scale - pixels
            if gap < sides and pixels < 50 * sides:  # pygame is slow at huge circles
                place = world_to_pixel(self.view, image)
                self.pygame.draw.circle(self.surface, color, place, pixels, width)

    def line(self, color: Color, start: complex, end: complex, width: int) -> None:
        """A straight line, `width` pixels wide."""
        step = end - start
        for image in self.images(start, abs(step)):
            ends = (world_to_pixel(self.view, end) for end in (image, image + step))
            self.pygame.draw.line(self.surface, color, *ends, width)

    def polygon(self, color: Color, center: complex, corners: Sequence[complex]) -> None:
        """A filled polygon, its corners as offsets from the center, with a light rim."""
        for image in self.images(center, max(map(abs, corners))):
            outline = [world_to_pixel(self.view, image + corner) for corner in corners]
            self.pygame.draw.polygon(self.surface, BACKGROUND, outline, 2 * self.stroke)
            self.pygame.draw.polygon(self.surface, color, outline)


def _draw_grid(canvas: _Canvas) -> float:
    """Draws the grid through the origin, and returns its spacing in meters."""
    view, arena = canvas.view, canvas.config.arena
    if arena.kind == "open":
        half_x, half_y = view.width / 2 / view.scale, view.height / 2 / view.scale
    else:
        half_x = half_y = arena.half_size
    left, top = world_to_pixel(view, view.center + complex(-half_x, half_y))
    length_x, length_y = math.ceil(2 * half_x * view.scale), math.ceil(2 * half_y * view.scale)
    spacing = _round_spacing(2 * min(half_x, half_y) / _GRID_CELLS)

    # Whole pixels of the frame are crisp, and few colors; a camera that moves needs finer
    # ones, or the grid would jerk.
    snap = 1 if arena.kind == "open" else canvas.finer
    for number in _multiples(spacing, view.center.real, half_x):
        column, _ = world_to_pixel(view, complex(number * spacing, 0))
        canvas.surface.fill(GRID, (column // snap * snap, top, canvas.finer, length_y))
    for number in _multiples(spacing, view.center.imag, half_y):
        _, row = world_to_pixel(view, complex(0, number * spacing))
        canvas.surface.fill(GRID, (left, row // snap * snap, length_x, canvas.finer))
    return spacing


def _multiples(spacing: float, center: float, half: float) -> range:
    """The whole numbers whose multiples of the spacing lie within half of the center."""
    low, high = (center - half) / spacing, (center + half) / spacing
    return range(math.ceil(low), math.floor(high) + 1)


def _round_spacing(least: float) -> float:
    """The smallest of ... 0.5, 1, 2, 5, 10, 20 ... that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least)


def _draw_border(canvas: _Canvas) -> None:
    """Solid walls; dashes for a torus, whose edges stop nobody; nothing in the open."""
    arena, view, width = canvas.config.arena, canvas.view, 2 * canvas.stroke
    canvas.surface.set_clip(None)
    if arena.kind == "open":
        return
    # Just outside the arena, so that vehicles touch the wall and do not sink into it.
    half = arena.half_size + width / 2 / view.scale
    if arena.kind == "walls":
        pieces = [(complex(-1, 1), complex(1 + width / 2 / view.scale / half, 1))]
    else:
        edges = np.linspace(-1.0, 1.0, 4 * _DASHES + 1)
        pieces = [(complex(a, 1), complex(b, 1)) for a, b in zip(edges[1::4], edges[3::4])]
    for turn in (1, 1j, -1, -1j):
        for piece in pieces:
            ends = (world_to_pixel(view, half * turn * end) for end in piece)
            canvas.pygame.draw.line(canvas.surface, WALL, *ends, width)


def _draw_trails(canvas: _Canvas, trail: Sequence[NDArray[np.complex128]]) -> None:
    """Lines that fade into the past, so that turns and speeds can be compared."""
    if len(trail) < 2:
        return
    places = np.asarray(trail)
    starts, steps = places[:-1], np.diff(places, axis=0)
    layers = [starts]
    if canvas.torus:  # the short way, once from where it starts and once to where it ends
        size = canvas.config.arena.size
        steps.real -= size * np.round(steps.real / size)
        steps.imag -= size * np.round(steps.imag / size)
        layers.append(places[1:] - steps)
    width = round(1.4 * canvas.stroke)
    draw_line, surface = canvas.pygame.draw.line, canvas.surface
    moved = (steps != 0).tolist()
    for layer in layers:
        columns = zip(_pixels(canvas.view, layer), _pixels(canvas.view, layer + steps), moved)
        for moment, row in enumerate(columns):
            share = 0.8 * (moment + 1) / len(moved)
            colors = _mix(PURSUER, share), _mix(EVADER, share)
            for number, (start, end, is_move) in enumerate(zip(*row)):
                if is_move:
                    color = colors[number >= canvas.config.pursuers]
                    draw_line(surface, color, start, end, width)


def _pixels(view: View, positions: NDArray[np.complex128]) -> list[list[Pixel]]:
    """`world_to_pixel` of a whole array (moments, players) at once."""
    offsets = np.conj(positions - view.center) * view.scale
    pixels = offsets + complex(view.width / 2, view.height / 2)
    rows: list[list[Pixel]] = pixels.view(np.float64).reshape(*positions.shape, 2).tolist()
    return rows


def _draw_vehicle(canvas: _Canvas, body: np.void, color: Color, top_speed: float) -> None:
    """An arrowhead that fills the body's circle, and an arrow for the velocity."""
    view = canvas.view
    place, heading = complex(body["position"]), complex(body["heading"])
    radius = _drawn_radius(view, body)
    velocity = complex(body["velocity"]) / max(top_speed, 1e-9)
    arrow = velocity * _ARROW * view.side / view.scale
    if abs(arrow) > 0.2 * radius:  # from the nose on, lighter than the vehicle
        ahead, light = arrow / abs(arrow), _mix(color, 0.6)
        tip = place + radius * ahead + arrow
        canvas.line(light, place, tip, canvas.stroke)
        for barb in _BARBS:
            canvas.line(light, tip, tip + 0.45 * radius * ahead * barb, canvas.stroke)
    canvas.polygon(color, place, [radius * heading * corner for corner in _VEHICLE])


def _draw_cross(canvas: _Canvas, place: complex, color: Color) -> None:
    """A small cross, at the edge of the view if it is beyond."""
    half = 0.5 * _LEAST_RADIUS * canvas.view.side / canvas.view.scale
    reach = 0.5 * canvas.view.side / canvas.view.scale - half
    place = canvas.view.center + clamp_to_square(place - canvas.view.center, reach)
    for arm in (half, half * 1j):
        canvas.line(_mix(color, 0.8), place - arm, place + arm, canvas.stroke)


def _draw_caught(canvas: _Canvas, body: np.void) -> None:
    """An empty circle, crossed out."""
    place, radius = complex(body["position"]), _drawn_radius(canvas.view, body)
    width = round(1.5 * canvas.stroke)
    rim = canvas.stroke / canvas.view.scale
    canvas.disc(BACKGROUND, place, radius + rim, 2 * canvas.stroke + width)
    canvas.disc(EVADER, place, radius, width)
    for arm in (1 + 1j, 1 - 1j):
        half = 0.7 * radius * arm
        canvas.line(EVADER, place - half, place + half, width)


def _drawn_radius(view: View, body: np.void) -> float:
    """The body's radius in meters, or the smallest that can be seen."""
    return max(float(body["radius"]), _LEAST_RADIUS * view.side / view.scale)


def _draw_texts(surface: Any, record: np.void, config: GameConfig, spacing: float) -> None:
    """Score above, key and scale below; straight on the surface, as fonts are smooth."""
    width, height = surface.get_size()
    side = min(width, height)
    left, top = (width - side) / 2, (height - side) / 2
    inset, size = _MARGIN * side, max(14, round(side / 28))

    def write(text: str, color: Color, along: float, column: float, row: float) -> float:
        """Puts that share of the text to the left of the column; returns where it ends."""
        image = _text(text, color, size)
        wide, tall = image.get_size()
        surface.blit(image, (round(column - along * wide), round(row - tall / 2)))
        return float(column + (1 - along) * wide)

    game = record["game"]
    start, end = left + inset, left + side - inset
    above, below = top + inset / 2, top + side - inset / 2
    write(f"{game['steps'] * config.dt:.1f} s", INK, 0, start, above)
    write(f"caught {game['captured']} of {config.evaders}", INK, 1, end, above)
    if game["captured"] < config.evaders:
        write(f"distance {game['distance']:.1f} m", INK, 0.5, left + side / 2, above)
    key_end = write("pursuer", PURSUER, 0, start, below)
    write("evader", EVADER, 0, key_end + 0.5 * inset, below)
    write(f"grid {spacing:g} m", FAINT_INK, 1, end, below)


@lru_cache(maxsize=256)
def _text(text: str, color: Color, size: int) -> Any:
    """Text as a surface. Fonts are slow at first, and do not outlive pygame.quit()."""
    pygame = load_pygame()
    pygame.font.init()
    return pygame.font.Font(None, size).render(text, True, color)
