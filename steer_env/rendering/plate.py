"""Draws whole episodes in one picture, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from steer_env.drawing import DrawingConfig, Theme
from steer_env.rendering.camera import Pen, View, ground_of
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.recording import Recording
from steer_env.rendering.scene import draw_arena, draw_capture_radii
from steer_env.rendering.texts import LEAST_FONT, LabelPlaces, fitted, fitted_names, width_of
from steer_env.rendering.vehicles import OUTLINES, draw_vehicle, draw_vehicles, drawn_radius
from steer_env.sides import Side

_SMALLER = 0.85  # of the font: texts below the titles
_LINE = 1.5  # height of a line of the legend, in sizes of its font
_INTERVALS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200)  # seconds


class Plate:
    """A picture of whole episodes, row by row, each in a panel, all at the same scale.

    Tracks become more opaque with time, and have dots at round times. The side is that of each
    panel's square, in pixels.
    """

    def __init__(
        self, recordings: Sequence[Recording], columns: int, side: int, theme: str = "light"
    ) -> None:
        self._recordings, self._columns, self._side = recordings, columns, side
        self._drawing = DrawingConfig(theme=theme)
        self._margin = 0.035 * side  # around the arena
        self._font = max(LEAST_FONT / _SMALLER, side / 26)
        self._title = round(2.2 * self._font)  # two lines of text
        extent = max(_extent(recording)[1] for recording in recordings)
        self._scale = (side - 2 * self._margin) / extent  # pixels per meter
        self._shows_seeds = len({recording.seed for recording in recordings}) > 1
        self.width = columns * side
        self._panels_height = -(-len(recordings) // columns) * (side + self._title)
        self._small = _SMALLER * self._font
        games = [recording.config for recording in recordings]
        has_circle = any(game.capture_circle for game in games)
        is_caught = has_circle or any(game.has_rule("capture") for game in games)
        shown = {"capture radius": has_circle, "caught": is_caught}
        self._entries = [one for one in _ENTRIES if shown.get(one[-1], True)]
        self._legend = _legend_places(self._entries, self.width, self._margin, self._small)
        below = self._legend[-1].imag + (0.5 * _LINE + 0.7) * self._small
        self.height = self._panels_height + round(below)

    def draw(self, canvas: Canvas) -> None:
        """Draws the plate on a canvas of its size. Texts on pixels need pygame."""
        colors = self._drawing.colors
        canvas.fill(colors.background)
        for number, recording in enumerate(self._recordings):
            row, column = divmod(number, self._columns)
            corner = complex(column * self._side, row * (self._side + self._title))
            self._write_title(canvas, corner, recording)
            view = View(_extent(recording)[0], self._scale, self._side, self._side)
            with canvas.part(corner + 1j * self._title, self._side, self._side) as part:
                pen = Pen(part, view, recording.config, self._drawing)
                draw_arena(pen, recording.states[0]["obstacles"])
                _draw_tracks(pen, recording, self._font)
        for (symbol, box, meaning), place in zip(self._entries, self._legend):
            place += 1j * self._panels_height
            symbol(canvas, colors, place + box / 2 * self._small, self._small)
            right = place + (box + 0.3) * self._small
            canvas.text(meaning, colors.ink, right, self._small)

    def _write_title(self, canvas: Canvas, corner: complex, recording: Recording) -> None:
        """Writes the names, in the sides' colors, and below them how the episode ended."""
        font, colors = self._font, self._drawing.colors
        room = self._side - 2 * self._margin
        gap = 0.25 * font
        between = canvas.text_width("vs", font) + 2 * gap
        pursuer, evader = fitted_names(canvas, recording.names, font, room - between)
        place = corner + complex(self._margin, 0.8 * font)
        parts = (pursuer, colors.pursuer), ("vs", colors.faint), (evader, colors.evader)
        for string, color in parts:
            canvas.text(string, color, place, font)
            place += canvas.text_width(string, font) + gap
        below = corner + complex(self._margin, 1.75 * font)
        result = fitted(canvas, recording.status.result, self._small, room)
        canvas.text(result, colors.ink, below, self._small)
        seed = f"seed {recording.seed}"
        taken = canvas.text_width(f"{result}  {seed}", self._small)
        if self._shows_seeds and taken < room:
            canvas.text(seed, colors.faint, below + room, self._small, 1.0)


def _extent(recording: Recording) -> tuple[complex, float]:
    """Center and side of the square that contains the episode, in meters."""
    config, (low, high) = recording.config, recording.corners[-1].tolist()
    if config.region.is_bounded:
        return 0j, config.arena_size
    longest = max((high - low).real, (high - low).imag)
    return (low + high) / 2, 1.1 * longest + 2 * config.capture_circle


