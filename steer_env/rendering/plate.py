"""Draws whole episodes in one picture, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steer_env.drawing import DrawingConfig
from steer_env.rendering.overlay import write_pair
from steer_env.rendering.picture import PAPER, Picture, View, sides_of
from steer_env.rendering.recording import Recording
from steer_env.rendering.scene import draw_arena, draw_capture_radii, draw_vehicles
from steer_env.rendering.texts import LEAST_FONT, LabelPlaces, width_of
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
        # The legend's entries, in as many lines as they need.
        place, self._legend = complex(self._margin, 0.5 * _LINE * self._small), {}
        for meaning, width in _ENTRIES.items():
            if not shown.get(meaning, True):
                continue
            extent = (width + 0.3) * self._small + width_of(meaning, self._small)
            if self._margin < place.real > self.width - self._margin - extent:
                place = complex(self._margin, place.imag + _LINE * self._small)
            self._legend[meaning] = place
            place += extent + 1.2 * self._small
        below = place.imag + (0.5 * _LINE + 0.7) * self._small
        self.height = self._panels_height + round(below)

    def picture(self) -> Picture:
        """Returns the plate as a picture. Texts on pixels need pygame."""
        plate = Picture(View(0j, 1.0, self.width, self.height, PAPER), self._drawing)
        plate.add("fill", plate.colors.background)
        for number, recording in enumerate(self._recordings):
            row, column = divmod(number, self._columns)
            corner = complex(column * self._side, row * (self._side + self._title))
            self._write_title(plate, corner, recording)
            center, side = _extent(recording)[0], self._side
            view = View(center, self._scale, side, side, recording.config.region)
            panel = Picture(view, self._drawing)
            draw_arena(panel, recording.config, recording.states[0]["obstacles"])
            _draw_tracks(panel, recording, self._font)
            plate.add("part", corner + 1j * self._title, panel)
        for meaning, place in self._legend.items():
            place += 1j * self._panels_height
            box = _ENTRIES[meaning]
            _draw_symbol(plate, meaning, place + box / 2 * self._small, self._small)
            right = place + (box + 0.3) * self._small
            plate.text(meaning, plate.colors.ink, right, self._small)
        return plate

    def _write_title(self, plate: Picture, corner: complex, recording: Recording) -> None:
        font, colors = self._font, self._drawing.colors
        room = self._side - 2 * self._margin
        place = corner + complex(self._margin, 0.8 * font)
        write_pair(plate, recording.names, place, font, room)
        below = corner + complex(self._margin, 1.75 * font)
        seed = f"seed {recording.seed}"
        taken = width_of(f"  {seed}", self._small)
        taken += plate.text(recording.status.result, colors.ink, below, self._small, room=room)
        if self._shows_seeds and taken < room:
            plate.text(seed, colors.faint, below + room, self._small, 1.0)


def _extent(recording: Recording) -> tuple[complex, float]:
    """Center and side of the square that contains the episode, in meters."""
    config, (low, high) = recording.config, recording.corners[-1].tolist()
    if config.region.is_bounded:
        return 0j, config.arena_size
    longest = max((high - low).real, (high - low).imag)
    return (low + high) / 2, 1.1 * longest + 2 * config.capture_circle


def _draw_symbol(plate: Picture, meaning: str, middle: complex, size: float) -> None:
    colors, place = plate.colors, plate.view.to_world(middle)
    plate.stroke = 0.06 * size
    if meaning == "capture radius":
        plate.disc(colors.pursuer, "capture area", place, 0.48 * size)
        plate.ring(colors.pursuer, "capture", place, 0.48 * size)
    elif meaning == "caught":
        plate.glyph("caught", colors.evader, place, 0.25 * size, rim=colors.background)
    else:
        for side, across in zip(Side, (-0.5, 0.5)):
            fill, rim = colors.of(side), colors.background
            if meaning == "start":
                fill, rim = rim, fill
            plate.glyph(side.name, fill, place + across * size, 0.36 * size, rim)


# The entries of the legend, and their symbols' widths, in sizes of the font.
_ENTRIES = {"start": 2.0, "end": 2.0, "capture radius": 1.1, "caught": 0.9}


def _draw_tracks(panel: Picture, recording: Recording, font: float) -> None:
    """Draws tracks with their starts and ends, and dots at round times, with labels."""
    view, config, sides = panel.view, recording.config, sides_of(recording.config)
    colors = [*map(panel.colors.of, sides)]
    first, last = recording.states[0]["players"], recording.states[-1]["players"]
    panel.clip_to_arena()
    draw_capture_radii(panel, config, recording.positions[-1])
    # To the end of the episode, or until a player was caught.
    lengths = recording.states["players"]["active"].sum(axis=0) + 1
    tracks = [recording.positions[: lengths[player], player] for player in range(len(colors))]
    longest = float(recording.times[-1])
    every = next((gap for gap in _INTERVALS if longest / gap <= 5), _INTERVALS[-1])
    steps = np.rint(np.arange(every, longest + 1e-9, every) / config.dt).astype(int)
    moments = [steps[steps < len(track)] for track in tracks]
    for color, track in zip(colors, tracks):
        panel.trail(color, "track", track, oldest=0.3)
    for color, track, own in zip(colors, tracks, moments):
        for place in track[own].tolist():
            for image in view.images(place, 0.0):
                panel.add("disc", panel.colors.ground, image, 3.1 * panel.stroke)
                panel.add("disc", color, image, 2.3 * panel.stroke)
    for body, side, color in zip(first["body"], sides, colors):  # hollow, and a bit smaller
        turn = 0.85 * view.drawn_radius(body["radius"]) * complex(body["heading"])
        place = complex(body["position"])
        panel.glyph(side.name, panel.colors.ground, place, turn, rim=color)
    draw_vehicles(panel, config, last)
    panel.add("clip")
    if len(colors) > 4:  # labels would hide the tracks
        return
    # Labels beside the dots, away from tracks and from each other.
    font = max(LEAST_FONT, 0.75 * font)
    rims = view.drawn_radius(0.0) * np.exp(2j * np.pi * np.arange(12) / 12)
    ends = [place + rims for track in tracks for place in (track[0], track[-1])]
    places = LabelPlaces(*view.ground, view.to_pixels(np.concatenate((*tracks, *ends))))
    dots = [view.to_pixels(track[own]) for track, own in zip(tracks, moments)]
    for side, own, points in zip(sides, moments, dots):
        for moment, point in zip(own.tolist(), points.tolist()):
            label = f"{moment * config.dt:.0f} s"
            others = np.concatenate(dots)
            others = others[np.abs(others - point) > 0.5]
            size = complex(width_of(label, font), 0.62 * font)
            middle = places.add(point, size, others)
            if middle is not None:
                panel.text(label, panel.colors.of(side), middle, font, 0.5, has_rim=False)
