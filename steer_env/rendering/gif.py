"""Frames as an animated GIF.

Pillow would write one, too, but its palettes change the color of the ground, it takes several
times as long, and it holds every frame until the end.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.lzw import compress
from steer_env.steering.compilation import compiled_entrance

_BITS = 6  # of a color's number
_COLORS = 2**_BITS - 1  # drawings have few; one number is left for what stays as it was
_UNCHANGED = 2**_BITS - 1
_SAMPLES = 8  # frames that the palette is taken from
_LEAST_DELAY = 2  # hundredths of a second: browsers slow down whatever has less
_LONGEST_DELAY = 2**16 - 1
_LARGEST_SIDE = 2**16 - 1
_UNKNOWN = 255  # in the table of nearest colors


def save_gif(
    path: str | os.PathLike[str], frames: Sequence[NDArray[np.uint8]], fps: float
) -> None:
    """Writes frames as a GIF that repeats for ever.

    All frames share one small palette, without dithering: what stands still is then the
    same in all of them and takes no space. Equal frames in a row are stored as one that
    is shown longer.

    Args:
        path: of the file, which is replaced if it exists.
        frames: arrays (height, width, 3) of uint8, at least one. A few are looked at for the
            palette; then each is taken once, in order, and none is kept.
        fps: frames a second, above 0. A GIF knows only whole hundredths of a second: frames
            last a little longer or shorter so that the whole takes the right time. Nothing
            is faster than 50.

    Raises:
        ValueError: without frames, if they differ in shape or are too large, or if fps is not
            above 0.
        OSError: if the file cannot be written.
    """
    if not len(frames):
        raise ValueError("a GIF needs at least one frame")
    if not fps > 0.0:
        raise ValueError(f"fps must be above 0, got {fps!r}")
    samples = [frames[index] for index in range(0, len(frames), -(-len(frames) // _SAMPLES))]
    for frame in samples:
        _check_frame(frame, np.shape(samples[0]))
    palette = _palette_of(samples)
    height, width = samples[0].shape[:2]
    content = bytearray(_header(width, height, palette))
    for picture in _pictures(_numbered(frames, palette), fps):
        content += _image(picture)
    Path(path).write_bytes(content + b";")


class _Picture(NamedTuple):
    """A part of the screen that changes."""

    left: int
    top: int
    colors: NDArray[np.uint8]  # (height, width): numbers of the palette, or `_UNCHANGED`
    delay: int  # that it is shown, in hundredths of a second


def _check_frame(frame: NDArray[np.uint8], shape: tuple[int, ...]) -> None:
    if np.shape(frame) != shape or len(shape) != 3 or shape[2] != 3 or min(shape) < 1:
        raise ValueError("frames must be arrays (height, width, 3) of one size")
    if max(shape) > _LARGEST_SIDE:
        raise ValueError(f"frames of a GIF are at most {_LARGEST_SIDE} pixels a side")


def _palette_of(samples: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The most useful colors, (colors, 3).

    First the most frequent one, then again and again the one that is farthest from all chosen
    ones (Gonzalez, 1985), the more so the more often it is there: large areas keep their
    colors, and a vehicle of few pixels has its own as well.
    """
    counts = np.bincount(np.concatenate([_packed(frame) for frame in samples]))
    found = np.flatnonzero(counts)
    order = np.argsort(-counts[found], kind="stable")
    colors = found[order]
    if len(colors) > _COLORS:
        parts = np.stack((colors >> 16, (colors >> 8) & 255, colors & 255), axis=1)
        weights = np.sqrt(counts[colors])
        chosen = [0]
        gaps = np.full(len(colors), np.inf)
        while len(chosen) < _COLORS:
            gaps = np.minimum(gaps, ((parts - parts[chosen[-1]]) ** 2).sum(axis=1))
            chosen.append(int(np.argmax(gaps * weights)))
        colors = colors[chosen]
    palette: NDArray[np.uint8] = np.stack(
        (colors >> 16, (colors >> 8) & 255, colors & 255), axis=1
    ).astype(np.uint8)
    return palette


