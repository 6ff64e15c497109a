"""Draws the tracks of an episode into a panel of a plate; see `plate`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Color, DrawingConfig
from steer_env.episodes.recording import Recording
from steer_env.rendering.camera import View
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.label_places import LabelPlaces
from steer_env.rendering.letters import width_of
from steer_env.rendering.pen import Pen
from steer_env.rendering.vehicles import (
    EVADER_OUTLINE,
    PURSUER_OUTLINE,
    draw_caught,
    draw_vehicle,
    drawn_radius,
)

_INTERVALS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200)  # seconds
_MOST_LABELS = 5  # along a track
_MOST_LABELED = 4  # players; the labels of more would hide the tracks
_TICK = 3.2  # half a tick's length, in strokes
_OLDEST = 0.3  # opacity of a track where it begins


def seconds_between(longest: float, most: int) -> int:
    """Whole seconds between marks, so that there are at most so many on the longest track.

    Args:
        longest: of the tracks, in seconds.
        most: marks.
    """
    return next((gap for gap in _INTERVALS if longest / gap <= most), _INTERVALS[-1])


def draw_tracks(
    canvas: Canvas,
    view: View,
    recording: Recording,
    drawing: DrawingConfig,
    every: int,
    font: float,
) -> None:
    """Draws tracks with their ticks, starts, ends and labels.

    Args:
        canvas: of the panel.
        view: of the plane.
        recording: the episode.
        drawing: of which the theme is looked at.
        every: seconds between ticks.
        font: size of the usual text, in pixels; labels are smaller.
    """
    pen = Pen(canvas, view, recording.config, drawing)
    players = range(recording.positions.shape[1])
    pen.clip_to_arena()
    _draw_capture_radii(pen, recording)
    for player in players:
        track = _track(recording, player)
        pen.trail(_color(pen, recording, player), track, 1.0, oldest=_OLDEST, width=1.7)
    labeled_every = max(seconds_between(float(recording.times[-1]), _MOST_LABELS), every)
    is_labeled = len(players) <= _MOST_LABELED
    for player in players:
        _draw_ticks(pen, recording, player, every, labeled_every if is_labeled else None)
    for player in players:
        _draw_start(pen, recording, player)
    for player in players:
        _draw_end(pen, recording, player)
    canvas.clip()
    if is_labeled:
        _write_times(pen, recording, every, labeled_every, max(13.0, 0.75 * font))


def _color(pen: Pen, recording: Recording, player: int) -> Color:
    is_pursuer = player < recording.config.pursuers
    return pen.colors.pursuer if is_pursuer else pen.colors.evader


def _track(recording: Recording, player: int) -> NDArray[np.complex128]:
    """Where a player was until the end, or until it was caught."""
    moments = int(recording.states["players"]["active"][:, player].sum()) + 1
    return recording.positions[:moments, player]


def _moments(recording: Recording, player: int, every: int) -> NDArray[np.int64]:
    """The moments every so many seconds after the start, while the player is in play."""
    times = recording.times[: len(_track(recording, player))]
    seconds = np.arange(every, times[-1] + 1e-9, every)
    return np.rint(seconds / recording.config.dt).astype(np.int64).clip(0, len(times) - 1)


def _draw_capture_radii(pen: Pen, recording: Recording) -> None:
    radius = recording.config.capture_radius
    for player in range(recording.config.pursuers):
        end = complex(recording.positions[-1, player])
        pen.disc(pen.colors.pursuer, end, radius, 0.14)
        pen.ring(pen.colors.pursuer, end, radius, 0.6)


def _draw_ticks(
    pen: Pen, recording: Recording, player: int, every: int, labeled_every: int | None
) -> None:
    """Short lines across the track; dots where a label may stand."""
    color, track = _color(pen, recording, player), _track(recording, player)
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


def _draw_start(pen: Pen, recording: Recording, player: int) -> None:
    """A hollow vehicle."""
    body = recording.states[0]["players"][player]["body"]
    is_pursuer = player < recording.config.pursuers
    outline = PURSUER_OUTLINE if is_pursuer else EVADER_OUTLINE
    radius = 0.85 * drawn_radius(pen.view, body["radius"])
    corners = radius * complex(body["heading"]) * outline
    color = _color(pen, recording, player)
    pen.polygon(pen.colors.ground, complex(body["position"]), corners, rim=color)


def _draw_end(pen: Pen, recording: Recording, player: int) -> None:
    """A vehicle, or one that is crossed out."""
    row = recording.states[-1]["players"][player]
    is_pursuer = player < recording.config.pursuers
    if row["active"]:
        outline = PURSUER_OUTLINE if is_pursuer else EVADER_OUTLINE
        draw_vehicle(pen, row["body"], _color(pen, recording, player), outline)
    else:
        draw_caught(pen, row["body"])


def _write_times(
    pen: Pen, recording: Recording, every: int, labeled_every: int, font: float
) -> None:
    """Labels beside the dots, where they are clear of tracks and each other."""
    view, config = pen.view, recording.config
    players = range(recording.positions.shape[1])
    tracks = [_track(recording, player) for player in players]
    rims = drawn_radius(view, 0.0) * np.exp(2j * np.pi * np.arange(12) / 12)
    ends = [place + rims for track in tracks for place in (track[0], track[-1])]
    lines = view.to_pixels(np.concatenate((*tracks, *ends)))
    half = config.arena.half_size
    corner, opposite = view.to_pixel(complex(-half, half)), view.to_pixel(complex(half, -half))
    if config.arena.kind == "open":
        corner, opposite = 0j, complex(view.width, view.height)
    places = LabelPlaces(corner, opposite, lines)
    ticks = [view.to_pixels(t[_moments(recording, p, every)]) for p, t in enumerate(tracks)]
    for player in players:
        for moment in _moments(recording, player, labeled_every).tolist():
            label = f"{moment * config.dt:.0f} s"
            point = view.to_pixel(complex(tracks[player][moment]))
            others = np.concatenate(ticks)
            others = others[np.abs(others - point) > 0.5]
            size = complex(width_of(label, font), 0.62 * font)
            middle = places.add(point, size, others)
            if middle is not None:
                pen.canvas.text(label, _color(pen, recording, player), middle, font, 0.5)
