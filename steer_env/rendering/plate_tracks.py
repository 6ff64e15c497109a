"""Draws the tracks of an episode in a panel of a plate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from steer_env.episodes.recording import Recording
from steer_env.rendering.camera import ground_of
from steer_env.rendering.label_places import LabelPlaces
from steer_env.rendering.letters import width_of
from steer_env.rendering.pen import Pen
from steer_env.rendering.scene import draw_capture_radii
from steer_env.rendering.texts import LEAST_FONT
from steer_env.rendering.vehicles import draw_caught, draw_vehicle, drawn_radius

_INTERVALS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200)  # seconds
_MOST_LABELS = 5  # along a track
_MOST_LABELED = 4  # players: more labels would hide the tracks
_OLDEST = 0.3  # opacity of a track where it begins


def draw_tracks(pen: Pen, recording: Recording, font: float) -> None:
    """Draws tracks with their starts and ends, and dots at round times, with labels.

    Args:
        pen: on the canvas of the panel.
        recording: the episode.
        font: size of the default text, in pixels; labels are smaller.
    """
    colors = [*map(pen.colors.of, pen.sides)]
    first, last = recording.states[0]["players"], recording.states[-1]["players"]
    pen.clip_to_arena()
    draw_capture_radii(pen, recording.positions[-1])
    tracks = [_track(recording, player) for player in range(len(colors))]
    longest = float(recording.times[-1])
    every = next((gap for gap in _INTERVALS if longest / gap <= _MOST_LABELS), _INTERVALS[-1])
    moments = [_moments(recording, len(track), every) for track in tracks]
    for color, track in zip(colors, tracks):
        pen.trail(color, track, 1.0, oldest=_OLDEST, width=1.7)
    for color, track, own in zip(colors, tracks, moments):
        for place in track[own].tolist():
            for image in pen.images(place, 0.0):
                pen.canvas.disc(pen.colors.ground, image, 3.1 * pen.stroke)
                pen.canvas.disc(color, image, 2.3 * pen.stroke)
    for player, side in enumerate(pen.sides):
        draw_vehicle(pen, first[player]["body"], side, is_hollow=True)
    for player in np.argsort(last["active"], kind="stable").tolist():  # the captured below
        if last[player]["active"]:
            draw_vehicle(pen, last[player]["body"], pen.sides[player])
        else:
            draw_caught(pen, last[player]["body"])
    pen.canvas.clip()
    if len(colors) <= _MOST_LABELED:
        _write_times(pen, recording, tracks, moments, max(LEAST_FONT, 0.75 * font))


def _track(recording: Recording, player: int) -> NDArray[np.complex128]:
    """The positions of a player until the end, or until it was caught."""
    moments = int(recording.states["players"]["active"][:, player].sum()) + 1
    return recording.positions[:moments, player]


def _moments(recording: Recording, length: int, every: int) -> NDArray[np.int64]:
    """The moments of a track of a length that are multiples of `every` seconds."""
    seconds = np.arange(every, recording.times[length - 1] + 1e-9, every)
    return np.rint(seconds / recording.config.dt).astype(np.int64).clip(0, length - 1)


def _write_times(
    pen: Pen,
    recording: Recording,
    tracks: Sequence[NDArray[np.complex128]],
    moments: Sequence[NDArray[np.int64]],
    font: float,
) -> None:
    """Writes labels beside the dots, where they touch neither tracks nor each other."""
    view, config = pen.view, recording.config
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
