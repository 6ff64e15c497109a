"""Short tones for what happens, made of numbers; silent where there is no sound device."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.backend import import_pygame

RATE = 22050
"""Samples per second."""

TONES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "count": ((440.0, 0.08),),
    "begin": ((880.0, 0.18),),
    "close": ((660.0, 0.06), (550.0, 0.08)),
    "won": ((523.3, 0.1), (659.3, 0.1), (784.0, 0.25)),
    "lost": ((392.0, 0.14), (311.1, 0.3)),
}
"""The notes of each sound: frequencies in Hz, and lengths in seconds."""

_LOUDNESS = 0.25  # of the loudest that a sample can be
_FADE = 5.0  # how many times a note's loudness falls by a factor of e
_RISE = 0.004  # seconds, so that a note begins without a click


def samples(notes: tuple[tuple[float, float], ...]) -> NDArray[np.int16]:
    """Returns the samples of notes, one after the other, (samples,)."""
    parts = []
    for frequency, seconds in notes:
        time = np.arange(round(seconds * RATE)) / RATE
        loudness = np.exp(-_FADE * time / seconds) * np.minimum(time / _RISE, 1.0)
        parts.append(loudness * np.sin(2 * np.pi * frequency * time))
    return np.int16(_LOUDNESS * 32767 * np.concatenate(parts))


class Sounds:
    """Plays tones while it is on.

    The sound device is opened when the first tone is played. Without one, nothing is heard,
    and nothing is reported but by `state`.

    Args:
        is_on: whether it is on at first.

    Attributes:
        is_on: whether it is on.
    """

    def __init__(self, is_on: bool = False) -> None:
        self.is_on = is_on
        self._mixer: Any = None  # once it is open
        self._has_failed = False
        self._tones: dict[str, Any] = {}

    @property
    def state(self) -> str:
        """Whether it is "on" or "off", or "none" without a sound device."""
        return "none" if self._has_failed else "on" if self.is_on else "off"

    def toggle(self) -> None:
        """Switches it on or off."""
        self.is_on = not self.is_on
        self.play("count")

    def play(self, name: str) -> None:
        """Plays a sound of `TONES`, if it is on."""
        if not self.is_on or self._has_failed:
            return
        try:
            if self._mixer is None:
                self._open()
            self._tones[name].play()
        except (import_pygame().error, AttributeError, NotImplementedError):
            self._has_failed = True  # no device, or a pygame without a mixer

    def close(self) -> None:
        """Closes the sound device."""
        if self._mixer is not None:
            self._mixer.quit()
            self._mixer = None

    def _open(self) -> None:
        mixer = import_pygame().mixer
        with _no_messages():
            mixer.init(RATE, -16, 1, 512, allowedchanges=0)
        self._mixer = mixer
        self._tones = {
            name: mixer.Sound(buffer=samples(notes).tobytes()) for name, notes in TONES.items()
        }


@contextlib.contextmanager
def _no_messages() -> Iterator[None]:
    """Drops what libraries write to the standard error, as ALSA does without a device."""
    try:
        error = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
    try:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
            yield
    finally:
        os.dup2(error, 2)
        os.close(error)
