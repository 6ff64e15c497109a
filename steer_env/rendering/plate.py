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


def plate_of(
    recordings: Sequence[Recording], columns: int, side: int, theme: str = "light"
) -> Picture:
    """Draws whole episodes, row by row, each in a panel, all at the same scale.

    Tracks become more opaque with time, and have dots at round times. The side is that of each
    panel's square, in pixels. Texts on pixels need pygame.
    """
    drawing, margin = DrawingConfig(theme=theme), 0.035 * side  # around the arena
    font = max(LEAST_FONT / _SMALLER, side / 26)
    small, title = _SMALLER * font, round(2.2 * font)  # two lines of text
    scale = (side - 2 * margin) / max(_extent(recording)[1] for recording in recordings)
    width, rows = columns * side, -(-len(recordings) // columns)
    legend, below = _legend_of(recordings, width, margin, small)
    height = rows * (side + title)
    plate = Picture(View(0j, 1.0, width, height + below, PAPER), drawing)
    plate.add("fill", plate.colors.background)
    shows_seeds = len({recording.seed for recording in recordings}) > 1
    for number, recording in enumerate(recordings):
        row, column = divmod(number, columns)
        corner = complex(column * side, row * (side + title))
        _write_title(plate, recording, corner + margin, font, side - 2 * margin, shows_seeds)
        view = View(_extent(recording)[0], scale, side, side, recording.config.region)
        panel = Picture(view, drawing)
        draw_arena(panel, recording.config, recording.states[0])
        _draw_tracks(panel, recording, font)
        plate.add("part", corner + 1j * title, panel)
    for meaning, place in legend.items():
        place += 1j * height
        box = _ENTRIES[meaning]
        _draw_symbol(plate, meaning, place + box / 2 * small, small)
        plate.text(meaning, plate.colors.ink, place + (box + 0.3) * small, small)
    return plate


def _legend_of(
    recordings: Sequence[Recording], width: int, margin: float, size: float
) -> tuple[dict[str, complex], int]:
    """The places of the legend's entries, in as many lines as they need, and its height."""
    games = [recording.config for recording in recordings]
    has_circle = any(game.capture_circle for game in games)
    is_caught = has_circle or any(game.has_rule("capture") for game in games)
    shown = {"capture radius": has_circle, "caught": is_caught}
    place, legend = complex(margin, 0.5 * _LINE * size), {}
    for meaning, box in _ENTRIES.items():
        if not shown.get(meaning, True):
            continue
        extent = (box + 0.3) * size + width_of(meaning, size)
        if margin < place.real > width - margin - extent:
            place = complex(margin, place.imag + _LINE * size)
        legend[meaning] = place
        place += extent + 1.2 * size
    return legend, round(place.imag + (0.5 * _LINE + 0.7) * size)


def _write_title(
    plate: Picture,
    recording: Recording,
    start: complex,
    font: float,
    room: float,
    shows_seed: bool,
) -> None:
    small, colors = _SMALLER * font, plate.colors
    write_pair(plate, recording.names, start + 0.8j * font, font, room)
    below, seed = start + 1.75j * font, f"seed {recording.seed}"
    taken = plate.text(recording.status.result, colors.ink, below, small, room=room)
    if shows_seed and taken + width_of(f"  {seed}", small) < room:
        plate.text(seed, colors.faint, below + room, small, 1.0)


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