def _draw_vehicles(
    canvas: Canvas, colors: Theme, middle: complex, size: float, is_hollow: bool = False
) -> None:
    for side, across in zip(Side, (-0.5, 0.5)):
        color = colors.of(side)
        corners = middle + across * size + 0.36 * size * np.conj(OUTLINES[side])
        if is_hollow:
            closed = np.append(corners, corners[0])
            canvas.path(color, closed, 0.14 * size, np.ones(len(corners)))
            canvas.polygon(colors.background, corners)
        else:
            canvas.polygon(color, corners)


def _draw_capture_radius(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    canvas.disc(colors.pursuer, middle, 0.48 * size, 0.14)
    canvas.ring(colors.pursuer, middle, 0.48 * size, 0.08 * size, 0.6)


def _draw_cross(canvas: Canvas, colors: Theme, middle: complex, size: float) -> None:
    canvas.ring(colors.evader, middle, 0.38 * size, 0.12 * size)
    for arm in (0.26 + 0.26j, 0.26 - 0.26j):
        canvas.line(colors.evader, middle - arm * size, middle + arm * size, 0.12 * size)


_Entry = tuple[Callable[[Canvas, Theme, complex, float], None], float, str]
_ENTRIES: Sequence[_Entry] = (  # of the legend: symbol, its width in sizes, meaning
    (partial(_draw_vehicles, is_hollow=True), 2.0, "start"),
    (_draw_vehicles, 2.0, "end"),
    (_draw_capture_radius, 1.1, "capture radius"),
    (_draw_cross, 0.9, "caught"),
)


def _legend_places(
    entries: Sequence[_Entry], width: int, margin: float, size: float
) -> list[complex]:
    """The places of the legend's entries, in as many lines as they need, all in pixels."""
    place, found = complex(margin, 0.5 * _LINE * size), []
    for _, box, meaning in entries:
        extent = (box + 0.3) * size + width_of(meaning, size)
        if margin < place.real > width - margin - extent:
            place = complex(margin, place.imag + _LINE * size)
        found.append(place)
        place += extent + 1.2 * size
    return found


def _draw_tracks(pen: Pen, recording: Recording, font: float) -> None:
    """Draws tracks with their starts and ends, and dots at round times, with labels."""
    colors = [*map(pen.colors.of, pen.sides)]
    first, last = recording.states[0]["players"], recording.states[-1]["players"]
    pen.clip_to_arena()
    draw_capture_radii(pen, recording.positions[-1])
    # To the end of the episode, or until a player was caught.
    lengths = recording.states["players"]["active"].sum(axis=0) + 1
    tracks = [recording.positions[: lengths[player], player] for player in range(len(colors))]
    longest = float(recording.times[-1])
    every = next((gap for gap in _INTERVALS if longest / gap <= 5), _INTERVALS[-1])
    steps = np.rint(np.arange(every, longest + 1e-9, every) / recording.config.dt).astype(int)
    moments = [steps[steps < len(track)] for track in tracks]
    for color, track in zip(colors, tracks):
        pen.trail(color, track, 1.0, oldest=0.3, width=1.7)
    for color, track, own in zip(colors, tracks, moments):
        for place in track[own].tolist():
            for image in pen.images(place, 0.0):
                pen.canvas.disc(pen.colors.ground, image, 3.1 * pen.stroke)
                pen.canvas.disc(color, image, 2.3 * pen.stroke)
    for player, side in enumerate(pen.sides):
        draw_vehicle(pen, first[player]["body"], side, is_hollow=True)
    draw_vehicles(pen, last)
    pen.canvas.clip()
    if len(colors) > 4:  # labels would hide the tracks
        return
    # Labels beside the dots, away from tracks and from each other.
    view, config, font = pen.view, recording.config, max(LEAST_FONT, 0.75 * font)
    rims = drawn_radius(view, 0.0) * np.exp(2j * np.pi * np.arange(12) / 12)
    ends = [place + rims for track in tracks for place in (track[0], track[-1])]
    lines = view.to_pixels(np.concatenate((*tracks, *ends)))
    places = LabelPlaces(*ground_of(view, config), lines)
    dots = [view.to_pixels(track[own]) for track, own in zip(tracks, moments)]
    for side, own, points in zip(pen.sides, moments, dots):
        for moment, point in zip(own.tolist(), points.tolist()):
            label = f"{moment * config.dt:.0f} s"
            others = np.concatenate(dots)
            others = others[np.abs(others - point) > 0.5]
            size = complex(width_of(label, font), 0.62 * font)
            middle = places.add(point, size, others)
            if middle is not None:
                pen.canvas.text(label, pen.colors.of(side), middle, font, 0.5)
