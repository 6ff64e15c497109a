"""Draws one game record on a pygame surface of any size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from steer_env.game.config import GameConfig
from steer_env.rendering.backend import import_pygame

Color = tuple[int, int, int]

BACKGROUND: Color = (250, 250, 247)
GRID: Color = (235, 235, 230)
WALL: Color = (90, 90, 95)
OBSTACLE: Color = (176, 176, 180)
INK: Color = (60, 60, 65)
PURSUER: Color = (213, 94, 0)  # vermilion and blue: of Okabe and Ito's palette, which
EVADER: Color = (0, 114, 178)  # people with any color vision can tell apart

_SUPERSAMPLING = 2  # drawn twice as large and averaged, so that edges are smooth
_MARGIN = 0.06  # of the frame's side, around the arena
_LEAST_LENGTH = 0.022  # of the frame's side: shorter vehicles could not be seen
_SMALLEST_VIEW = 8.0  # half the side of the smallest view of an open arena, in meters


class View(NamedTuple):
    """Which part of the plane is drawn, and how large.

    Attributes:
        center: what lies in the frame's middle, in meters.
        scale: pixels a meter.
        side: of the frame, in pixels.
    """

    center: complex
    scale: float
    side: int

    def to_pixel(self, position: complex) -> tuple[float, float]:
        """Column and row of a position in meters; y points up in the plane."""
        offset = (complex(position) - self.center) * self.scale
        return self.side / 2 + offset.real, self.side / 2 - offset.imag


def view_of(record: np.void, config: GameConfig, side: int) -> View:
    """The whole arena; in the open, a square around all players."""
    if config.arena.kind != "open":
        return View(0j, side * (1 - 2 * _MARGIN) / config.arena.size, side)
    positions = record["players"]["body"]["position"]
    low = complex(positions.real.min(), positions.imag.min())
    high = complex(positions.real.max(), positions.imag.max())
    reach = max((high - low).real, (high - low).imag) / 2 + 2.0
    return View((low + high) / 2, side / 2 / max(reach, _SMALLEST_VIEW), side)


def draw_scene(
    record: np.void,
    config: GameConfig,
    size: int = 600,
    trails: Sequence[Sequence[complex]] = (),
) -> Any:
    """Draws a game: arena, obstacles, trails, capture radius, vehicles, velocities, score.

    Args:
        record: one record of the state.
        config: the game.
        size: side of the square frame, in pixels.
        trails: past positions of every player, oldest first, in meters.

    Returns:
        A pygame Surface (size, size).

    Raises:
        gymnasium.error.DependencyNotInstalled: without pygame.
    """
    pygame = import_pygame()
    side = size * _SUPERSAMPLING
    surface = pygame.Surface((side, side))
    surface.fill(BACKGROUND)
    view = view_of(record, config, side)
    _draw_arena(surface, view, config)
    for disc in record["obstacles"]:
        if disc["radius"] > 0.0:
            radius = disc["radius"] * view.scale
            pygame.draw.circle(surface, OBSTACLE, view.to_pixel(disc["center"]), radius)
    for number, trail in enumerate(trails):
        _draw_trail(surface, view, trail, _color(number, config), config.arena.size / 2)
    _draw_capture_radius(surface, view, record, config)
    for number, player in enumerate(record["players"]):
        _draw_player(surface, view, player, _color(number, config))
    frame = pygame.transform.smoothscale(surface, (size, size))
    _draw_score(frame, record, config)
    return frame


def _color(number: int, config: GameConfig) -> Color:
    return PURSUER if number < config.pursuers else EVADER


def _draw_arena(surface: Any, view: View, config: GameConfig) -> None:
    pygame = import_pygame()
    half, line = config.arena.half_size, max(1, view.side // 600)
    reach = view.side / 2 / view.scale
    meters = max(1, round(config.arena.size / 10))
    for axis, middle in ((1 + 0j, view.center.real), (1j, view.center.imag)):
        first = int((middle - reach) // meters)
        for number in range(first, first + int(2 * reach / meters) + 2):
            along = axis * number * meters
            across = 1j * axis.real + axis.imag
            if config.arena.kind == "open":
                middle_across = view.center.imag if axis == 1 else view.center.real
                ends = (
                    along + across * (middle_across - reach),
                    along + across * (middle_across + reach),
                )
            elif abs(number * meters) < half:
                ends = along - across * half, along + across * half
            else:
                continue
            pygame.draw.line(surface, GRID, *map(view.to_pixel, ends), line)
    if config.arena.kind == "open":
        return
    corners = [half * corner for corner in (1 + 1j, -1 + 1j, -1 - 1j, 1 - 1j)]
    if config.arena.kind == "walls":
        pygame.draw.polygon(surface, WALL, [view.to_pixel(c) for c in corners], 4 * line)
        return
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        for share in np.arange(0.0, 1.0, 0.05):  # dashes: the edges of a torus are no walls
            dash = start + (end - start) * share, start + (end - start) * (share + 0.025)
            pygame.draw.line(surface, WALL, *map(view.to_pixel, dash), 2 * line)


def _draw_trail(
    surface: Any, view: View, trail: Sequence[complex], color: Color, half_size: float
) -> None:
    pygame = import_pygame()
    width = max(1, view.side // 400)
    for age, (start, end) in enumerate(pairwise(trail)):
        if abs(end - start) > half_size:  # it went round the torus
            continue
        weight = 0.75 * (age + 1) / len(trail)
        faded = [round(b + (c - b) * weight) for b, c in zip(BACKGROUND, color, strict=True)]
        pygame.draw.line(surface, faded, view.to_pixel(start), view.to_pixel(end), width)


def _draw_capture_radius(surface: Any, view: View, record: np.void, config: GameConfig) -> None:
    pygame = import_pygame()
    radius = max(2.0, config.capture_radius * view.scale)
    disc = pygame.Surface((2 * radius + 2, 2 * radius + 2), pygame.SRCALPHA)
    pygame.draw.circle(disc, (*PURSUER, 40), (radius + 1, radius + 1), radius)
    pygame.draw.circle(disc, (*PURSUER, 150), (radius + 1, radius + 1), radius, 2)
    for player in record["players"][: config.pursuers]:
        column, row = view.to_pixel(player["body"]["position"])
        surface.blit(disc, (column - radius - 1, row - radius - 1))


def _draw_player(surface: Any, view: View, player: np.void, color: Color) -> None:
    pygame = import_pygame()
    body = player["body"]
    length = max(float(body["radius"]), _LEAST_LENGTH * view.side / view.scale)
    position, heading = complex(body["position"]), complex(body["heading"])
    outline = [
        view.to_pixel(position + length * heading * corner)
        for corner in (1.25, -0.9 + 0.8j, -0.45, -0.9 - 0.8j)
    ]
    if not player["active"]:  # caught: an empty shape under a cross
        width = max(2, view.side // 300)
        pygame.draw.polygon(surface, color, outline, width)
        for arm in (1 + 1j, 1 - 1j):
            ends = (position - length * arm, position + length * arm)
            pygame.draw.line(surface, INK, *map(view.to_pixel, ends), width)
        return
    ahead = position + complex(body["velocity"]) * 0.4  # where it is in 0.4 s
    pygame.draw.line(
        surface, color, view.to_pixel(position), view.to_pixel(ahead), max(1, view.side // 400)
    )
    pygame.draw.polygon(surface, color, outline)


def _draw_score(frame: Any, record: np.void, config: GameConfig) -> None:
    pygame = import_pygame()
    pygame.font.init()
    size = max(12, frame.get_width() // 36)
    font = pygame.font.Font(None, round(size * 1.25))
    game = record["game"]
    seconds = game["steps"] * config.dt
    text = f"{seconds:4.1f} s    {game['distance']:4.1f} m    "
    text += f"caught {game['captured']} of {config.evaders}"
    image = font.render(text, True, INK)
    frame.blit(image, (round(frame.get_width() * _MARGIN), round(size * 0.4)))