def _packed(frame: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Its colors as whole numbers: red, green and blue, 8 bits each."""
    wide = frame.reshape(-1, 3).astype(np.int64)
    packed: NDArray[np.int64] = (wide[:, 0] << 16) | (wide[:, 1] << 8) | wide[:, 2]
    return packed


def _numbered(
    frames: Sequence[NDArray[np.uint8]], palette: NDArray[np.uint8]
) -> Iterator[NDArray[np.uint8]]:
    """Frames as the numbers of their colors, (height, width)."""
    nearest = np.full(2**24, _UNKNOWN, np.uint8)  # by color; found when it is first needed
    shape: tuple[int, ...] | None = None
    for frame in frames:
        shape = np.shape(frame) if shape is None else shape
        _check_frame(frame, shape)
        numbers = np.empty(shape[:2], np.uint8)
        number_colors(np.ascontiguousarray(frame), palette, nearest, numbers)
        yield numbers


def _pictures(frames: Iterator[NDArray[np.uint8]], fps: float) -> Iterator[_Picture]:
    """What changes from frame to frame, and how long it is shown."""
    shown = next(frames)
    left, top, colors, delay = 0, 0, shown, _delay(0, fps)
    for number, frame in enumerate(frames, 1):
        changed = frame != shown
        if changed.any():
            yield _Picture(left, top, colors, delay)
            rows = np.flatnonzero(changed.any(axis=1))
            columns = np.flatnonzero(changed.any(axis=0))
            top, left = int(rows[0]), int(columns[0])
            area = slice(top, rows[-1] + 1), slice(left, columns[-1] + 1)
            colors = np.where(changed[area], frame[area], np.uint8(_UNCHANGED))
            shown, delay = frame, 0
        delay += _delay(number, fps)
    yield _Picture(left, top, colors, delay)


def _delay(number: int, fps: float) -> int:
    """How long a frame is shown, so that roundings do not add up."""
    start, end = (math.floor(100 * moment / fps + 0.5) for moment in (number, number + 1))
    return max(end - start, _LEAST_DELAY)


def _header(width: int, height: int, palette: NDArray[np.uint8]) -> bytes:
    screen = struct.pack("<HHBBB", width, height, 0x80 | 0x70 | (_BITS - 1), 0, 0)
    table = palette.tobytes().ljust(3 * 2**_BITS, b"\0")
    repeat = b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    return b"GIF89a" + screen + table + repeat


def _image(picture: _Picture) -> bytes:
    height, width = picture.colors.shape
    delay = min(picture.delay, _LONGEST_DELAY)
    # It is left on the screen, and lets shine through what has not changed.
    control = struct.pack("<BBBBHBB", 0x21, 0xF9, 4, (1 << 2) | 1, delay, _UNCHANGED, 0)
    place = struct.pack("<BHHHHB", 0x2C, picture.left, picture.top, width, height, 0)
    codes = compress(picture.colors.ravel(), _BITS)
    blocks = (codes[start : start + 255] for start in range(0, len(codes), 255))
    data = b"".join(bytes([len(block)]) + block for block in blocks)
    return control + place + bytes([_BITS]) + data + b"\0"


@compiled_entrance
def number_colors(
    pixels: np.ndarray, palette: np.ndarray, nearest: np.ndarray, numbers: np.ndarray
) -> None:
    """Writes the number of the nearest color of the palette for each pixel.

    Args:
        pixels: (height, width, 3) of uint8.
        palette: (colors, 3) of uint8.
        nearest: (2**24,) of uint8, by color; 255 where it has not been looked for.
        numbers: (height, width) of uint8, written to.
    """
    for row in range(pixels.shape[0]):
        for column in range(pixels.shape[1]):
            red = int(pixels[row, column, 0])
            green = int(pixels[row, column, 1])
            blue = int(pixels[row, column, 2])
            color = (red << 16) | (green << 8) | blue
            if nearest[color] == _UNKNOWN:
                least = 1 << 24
                for number in range(len(palette)):
                    distance = (
                        (red - int(palette[number, 0])) ** 2
                        + (green - int(palette[number, 1])) ** 2
                        + (blue - int(palette[number, 2])) ** 2
                    )
                    if distance < least:
                        least = distance
                        nearest[color] = number
            numbers[row, column] = nearest[color]
