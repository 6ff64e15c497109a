"""Draws the tracks of an episode in a panel of a plate."""

from __future__ import annotations

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
_TICK = 3.2  # half a tick's length, in strokes
_OLDEST = 0.3  # opacity of a track where it begins


def seconds_between(longest: float, most: int) -> int:
    """Returns the whole seconds between ticks for which the longest track has few enough.

    Args:
        longest: the duration of the longest track, in seconds.
        most: the largest number of ticks.
    """
    return next((gap for gap in _INTERVALS if longest / gap <= most), _INTERVALS[-1])


def draw_tracks(pen: Pen, recording: Recording, every: int, font: float) -> None:
    """Draws tracks with their ticks, starts, ends and labels.

    Args:
        pen: on the canvas of the panel.
        recording: the episode.
        every: seconds between ticks.
        font: size of the default text, in pixels; labels are smaller.
    """
    colors = [*map(pen.colors.of, pen.sides)]
    first, last = recording.states[0]["players"], recording.states[-1]["players"]
    pen.clip_to_arena()
    draw_capture_radii(pen, recording.positions[-1])
    for player, color in enumerate(colors):
        pen.trail(color, _track(recording, player), 1.0, oldest=_OLDEST, width=1.7)
    labeled_every = max(seconds_between(float(recording.times[-1]), _MOST_LABELS), every)
    is_labeled = len(colors) <= _MOST_LABELED
    for player in range(len(colors)):
        _draw_ticks(pen, recording, player, every, labeled_every if is_labeled else None)
    for player, side in enumerate(pen.sides):
        draw_vehicle(pen, first[player]["body"], side, is_hollow=True)
    for player, side in enumerate(pen.sides):
        if last[player]["active"]:
            draw_vehicle(pen, last[player]["body"], side)
        else:
            draw_caught(pen, last[player]["body"])
    pen.canvas.clip()
    if is_labeled:
        _write_times(pen, recording, every, labeled_every, max(LEAST_FONT, 0.75 * font))


def _track(recording: Recording, player: int) -> NDArray[np.complex128]:
    """The positions of a player until the end, or until it was caught."""
    moments = int(recording.states["players"]["active"][:, player].sum()) + 1
    return recording.positions[:moments, player]


def _moments(recording: Recording, player: int, every: int) -> NDArray[np.int64]:
    """The moments of a player's ticks, `every` seconds apart, while it is active."""
    times = recording.times[: len(_track(recording, player))]
    seconds = np.arange(every, times[-1] + 1e-9, every)
    return np.rint(seconds / recording.config.dt).astype(np.int64).clip(0, len(times) - 1)


def _draw_ticks(
    pen: Pen, recording: Recording, player: int, every: int, labeled_every: int | None
) -> None:
    """Draws short lines across the track, and dots at the places of labels."""
    color, track = pen.colors.of(pen.sides[player]), _track(recording, player)
    velocities = recording.states["players"]["body"]["velocity"][:, player]
    labeled: set[int] = set()
    if labeled_every is not None:
        labeled.update(_moments(recording, player, labeled_every).tolist())
    for moment in _moments(recording, player, every).tolist():
        place, velocity = complex(track[moment]), complex(velocities[moment])
        if moment in labeled:
            for image in pen.images(place, 0.0):
                pen.canvas.disc(pen.colors.ground, image, 3.1 * pen.stroke)
                pen.canvas.disc(color, image, 2.3 * pen.stroke)
        elif velocity:
            across = 1j * velocity / abs(velocity) * _TICK * pen.stroke / pen.view.scale
            pen.line(color, place - across, place + across, width=1.3)


def _write_times(
    pen: Pen, recording: Recording, every: int, labeled_every: int, font: float
) -> None:
    """Writes labels beside the dots, where they touch neither tracks nor each other."""
    view, config = pen.view, recording.config
    players = range(recording.positions.shape[1])
    tracks = [_track(recording, player) for player in players]
    rims = drawn_radius(view, 0.0) * np.exp(2j * np.pi * np.arange(12) / 12)
    ends = [place + rims for track in tracks for place in (track[0], track[-1])]
    lines = view.to_pixels(np.concatenate((*tracks, *ends)))
    places = LabelPlaces(*ground_of(view, config), lines)
    ticks = [view.to_pixels(t[_moments(recording, p, every)]) for p, t in enumerate(tracks)]
    for player in players:
        color = pen.colors.of(pen.sides[player])
        for moment in _moments(recording, player, labeled_every).tolist():
            label = f"{moment * config.dt:.0f} s"
            point = view.to_pixel(complex(tracks[player][moment]))
            others = np.concatenate(ticks)
            others = others[np.abs(others - point) > 0.5]
            size = complex(width_of(label, font), 0.62 * font)
            middle = places.add(point, size, others)
            if middle is not None:
                pen.canvas.text(label, color, middle, font, 0.5)
