"""Captures and near misses of an episode, and how they are marked on the board."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import Theme
from steer_env.episodes.recording import Recording
from steer_env.rendering.camera import View
from steer_env.rendering.canvas import Canvas

NEAR = 1.5
"""A distance below this many capture radii that grows again is a near miss."""

FLASH_SECONDS = 0.7
"""How long the ring around a capture grows."""

CLOSE_SECONDS = 1.3
"""How long a near miss is marked."""

_GROWN = 0.2  # capture radii by which the distance has to grow again


class NearMiss(NamedTuple):
    """An approach that did not end in a capture.

    Attributes:
        moment: when the distance was least.
        known: when it had grown again.
        distance: the least distance, in meters.
    """

    moment: int
    known: int
    distance: float


def near_misses(
    distances: NDArray[np.float64], captured: NDArray[np.int64], radius: float
) -> list[NearMiss]:
    """Finds the near misses of an episode; one at most of each approach.

    Args:
        distances: (moments,), from the nearest pursuer to the nearest free evader, in meters.
        captured: (moments,), the number of evaders caught so far.
        radius: capture radius, in meters.
    """
    found: list[NearMiss] = []
    least: int | None = None
    is_apart = True  # since the last near miss or capture
    for moment, distance in enumerate(distances.tolist()):
        if moment and captured[moment] != captured[moment - 1]:
            least, is_apart = None, False
        if distance >= NEAR * radius:
            is_apart = True
        elif is_apart and (least is None or distance < distances[least]):
            least = moment
        if least is not None and distance > distances[least] + _GROWN * radius:
            found.append(NearMiss(least, moment, float(distances[least])))
            least, is_apart = None, distance >= NEAR * radius
    return found


def misses_of(recording: Recording) -> list[NearMiss]:
    """Returns the near misses of an episode so far."""
    game = recording.states["game"]
    return near_misses(game["distance"], game["captured"], recording.config.capture_radius)


def draw_marks(
    canvas: Canvas, theme: Theme, view: View, recording: Recording, moment: float, size: float
) -> None:
    """Marks captures with a ring that grows and fades, and near misses with their distance.

    Args:
        canvas: canvas of the view's size.
        theme: colors.
        view: view of the plane.
        recording: the episode.
        moment: what is shown, in steps since the start; it may be after the end.
        size: size of the font, in pixels.
    """
    dt, radius = recording.config.dt, recording.config.capture_radius * view.scale
    captured = recording.states["game"]["captured"]
    for step in (np.flatnonzero(np.diff(captured)) + 1).tolist():
        age = (moment - step) * dt / FLASH_SECONDS
        if 0.0 <= age < 1.0:
            for place in _caught_at(recording, step):
                grown = (1.0 + 3.0 * math.sqrt(age)) * radius
                width = max(6.0 * (1.0 - age), 1.0)
                canvas.ring(theme.evader, view.to_pixel(place), grown, width, 1.0 - age)
    for miss in misses_of(recording):
        age = (moment - miss.known) * dt / CLOSE_SECONDS
        if 0.0 <= age < 1.0:
            opacity = min(2.0 - 2.0 * age, 1.0)
            place = view.to_pixel(_nearest_evader(recording, miss.moment))
            canvas.ring(theme.ink, place, NEAR * radius, 2.0, 0.6 * opacity, 12)
            words = f"close! {miss.distance:.2f} m"
            half = canvas.text_width(words, size) / 2
            column = min(max(place.real, half), view.width - half)
            away = NEAR * radius + 0.8 * size
            row = place.imag + (away if place.imag < 2 * away else -away)
            canvas.text(words, theme.ink, complex(column, row), size, 0.5, opacity)


def _caught_at(recording: Recording, step: int) -> list[complex]:
    """Returns the places of the evaders that are caught in a step."""
    active = recording.states["players"]["active"][step - 1 : step + 1].astype(bool)
    is_caught = active[0] & ~active[1]
    return [complex(place) for place in recording.positions[step][is_caught]]


def _nearest_evader(recording: Recording, moment: int) -> complex:
    """Returns the place of the free evader that is nearest to a pursuer."""
    config, places = recording.config, recording.positions[moment]
    active = recording.states["players"]["active"][moment].astype(bool)
    evaders = places[config.pursuers :][active[config.pursuers :]]
    offsets = evaders[:, None] - places[None, : config.pursuers]
    if config.arena.kind == "torus":
        size = config.arena.size
        offsets -= size * (np.round(offsets.real / size) + 1j * np.round(offsets.imag / size))
    return complex(evaders[np.abs(offsets).min(axis=1).argmin()])
